"""Clusters of worker processes for tests, forked from a process that has imported all they need.

A worker that starts on its own imports for seconds, and tests start and kill many. One cluster, in
cluster/test_security.py, starts its workers as users do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context

import dask
from distributed import Client, LocalCluster, utils

NEEDED = ["distributed", "pandas", "dask.dataframe", "tauboost.dask"]
FORKED = {"distributed.worker.multiprocessing-method": "forkserver"}


@contextmanager
def forked_workers() -> Iterator[None]:
    """Have the workers that start within forked."""
    with dask.config.set(FORKED):
        if hasattr(utils, "get_mp_context"):
            utils.get_mp_context()  # has its own list, the first time
        get_context("forkserver").set_forkserver_preload(NEEDED)
        yield


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Client]:
    """Yield the client of a cluster of workers of one thread; the dead are replaced."""
    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        forked_workers(),
        LocalCluster(**options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
