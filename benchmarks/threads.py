"""What threads gain, and what too many cost: one, all cores' and far more than there are cores.

Every user of the thread pool is timed with one thread, with one for each core, and with more than
there are cores, in turns. Threads beyond the cores can gain nothing: they must not cost much. Ten
epochs of `exact` on imdb_unigram, where it is there, say what the second core gains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import common
import tauboost as tb
from tauboost.datasets import find_data

Job = Callable[[int], Any]
EPOCHS = {"exact": 10, "pcdm": 5, "pcdm-async": 10, "exact-async": 10}


def solve_jobs(data: common.Data, seed: int) -> dict[str, Job]:
    """Every method that takes threads."""

    def solve(problem: tb.Problem, method: str, n: int, **options: Any) -> None:
        random = {"random_state": seed} if tb.METHODS[method].takes_seed else {}
        epochs = EPOCHS.get(method, 60)
        tb.solve(problem, method, max_epochs=epochs, tol=0, n_threads=n, **random, **options)

    problem = tb.Problem(data.X, data.y)
    methods = [name for name in tb.METHODS if name != "lbfgs"]
    jobs: dict[str, Job] = {f"{data.name}: {m}": partial(solve, problem, m) for m in methods}
    jobs[f"{data.name}: pcdm, tau = 64"] = partial(solve, problem, "pcdm", tau=64)
    return jobs


def exact_jobs(data: common.Data, seed: int) -> dict[str, Job]:
    """Ten epochs of `exact` with both losses, with and without l2."""
    jobs: dict[str, Job] = {}
    for loss in ("exponential", "logistic"):
        problem = tb.Problem(data.X, data.y, loss=loss)
        for l2 in (0.0, 1e-4):
            options = {"alpha": l2, "l1_ratio": 0.0, "max_epochs": 10, "tol": 0}
            name = f"{data.name}: exact, {loss}" + (", l2" if l2 else "")
            jobs[name] = lambda n, problem=problem, options=options: tb.solve(
                problem, "exact", n_threads=n, random_state=seed, **options
            )
    return jobs


def other_jobs(data: common.Data, seed: int, quick: bool) -> dict[str, Job]:
    """Estimators, readers of texts, the build."""
    rng = np.random.default_rng(seed)
    m = 2_000 if quick else 50_000
    table = rng.normal(size=(m, 10)).round(2)
    labels = table[:, 0] + rng.logistic(size=m) > 0
    words = np.array([f"w{k}" for k in range(30_000)])
    ranks = (rng.pareto(1.0, (m * 2 // 5, 100)) * 5).astype(int) % len(words)
    texts = [" ".join(row) for row in words[ranks]]
    fitted = tb.TauBoostClassifier(alpha=1e-3, random_state=seed).fit(data.X, data.y)
    options = {"random_state": seed}
    return {
        "fit": lambda n: tb.TauBoostClassifier(n_jobs=n, **options).fit(data.X, data.y),
        "fit, cross-validated": lambda n: tb.TauBoostClassifierCV(n_jobs=n, **options).fit(
            data.X, data.y
        ),
        "fit a table": lambda n: tb.TableClassifier(n_jobs=n, **options).fit(table, labels),
        "count words": lambda n: tb.TextVectorizer(n_jobs=n).fit_transform(texts),
        "count word pairs": lambda n: tb.TextVectorizer(n_jobs=n, ngram_range=(1, 2)).fit_transform(
            texts
        ),
        "build": lambda n: tb.Problem(data.X, data.y, n_threads=n),
        "predict": lambda n: fitted.set_params(n_jobs=n).predict_proba(data.X),
    }


def measure(name: str, job: Job, counts: list[int], repeats: int) -> dict[str, Any]:
    """Time the numbers of threads in turns."""
    candidates = [common.Candidate(lambda: None, lambda _, n=n: job(n)) for n in counts]
    for n in counts:
        job(n)  # threads are started once
    one, cores, many = common.time_in_turns(candidates, repeats).medians
    return {
        "what": name,
        "one thread, s": one,
        f"{counts[1]} threads, s": cores,
        f"{counts[2]} threads, s": many,
        f"one / {counts[1]}": one / cores,
        f"{counts[2]} / {counts[1]}": many / cores,
    }


def main() -> None:
    """Print and save a row for each user of the thread pool."""
    options = common.parser(__doc__)
    options.add_argument("--repeats", type=int, default=9)
    options.add_argument("--many", type=int, default=64, help="threads, far more than cores")
    chosen = options.parse_args()
    counts = [1, chosen.threads, chosen.many]
    data = common.w8a(chosen.seed, chosen.quick)
    jobs = solve_jobs(data, chosen.seed) | other_jobs(data, chosen.seed, chosen.quick)
    try:
        imdb = None if chosen.quick else find_data("imdb_unigram")
    except FileNotFoundError:
        imdb = None
    if imdb is not None:
        jobs |= exact_jobs(common.Data("imdb", *tb.load_svmlight(imdb)), chosen.seed)
    repeats = 2 if chosen.quick else chosen.repeats
    rows = [measure(name, job, counts, repeats) for name, job in jobs.items()]
    cells = [[v if isinstance(v, str) else f"{v:.3g}" for v in row.values()] for row in rows]
    common.print_table("Threads", list(rows[0]), cells)
    common.write_csv(chosen.out / "threads.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
