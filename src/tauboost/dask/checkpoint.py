"""Where a solve was: one small file on the driver's disk, from which a new driver can go on.

An .npz archive of plain arrays, replaced atomically: whenever the driver dies, the file is either
the last one or the one before it. Reading it runs no code.
"""

from __future__ import annotations

import json
import os
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Vector
from ..solvers import Snapshot

__all__ = ["Checkpoint", "Saved"]

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
            with np.load(self.path, allow_pickle=False) as arrays:
                facts = json.loads(str(arrays["facts"]))
                saved = Saved(
                    np.array(arrays["lam"], dtype=np.float64),
                    float(arrays["intercept"]),
                    float(arrays["epoch"]),
                )
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"checkpoint {self.path} is damaged or no checkpoint: {error}"
            ) from None
        for name, value in self.facts.items():
            if facts.get(name) != value:
                raise ValueError(
                    f"checkpoint {self.path} is of another solve: its {name} is "
                    f"{facts.get(name)!r}, not {value!r}. Remove it, or name another file"
                )
        self.epochs_before = saved.epoch
        return saved

    def look(self, at: Snapshot) -> None:
        """Save, if the last time is long enough ago."""
        if time.monotonic() - self._written >= SECONDS_BETWEEN_WRITES:
            self.save(at.lam, at.intercept, at.epoch)

    def save(self, lam: Vector, intercept: float, epoch: float) -> None:
        """Write the file anew."""
        self._written = time.monotonic()
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with fresh.open("wb") as file:
            np.savez(
                file,
                lam=lam,
                intercept=intercept,
                epoch=self.epochs_before + epoch,
                facts=json.dumps(self.facts),
            )
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)
