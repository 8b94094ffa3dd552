"""Long runs that can be killed at any moment and resumed: where they are, in a file.

A checkpoint holds the point that a run has reached and, of a fit, what has been chosen for it: a
resumed run starts there, and ends within its tolerance of where it would have ended, not on the
same bits. It is written now and then to one safetensors file, which appears complete or not at all.
It says of which data and options it is; that of another run is refused. Reading it runs no code,
and whoever reads it checks what it says: a file made to do harm can at worst start a run elsewhere.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..base.arrays import Vector
from ..base.messages import warn_of
from .tensors import decode, encode, excerpt, parse, read_file, write_tensors

__all__ = ["Arrays", "Checkpoint", "SolveCheckpoint", "checksum", "entry", "misfit"]


FORMAT, SOLVE_FORMAT = "tauboost-checkpoint", "tauboost-solve"
FILE_NAME = "fit.safetensors"
SECONDS_BETWEEN, SECONDS_BETWEEN_SAVES = 30.0, 10.0
# Writing takes at most about this share of the time, however large the state.
LARGEST_SHARE = 0.05

Arrays = dict[str, NDArray[Any]]


def misfit(name: str) -> ValueError:
    """Return the error of a checkpoint in which one thing cannot be that of the run."""
    return ValueError(f"the saved state does not fit this problem: {name} differs")


def entry(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    shape: tuple[int, ...],
    dtype: DTypeLike,
    least: float = -np.inf,
    most: float = np.inf,
) -> NDArray[Any]:
    """Return a saved array, checked: finite, of this shape and type, and between two numbers."""
    saved = arrays.get(name)
    if saved is None or saved.dtype != dtype or saved.shape != shape:
        raise misfit(name)
    if not np.all(np.isfinite(saved) & (saved >= least) & (saved <= most)):
        raise misfit(name)
    return saved


class _StateFile:
    """The file of a state. A run is worth more than its state: it goes on if that is not saved."""

    def __init__(self, path: Path) -> None:
        self.path, self._is_said = path, False

    def write(self, arrays: Arrays, metadata: Mapping[str, str]) -> None:
        """Write a state; where that cannot be, warn, once."""
        try:
            write_tensors(self.path, arrays, metadata)
        except OSError as error:
            if not self._is_said:
                self._is_said = True
                warn_of(
                    f"{self.path}: the state could not be saved ({error.strerror or error}); the "
                    "run goes on, and can be resumed only from the last state saved, if any"
                )


class Checkpoint:
    """A folder for the state of one fit.

    Parameters
    ----------
    folder : str or path-like
        Made if it is not there; its parent must be.
    every : float
        Seconds between two savings, at least.
    """

    def __init__(self, folder: str | os.PathLike[str], every: float = SECONDS_BETWEEN) -> None:
        self.folder, self.every = Path(folder), every
        self.file = self.folder / FILE_NAME
        self._file = _StateFile(self.file)
        self.identity = ""
        self.is_resumed = False
        self._due = time.monotonic() + every
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder}: is a file, and a checkpoint is a folder")
        if not self.folder.resolve().parent.is_dir():
            raise FileNotFoundError(f"{self.folder}: there is no folder {self.folder.parent}")

    def open(self, identity: Mapping[str, Any]) -> tuple[Arrays, Any] | None:
        """Begin a fit; return the arrays and facts of it that were saved, or None.

        ``identity`` is what its data and options are told from others by: the state of another fit
        is refused.
        """
        self.identity = json.dumps(identity, sort_keys=True)
        self._due = time.monotonic() + self.every
        self.folder.mkdir(exist_ok=True)
        if not self.file.exists():
            return None
        with self.reading():
            metadata, arrays = read_file(self.file, FORMAT)
            change = _first_change(metadata, "identity", identity)
            facts = decode(parse(metadata.get("facts", "")), "facts")
        if change is not None:
            raise ValueError(
                f"{self.file}: the state of another fit ({change[0]} was {change[1]}, "
                f"now {change[2]}); give the same data and options, or another folder"
            )
        self.is_resumed = True
        return arrays, facts

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Name the file in the error, where what was found cannot be the state of a fit."""
        try:
            yield
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self.file}: {error}; remove the file to start the fit anew"
            ) from None

    def save(self, state: Callable[[], tuple[Arrays, Any]]) -> None:
        """Save arrays and facts, if it is time to."""
        began = time.monotonic()
        if began < self._due:
            return
        arrays, facts = state()
        metadata = {"identity": self.identity, "facts": json.dumps(encode(facts, "facts"))}
        self._file.write(arrays, metadata | {"format": FORMAT})
        now = time.monotonic()
        self._due = now + max(self.every, (now - began) / LARGEST_SHARE)

    def remove(self) -> None:
        """Remove the state, and the folder if nothing else is in it: the fit is complete."""
        with suppress(OSError):  # the model is there: what cannot be removed does no harm
            self.file.unlink(missing_ok=True)
            self.folder.rmdir()


