"""A fit of a classifier with someone watching: every event told, the state kept."""

from __future__ import annotations

from typing import Any

import tauboost as tb
from tauboost.base.threads import resolve_jobs
from tauboost.estimators.inputs import take_labelled
from tauboost.tuning.fitting import fit
from tauboost.tuning.options import Parameters


def fit_watched(clf: tb.TauBoostClassifier, X: Any, y: Any, **watch: Any) -> None:
    """Fit with a ``report`` or a ``checkpoint``."""
    arrays, labels = take_labelled(clf, X, y)
    parameters, n_threads = Parameters.of(clf), resolve_jobs(clf.n_jobs)
    clf._keep(fit(arrays, labels, parameters, n_threads=n_threads, **watch))
