"""A default fit, taken apart."""

from __future__ import annotations

import numpy as np

import tauboost as tb
from tauboost.planning.trial import run_trial
from tauboost.validation import as_csr


def test_it_is_the_default_fit():
    X, y = tb.make_w8a_like(3000, random_state=0)
    codes = (y > 0).astype(np.intp)
    trial = run_trial(as_csr(X), codes, np.ones(3000), 2)
    clf = tb.TauBoostClassifier(random_state=0).fit(X, y)
    assert (trial.alpha, trial.is_chosen) == (clf.alpha_, True)
    parts = trial.build_seconds + trial.race_seconds + trial.fit_seconds
    assert abs(parts - trial.seconds) < 1e-9
    assert (trial.n_rows, trial.nnz) == (3000, X.nnz)


def test_too_few_rows_to_choose_by():
    trial = run_trial(as_csr(np.eye(6)), np.arange(6) % 2, np.ones(6), 1)
    assert not trial.is_chosen
    assert trial.race_seconds == 0