class SolveCheckpoint:
    """Where a solve is, in one file at ``path``; ``facts`` say which solve it is."""

    def __init__(self, path: str | os.PathLike[str], facts: dict[str, Any]) -> None:
        self.path, self.facts = Path(path), facts
        self._file = _StateFile(self.path)
        if self.path.is_dir():
            raise IsADirectoryError(f"checkpoint {self.path}: is a folder, and must be a file")
        if not self.path.resolve().parent.is_dir():
            raise FileNotFoundError(
                f"checkpoint {self.path}: there is no folder {self.path.parent}"
            )
        self.epochs_before = 0.0
        self._written = time.monotonic()

    def load(self) -> tuple[Vector, float] | None:
        """Return lam and intercept, or None if there is nothing yet; refuse another solve's file.

        ``epochs_before`` is then how many epochs it took to get there.
        """
        if not self.path.exists():
            return None
        try:
            metadata, arrays = read_file(self.path, SOLVE_FORMAT)
            change = _first_change(metadata, "facts", self.facts)
            if change is not None:
                name, was, now = change
                raise ValueError(f"it is of another solve: its {name} is {was}, not {now}")
            lam = entry(arrays, "lam", (self.facts["n_features"],), np.float64)
            intercept = entry(arrays, "intercept", (), np.float64)
            epoch = entry(arrays, "epoch", (), np.float64, 0.0)
        except ValueError as error:
            raise ValueError(
                f"checkpoint {self.path}: {error}. Remove it, or name another file"
            ) from None
        self.epochs_before = float(epoch)
        return lam, float(intercept)

    def save_if_due(self, lam: Vector, intercept: float, epoch: float) -> None:
        """Save, if the last time is long enough ago."""
        if time.monotonic() - self._written >= SECONDS_BETWEEN_SAVES:
            self.save(lam, intercept, epoch)

    def save(self, lam: Vector, intercept: float, epoch: float) -> None:
        """Write the file anew."""
        self._written = time.monotonic()
        arrays = {"lam": lam, "intercept": intercept, "epoch": self.epochs_before + epoch}
        self._file.write(
            {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()},
            {"format": SOLVE_FORMAT, "facts": json.dumps(self.facts)},
        )


def _first_change(
    metadata: Mapping[str, str], key: str, wanted: Mapping[str, Any]
) -> tuple[str, str, str] | None:
    """Return what of the run that a file is of differs from this one: its name, and both values."""
    found = decode(parse(metadata.get(key, "")), key)
    if not isinstance(found, dict):
        raise ValueError("it does not say of which run it is")
    for name, value in json.loads(json.dumps(wanted)).items():
        if found.get(name) != value:
            return name, excerpt(found.get(name)), repr(value)
    return None


def checksum(*arrays: np.ndarray[Any, Any]) -> str:
    """Return a number that tells arrays from others."""
    total = 0
    for array in arrays:
        total = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, total)
    return f"{total:08x}"
