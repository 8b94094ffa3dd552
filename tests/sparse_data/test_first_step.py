"""The unit of the penalty: AdaBoost's first step on each column, against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import tauboost as tb
from first_steps import expected_scales, in_units, samples_of, table
from tauboost.sparse.factors import checked_factors, class_sums, factors_of, scales


def found_scales(samples, held=None):
    """Return s of each task and feature, in the order of X."""
    s = np.stack([1 / own[0] for own in factors_of(samples, held)])
    return s[:, samples.design.place]


@given(st.integers(0, 10_000), st.sampled_from([2, 3, 4]), st.booleans())
def test_sums_and_scales_are_those_of_the_formula(seed, n_classes, is_weighted):
    X, codes = table(seed, 24 + seed % 40, n_classes)
    weights = np.random.default_rng(seed).integers(1, 4, len(codes)) if is_weighted else None
    copies = np.ones(len(codes)) if weights is None else weights.astype(float)
    samples = samples_of(X, codes, weights)
    Z, place = in_units(X, copies), samples.design.place
    neg, pos, rows = class_sums(samples, samples.copies)
    for k in range(n_classes):
        c = np.where(codes == k, copies, 0.0)
        np.testing.assert_allclose(rows[k], c.sum())
        np.testing.assert_allclose(neg[k, place], c @ np.maximum(-Z, 0), atol=1e-9)
        np.testing.assert_allclose(pos[k, place], c @ np.maximum(Z, 0), atol=1e-9)
    tasks = [1] if n_classes == 2 else range(n_classes)
    expected = [expected_scales(Z, codes == k, copies) for k in tasks]
    np.testing.assert_allclose(found_scales(samples), expected, rtol=1e-6)


@given(st.integers(0, 10_000))
def test_any_shape_has_scales_that_are_numbers(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    X = rng.integers(-1, 2, size=(m, n)) * (rng.random((m, n)) < rng.random())
    codes = np.arange(m) % 2
    samples = samples_of(X, codes)
    s, Z = found_scales(samples)[0], in_units(X, np.ones(m))
    if samples.used is not None:
        Z = Z[:, samples.used]
    np.testing.assert_allclose(s, expected_scales(Z, codes == 1, np.ones(m)))
    assert np.all(np.isfinite(s))
    assert np.all(s > 0)


def test_zeros_and_ones_have_the_log_count_ratio_of_naive_bayes():
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 2
    X = (rng.random((200, 10)) < 0.1 + 0.3 * codes[:, None]).astype(float)
    counts = [X[codes == k].sum(axis=0) + 1 for k in (0, 1)]
    ratio = np.log(counts[1] / counts[0])
    np.testing.assert_allclose(found_scales(samples_of(X, codes))[0] ** 2, np.abs(ratio))


def test_a_column_without_an_effect_has_a_hundredth_of_the_median():
    X = np.zeros((8, 4))
    X[[0, 1], 0] = 1  # one of each class
    X[[1, 3, 5], 1] = X[[1, 3], 2] = 1
    s = found_scales(samples_of(X, np.arange(8) % 2))[0]
    assert s[0] == pytest.approx(np.median(s[:3]) / 100)
    assert s[3] == pytest.approx(np.median(s[:3])), "nobody uses it"


def test_where_no_column_has_an_effect_all_are_alike():
    X = np.repeat(np.eye(3), 2, axis=0)
    s = found_scales(samples_of(X, np.arange(6) % 2))
    assert np.ptp(s) == 0
    np.testing.assert_array_equal(scales((np.zeros((2, 3)),) * 2 + (np.ones(2),), True), 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_rounding_is_no_effect(seed):
    """Sums that are equal, but for the order in which rows were added up."""
    rng = np.random.default_rng(seed)
    some = rng.normal(size=(10, 6))
    X = np.zeros((40, 7))
    X[:10, :6], X[10:, :6] = some, np.repeat(some, 3, axis=0)
    X[:7, 6] = 1.0
    rows = rng.permutation(40)
    codes = np.repeat([0, 1], [10, 30])
    s = found_scales(samples_of(X[rows], codes[rows], fit_intercept=False))[0]
    np.testing.assert_allclose(s[:6], s[6] / 100)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_weight_of_k_is_k_rows(n_classes):
    X, codes = table(1, 40, n_classes)
    weights = np.random.default_rng(2).integers(1, 4, len(codes))
    rows = np.repeat(np.arange(len(codes)), weights)
    weighted = found_scales(samples_of(X, codes, weights))
    np.testing.assert_allclose(weighted, found_scales(samples_of(X[rows], codes[rows])), rtol=1e-9)
    merged = found_scales(samples_of(X[rows], codes[rows]).merged())
    np.testing.assert_allclose(weighted, merged, rtol=1e-9)


def test_only_rows_that_a_fit_learns_from_count():
    X, codes = table(3, 50)
    held = np.zeros(50)
    held[:20], held[20] = 1.0, 0.25  # one row is held out in part
    Z = in_units(X, np.ones(50))
    s = found_scales(samples_of(X, codes), held)
    np.testing.assert_allclose(s[0], expected_scales(Z, codes == 1, 1 - held), rtol=1e-6)


def test_what_is_held_out_has_no_say():
    rng = np.random.default_rng(4)
    held, codes = np.repeat([1.0, 0.0], [20, 30]), np.arange(50) % 2
    X = (rng.random((50, 9)) < 0.3).astype(float)
    other = np.where(held[:, None] == 1, rng.random((50, 9)) < 0.5, X)
    one, two = (found_scales(samples_of(rows, codes), held) for rows in (X, other))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_multiplying_columns_changes_nothing(n_classes):
    X, codes = table(4, 60, n_classes)
    rng = np.random.default_rng(5)
    factors = rng.choice([-1, 1], X.shape[1]) * 10 ** rng.uniform(-6, 6, X.shape[1])
    one, other = (found_scales(samples_of(rows, codes)) for rows in (X, X * factors))
    np.testing.assert_allclose(one, other, rtol=1e-9)


def test_two_classes_may_change_places():
    X, codes = table(6)
    one, other = (found_scales(samples_of(X, c)) for c in (codes, 1 - codes))
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_given_factors_follow_their_features():
    X, codes = table(7, 60, 3)
    given = np.arange(1.0, X.shape[1] + 1)
    samples = samples_of(X, codes, penalty_factors=given)
    for of_l1, of_l2 in factors_of(samples):
        np.testing.assert_array_equal(of_l1[samples.design.place], given)
        np.testing.assert_array_equal(of_l2, of_l1)
    assert factors_of(samples_of(X, codes, penalty_factors=None)) == [None] * 3


def test_factors_that_are_none():
    assert checked_factors("auto", 3) == "auto"
    assert checked_factors(None, 3) is None
    np.testing.assert_array_equal(checked_factors([1, 0, 2], 3), [1.0, 0.0, 2.0])
    with pytest.raises(ValueError, match=r"^penalty_factors must be 'auto', None or a number for"):
        checked_factors("own", 3)
    with pytest.raises(ValueError, match=r"^penalty_factors must be 0 or more"):
        checked_factors([1, -1, 2], 3)
    with pytest.raises(ValueError, match=r"^penalty_factors must be 0 or more .* not 0 for all"):
        checked_factors(np.zeros(3), 3)
    with pytest.raises(ValueError, match=r"^penalty_factors"):
        checked_factors([1, 2], 3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["all", "sparse"])
def test_a_fit_is_the_ridge_fit_of_columns_times_s(n_classes, kind):
    X, codes = table(8, 120, n_classes)
    X = X if kind == "all" else sp.csr_array(X[:, :8])
    alpha = 3e-3
    clf = tb.TauBoostClassifier(alpha=alpha, tol=1e-9).fit(X, codes)
    dense = X if kind == "all" else X.toarray()
    Z, tasks = in_units(dense, np.ones(120)), [1] if n_classes == 2 else range(n_classes)
    H = clf.decision_function(X).reshape(120, -1)
    for k, task in enumerate(tasks):
        is_positive = codes == task
        scaled = Z * expected_scales(Z, is_positive, np.ones(120))
        ridge = LogisticRegression(C=1 / (120 * alpha), tol=1e-10, max_iter=10_000)
        ridge.fit(scaled, is_positive)
        np.testing.assert_allclose(H[:, k], ridge.decision_function(scaled), atol=2e-4)
