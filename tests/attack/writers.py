"""Four processes that save, replace and open the same model and the same store all the time.

    python -m attack.writers --rounds 10000   # from the folder tests; some minutes

Nothing may fail, and whatever is opened is one of the versions that somebody wrote: never a part
of one, nor parts of two.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tauboost as tb

PROCESSES = 4
VERSIONS = 3
MODEL, STORE = Path("model"), Path("store")


def rows(version: int) -> tuple[Any, Any]:
    """Return data of another shape, with other values, for each version."""
    rng = np.random.default_rng(version)
    X = (rng.random((200 + 100 * version, 10 + version)) < 0.3) * (1.0 + version)
    return X, np.where(X[:, 0] > 0, 1.0, -1.0)


def save(models: list[Any], version: int) -> None:
    tb.save_model(models[version], MODEL)


def replace(version: int) -> None:
    with tb.StoreWriter(STORE, overwrite=True) as writer:
        writer.append(*rows(version))


def load(models: list[Any], version: int) -> bool:
    found = tb.load_model(MODEL)
    return any(np.array_equal(found.coef_, model.coef_) for model in models)


def read(version: int) -> bool:
    """Open, with the checksums or without; what is in the maps is of one version."""
    store = tb.open_store(STORE, verify=version == 0)
    X, y = rows(store.shape[1] - 10)
    return np.array_equal(store.to_csr().toarray(), X) and np.array_equal(store.y, y)


def work(models: list[Any], rounds: int, seed: int) -> Counter[str]:
    """Do one thing after the other; count what was done, what failed and what was unsound."""
    rng, seen = random.Random(seed), Counter[str]()
    jobs: dict[str, Callable[[int], bool | None]] = {
        "saves": partial(save, models),
        "loads": partial(load, models),
        "replacements": replace,
        "opens": read,
    }
    for _ in range(rounds):
        name = rng.choice(list(jobs))
        seen[name] += 1
        try:
            seen["unsound"] += jobs[name](rng.randrange(VERSIONS)) is False
        except Exception as error:
            seen["failures"] += 1
            print(f"{name}: {error!r}", file=sys.stderr)
    return seen


def main(rounds: int) -> Counter[str]:
    """Share the rounds out among the processes; return what they saw."""
    models = [tb.TauBoostClassifier(alpha=1e-3).fit(*rows(version)) for version in range(VERSIONS)]
    save(models, 0)
    replace(0)
    share = partial(work, models, rounds // PROCESSES)
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        seen = sum(pool.map(share, range(PROCESSES), chunksize=1), Counter[str]())
    left = {path.name for path in Path().iterdir()} - {MODEL.name, STORE.name}
    assert not left, f"left behind: {left}"
    return seen


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seen = main(given.rounds)
        os.chdir("/")
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.exit(bool(seen["failures"] or seen["unsound"]))
