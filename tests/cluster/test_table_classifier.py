"""TableClassifier on a cluster: what one machine finds, and what is said to bad input."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

from importlib import import_module

import dask
import numpy as np
import pandas as pd
from dask import array as da
from dask import dataframe as dd

import tauboost as tb
import tauboost.dask as td
from clusters import local_cluster
from dask_parts import kill_before


def make_table(n=1500, n_classes=2, seed=0):
    """Numbers, categories and missing values, many rows of them twice, and an interaction."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "a": np.round(random.normal(size=n), 2),
            "b": random.integers(0, 9, n),
            "c": random.choice(list("uvwxyz"), n),
            "d": random.exponential(size=n) > 1,
        }
    )
    table.loc[random.random(n) < 0.1, "a"] = np.nan
    table.loc[random.random(n) < 0.1, "c"] = None
    table.loc[: n // 4, "c"] = None  # the first partition has none
    score = np.abs(table.a.fillna(1)) + 0.3 * table.b * (table.c == "u") + table.d * (table.b > 4)
    score += random.logistic(size=n) * 0.3
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    table["label"] = np.array(["no", "perhaps", "yes"])[np.digitize(score, cuts)]
    table["weight"] = random.integers(0, 4, n) / 4
    return pd.concat([table, table[: n // 5]], ignore_index=True)


def both(client, table, weight=None, npartitions=6, **options):
    """Return the local classifier and that of the cluster."""
    X = table.drop(columns=["label", "weight"])
    weights = None if weight is None else table[weight]
    local = tb.TableClassifier(random_state=3, **options).fit(X, table.label, weights)
    frame = dd.from_pandas(table if weight else table.drop(columns="weight"), npartitions)
    there = td.TableClassifier(random_state=3, client=client, n_parts=4, **options)
    return X, local, there.fit(frame, "label", weight)


def check(X, local, there):
    for one, other in zip(local.columns_, there.columns_, strict=True):
        assert one.bin_names() == other.bin_names()
    assert [t.columns for t in local.model_.terms] == [t.columns for t in there.model_.terms]
    np.testing.assert_allclose(there.objective_, local.objective_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(there.decision_function(X), local.decision_function(X), atol=1e-6)
    one, other = local.record_.to_data(), there.record_.to_data()
    np.testing.assert_allclose(other.pop("gap"), one.pop("gap"), rtol=1e-2)
    assert other == one  # the hash of the data, too
    assert np.array_equal(there.record_.sketch.prints, local.record_.sketch.prints)
    assert np.array_equal(there.record_.sketch.counts, local.record_.sketch.counts)
    assert there.record_.seconds > 0
    assert there.record_.peak_bytes is None
    for one, other in zip(local.model_.terms, there.model_.terms, strict=True):
        np.testing.assert_allclose(other.weights, one.weights, atol=1e-12)
    assert there.n_iter_ == local.n_iter_


@pytest.mark.parametrize(
    ("weight", "options"),
    [
        (None, {"loss": "logistic", "interactions": 0, "monotonic_cst": {"b": 1}}),
        ("weight", {"loss": "exponential", "interactions": [("b", "c")]}),
        ("weight", {"max_bins": 16, "interactions": 2, "class_weight": "balanced"}),
    ],
    ids=["logistic", "exponential", "pairs"],
)
def test_a_given_alpha_gives_what_one_machine_finds(client, weight, options):
    check(*both(client, make_table(), weight, alpha=1e-3, **options))


def test_hundreds_of_categories(client):
    table, rng = make_table(2000), np.random.default_rng(1)
    table["zip"] = [f"z{k}" for k in rng.integers(0, 400, len(table))]
    table.loc[:40, "zip"] = None
    X, local, there = both(client, table, "weight", alpha=1e-3, interactions=0)
    assert len(local.columns_[-1].categories) > 300
    check(X, local, there)
    X, local, there = both(client, table, "weight", alpha=1e-3, interactions=[("b", "zip")])
    for one, other in zip(local.model_.terms, there.model_.terms, strict=True):
        np.testing.assert_allclose(other.weights, one.weights, atol=1e-12)
    np.testing.assert_allclose(there.decision_function(X), local.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_strength_and_pairs_are_chosen_as_on_one_machine(client, n_classes):
    X, local, there = both(client, make_table(900, n_classes), max_iter=6)
    assert there.alpha_ == pytest.approx(local.alpha_, rel=1e-3)
    assert there.held_out_loss_ == pytest.approx(local.held_out_loss_, rel=1e-4)
    assert [t.columns for t in local.model_.terms] == [t.columns for t in there.model_.terms]
    if there.alpha_ == local.alpha_:  # of three digits, found in single precision
        found = there.decision_function(X)
        np.testing.assert_allclose(found, local.decision_function(X), atol=1e-6)
    assert np.mean(there.predict(X) == local.predict(X)) > 0.999


def test_rows_that_repeat_are_dealt_as_on_one_machine(client):
    """Ten segments: every row is a question that is asked again, in all of the parts."""
    rng = np.random.default_rng(0)
    segment = rng.integers(0, 10, 6000)
    chances = 1 / (1 + np.exp(-rng.normal(size=10)))
    table = pd.DataFrame({"segment": segment, "weight": 1.0})
    table["label"] = np.where(rng.random(6000) < chances[segment], "yes", "no")
    X, local, there = both(client, table)
    assert local.alpha_ < 0.01
    assert there.alpha_ == pytest.approx(local.alpha_, rel=1e-3)
    assert there.held_out_loss_ == pytest.approx(local.held_out_loss_, rel=1e-5)
    np.testing.assert_allclose(there.predict_proba(X), local.predict_proba(X), atol=1e-4)


def test_more_columns_than_rows(client):
    X = np.random.default_rng(0).normal(size=(30, 40))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    local = tb.TableClassifier(random_state=0).fit(X, y)
    there = td.TableClassifier(random_state=0, client=client, n_parts=2)
    there.fit(da.from_array(X, chunks=(15, 40)), da.from_array(y, chunks=15))
    assert there.alpha_ == pytest.approx(local.alpha_, rel=1e-2)
    np.testing.assert_allclose(there.objective_, local.objective_, rtol=1e-2)


def test_exponential_weights_of_classes_that_part_do_not_vanish(client):
    X = np.random.default_rng(0).integers(0, 50, (900, 3)).astype(float)
    y = (X[:, 0] > 20).astype(int)
    options = {"loss": "exponential", "alpha": 1e-6, "interactions": 0, "max_iter": 15}
    local = tb.TableClassifier(random_state=0, **options).fit(X, y)
    there = td.TableClassifier(random_state=0, client=client, n_parts=3, **options)
    there.fit(da.from_array(X, chunks=(300, 3)), da.from_array(y, chunks=300))
    assert local.objective_[0] < -40  # weights of so many powers of two
    # There is no optimum: what rounding is grows on the way.
    np.testing.assert_allclose(there.objective_, local.objective_, rtol=1e-6)
    np.testing.assert_allclose(there.decision_function(X), local.decision_function(X), rtol=1e-4)


def test_predictions_are_lazy_on_frames_and_the_model_leaves_the_cluster(client, tmp_path):
    table = make_table(400)
    X, _, there = both(client, table, alpha=1e-2, interactions=0)
    labels = there.predict(dd.from_pandas(X, 3))
    assert hasattr(labels, "compute")
    local = there.to_local()
    assert (labels.compute(scheduler="sync") == local.predict(X)).all()
    tb.save_model(local, tmp_path / "model.tauboost")
    loaded = tb.load_model(tmp_path / "model.tauboost")
    assert (loaded.predict_proba(X) == there.predict_proba(X)).all()


def test_arrays_and_parts_of_any_kind(client):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    options = {"alpha": 1e-2, "interactions": 0, "random_state": 0}
    local = tb.TableClassifier(**options).fit(X, y)
    parts = [(X[:100], y[:100]), (X[:0], y[:0]), dask.delayed((X[100:], y[100:]))]
    for data in ((da.from_array(X, chunks=(70, 2)), y), (parts,)):
        there = td.TableClassifier(client=client, **options).fit(*data)
        np.testing.assert_allclose(there.decision_function(X), local.decision_function(X))
        assert not hasattr(there, "feature_names_in_")


TABLE = make_table(200).drop(columns="weight")


def pieces(**changes):
    return [(TABLE, "label"), (TABLE.assign(**changes), "label")]


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (pieces(c=1.5), {}, TypeError, "column 'c' holds both strings and numbers"),
        (pieces(a=np.inf), {}, ValueError, "column 'a' holds infinity"),
        (pieces(a=pd.Timestamp("2020")), {}, TypeError, "column 'a' holds dates"),
        (pieces(e=1), {}, ValueError, "different numbers of columns: 4, 5"),
        ([pieces()[0], (TABLE[TABLE.columns[::-1]], "label")], {}, ValueError, "the same order"),
        ([(TABLE.assign(label="no"), "label")], {}, ValueError, "one class only, 'no'"),
        (pieces(), {"monotonic_cst": {"c": 1}}, ValueError, "'c', whose values are categories"),
        (pieces(), {"interactions": [("a", "z")]}, ValueError, "names 'z', and the table has no"),
        (pieces(), {"categorical_features": ["z"]}, ValueError, "names 'z', and the table has no"),
        (pieces(), {"bands": 0.9}, ValueError, "bands: .* needs all of them on one machine"),
        (pieces(), {"max_bins": 999}, ValueError, "max_bins must be at most 255"),
        (pieces(), {"class_weight": {"maybe": 1}}, ValueError, "class_weight names classes"),
        ([(np.eye(3), [0, 1])], {}, ValueError, r"y has shape \(2,\), but X has 3 samples"),
        (None, {}, TypeError, "data must be a tuple"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input(client, data, options, error, message):
    clf = td.TableClassifier(client=client, **options)
    with pytest.raises(error, match=message):
        clf.fit(data)
    assert not hasattr(clf, "columns_")


@pytest.fixture(scope="module")
def frail():
    """Workers to be killed; a nanny starts a new one in the place of a dead one."""
    with local_cluster(2) as client:
        client.run(import_module, "tauboost.dask")  # a worker that imports answers late
        yield client


def test_parts_of_killed_workers_are_built_again(frail, monkeypatch):
    table = make_table(600)
    X = table.drop(columns=["label", "weight"])
    options = {"random_state": 3, "interactions": 1, "max_iter": 6}
    local = tb.TableClassifier(**options).fit(X, table.label)
    left = kill_before(monkeypatch, ["settle", "all_of", "one_pass"])
    data = dd.from_pandas(table.drop(columns="weight"), 2)
    there = td.TableClassifier(client=frail, **options).fit(data, "label")
    assert left == []
    assert there.alpha_ == pytest.approx(local.alpha_, rel=1e-3)
    np.testing.assert_allclose(there.objective_, local.objective_, atol=1e-6)
