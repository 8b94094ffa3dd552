"""Long runs that can be killed at any moment and resumed: their state in a file.

The state is written now and then to one safetensors file, which appears complete or not at all. It
says of which data and options it is the state; that of another run is refused. Reading it runs no
code. `Checkpoint` has all of a fit's state, and a fit that is resumed gives the same bits as one
that was never interrupted. `SolveCheckpoint` has where a solve on a cluster was: lam, and no more.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..base.fit_warning import warn_of
from .plain_json import decode, encode, excerpt, parse
from .saved import FINITE, NOT_NEGATIVE, SavedStateError, State, entry
from .tensors import read_file, write_tensors

__all__ = ["Checkpoint", "NoCheckpoint", "SolveCheckpoint", "checksum", "from_json", "to_json"]

FORMAT, SOLVE_FORMAT = "tauboost-checkpoint", "tauboost-solve"
FILE_NAME = "fit.safetensors"
SECONDS_BETWEEN, SECONDS_BETWEEN_LOOKS = 30.0, 10.0
# Writing takes at most about this share of the time, however large the state.
LARGEST_SHARE = 0.05


class NoCheckpoint:
    """Stands for not wanting one."""

    phase: str | None = None  # of the state that was found
    is_resumed = False  # whether one was

    def open(self, identity: Mapping[str, Any]) -> None:
        """Begin a fit, of data and options that are told from others by ``identity``."""

    def saved(self, phase: str) -> State | None:  # noqa: ARG002
        """Return the state that was saved in this phase; None: in another, or nothing was."""
        return None

    def expect(self, phases: Collection[str]) -> None:
        """Refuse a state of a phase that this fit does not have."""

    @contextmanager
    def resuming(self) -> Iterator[None]:
        """Say which file it is, where a state that was found turns out not to fit."""
        yield

    def save(self, phase: str, state: Callable[[], State]) -> None:
        """Save the state of a phase, if it is time to."""


class _StateFile:
    """The file of a state. A run is worth more than its state: it goes on if that is not saved."""

    def __init__(self, path: Path) -> None:
        self.path, self._is_said = path, False

    def write(self, arrays: State, metadata: Mapping[str, str]) -> None:
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


class Checkpoint(NoCheckpoint):
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
        self._state: State = {}
        self._due = time.monotonic() + every
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder}: is a file, and a checkpoint is a folder")
        if not self.folder.resolve().parent.is_dir():
            raise FileNotFoundError(f"{self.folder}: there is no folder {self.folder.parent}")

    def open(self, identity: Mapping[str, Any]) -> None:
        """Read the state, if there is one; that of another fit is refused."""
        self.identity = json.dumps(identity, sort_keys=True)
        self._due = time.monotonic() + self.every
        self.folder.mkdir(exist_ok=True)
        if not self.file.exists():
            return
        try:
            metadata, self._state = read_file(self.file, FORMAT)
            change = _first_change(metadata, "identity", identity)
            phase = metadata.get("phase")
            if phase is None:
                raise ValueError("it is not the state of a fit")
        except ValueError as error:
            raise self._refusal(error) from None
        if change is not None:
            raise ValueError(
                f"{self.file}: the state of another fit ({change[0]} was {change[1]}, "
                f"now {change[2]}); give the same data and options, or another folder"
            )
        self.phase, self.is_resumed = phase, True

    def _refusal(self, reason: Exception) -> ValueError:
        return ValueError(f"{self.file}: {reason}; remove the file to start the fit anew")

    def expect(self, phases: Collection[str]) -> None:
        """Refuse a state of a phase that this fit does not have."""
        if self.phase is not None and self.phase not in phases:
            raise SavedStateError("phase")

    @contextmanager
    def resuming(self) -> Iterator[None]:
        """Say which file it is, where a state that was found turns out not to fit."""
        try:
            yield
        except SavedStateError as error:
            raise self._refusal(error) from None

    def saved(self, phase: str) -> State | None:
        """Return the state that was found, once, if it is of this phase."""
        if phase != self.phase:
            return None
        self.phase, state, self._state = None, self._state, {}
        return state

    def save(self, phase: str, state: Callable[[], State]) -> None:
        """Save the state of a phase, if it is time to."""
        began = time.monotonic()
        if began < self._due:
            return
        metadata = {"format": FORMAT, "identity": self.identity, "phase": phase}
        self._file.write(state(), metadata)
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
            lam = entry(arrays, "lam", (self.facts["n_features"],), np.float64, FINITE)
            intercept = entry(arrays, "intercept", (), np.float64, FINITE)
            epoch = entry(arrays, "epoch", (), np.float64, NOT_NEGATIVE)
        except ValueError as error:
            raise ValueError(
                f"checkpoint {self.path}: {error}. Remove it, or name another file"
            ) from None
        self.epochs_before = float(epoch)
        return lam, float(intercept)

    def look(self, lam: Vector, intercept: float, epoch: float) -> None:
        """Save, if the last time is long enough ago."""
        if time.monotonic() - self._written >= SECONDS_BETWEEN_LOOKS:
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


def to_json(value: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return plain values as an array of bytes; numbers come back to the last bit."""
    return np.frombuffer(json.dumps(encode(value, "facts")).encode(), dtype=np.uint8)


def from_json(array: np.ndarray[Any, Any]) -> Any:
    """Return what `to_json` was given."""
    try:
        return decode(parse(array.tobytes().decode()), "facts")
    except (ValueError, TypeError):
        raise SavedStateError("facts") from None


def checksum(*arrays: np.ndarray[Any, Any]) -> str:
    """Return a number that tells arrays from others."""
    total = 0
    for array in arrays:
        total = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, total)
    return f"{total:08x}"
