"""Where rows repeat, the model that a fit chooses is about as good as the best fixed alpha.

On 30,000 new rows, which the choice has not seen; benchmarks/repeated_rows.py has all sets.
"""

from __future__ import annotations

import numpy as np
import pytest

import benchmark_runs
import tauboost as tb

SETS = [
    *("segments", "clicks", "thin files, 20 %", "one level at 90 %", "dominant pattern"),
    *("copied at random", "minority six times", "weights are copies", "templates"),
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    out = tmp_path_factory.mktemp("repeated")
    benchmark_runs.run("repeated_rows.py", out, "--sets", *SETS)
    return benchmark_runs.rows_of(out / "repeated_rows.csv")


def test_what_is_chosen_is_nearly_the_best(rows):
    excess = [float(row["excess"]) for row in rows if row["set"] != "templates"]
    assert len(excess) == 4 * (len(SETS) - 1)  # tables, sparse data, texts, cross-validation
    assert np.mean(excess) <= 0.003
    assert max(excess) <= 0.01


def test_repeats_that_may_be_copies_are_named(rows):
    """Nobody can tell templates from copies: the split takes the safe side, and says so."""
    warnings = [row["warning"] for row in rows if row["set"] == "templates"]
    assert len(warnings) == 4
    assert all("taken for duplicates" in warning for warning in warnings)
    silent = [row["warning"] for row in rows if row["set"] in ("segments", "clicks")]
    assert not any(silent)


@pytest.mark.parametrize("kind", [tb.TauBoostClassifier, tb.TableClassifier])
def test_groups_say_that_equal_rows_are_separate_observations(kind):
    rng = np.random.default_rng(0)
    which = rng.integers(0, 80, 3000)
    X, y = np.eye(80)[which], rng.integers(0, 2, 80)[which]
    with pytest.warns(tb.FitWarning):
        safe = kind(random_state=0).fit(X, y)
    apart = kind(random_state=0).fit(X, y, groups=np.arange(len(y)))
    assert apart.held_out_loss_ < safe.held_out_loss_ - 0.05
    assert apart.alpha_ < safe.alpha_


@pytest.mark.parametrize(
    "kind", [tb.TauBoostClassifier, tb.TauBoostClassifierCV, tb.TableClassifier]
)
def test_rows_of_a_group_are_held_out_together(kind):
    """Labels follow the group, and its number is a feature: no rows of a group tell on the rest."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(150), 10)
    y = rng.integers(0, 2, 150)[groups]
    X = np.eye(150)[groups] + 0.01 * rng.normal(size=(1500, 150))
    clf = kind(random_state=0)
    with pytest.warns(tb.FitWarning):
        clf.fit(X, y, groups=groups)
    assert clf.held_out_loss_ > 0.6


@pytest.mark.parametrize("groups", [[1, 2], np.ones(60), np.ones((60, 2)), [None, "a"] * 30])
def test_groups_are_checked(groups):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    for clf in (tb.TauBoostClassifier(), tb.TauBoostClassifierCV(), tb.TableClassifier()):
        with pytest.raises((ValueError, TypeError), match="groups"):
            clf.fit(X, y, groups=groups)
    with pytest.raises((ValueError, TypeError), match="groups"):
        tb.TextClassifier().fit(["a b", "c d"] * 30, y, groups=groups)
    with pytest.raises((ValueError, TypeError), match="groups"):
        tb.regularization_path(X, y, groups=groups)
