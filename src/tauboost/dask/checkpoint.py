"""Where a solve was: one small file on the driver's disk, from which a new driver can go on.

A safetensors file, like the checkpoints of fits on one machine: written under another name and
renamed, with a checksum. Reading it runs no code.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..io.plain_json import decode, excerpt, parse
from ..io.saved import FINITE, NOT_NEGATIVE, entry
from ..io.tensors import read_file, write_tensors
from ..solvers import Snapshot

__all__ = ["Checkpoint", "Saved"]

FORMAT = "tauboost-solve"
SECONDS_BETWEEN_WRITES = 10.0


@dataclass(frozen=True)
class Saved:
    """What a checkpoint holds."""

    lam: Vector
    intercept: float
    epoch: float


class Checkpoint:
    """Writes where a solve is, at most every few seconds; ``facts`` say which solve it is."""

    def __init__(self, path: str | os.PathLike[str], facts: dict[str, Any]) -> None:
        self.path = Path(path)
        self.facts = facts
        self.epochs_before = 0.0
        self._written = time.monotonic()

    def load(self) -> Saved | None:
        """Return what was saved, or None if there is nothing yet; refuse another solve's file."""
        if not self.path.exists():
            return None
        try:
            metadata, arrays = read_file(self.path, FORMAT)
            facts = decode(parse(metadata.get("facts", "")), "facts")
            if not isinstance(facts, dict):
                raise ValueError("it does not say of which solve it is")
            self._check(facts)
            lam = entry(arrays, "lam", (self.facts["n_features"],), np.float64, FINITE)
            intercept = entry(arrays, "intercept", (), np.float64, FINITE)
            epoch = entry(arrays, "epoch", (), np.float64, NOT_NEGATIVE)
        except ValueError as error:
            raise ValueError(
                f"checkpoint {self.path}: {error}. Remove it, or name another file"
            ) from None
        self.epochs_before = float(epoch)
        return Saved(lam, float(intercept), self.epochs_before)

    def _check(self, found: dict[str, Any]) -> None:
        for name, value in self.facts.items():
            if found.get(name) != value:
                was = excerpt(found.get(name))
                raise ValueError(f"it is of another solve: its {name} is {was}, not {value!r}")

    def look(self, at: Snapshot) -> None:
        """Save, if the last time is long enough ago."""
        if time.monotonic() - self._written >= SECONDS_BETWEEN_WRITES:
            self.save(at.lam, at.intercept, at.epoch)

    def save(self, lam: Vector, intercept: float, epoch: float) -> None:
        """Write the file anew."""
        self._written = time.monotonic()
        arrays = {"lam": lam, "intercept": intercept, "epoch": self.epochs_before + epoch}
        write_tensors(
            self.path,
            {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()},
            {"format": FORMAT, "facts": json.dumps(self.facts)},
        )
