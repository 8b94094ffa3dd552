"""Explanations of a classifier: contributions add up, tables, margins, hard samples, pictures."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

import tauboost as tb
from extras import needs
from tauboost.plots.classifier import plot_explanation, plot_margins, plot_top_features
from tauboost.plots.plots import plot_path

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def two():
    X, y = tb.make_w8a_like(1000, random_state=0)
    return tb.TauBoostClassifier(random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def three():
    iris = load_iris(as_frame=True)
    y = iris.target_names[iris.target]
    return tb.TauBoostClassifier(random_state=0).fit(iris.data, y), iris.data, y


def sums(contributions) -> np.ndarray:
    return np.asarray(contributions.sum(axis=1)).ravel()


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, "dense", "sparsified"])
def test_contributions_add_up_for_two_classes(two, kind):
    clf, X, _ = two
    if kind == "sparsified":
        clf = tb.TauBoostClassifier(random_state=0).fit(X, two[2]).sparsify()
    elif kind == "dense":
        X = X.toarray()
    else:
        X = kind(X)
    before = X.copy()
    why = clf.explain(X)
    found = why.contributions
    assert found.format == "csr"
    np.testing.assert_array_equal(why.decisions, clf.decision_function(X))
    np.testing.assert_array_equal(why.probabilities, clf.predict_proba(X)[:, 1])
    np.testing.assert_allclose(sums(found) + clf.intercept_, clf.decision_function(X), atol=1e-10)
    opposite = clf.explain(X, class_=-1.0).contributions
    np.testing.assert_array_equal(opposite.toarray(), -found.toarray())
    np.testing.assert_array_equal(
        clf.explain(X, class_=1.0).contributions.toarray(), found.toarray()
    )
    assert abs(X - before).sum() == 0
    assert (found.toarray() != 0).sum() <= (abs(X) > 0).sum()


@pytest.mark.parametrize("is_sparse", [False, True])
def test_contributions_add_up_for_more_classes(three, is_sparse):
    clf, X, y = three
    if is_sparse:
        clf = tb.TauBoostClassifier(random_state=0).fit(X, y).sparsify()
    decisions = clf.decision_function(X)
    best = decisions.argmax(axis=1)
    why = clf.explain(X)
    found = sums(why.contributions)
    np.testing.assert_allclose(found + clf.intercept_[best], decisions.max(axis=1))
    np.testing.assert_array_equal(why.classes, clf.predict(X))
    np.testing.assert_allclose(found + why.intercepts, why.decisions)
    for task, name in enumerate(clf.classes_):
        of_class = sums(clf.explain(X, class_=name).contributions) + clf.intercept_[task]
        np.testing.assert_allclose(of_class, decisions[:, task], atol=1e-12)


@given(st.integers(0, 1000), st.integers(1, 12), st.integers(1, 8))
def test_any_sparse_matrix(seed, m, n):
    """Empty rows, explicit zeros and duplicates add up as well."""
    rng = np.random.default_rng(seed)
    clf = tb.TauBoostClassifier(alpha=0.1, max_iter=2, random_state=0)
    clf.fit(np.vstack([np.eye(n), -np.eye(n)]), np.repeat([1, 0], n))
    nnz = int(rng.integers(0, 3 * m))
    entries = rng.integers(-1, 3, nnz).astype(float)
    X = sp.csr_array(
        (entries, rng.integers(0, n, nnz), np.sort(np.r_[0, rng.integers(0, nnz + 1, m - 1), nnz])),
        shape=(m, n),
    )
    found = clf.explain(X).contributions
    assert found.shape == X.shape
    np.testing.assert_allclose(sums(found) + clf.intercept_, clf.decision_function(X), atol=1e-12)


def test_it_prints_names_and_plots(three):
    clf, X, _ = three
    why = clf.explain(X)
    assert (len(why), why.terms[0]) == (150, X.columns[0])
    assert "... 140 more rows" in repr(why)
    one = why[60]
    assert [part.term for part in one.row()] != []
    assert sum(part.contribution for part in one.row()) == pytest.approx(
        one.decisions[0] - one.intercepts[0]
    )
    assert one.row(n=1)[0].value == f"{X[one.row(n=1)[0].term][60]:.6g}"
    assert repr(one).startswith(f"row 60: {one.classes[0]!r}"[:7])
    assert repr(why[[60]]) == repr(one)
    assert [len(row) for row in why[:3]] == [1, 1, 1]


def test_the_matrix_that_it_was_still_works(two):
    clf, X, _ = two
    why = clf.explain(X[:5])
    with pytest.warns(FutureWarning, match=r"take \.contributions\.toarray in place of \.toarray"):
        np.testing.assert_array_equal(why.toarray(), why.contributions.toarray())
    with pytest.raises(AttributeError):
        why.nonsense
    assert len(pickle.loads(pickle.dumps(why))) == 5


def test_top_features_by_size(two):
    clf, _, _ = two
    top = clf.top_features(7)
    order = np.argsort(-np.abs(clf.coef_[0]), kind="stable")[:7]
    np.testing.assert_array_equal(top.indices, order)
    np.testing.assert_array_equal(top.weights, clf.coef_[0, order])
    assert list(top) == [(f"x{i}", clf.coef_[0, i]) for i in order]
    assert len(top) == 7
    against = clf.top_features(7, class_=-1.0)
    np.testing.assert_array_equal(against.weights, -top.weights)
    assert against.towards() == top.towards()
    table = repr(top).splitlines()
    assert table[0].split() == ["feature", "weight", "for", "class"]
    assert len(table) == 9
    assert table[2].split()[0] == f"x{order[0]}"
    assert len(clf.top_features(10_000)) == np.count_nonzero(clf.coef_)


def test_top_features_of_each_side(two):
    clf, _, _ = two
    top = clf.top_features(3, each_side=True)
    ordered = np.sort(clf.coef_[0])
    np.testing.assert_array_equal(top.weights, np.r_[ordered[::-1][:3], ordered[:3][::-1]])
    every = clf.top_features(10_000, each_side=True)
    assert len(every) == np.count_nonzero(clf.coef_)
    assert len(np.unique(every.indices)) == len(every)


def test_top_features_of_more_classes(three):
    clf, X, _ = three
    top = clf.top_features(5)
    assert np.all(np.diff(np.abs(top.weights)) <= 0)
    assert abs(top.weights[0]) == np.abs(clf.coef_).max()
    assert set(top.names) <= set(X.columns)
    for weight, label, i in zip(top.weights, top.classes, top.indices, strict=True):
        assert clf.coef_[list(clf.classes_).index(label), i] == weight
    one = clf.top_features(2, class_="setosa")
    assert one.classes.tolist() == ["setosa", "setosa"]
    assert {"setosa", "not setosa"} >= set(one.towards())


def test_names(two):
    clf, X, _ = two
    names = [f"word {i}" for i in range(X.shape[1])]
    assert clf.top_features(1, names=names).names[0].startswith("word ")
    assert "…" in repr(clf.top_features(1, names=["w" * 100] * X.shape[1]))
    with pytest.raises(ValueError, match=r"names must have shape \(300,\)"):
        clf.top_features(names=["a", "b"])


def test_margins(two, three):
    clf, X, y = two
    margins = clf.margins(X, y)
    np.testing.assert_allclose(margins, y * clf.decision_function(X))
    assert np.mean(margins > 0) == pytest.approx(clf.score(X, y))
    clf, X, y = three
    margins = clf.margins(X, y)
    assert np.mean(margins > 0) == pytest.approx(clf.score(X, y))
    decisions = clf.decision_function(X)
    assert margins[0] == pytest.approx(decisions[0, 0] - decisions[0, 1:].max())


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_hardest_examples_have_the_weights_of_the_gradient(loss):
    """At a solution without psi the boosting weights balance every feature."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, 1, -1)
    weights = rng.uniform(0.5, 2.0, 80)
    clf = tb.TauBoostClassifier(loss=loss, alpha=0.0, tol=1e-9, max_iter=1000, random_state=0)
    clf.fit(X, y, weights)
    hard = clf.hardest_examples(X, y, k=80, sample_weight=weights)
    assert hard.p.sum() == pytest.approx(1.0)
    assert np.all(np.diff(hard.p) <= 0)
    assert sorted(hard.indices) == list(range(80))
    balance = (hard.p * y[hard.indices]) @ X[hard.indices]
    np.testing.assert_allclose(balance, 0.0, atol=1e-6)
    margins = clf.margins(X, y)
    np.testing.assert_array_equal(hard.margins, margins[hard.indices])
    w = weights * (np.exp(-margins) if loss == "exponential" else 1 / (1 + np.exp(margins)))
    np.testing.assert_allclose(hard.p, (w / w.sum())[hard.indices])
    few = clf.hardest_examples(X, y, k=3, sample_weight=weights)
    assert list(few) == list(hard)[:3]
    assert len(few) == 3
    assert len(repr(few).splitlines()) == 5


