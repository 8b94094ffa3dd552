"""Columns of more than 254 categories: every one of them with rows enough has its own score."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import tauboost as tb
from tauboost.tables import columns as columns_of
from tauboost.tables.binning import ValueCounts, bin_table, count_values
from tauboost.tables.columns import split_planes
from tauboost.validation.frames import take_frame

N_ZIPS = 600


def make_table(n, seed, spread=0.0, holes=0.0):
    """Zip codes with an effect each, beside a number; some of them missing."""
    effects = np.random.default_rng(0).normal(size=N_ZIPS)
    share = np.arange(1, N_ZIPS + 1) ** -spread
    rng = np.random.default_rng(seed)
    zips, x = rng.choice(N_ZIPS, n, p=share / share.sum()), rng.normal(size=n)
    y = rng.logistic(size=n) < effects[zips] + 0.5 * x - 0.3
    table = pd.DataFrame({"x": x, "zip": [f"{10_007 + 7 * k}" for k in zips]})
    table["zip"] = table.zip.mask(rng.random(n) < holes)
    return table, y


@cache
def fitted(interactions=0, loss="logistic", bands=None):
    table, y = make_table(3000, 1, holes=0.1)
    options = {"interactions": interactions, "loss": loss, "bands": bands}
    return tb.TableClassifier(alpha=1e-3, random_state=0, n_jobs=1, **options).fit(table, y)


def auc(model, table, y):
    return roc_auc_score(y, model.decision_function(table))


@pytest.mark.parametrize("spread", [0.0, 0.8])
@pytest.mark.parametrize("n", [6000, 20_000])
def test_the_strength_that_is_chosen_is_nearly_the_best_one(n, spread):
    table, y = make_table(n, 1, spread)
    new = make_table(30_000, 2, spread)
    chosen = tb.TableClassifier(random_state=0).fit(table, y)
    fixed = [
        tb.TableClassifier(alpha=alpha, interactions=0, random_state=0).fit(table, y)
        for alpha in (1e-5, 1e-4, 3e-4, 6e-4, 1e-3, 2e-3, 4e-3)
    ]
    assert auc(chosen, *new) > max(auc(model, *new) for model in fixed) - 0.005
    cut = tb.TableClassifier(max_bins=254, alpha=1e-5, interactions=0).fit(table, y)
    assert auc(chosen, *new) > auc(cut, *new) + (0.03 if spread == 0 else 0.005)


def test_terms_print_shortly_and_are_centred():
    term = fitted().terms_["zip"]
    assert len(term.scores) == len(fitted().columns_[1].categories) + 2 > 500
    assert len(repr(term).splitlines()) < 32
    assert abs(term.weights @ term.scores) < 1e-12
    assert term.scores[-2] == 0  # "other" has no rows
    assert len(repr(fitted().explain(make_table(5, 2)[0])).splitlines()) < 12


def test_unseen_and_missing_values():
    table = make_table(2, 2)[0].assign(zip=["nowhere", None])
    model = fitted()
    contributions = model.explain(table, class_=True).contributions
    place = model.explain(table).terms.index("zip")
    scores = model.terms_["zip"].scores
    np.testing.assert_array_equal(contributions[:, place], [0.0, scores[-1]])


def test_threads_change_no_bit():
    table, y = make_table(3000, 1, holes=0.1)
    probabilities = [
        tb.TableClassifier(random_state=0, n_jobs=n, interactions=1)
        .fit(table, y)
        .predict_proba(table)
        for n in (1, 3, 8)
    ]
    np.testing.assert_array_equal(probabilities[1], probabilities[0])
    np.testing.assert_array_equal(probabilities[2], probabilities[0])


@pytest.mark.filterwarnings("ignore:.* of the rows repeat others:tauboost.FitWarning")
def test_the_order_of_rows_and_copies_change_no_bit():
    table, y = make_table(3000, 1, holes=0.1)
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 4, len(y))
    rows = rng.permutation(np.repeat(np.arange(len(y)), weights))
    options = {"random_state": 0, "n_jobs": 1}
    one = tb.TableClassifier(**options).fit(table, y, weights)
    other = tb.TableClassifier(**options).fit(table.iloc[rows], y[rows])
    np.testing.assert_array_equal(other.predict_proba(table), one.predict_proba(table))
    assert one.alpha_ == other.alpha_


def test_a_constant_factor_of_the_weights_changes_no_category():
    frame = take_frame(make_table(3000, 1)[0])
    weights = np.random.default_rng(0).integers(1, 4, 3000)
    [_, one], _ = bin_table(frame, weights * 1.0)
    [_, other], _ = bin_table(frame, weights * 3.7)
    assert one.categories.tolist() == other.categories.tolist()


def test_rare_categories_share_other(monkeypatch):
    monkeypatch.setattr("tauboost.tables.binning.MOST_CATEGORIES", 400)
    names = [f"a{k}" for k in range(300)] * 10 + [f"b{k}" for k in range(200)]
    columns, planes = bin_table(take_frame(pd.DataFrame({"a": names})))
    assert len(columns[0].categories) == 300
    [codes] = split_planes(columns, planes)
    assert (codes[3000:] == columns[0].other).all()
    model = tb.TableClassifier(alpha=1e-4, interactions=0)
    model.fit(pd.DataFrame({"a": names}), np.array([0, 1] * 1500 + [1] * 200))
    assert model.terms_["a"].scores[-2] > 0.1
    new = pd.DataFrame({"a": ["b3", "unseen"]})
    assert np.ptp(model.decision_function(new)) == 0


def test_the_most_categories_of_a_column():
    """As many as two bytes can tell apart, each of them twice."""
    n = columns_of.MOST_CATEGORIES
    names = np.tile(np.arange(n), 2).astype(str)
    y = np.tile(np.arange(n) % 2 == 0, 2)
    table = pd.DataFrame({"a": names})
    model = tb.TableClassifier(alpha=1e-7, interactions=0, n_jobs=1).fit(table, y)
    assert len(model.columns_[0].categories) == n
    assert model.score(table, y) == 1.0
    assert len(repr(model.terms_["a"]).splitlines()) < 32


def test_pairs_see_the_heaviest_categories_and_one_for_the_rest():
    model = fitted(interactions=(("x", "zip"),))
    pair = model.terms_["x x zip"]
    assert pair.weights.shape[1] <= 16
    table, y = make_table(2000, 3)
    assert auc(model, table, y) > 0.6
    assert np.isfinite(pair.scores).all()


@pytest.mark.parametrize("options", [{}, {"interactions": 1}, {"loss": "exponential"}])
def test_model_files(tmp_path, options):
    model = fitted(**options)
    tb.save_model(model, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    table = make_table(500, 2, holes=0.2)[0]
    np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))


def test_files_without_such_columns_have_maps_of_bytes():
    table, y = make_table(500, 1)
    model = tb.TableClassifier(alpha=1e-3, interactions=0).fit(table[["x"]], y)
    assert model.model_.to_arrays({}).arrays["maps"].dtype == np.uint8
    assert fitted().model_.to_arrays({}).arrays["maps"].dtype == np.uint16


def test_onnx(tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model, table = fitted(interactions=1), make_table(300, 2)[0]
    table.loc[0, "zip"] = "nowhere"
    tb.to_onnx(model, tmp_path / "model.onnx")
    session = runtime.InferenceSession(tmp_path / "model.onnx")
    inputs = {"x": table[["x"]].to_numpy(), "zip": table[["zip"]].to_numpy().astype(str)}
    found = session.run(["probabilities"], inputs)[0]
    np.testing.assert_allclose(found, model.predict_proba(table))


def test_scorecard_edits_and_bands():
    table, y = make_table(3000, 1, holes=0.1)
    model = fitted(bands=0.9)
    assert model.terms_["zip"].band.lower.shape == model.terms_["zip"].scores.shape
    assert len(model.to_scorecard().rows) > 500
    name = model.columns_[1].categories[500]
    other = model.columns_[1].categories[100]
    flat = model.edit_term("zip", flatten=[name, other])
    scores = flat.terms_["zip"].scores
    assert scores[500] == scores[100]
    with pytest.raises(ValueError, match="categories and have no order"):
        tb.TableClassifier(monotonic_cst={"zip": 1}).fit(table, y)


def test_three_classes_and_reports(tmp_path):
    table, y = make_table(1500, 1)
    labels = np.array(["a", "b", "c"])[y.astype(int) + (table.x > 0.5)]
    model = tb.TableClassifier(alpha=1e-3, interactions=1, random_state=0).fit(table, labels)
    assert model.terms_["zip"].scores.shape[1] == 3
    model.terms_.plot(2)
    tb.report(fitted(), table, y).save(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 2**20


def test_the_problem_is_its_written_out_one():
    table, y = make_table(1200, 1, holes=0.1)
    problem = tb.TableProblem(table, y, max_bins=255, n_threads=1)
    written = problem.explicit()
    assert (written.nnz, written.omega) == (problem.nnz, problem.omega)
    lam = np.random.default_rng(0).normal(size=problem.n_features)
    assert problem.value(lam) == pytest.approx(written.value(lam))
    np.testing.assert_allclose(problem.gradient(lam), written.gradient(lam), atol=1e-12)
    options = {"alpha": 1e-3, "tol": 1e-7, "random_state": 0}
    best, same = (tb.solve(p, "exact", **options) for p in (problem, written))
    assert best.objective == pytest.approx(same.objective, abs=1e-5)
    greedy, other = (tb.solve(p, "greedy", max_epochs=60) for p in (problem, written))
    np.testing.assert_allclose(greedy.lam, other.lam, atol=1e-12)


def test_tallies_of_parts_make_the_same_column():
    frame = take_frame(make_table(3000, 1, holes=0.1)[0])
    [_, column], _ = bin_table(frame)
    parts = [frame.select(np.arange(k, 3000, 4)) for k in range(4)]
    counts_of_parts = [count_values(part, 1, None, False) for part in parts]
    found = ValueCounts.merged(counts_of_parts, "zip").column("zip", 255)
    assert found.categories.tolist() == column.categories.tolist()
