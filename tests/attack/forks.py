"""Forks and threads: a fit on several threads in every kind of child, beside every kind of thread.

Each scenario runs in a process of its own and prints the bits of all its fits; it must end in time,
and all bits must be those of a fit on one thread.

    python -m attack.forks              # from the folder tests; a minute
    python -m attack.forks torch loky   # scenarios by name
"""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec

SECONDS = 120
COUNTS = (8, 2, 3, 8)  # of threads


@cache
def data():
    # Imported late: one scenario has the child import everything.
    from attack.jobs import use_all_threads
    from problems import sharded_case

    use_all_threads()
    case = sharded_case()
    return case.X, case.y


def work(*counts: int) -> str:
    """Build, solve, fit and predict, each on another number of threads; return the bits."""
    import tauboost as tb
    from attack.jobs import bits

    X, y = data()
    to_build, to_solve, to_fit, to_predict = counts or COUNTS
    problem = tb.Problem(X, y, n_threads=to_build)
    options = {"tau": 64, "n_threads": to_solve, "max_epochs": 2, "tol": 0, "random_state": 1}
    result = tb.solve(problem, **options)
    clf = tb.TauBoostClassifier(alpha=1e-3, max_iter=2, n_jobs=to_fit, random_state=0).fit(X, y)
    return bits((result.lam, clf.coef_, clf.set_params(n_jobs=to_predict).predict_proba(X)))


def pooled(_: int) -> str:
    return work()


def forked(task: Callable[[], str] = work, n: int = 1) -> list[str]:
    """Run a task in children of os.fork, n at the same time."""
    pipes = []
    for _ in range(n):
        reader, writer = os.pipe()
        if os.fork() == 0:
            code = 1
            try:
                os.write(writer, task().encode())
                code = 0
            finally:
                os._exit(code)
        os.close(writer)
        pipes.append(reader)
    found = []
    for reader in pipes:
        with os.fdopen(reader) as pipe:
            found.append(pipe.read() or "nothing")
    for _ in range(n):
        os.wait()
    return found


@contextmanager
def beside(task: Callable[[], object]) -> Iterator[None]:
    """Run a task over and over in another thread."""
    done = threading.Event()

    def repeat() -> None:
        while not done.is_set():
            task()

    thread = threading.Thread(target=repeat)
    thread.start()
    time.sleep(0.2)
    yield
    done.set()
    thread.join()


def in_threads(n: int = 4) -> list[str]:
    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(pooled, range(n)))


def os_fork() -> list[str]:
    return [work(), *forked(), work(), *forked(n=3)]


def grandchild() -> list[str]:
    return [work(), *forked(lambda: work() and forked()[0])]


def pool_of(method: str) -> list[str]:
    before = work()
    with multiprocessing.get_context(method).Pool(2) as pool:
        return [before, *pool.map(pooled, range(3)), work()]


def loky() -> list[str]:
    from joblib import Parallel, delayed

    before = work()
    return [before, *Parallel(n_jobs=2)(delayed(pooled)(k) for k in range(3)), work()]


def threads_in_a_child() -> list[str]:
    return [work(), *forked(lambda: same(in_threads(3)))]


def import_in_a_child() -> list[str]:
    assert "tauboost" not in sys.modules
    return [*forked(n=2), work(), *forked()]


def fork_amid_a_fit() -> list[str]:
    before = work()  # all is imported: Python's own locks on modules do not survive a fork
    with beside(work):
        return [before, *(bits for _ in range(8) for bits in forked())]


def fork_in_a_thread() -> list[str]:
    with ThreadPoolExecutor(1) as pool:
        return [work(), *pool.submit(forked).result(), work()]


def around(others: Callable[[], object]) -> list[str]:
    """Work after, beside and between what the threads of others do."""
    others()
    found = [work(), *forked()]
    with beside(others):
        found += [work(), *forked()]
    others()
    return [*found, work()]


def scikit_learn() -> list[str]:
    """Fit on OpenMP before, beside and after."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = data()
    dense = X[:5000].toarray()

    def trees() -> object:
        return HistGradientBoostingClassifier(max_iter=3).fit(dense, y[:5000])

    return around(trees)


def torch() -> list[str]:
    """Multiply on torch's threads before, beside and after."""
    import torch

    torch.set_num_threads(2)
    matrix = torch.rand(600, 600)

    def multiply() -> object:
        return (matrix @ matrix).sum().item()

    return around(multiply)


def exit_amid_a_fit() -> list[str]:
    """Leave while daemon threads compute; each of many children at another moment."""
    found = work()

    def leave() -> str:
        for _ in range(2):
            threading.Thread(target=lambda: [work() for _ in range(100)], daemon=True).start()
        time.sleep(0.1 + 0.3 * random.random())
        sys.stdout.flush()
        sys.exit(0)

    children = []
    for _ in range(10):
        child = os.fork()
        if child == 0:
            leave()
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    return [found, *(found if code == 0 else f"exit:{code}" for code in codes)]


def same(found: list[str]) -> str:
    return found[0] if len(set(found)) == 1 else " and ".join(found)


SCENARIOS: dict[str, Callable[[], list[str]]] = {
    "os.fork": os_fork,
    "grandchild": grandchild,
    "fork": lambda: pool_of("fork"),
    "forkserver": lambda: pool_of("forkserver"),
    "spawn": lambda: pool_of("spawn"),
    "loky": loky,
    "threads": in_threads,
    "threads-in-a-child": threads_in_a_child,
    "import-in-a-child": import_in_a_child,
    "fork-amid-a-fit": fork_amid_a_fit,
    "fork-in-a-thread": fork_in_a_thread,
    "exit-amid-a-fit": exit_amid_a_fit,
    "scikit-learn": scikit_learn,
    "torch": torch,
}


def outcome(name: str, seconds: float = SECONDS) -> str:
    """Run a scenario in a process of its own; return the bits of its fits, or what went wrong."""
    command = [sys.executable, "-m", "attack.forks", "--here", name]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            found, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # with all its children
            return f"did not end within {seconds:g} s"
    if process.returncode:
        return f"exit code {process.returncode}: {errors[-500:]}"
    return same(found.split())


def main(names: list[str]) -> int:
    if names[:1] == ["--here"]:
        print(*([work(1, 1, 1, 1)] if names[1] == "alone" else SCENARIOS[names[1]]()), flush=True)
        return 0
    expected, n_failures = outcome("alone"), 0
    print(f"{'alone':20s} {expected}")
    for name in names or SCENARIOS:
        if name == "torch" and find_spec("torch") is None:
            print(f"{name:20s} skipped: not installed")
            continue
        begin = time.monotonic()
        found = outcome(name)
        n_failures += found != expected
        verdict = "same bits" if found == expected else found
        print(f"{name:20s} {verdict}, {time.monotonic() - begin:.0f} s", flush=True)
    return n_failures


if __name__ == "__main__":
    from attack.forks import main as main_of_module  # loky must find the functions by name

    sys.exit(main_of_module(sys.argv[1:]))
