"""Pieces of the problems of problems.py, as tasks of a Dask worker load them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pandas as pd
import scipy.sparse as sp

from problems import CASES, Case, sharded_case
from tauboost.dask.actors import ActorPool


@cache
def case_named(name: str) -> Case:
    return sharded_case() if name == "sharded" else CASES[name]


def load_piece(name: str, start: int, stop: int, seconds: float = 0.0) -> tuple[Any, ...]:
    time.sleep(seconds)
    case = case_named(name)
    weights = () if case.sample_weight is None else (case.sample_weight[start:stop],)
    return (sp.csr_array(case.X)[start:stop], case.y[start:stop], *weights)


def table_piece(start: int, stop: int) -> tuple[Any, Any]:
    """Rows of a table of numbers and words, and their labels."""
    rows = np.arange(start, stop)
    frame = pd.DataFrame({"age": rows * 37 % 101 / 3.0, "town": [f"t{k * 7 % 11}" for k in rows]})
    return frame, np.where((rows * 37 % 101 > 50) ^ (rows % 5 == 0), "yes", "no")


def text_piece(start: int, stop: int) -> tuple[list[str], list[str]]:
    """Texts of a few words, and their labels."""
    words = ["good", "bad", "film", "fun", "dull", "plot", "cast", "long", "short", "new", "old"]
    texts = [" ".join(words[(k * j + j) % 11] for j in range(1, 7)) for k in range(start, stop)]
    return texts, ["pos" if "good" in text else "neg" for text in texts]


def load_once(folder: str, *args: Any) -> tuple[Any, ...]:
    """A piece that can be loaded one time only."""
    marker = Path(folder) / f"loaded-{args[1]}"
    marker.touch(exist_ok=False)
    return load_piece(*args)


def load_or_die(folder: str, deaths: int, *args: Any) -> tuple[Any, ...]:
    """A piece that workers die of, so many times."""
    die(folder, deaths)
    return load_piece(*args)


def texts_or_die(folder: str, texts: list[str], labels: list[str]) -> tuple[Any, ...]:
    """Texts that the first worker to load them dies of."""
    die(folder, 1)
    return texts, labels


def die(folder: str, deaths: int) -> None:
    for k in range(deaths):
        with suppress(FileExistsError):
            (Path(folder) / f"death-{k}").touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)


def kill_before(monkeypatch: Any, names: list[str]) -> list[str]:
    """Kill the worker of the first part before the first call of each name, once each."""
    left = list(names)
    call = ActorPool._call

    async def call_or_kill(
        pool: ActorPool, member: Any, name: str, *arguments: Any, **how: Any
    ) -> Any:
        what = arguments[1] if name == "carry_out" else name
        if member.index == 0 and left and what == left[0]:
            left.pop(0)
            [pid] = (await pool.client._run(os.getpid, workers=[member.address])).values()
            os.kill(pid, signal.SIGKILL)
        return await call(pool, member, name, *arguments, **how)

    monkeypatch.setattr(ActorPool, "_call", call_or_kill)
    return left


def pieces(name: str, n: int, seconds: float = 0.0) -> list[Any]:
    cuts = np.linspace(0, len(case_named(name).y), n + 1).astype(int).tolist()
    return [dask.delayed(load_piece)(name, a, b, seconds) for a, b in pairwise(cuts)]


class StoreLike:
    """What is asked of a store."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y, self.shape = X, y, X.shape

    def rows(self, start: int, stop: int) -> Any:
        return self.X[start:stop]
