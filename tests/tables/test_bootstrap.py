"""Bands around scores: about as wide as scores differ between samples."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from mixed_table import mixed_table


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_bands_are_about_as_wide_as_scores_differ(loss):
    options = {"loss": loss, "alpha": 3e-3, "interactions": 0, "max_bins": 8}
    table, y = mixed_table(1000, seed=100)
    clf = tb.TableClassifier(bands=0.9, random_state=0, **options).fit(table, y)
    first = clf.columns_[0].edges
    at = table.iloc[: len(first)].assign(x0=first)
    others = [
        tb.TableClassifier(**options).fit(*mixed_table(1000, seed=seed)).explain(at)
        for seed in range(20)
    ]
    seen = np.std([other.contributions[:, 0] for other in others], axis=0).mean()
    told = clf.spreads_[0][: len(first)].mean()
    assert 0.5 * seen < told < 2 * seen


def test_bands_are_of_the_level_that_was_asked_for_and_the_same_for_any_threads():
    table, y = mixed_table(800)
    wide, narrow = (
        tb.TableClassifier(bands=level, random_state=0).fit(table, y) for level in (0.95, 0.5)
    )
    for first, second in zip(wide.terms_, narrow.terms_, strict=True):
        assert first.band.level == 0.95
        assert np.all(first.band.upper >= second.band.upper)
        assert np.all(first.band.lower <= first.scores)
    again = tb.TableClassifier(bands=0.95, random_state=0, n_jobs=1).fit(table, y)
    assert all(np.array_equal(a, b) for a, b in zip(wide.spreads_, again.spreads_, strict=True))
    assert wide.edit_term("x0", remove=True).spreads_ is None


@pytest.mark.parametrize("level", [0.0, 1.0, 2.0, "wide"])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises((TypeError, ValueError), match="bands must be"):
        tb.TableClassifier(bands=level).fit(*mixed_table(60))
