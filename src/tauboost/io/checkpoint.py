"""Long fits that can be killed at any moment and gone on with: their state in a folder.

The state is written every half minute to one safetensors file, which appears complete or not at
all. It says of which data and options it is the state; those of another fit are refused. A fit that
goes on from it gives the same bits as one that was never interrupted.
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

from .plain_json import decode, encode, excerpt, parse
from .saved import SavedStateError, State
from .tensors import read_file, write_tensors

__all__ = ["Checkpoint", "NoCheckpoint", "checksum", "from_json", "to_json"]

FORMAT = "tauboost-checkpoint"
FILE_NAME = "fit.safetensors"
SECONDS_BETWEEN = 30.0
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
            found = decode(parse(metadata.get("identity", "")), "identity")
            phase = metadata.get("phase")
            if not isinstance(found, dict) or phase is None:
                raise ValueError("it is not the state of a fit")
        except ValueError as error:
            raise self._refusal(error) from None
        for name, value in json.loads(json.dumps(identity)).items():
            if found.get(name) != value:
                was = excerpt(found.get(name))
                raise ValueError(
                    f"{self.file}: the state of another fit ({name} was {was}, now {value!r}); "
                    "give the same data and options, or another folder"
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
        write_tensors(self.file, state(), metadata)
        now = time.monotonic()
        self._due = now + max(self.every, (now - began) / LARGEST_SHARE)

    def remove(self) -> None:
        """Remove the state, and the folder if nothing else is in it: the fit is complete."""
        self.file.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()


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
