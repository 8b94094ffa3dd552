"""Checkpoints: where fits are, with what was chosen for them, and that of a solve on a cluster."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

import tauboost as tb
from tauboost.io.checkpoint import FILE_NAME, Checkpoint, SolveCheckpoint
from tests.helpers.fits import fit_watched

from .own_formats import check, small_data
from .sample import Sample
from .sealed import edit_file

__all__ = ["State"]

GIVEN = {"alpha": 1e-3, "tol": 1e-7, "max_iter": 60, "random_state": 0, "n_jobs": -1}
CHOSEN = {"max_iter": 12, "random_state": 0, "n_jobs": -1}
# What is fitted, with how many classes, and which of the looks are saved.
FITS = {
    "solve": (GIVEN, 2, (1, 4)),
    "solve, exponential": (GIVEN | {"loss": "exponential", "l1_ratio": 0.5}, 2, (2,)),
    "sweep": (GIVEN, 3, (1, 4)),
    "search": (CHOSEN, 2, (0, 1)),
    "search of both losses": (CHOSEN | {"loss": "auto"}, 2, (1,)),
    "search of three classes": (CHOSEN, 3, (0, -1)),
    "calibrated": (CHOSEN | {"calibration": "sigmoid"}, 2, (-1,)),
    "early stopping": (CHOSEN | {"early_stopping": True}, 2, (0,)),
}


FACTS = {"n_samples": 60, "n_features": 8, "loss": "exponential", "alpha": 1e-3, "bounds": "None"}
ON_A_CLUSTER = "solve on a cluster"


class Gallery(Checkpoint):
    """Saves at every opportunity, and keeps all that was saved."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, every=0.0)
        self.kept: list[bytes] = []

    def save(self, state):
        """Save and keep."""
        self._due = 0.0
        super().save(state)
        self.kept.append(self.file.read_bytes())


class Silent(Checkpoint):
    """Reads the state, and saves no other."""

    def save(self, state):
        """Do nothing."""


class State:
    """The state of a fit, sealed with a right checksum, and what resuming makes of it."""

    def seeds(self, folder: Path) -> list[Sample]:
        """Return states of every kind of fit."""
        solve = SolveCheckpoint(folder / FILE_NAME, FACTS)
        solve.save(np.linspace(-1.0, 1.0, 8), 0.5, 12.0)
        found = [Sample(ON_A_CLUSTER, {FILE_NAME: solve.path.read_bytes()})]
        for kind, (options, n_classes, looks) in FITS.items():
            gallery = Gallery(folder / "state")
            clf = tb.TauBoostClassifier(**options)
            fit_watched(clf, *small_data(n_classes), checkpoint=gallery)
            gallery.remove()
            for look in looks:
                content = gallery.kept[min(look, len(gallery.kept) - 1)]
                found.append(Sample(kind, {FILE_NAME: content}))
        return found

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Edit the file."""
        seed, donor = rng.choice(seeds), rng.choice(seeds)
        content, other = seed.files[FILE_NAME], donor.files[FILE_NAME]
        key = "facts" if seed.kind == ON_A_CLUSTER else rng.choice(["identity", "facts"])
        return Sample(seed.kind, {FILE_NAME: edit_file(rng, content, other, key)})

    def read(self, kind: str, folder: Path) -> None:
        """Resume the fit, or take up where a solve was."""
        if kind == ON_A_CLUSTER:
            saved = SolveCheckpoint(folder / FILE_NAME, FACTS).load()
            check(saved is not None and saved[0].shape == (8,), "lam")
            return
        options, n_classes, _ = FITS[kind]
        clf = tb.TauBoostClassifier(**options)
        fit_watched(clf, *small_data(n_classes), checkpoint=Silent(folder))
        is_finite = np.isfinite(clf.coef_).all() and np.isfinite(clf.intercept_).all()
        check(bool(is_finite), "coefficients")
