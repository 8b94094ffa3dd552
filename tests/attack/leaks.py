"""Memory over many fits in one process: it must stay flat once everything is warm.

    python -m attack.leaks --fits 1000        # from the folder tests; local fits of every kind
    python -m attack.leaks --fits 200 --dask  # on a cluster of two workers, which are watched too

Free memory is handed back before each look, so that what is seen is not the allocator's reserve.
Dask keeps its last thousand messages for debugging; it is told to keep twenty, or 200 fits would
measure how that log fills up.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

import tauboost as tb
from problems import CASES

MOST_GROWTH = 5.0  # MB


def resident() -> float:
    """Return the MB of memory this process holds and uses."""
    gc.collect()
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def local_fits(folder: Path) -> Iterator[Callable[[], object]]:
    """Yield fits of mixed kinds for ever, failures among them."""
    X, y = tb.make_w8a_like(1500, random_state=0)
    three, model = np.arange(1500) % 3, folder / "model.tauboost"
    text = folder / "data.svm"
    text.write_text("+1 1:1 2:0.5\n-1 2:1\n" * 2000)

    def saved() -> None:
        clf = tb.TauBoostClassifier(n_jobs=8, random_state=0).fit(X, y)
        tb.save_model(clf, model)
        tb.load_model(model).predict_proba(X)

    def failed() -> None:
        bad = X.astype(np.float64)
        bad.data[0] = np.nan
        with suppress(ValueError):
            tb.TauBoostClassifier().fit(bad, y)
        model.write_bytes(b"nothing")
        with suppress(ValueError):
            tb.load_model(model)

    def stopped() -> None:
        def stop(_: Any) -> bool:
            raise RuntimeError("stopped")

        with suppress(RuntimeError):
            tb.solve(CASES["mixed"].problem(), callback=stop)

    def solved() -> None:
        for name, n_threads in zip(tb.METHODS, cycle([8, 2, 3]), strict=False):
            tb.solve(CASES["real"].problem(), name, max_epochs=5, n_threads=n_threads)

    yield from cycle(
        [
            saved,
            lambda: tb.TauBoostClassifier(n_jobs=3, max_iter=5).fit(X, three).predict(X),
            lambda: tb.regularization_path(X[:400], y[:400], n_alphas=3, cv=2, n_jobs=2),
            failed,
            stopped,
            solved,
            lambda: tb.load_svmlight(text, n_threads=8),
            lambda: tb.TauBoostClassifier(alpha=1e-3, loss="exponential").fit(X, y).score(X, y),
        ]
    )


@contextmanager
def dask_fits() -> Iterator[tuple[Iterator[Callable[[], object]], Callable[[], list[float]]]]:
    """Give fits on a cluster, and a look at the memory of its workers and of this process."""
    for name in ("LOW_LEVEL_LOG_LENGTH", "LOG_LENGTH"):  # read by the workers, too
        os.environ[f"DASK_DISTRIBUTED__ADMIN__{name}"] = "20"
    from distributed import Client, LocalCluster

    import tauboost.dask as td
    from dask_parts import pieces

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):

        def solved() -> None:
            td.solve(client, pieces("mixed", 2), random_state=1, max_epochs=3, fit_intercept=True)

        def classified() -> None:
            parts = pieces("binary", 2)
            td.TauBoostClassifier(client=client, alpha=1e-2, max_iter=3).fit(parts)

        yield cycle([solved, classified]), lambda: [resident(), *client.run(resident).values()]


def watch(fits: Iterator[Callable[[], object]], look: Callable[[], list[float]], n: int) -> float:
    """Run n fits; return the largest growth in MB of any process after a warm-up."""
    warm = 50
    first: list[float] = []
    growth = 0.0
    for done in range(1, warm + n + 1):
        next(fits)()
        if done == warm:
            first = look()
        elif done > warm and (done - warm) % max(1, n // 10) == 0:
            now = look()
            growth = max(b - a for a, b in zip(first, now, strict=True))
            sizes = ", ".join(f"{mb:.1f}" for mb in now)
            print(f"{done - warm:5d} fits: {sizes} MB, growth {growth:.2f} MB", flush=True)
    return growth


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--dask", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")
    if options.dask:
        with dask_fits() as (fits, look):
            growth = watch(fits, look, options.fits)
    else:
        with tempfile.TemporaryDirectory() as folder:
            growth = watch(local_fits(Path(folder)), lambda: [resident()], options.fits)
    verdict = "flat" if growth < MOST_GROWTH else "growing"
    print(f"{options.fits} fits after warm-up: {growth:.2f} MB of growth, {verdict}")
    return int(growth >= MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