def test_a_wrong_label_is_the_hardest_example(two, three):
    clf, X, y = three
    wrong = y.copy()
    wrong[7] = "virginica"
    hard = clf.hardest_examples(X, wrong, k=5)
    assert hard.indices[0] == 7
    assert (hard.labels[0], hard.predicted[0]) == ("virginica", "setosa")
    assert hard.margins[0] < 0
    clf, X, y = two
    easy = clf.hardest_examples(X, y, k=len(y))
    weights = np.ones(len(y))
    weights[easy.indices[0]] = 0.0
    without = clf.hardest_examples(X, y, k=len(y), sample_weight=weights)
    assert without.indices[-1] == easy.indices[0]
    assert without.p[-1] == 0.0


def test_class_weights_count_in_hard_examples(two):
    _, X, y = two
    options = {"alpha": 1e-3, "penalty_factors": None}
    clf = tb.TauBoostClassifier(class_weight={1.0: 5.0}, **options).fit(X, y)
    by_hand = tb.TauBoostClassifier(**options).fit(X, y, np.where(y > 0, 5.0, 1.0))
    same = by_hand.hardest_examples(X, y, sample_weight=np.where(y > 0, 5.0, 1.0))
    np.testing.assert_array_equal(clf.hardest_examples(X, y).indices, same.indices)


