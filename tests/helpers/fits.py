"""A fit of a classifier with someone watching: every event told, the state kept."""

from __future__ import annotations

from typing import Any

import tauboost as tb
from tauboost.base.threads import resolve_jobs
from tauboost.estimators.base import take_labelled
from tauboost.io.checkpoint import Checkpoint
from tauboost.parameters import LinearParameters, parameters_of
from tauboost.sparse.fitting import fit


def fit_watched(clf: tb.TauBoostClassifier, X: Any, y: Any, **watch: Any) -> None:
    """Fit with a ``report`` or a ``checkpoint``."""
    arrays, labels = take_labelled(clf, X, y)
    parameters, n_threads = parameters_of(LinearParameters, clf), resolve_jobs(clf.n_jobs)
    clf.model_ = fit(arrays, labels, parameters, n_threads=n_threads, **watch)


class Killed(Exception):  # noqa: N818
    """Stands for a signal that nobody can catch."""


class Mortal(Checkpoint):
    """Saves at every opportunity, and dies at one of them: after it saved, or at times before."""

    def __init__(self, folder, lifetime, *, always_saves=False):
        super().__init__(folder, every=0.0)
        self.lifetime, self.always_saves = lifetime, always_saves

    def save(self, state):
        if self.always_saves or self.lifetime % 2 == 0:
            self._due = 0.0
            super().save(state)
        self.lifetime -= 1
        if self.lifetime < self.always_saves:
            raise Killed
