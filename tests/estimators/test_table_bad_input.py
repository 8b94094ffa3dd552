"""Bad tables and parameters: one clear sentence each, and nothing is half-fitted."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import tauboost as tb

N = 40
RANDOM = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RANDOM.normal(size=N),
        "town": RANDOM.choice(list("xyz"), N),
        "rooms": RANDOM.integers(0, 3, N).astype(float),
    }
)
Y = np.arange(N) % 2
WORDS = np.array(["a", None] * (N // 2), dtype=object)


def both(table, y, weights=None):
    """Return both ways to give a table, as calls."""
    yield lambda: tb.TableClassifier(random_state=0).fit(table, y, weights)
    yield lambda: tb.TableProblem(table, y, weights)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (TABLE[:0], ValueError, "the table has no rows"),
        (TABLE[[]], ValueError, "the table has no columns"),
        (pd.DataFrame(), ValueError, "the table has no columns"),
        (TABLE.assign(pay=np.inf), ValueError, "column 'pay' holds infinity"),
        (TABLE.assign(pay=[1, "a"] * 20), TypeError, "'pay' holds both strings and numbers"),
        (TABLE.assign(day=pd.Timestamp("2020-01-01")), TypeError, "'day' holds dates"),
        (TABLE.assign(part=[[1]] * N), TypeError, "'part' holds lists"),
        (pd.concat([TABLE, TABLE], axis=1), ValueError, "more than one column 'age'"),
        (np.ones((N, 1)) * 1j, ValueError, "Complex"),
        (TABLE["age"], TypeError, "a single column"),
        (np.ones(N), ValueError, "Reshape your data"),
        ("table.csv", TypeError, "the table must be a data frame"),
        (None, TypeError, "the table must be a data frame"),
    ],
)
def test_tables(table, error, message):
    for call in both(table, Y):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize(
    ("y", "weights", "error", "message"),
    [
        (np.zeros(N), None, ValueError, "one class only"),
        (np.where(Y == 1, np.nan, 0.0), None, ValueError, "y contains NaN"),
        (WORDS, None, ValueError, "y contains None or NaN"),
        (None, None, ValueError, "y"),
        (Y[:-1], None, ValueError, "y has 39 labels"),
        (np.stack([Y, Y], axis=1), None, ValueError, "y "),
        (Y, np.zeros(N), ValueError, "sample_weight is zero for every sample"),
        (Y, Y.astype(float), ValueError, "sample_weight"),
        (Y, -np.ones(N), ValueError, "must not be negative"),
        (Y, np.full(N, np.nan), ValueError, "sample_weight contains NaN"),
        (Y, np.ones(N - 1), ValueError, "sample_weight must have shape"),
    ],
)
def test_labels_and_weights(y, weights, error, message):
    for call in both(TABLE, y, weights):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"alpha": -1}, ValueError, "alpha must be at least 0"),
        ({"alpha": "b"}, ValueError, "alpha must be 'auto' or a number"),
        ({"alpha": None}, TypeError, "alpha must be a number"),
        ({"l1_ratio": 2}, ValueError, "l1_ratio must be at least 0 and at most 1"),
        ({"l1_ratio": "auto", "alpha": 1.0}, ValueError, "needs alpha='auto'"),
        ({"loss": "hinge"}, ValueError, "loss must be one of"),
        ({"max_bins": 1}, ValueError, "max_bins must be at least 2"),
        ({"max_bins": 256}, ValueError, "max_bins must be at most 255"),
        ({"max_bins": 2.5}, TypeError, "max_bins must be an integer"),
        ({"interactions": -1}, ValueError, "interactions must be at least 0"),
        ({"interactions": 2.5}, TypeError, "interactions must be an integer"),
        ({"interactions": "all"}, ValueError, "interactions must be 'auto', a number or pairs"),
        ({"interactions": None}, ValueError, "interactions must be 'auto', a number or pairs"),
        ({"interactions": [("age", "no")]}, ValueError, "interactions names 'no'"),
        ({"interactions": [("age",)]}, ValueError, "interactions must hold pairs"),
        ({"interactions": [("age", "age")]}, ValueError, "pairs 'age' with itself"),
        ({"interactions": [(0, 9)]}, ValueError, "interactions has position 9"),
        ({"monotonic_cst": {"town": 1}}, ValueError, "'town', whose values are categories"),
        ({"monotonic_cst": {"no": 1}}, ValueError, "monotonic_cst names 'no'"),
        ({"monotonic_cst": {"age": 2}}, ValueError, "monotonic_cst must be 1, -1 or 0"),
        ({"monotonic_cst": {"age": np.ones(2)}}, ValueError, "monotonic_cst must be 1, -1 or 0"),
        ({"monotonic_cst": ["age"]}, TypeError, "monotonic_cst must be a dict"),
        (
            {"categorical_features": "town"},
            ValueError,
            "categorical_features must be 'from_dtype' or a list",
        ),
        ({"categorical_features": ["no"]}, ValueError, "categorical_features names 'no'"),
        ({"categorical_features": [3]}, ValueError, "categorical_features has position 3"),
        ({"class_weight": {7: 1.0}}, ValueError, "class_weight names classes"),
        ({"class_weight": {0: 0.0}}, ValueError, "leaves no samples"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
        ({"tol": -1}, ValueError, "tol must be at least 0"),
        ({"time_limit": 0}, ValueError, "time_limit must be above 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
        ({"random_state": "a"}, ValueError, "random_state must be"),
    ],
)
def test_parameters(options, error, message):
    """They are refused, and a model that was there before is there after."""
    clf = tb.TableClassifier(interactions=0, random_state=0).fit(TABLE, Y)
    before = {name: value for name, value in vars(clf).items() if name not in options}
    clf.set_params(**options)
    with pytest.raises(error, match=message):
        clf.fit(TABLE, Y)
    assert {name: value for name, value in vars(clf).items() if name not in options} == before
    fresh = tb.TableClassifier(**options)
    with pytest.raises(error, match=message):
        fresh.fit(TABLE, Y)
    assert vars(fresh).keys() == fresh.get_params().keys()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"age": "x"}, "'age' holds strings such as 'x'"),
        ({"town": 3.5}, "'town' holds numbers such as 3.5"),
        ({"age": np.inf}, "'age' holds infinity"),
        ({"age": pd.Timestamp("2020-01-01")}, "'age' holds dates"),
    ],
)
def test_other_types_at_prediction(columns, message):
    clf = tb.TableClassifier(interactions=0, random_state=0).fit(TABLE, Y)
    with pytest.raises((TypeError, ValueError), match=message):
        clf.predict(TABLE.assign(**columns))


def test_columns_at_prediction_are_found_by_name():
    clf = tb.TableClassifier(random_state=0).fit(TABLE, Y)
    wanted = clf.decision_function(TABLE)
    for table in (TABLE[["rooms", "age", "town"]], TABLE.assign(more="a")):
        np.testing.assert_array_equal(clf.decision_function(table), wanted)
    with pytest.warns(
        UserWarning, match="X does not have valid feature names, but TableClassifier"
    ):
        np.testing.assert_array_equal(clf.decision_function(TABLE.to_numpy()), wanted)
    with pytest.raises(ValueError, match="the table lacks 'age', which the model needs"):
        clf.predict(TABLE.drop(columns="age"))
    with pytest.raises(ValueError, match="X has 2 features, but TableClassifier is expecting 3"):
        clf.predict(TABLE.to_numpy()[:, :2])
    with pytest.raises(ValueError, match="the table has no rows"):
        clf.predict(TABLE[:0])


@pytest.mark.parametrize("missing", [np.nan, float("nan"), None, pd.NA, np.float64("nan")])
@pytest.mark.parametrize("kind", [list, tuple])
def test_missing_labels_beside_strings(kind, missing):
    labels = kind(["a", missing] * 20)
    with pytest.raises(ValueError, match="y contains None or NaN: every sample needs a label"):
        tb.TableClassifier().fit(TABLE, labels)
    with pytest.raises(ValueError, match="y contains None or NaN: every sample needs a label"):
        tb.TableProblem(TABLE, labels)
    with pytest.raises(ValueError, match="y contains None or NaN: every sample needs a label"):
        tb.TableClassifier().fit(TABLE, kind([1, "b", missing, "b"] * 10))


@pytest.mark.parametrize("names", [["x1", "other"], ["a", "b"], ["other", "x0"]])
def test_other_names_are_refused(names):
    X = np.random.default_rng(0).normal(size=(40, 2))
    clf = tb.TableClassifier(alpha=1e-2).fit(pd.DataFrame(X, columns=["x0", "x1"]), Y)
    other = pd.DataFrame(X, columns=names)
    for ask in (clf.predict, clf.explain, clf.to_scorecard().score):
        with pytest.raises(ValueError, match=r"the table lacks 'x.*, which it does not know"):
            ask(other)


def test_names_after_a_fit_without_names():
    X = np.random.default_rng(0).normal(size=(40, 2))
    clf = tb.TableClassifier(alpha=1e-2).fit(X, Y)
    for names in (["a", "b"], ["x1", "other"]):
        with pytest.warns(UserWarning, match="X has feature names, but TableClassifier was fitted"):
            decisions = clf.decision_function(pd.DataFrame(X, columns=names))
        np.testing.assert_array_equal(decisions, clf.decision_function(X))


@pytest.mark.parametrize(
    "clf", [tb.TauBoostClassifier(), tb.AdaBoostPLClassifier(), tb.PAdaBoostClassifier()]
)
def test_linear_classifiers_check_names_as_scikit_learn(clf):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["x0", "x1"])
    clf.fit(X, X.x0 > 0)
    for other in (X[["x1", "x0"]], X.set_axis(["x1", "other"], axis=1)):
        with pytest.raises(ValueError, match="feature names should match those"):
            clf.predict(other)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        clf.predict(X.to_numpy())


@pytest.mark.parametrize("interactions", [0, 3, "auto"])
@pytest.mark.parametrize(
    "table",
    [
        TABLE.assign(nothing=np.nan),
        TABLE.assign(nothing=None),
        TABLE.assign(same=1.0),
        TABLE.assign(same="a"),
        pd.DataFrame({"nothing": [np.nan] * N}),
        pd.DataFrame({"same": [7] * N, "also": ["b"] * N}),
        TABLE[:2],
        np.ones((2, 1)),
        np.array([[1e308], [-1e308], [5e-324], [0.0]]),
    ],
)
def test_poor_tables_are_fitted(table, interactions):
    y = Y[: len(table)]
    clf = tb.TableClassifier(interactions=interactions, random_state=0).fit(table, y)
    assert np.isfinite(clf.decision_function(table)).all()
    assert tb.solve(tb.TableProblem(table, y), alpha=1e-2, max_epochs=3).lam.ndim == 1


def test_one_row_has_one_class():
    for call in both(TABLE[:1], Y[:1]):
        with pytest.raises(ValueError, match="one class only"):
            call()


@pytest.mark.parametrize(
    "weights", [np.full(N, 1e308), np.full(N, 5e-324), np.r_[1e-150, Y[1:] + 1]]
)
def test_odd_weights(weights):
    clf = tb.TableClassifier(random_state=0).fit(TABLE, Y, weights)
    assert np.isfinite(clf.decision_function(TABLE)).all()


def test_a_column_of_identifiers_is_refused_at_once():
    table = pd.DataFrame({"id": pd.Series(np.arange(300_000)).astype(str)})
    began = time.perf_counter()
    for call in both(table, np.arange(300_000) % 2):
        with pytest.raises(ValueError, match=r"column 'id' has no value twice .* leave it out"):
            call()
    assert time.perf_counter() - began < 5