def test_bad_input(two, three):
    clf, X, y = two
    with pytest.raises(ValueError, match=r"class_ must be one of .*, got 'spam'"):
        clf.explain(X, class_="spam")
    with pytest.raises(ValueError, match="class_ must be one of"):
        three[0].top_features(class_="rose")
    with pytest.raises(ValueError, match=r"y has labels the model does not know: \[7.0\]"):
        clf.margins(X, np.where(y > 0, 7.0, -1.0))
    with pytest.raises(ValueError, match="y has 3 labels, but X has 1000 samples"):
        clf.hardest_examples(X, y[:3])
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        clf.top_features(0)
    with pytest.raises(TypeError, match=r"k must be an integer, got 2\.5"):
        clf.hardest_examples(X, y, k=2.5)
    with pytest.raises(ValueError, match="features"):
        clf.explain(X[:, :5])
    for call in (lambda c: c.explain(X), lambda c: c.top_features(), lambda c: c.margins(X, y)):
        with pytest.raises(NotFittedError):
            call(tb.TauBoostClassifier())


def png(figure, tmp_path) -> bytes:
    figure.savefig(tmp_path / "figure.png")
    return (tmp_path / "figure.png").read_bytes()[:4]


@needs("matplotlib")
def test_pictures_of_two_classes(two, tmp_path):
    clf, X, y = two
    assert png(plot_top_features(clf), tmp_path) == PNG
    assert png(plot_top_features(clf, 3, class_=-1.0, each_side=True), tmp_path) == PNG
    assert png(plot_margins(clf, X, y), tmp_path) == PNG
    for row in (X[[3]], X[[3]].toarray(), X[[3]].toarray()[0], sp.csr_matrix(X)[3]):
        figure = plot_explanation(clf, row, k=3)
        assert png(figure, tmp_path) == PNG
    total = clf.decision_function(X[[3]])[0]
    assert figure.axes[0].get_title() == f"Decision value for class 1.0: {total:+.3g}"
    bars = [bar.get_width() for bar in figure.axes[0].patches]
    assert sum(bars) == pytest.approx(total)
    with pytest.raises(ValueError, match="x_row must be one sample, got 1000"):
        plot_explanation(clf, X)
    with pytest.raises(ValueError, match="names must have shape"):
        plot_explanation(clf, X[[3]], names=["a"])


@needs("matplotlib")
def test_pictures_of_more_classes(three, tmp_path):
    clf, X, y = three
    assert png(plot_top_features(clf), tmp_path) == PNG
    assert png(plot_margins(clf, X, y), tmp_path) == PNG
    figure = plot_explanation(clf, X.iloc[[0]])
    assert figure.axes[0].get_title().startswith("Decision value for class setosa")
    assert png(figure, tmp_path) == PNG
    many = np.arange(len(X)) % 8
    eight = tb.TauBoostClassifier(alpha=0.1, max_iter=3, random_state=0).fit(X, many)
    assert png(plot_margins(eight, X, many), tmp_path) == PNG


@needs("matplotlib")
def test_pictures_survive_strange_names(tmp_path):
    X = pd.DataFrame({"$a_1": [0.0, 1.0] * 10, "b" * 90: [1.0, 0.0, 1.0, 1.0] * 5})
    y = np.array(["$x", "y_^"] * 10)
    clf = tb.TauBoostClassifier(alpha=0.1, random_state=0).fit(X, y)
    assert png(plot_top_features(clf), tmp_path) == PNG
    assert png(plot_margins(clf, X, y), tmp_path) == PNG
    assert png(plot_explanation(clf, X.iloc[[1]]), tmp_path) == PNG


@needs("matplotlib")
def test_picture_of_a_model_without_features(tmp_path):
    X, y = np.eye(30), np.arange(30) % 2
    clf = tb.TauBoostClassifier(alpha=100.0, l1_ratio=1.0, random_state=0).fit(X, y)
    assert len(clf.top_features()) == 0
    assert repr(clf.top_features())
    assert png(plot_top_features(clf), tmp_path) == PNG
    assert png(plot_explanation(clf, X[0]), tmp_path) == PNG
    assert png(plot_margins(clf, X, y), tmp_path) == PNG


@needs("matplotlib")
@pytest.mark.parametrize("options", [{}, {"cv": None}, {"l1_ratio": 1.0}])
def test_picture_of_a_path(options, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    path = tb.regularization_path(X / X.max(axis=0), y, n_alphas=6, random_state=0, **options)
    assert png(path.plot(), tmp_path) == PNG
    assert png(plot_path(path), tmp_path) == PNG


def test_without_matplotlib(two, monkeypatch):
    clf, X, y = two
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'tauboost\[plot\]'"):
        plot_margins(clf, X, y)
