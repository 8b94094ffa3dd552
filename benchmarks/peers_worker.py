"""A process for each classifier: it holds the data, and fits and scores whenever it is told to.

So a fit that takes too long can be ended without harm to the others, nobody's threads stay around
to disturb the next, and a crash of a library is a row in the table.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from threadpoolctl import threadpool_limits

from common import Neighbours
from peers_models import Peer

__all__ = ["NoResultError", "Worker", "save_split"]

SPLIT = "split.joblib"
STARTING = 120.0  # seconds that imports and reading the data may take
Answer = dict[str, Any]


class NoResultError(Exception):
    """A classifier that gave no result; the message says why."""


class Worker:
    """The parent's end of a process that runs one classifier.

    Parameters
    ----------
    peer : what it runs
    limit : seconds that a fit may take, with the scoring after it
    """

    def __init__(self, peer: Peer, n_threads: int, seed: int, limit: float) -> None:
        self.peer, self.limit = peer, limit
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, peer, n_threads, seed), daemon=True
        )
        self.process.start()
        theirs.close()

    def load(self, folder: Path) -> None:
        """Let it read a split; it does so while others do the same."""
        self.connection.send(("load", folder))

    def is_ready(self) -> None:
        """Wait until it has read the split."""
        self._answer(STARTING, "starting")

    def fit(self, score: bool) -> Answer:
        """Return seconds of a fit and of predictions and, if asked for, how good the model is."""
        self.connection.send(("fit", score))
        return self._answer(self.limit, "the fit")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)  # its children, too: some libraries have
        self.process.kill()
        self.process.join()
        self.connection.close()

    def _answer(self, limit: float, what: str) -> Answer:
        try:
            if not self.connection.poll(limit):
                raise NoResultError(f"{what} took more than {limit:g} s")
            answer: Answer = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            raise NoResultError(f"process ended with code {self.process.exitcode}") from None
        if "error" in answer:
            raise NoResultError(answer["error"])
        return answer


def save_split(folder: Path, parts: Mapping[str, tuple[Any, np.ndarray]]) -> None:
    """Write the two parts of a split, matrices or tables, where workers can read them."""
    joblib.dump(dict(parts), folder / SPLIT)


def _load_split(folder: Path) -> dict[str, tuple[Any, np.ndarray]]:
    # csr_matrix, as not all peers know arrays; a view, and the same to the others.
    return {
        part: (sparse.csr_matrix(X) if sparse.issparse(X) else X, y)
        for part, (X, y) in joblib.load(folder / SPLIT).items()
    }


def _serve(connection: Connection, peer: Peer, n_threads: int, seed: int) -> None:
    """Answer the parent until it has gone."""
    os.setsid()
    data: dict[str, Any] = {}
    with threadpool_limits(n_threads, user_api="blas"):
        while True:
            try:
                order, argument = connection.recv()
            except EOFError:
                return
            try:
                if order == "load":
                    data = _load_split(argument)
                    answer: Answer = {}
                else:
                    answer = _fit(peer.make(n_threads, seed), data, argument)
            except Exception as error:  # of any library: it becomes a row
                answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
            connection.send(answer)


def _fit(model: Any, data: dict[str, Any], score: bool) -> Answer:
    X, y = data["train"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Neighbours() as others:
            began, worked = time.perf_counter(), time.process_time()
            model.fit(X, y)
            seconds, worked = time.perf_counter() - began, time.process_time() - worked
        began = time.perf_counter()
        labels = model.predict(data["test"][0])
        predicting = time.perf_counter() - began
        quality = _quality(model, *data["test"], labels) if score else {}
    said = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    said += getattr(model, "warnings_", [])
    note = " ".join(said[0].split())[:120] if said else ""
    answer = {"seconds": seconds, "processor_seconds": worked, "predict_seconds": predicting}
    return answer | {"busy": others.cores * seconds, "warning": note} | quality


def _quality(model: Any, X: Any, y: np.ndarray, labels: np.ndarray) -> Answer:
    """Score on the test part: what does not apply is not a number."""
    classes, codes = np.unique(y, return_inverse=True)
    none = float("nan")
    found = {"auc": none, "log_loss": none, "brier": none}
    found["accuracy"] = float(accuracy_score(y, labels))
    p = _probabilities(model, X)
    if p is not None and p.shape[1] == len(classes):
        found["log_loss"] = float(log_loss(codes, np.clip(p, 1e-15, 1 - 1e-15)))
        # Half the squared distance to the true class: the usual score for two classes.
        found["brier"] = float(np.square(p - np.eye(len(classes))[codes]).sum(axis=1).mean() / 2)
    if len(classes) == 2:
        H = model.decision_function(X) if hasattr(model, "decision_function") else p[:, 1]
        found["auc"] = float(roc_auc_score(codes, np.ravel(H)))
    return found


def _probabilities(model: Any, X: Any) -> np.ndarray | None:
    if not hasattr(model, "predict_proba"):
        return None
    try:
        p = np.asarray(model.predict_proba(X), dtype=float)
    except (ValueError, RuntimeError, NotImplementedError):  # Snap ML: two classes only
        return None
    return p / p.sum(axis=1, keepdims=True)
