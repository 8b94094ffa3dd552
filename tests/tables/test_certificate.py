"""The certificate of a table model: never above the optimum, tight at it, and where fits end."""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tauboost as tb
from mixed_table import mixed_table
from tauboost import _core
from tauboost.tables.batch import TableBatch, TermPenalty
from tauboost.tables.binning import bin_table, encode
from tauboost.tables.certificate import PairPenalty, TableGap
from tauboost.tables.exact import BlockExact
from tauboost.tables.pairs import Pair
from tauboost.tables.training import TableTraining
from tauboost.validation.frames import take_frame

L1, NET, L2 = 1.0, 0.5, 0.0


def small_table(seed, n_samples=60):
    """Return numbers, categories and missing values, labels of both classes, and weights."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n_samples).round(1),
            "k": rng.integers(0, 5, n_samples).astype(float),
            "c": rng.choice(list("uvw"), n_samples),
        }
    )
    table.loc[rng.random(n_samples) < 0.2, "k"] = np.nan
    y = (table.x + (table.c == "u") + rng.logistic(size=n_samples) > 0.5).to_numpy(np.intp)
    y[:2] = 0, 1
    return table, y, rng.integers(1, 4, n_samples).astype(float)


class Fit:
    """A fit of a table on one lane, and its certificate."""

    def __init__(self, table, y, weights, loss, psi_of, pairs=(), sign=0):
        columns, codes = bin_table(take_frame(table), weights, 16)
        self.samples = TableTraining.build(columns, codes, y, weights, n_classes=2, n_threads=1)
        self.pairs = Pair.add(self.samples, pairs)
        self.n_terms = self.samples.table.n_terms
        self.signs = np.zeros((self.n_terms, 2), dtype=np.int8)
        self.signs[0, 0] = sign
        self.loss, self.batch = loss, None
        self.batch = self.make(psi_of(len(columns), len(self.pairs)))
        self.terms = np.arange(self.n_terms, dtype=np.int32)
        self.at = BlockExact(self.batch)
        self.gap = TableGap(self.batch, self.pairs, self.terms, self.make)

    def make(self, psi):
        options = {"held": None, "signs": self.signs, "n_threads": 1}
        return TableBatch(self.samples, self.loss, psi, [0], **options)

    def sweep(self, n_sweeps):
        for _ in range(n_sweeps):
            self.at.advance(1.0)


def elastic_net(alpha, ratio):
    def psi_of(n_columns, n_pairs):
        psi = TermPenalty.elastic_net(n_columns, np.array([alpha]), np.array([ratio]))
        pairs = np.full((n_pairs, 1), 0.002), np.full((n_pairs, 1), 0.02)
        return TermPenalty(np.vstack([psi.l1, pairs[0]]), np.vstack([psi.l2, pairs[1]]))

    return psi_of


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    ratio=st.sampled_from([L1, NET, L2]),
    alpha=st.sampled_from([1e-3, 1e-2, 0.05]),
    sign=st.sampled_from([0, 1, -1]),
)
def test_a_bound_is_never_above_the_optimum_and_tight_at_it(loss, seed, ratio, alpha, sign):
    table, y, weights = small_table(seed)
    fit = Fit(table, y, weights, loss, elastic_net(alpha, ratio), sign=sign)
    problem = tb.TableProblem(table, y, weights, loss=loss, max_bins=16).explicit()
    low, high = np.full(problem.n_features, -np.inf), np.full(problem.n_features, np.inf)
    jumps = fit.samples.columns[0].n_ordered - 1
    (low if sign > 0 else high)[: jumps if sign != 0 else 0] = 0.0
    bounds = None if sign == 0 else (low, high)
    optimum = tb.solve(
        problem, "exact", alpha=alpha, l1_ratio=ratio, bounds=bounds, tol=1e-12, max_epochs=3000
    ).objective
    for n_sweeps in (0, 1, 3, 20):
        fit.sweep(n_sweeps)
        found = fit.gap.now()
        assert found.objective >= optimum - 1e-9
        if not np.isnan(found.gap):
            assert found.objective - found.gap <= optimum + 1e-12
    fit.sweep(300)
    found = fit.gap.now()
    assert found.objective == pytest.approx(optimum, abs=1e-8)
    assert found.gap < 1e-5


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), loss=st.sampled_from(["logistic", "exponential"]))
def test_a_bound_with_pairs_is_never_above_the_optimum(seed, loss):
    table, y, weights = small_table(seed)
    fit = Fit(table, y, weights, loss, elastic_net(3e-3, L1), pairs=[(0, 1), (1, 2)])
    bounds = []
    for n_sweeps in (1, 3, 20, 300):
        fit.sweep(n_sweeps)
        found = fit.gap.now()
        if not np.isnan(found.gap):
            bounds.append(found.objective - found.gap)
    assert max(bounds) <= found.objective + 1e-12
    assert found.gap < 1e-5


def test_the_conjugate_of_a_pair_is_that_of_its_penalty():
    table, y, weights = small_table(0)
    fit = Fit(table, y, weights, "logistic", elastic_net(1e-3, L1), pairs=[(0, 1), (1, 2)])
    l1, l2 = fit.batch.psi.l1[:, 0].copy(), fit.batch.psi.l2[:, 0].copy()
    n_levels = fit.samples.table.n_levels
    for pair in fit.pairs:
        grid = PairPenalty(pair, l1[pair.term], l2[pair.term])
        cells = np.eye(n_levels)[grid.levels]

        def psi(x):
            return _core.table_psi(fit.samples.table, np.ascontiguousarray(x), l1, l2)

        R = np.array([[psi(a + b) - psi(a) - psi(b) for b in cells] for a in cells])
        g = np.random.default_rng(0).normal(size=n_levels)
        own = g[grid.levels]
        assert grid.conjugate(g) == pytest.approx(0.5 * own @ np.linalg.solve(R, own), rel=1e-9)
        assert grid.gap(g, np.zeros(n_levels)) == pytest.approx(grid.conjugate(g), rel=1e-12)


def test_wide_columns_are_certified():
    rng = np.random.default_rng(0)
    zips = rng.integers(0, 400, 3000)
    y = rng.logistic(size=3000) < rng.normal(size=400)[zips]
    table = pd.DataFrame({"zip": [f"z{k}" for k in zips], "x": rng.normal(size=3000)})
    clf = tb.TableClassifier(alpha=1e-3).fit(table, y)
    assert clf.message_.startswith("Converged: certified gap")
    assert clf.record_.gap <= 1e-3 * clf.objective_[0]


def outside(clf, table, y):
    """Return F + psi of a model without pairs, and a bound of the optimum of any, by NumPy."""
    p, positive = clf.predict_proba(table)[:, 1], y == clf.classes_[1]
    loss = -np.where(positive, np.log(p), np.log1p(-p)).mean()
    # Row weights, of equal sum for both classes.
    u = np.where(positive, 1.0 - p, p) / len(y)
    sums = np.array([u[~positive].sum(), u[positive].sum()])
    scale = (sums.min() / sums)[positive.astype(int)]
    signed = np.where(positive, 1, -1) * u * scale
    share, codes = positive.mean(), encode(tuple(clf.columns_), take_frame(table), 1)
    sizes, largest, gains, bins = [], [], [], []
    for column, term, of_row in zip(clf.columns_, clf.model_.terms, codes, strict=False):
        n, up, g = (np.bincount(of_row, w, column.n_bins) for w in (None, positive, signed))
        scores, there, k = term.scores[:, 0], n > 0, column.n_ordered
        # What a column adds on average is the intercept's: a model's scores are centred.
        middle = 0.5 * (scores[0] + scores[k - 1]) if k else 0.0
        sizes.append(0.5 * np.abs(np.diff(scores[:k])).sum())
        alone = scores[k:][there[k:]]
        sizes[-1] += (
            np.abs(alone - middle).sum() if k else min(np.abs(alone - x).sum() for x in alone)
        )
        slopes = np.append(g[:k].sum() - 2 * np.cumsum(g[:k])[:-1], g[k:])
        largest.append(np.abs(slopes).max(initial=0.0))
        gain = (up - share * n)[there] ** 2 / (share * (1 - share) * n[there]) - 1.0
        gains.append(gain.sum())
        bins.append(len(gain))
    # The unit of each column: see table_units.py.
    unit = (np.array(bins) / np.maximum(gains, 1e-4 * max(gains))) ** 0.25
    limits = clf.alpha_ * unit / np.exp(np.log(unit).mean())
    excess = max(1.0, (largest / limits).max())
    q = np.where(positive, 1.0 - p, p) * scale / excess
    bound = -np.mean(q * np.log(q) + (1 - q) * np.log1p(-q))
    for term in list(clf.model_.terms)[len(clf.columns_) :]:
        bound -= of_pair(clf, term, codes, signed / excess)
    return loss + limits @ sizes, bound


def of_pair(clf, term, codes, signed):
    """Return psi* of a pair."""
    tried = [row for row in clf.selection_ if np.isfinite(row["smoothness"])]
    smooth = min(tried, key=lambda row: row["held_out_loss"])["smoothness"]
    shape, R = term.weights.shape, 0.05 * smooth * np.eye(term.weights.size)
    cells = [cells[codes[k]] for k, cells in zip(term.columns, term.maps, strict=True)]
    for axis, k in enumerate(term.columns):
        ordered = len(set(term.maps[axis][: clf.columns_[k].n_ordered]))
        steps = np.diff(np.eye(shape[axis])[:ordered], axis=0)
        path, rest = steps.T @ steps, np.eye(shape[1 - axis])
        R += smooth * (np.kron(path, rest) if axis == 0 else np.kron(rest, path))
    g = np.bincount(cells[0].astype(int) * shape[1] + cells[1], signed, len(R))
    return 0.5 * g @ np.linalg.solve(R, g)


def test_anybody_can_check_the_gap_of_a_fit():
    table, y = mixed_table(1500)
    clf = tb.TableClassifier(interactions=0).fit(table, y)
    objective, bound = outside(clf, table, y)
    assert bound <= clf.objective_[0]
    assert objective == pytest.approx(clf.objective_[0], rel=1e-6)
    assert objective - bound <= 1.001e-3 * objective
    assert clf.record_.gap <= 1e-3 * clf.objective_[0]


@pytest.mark.parametrize("name", ["telco", "adult", "credit_card", "give_me_credit"])
def test_default_fits_of_real_tables_are_certified(name):
    folder = os.environ.get("TAUBOOST_DATA")
    if folder is None:
        pytest.skip("TAUBOOST_DATA names no folder")
    table = pd.read_csv(f"{folder}/tables/{name}.csv.xz")
    y = table.pop("target").to_numpy()
    clf = tb.TableClassifier().fit(table, y)
    _, bound = outside(clf, table, y)
    assert clf.objective_[0] - bound <= 1.001e-3 * clf.objective_[0]
    assert clf.record_.gap <= 1e-3 * clf.objective_[0]
    assert clf.message_.startswith("Converged")


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("options", [{}, {"l1_ratio": 0.5}, {"monotonic_cst": {"x2": 1}}], ids=str)
def test_a_default_fit_is_certified(loss, options):
    table, y = mixed_table(1200)
    clf = tb.TableClassifier(loss=loss, **options).fit(table, y)
    scale = clf.objective_[0] if loss == "logistic" else 1.0
    assert clf.message_.startswith("Converged: certified gap")
    assert clf.record_.gap <= clf.tol * scale


def test_the_worst_of_several_classes_is_told():
    table, _ = mixed_table(1200)
    y = np.array(["low", "mid", "top"])[np.digitize(table["x0"], [-0.5, 0.5])]
    clf = tb.TableClassifier().fit(table, y)
    assert clf.message_.startswith("Converged: certified gap")
    assert clf.record_.gap <= clf.tol * clf.objective_.max()


def test_limits_say_that_they_cut():
    table, y = mixed_table(800)
    few = tb.TableClassifier(max_iter=2).fit(table, y)
    assert few.message_.startswith("Not converged to tol=0.001: certified gap")
    assert few.message_.endswith("Out of epochs: 2 of 2 done.")
    assert few.n_iter_ == 2
    late = tb.TableClassifier(time_limit=1e-6).fit(table, y)
    assert "Out of time" in late.message_
    assert "Converged" not in late.message_
    exact = tb.TableClassifier(alpha=1e-3, tol=0.0).fit(table, y)
    assert exact.message_.startswith("Not converged to tol=0: certified gap")
    assert exact.record_.gap < 1e-6


def test_without_a_penalty_nothing_is_certified():
    table, y = mixed_table(800)
    clf = tb.TableClassifier(alpha=0.0).fit(table[["few"]], y)
    assert "there is no gap" in clf.message_
    assert clf.record_.gap is None


def test_nothing_depends_on_the_seed():
    table, y = mixed_table(1200)
    first, second = (
        tb.TableClassifier(random_state=seed).fit(table, y).predict_proba(table) for seed in (0, 1)
    )
    assert np.array_equal(first, second)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("alpha", [1e-5, 1e-3])
def test_the_objective_never_rises(loss, alpha):
    table, y, weights = small_table(3, 400)
    psi_of = elastic_net(alpha, L1)
    fit = Fit(table, y, weights, loss, psi_of, pairs=[(0, 1)])
    objectives = [fit.gap.now().objective]
    for _ in range(40):
        fit.sweep(1)
        objectives.append(fit.gap.now().objective)
        kept = fit.at.value + fit.batch.psi_value()
        assert kept == pytest.approx(objectives[-1], abs=1e-10)
        assert fit.at.objective >= kept - 1e-12
    assert all(after <= before + 1e-13 for before, after in pairwise(objectives))
