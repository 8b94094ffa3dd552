"""Bad input: a clear ValueError or TypeError that names the argument, before native code runs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from problems import CASES

X = sp.csr_array(np.array([[1.0, 0, 2], [0, 1, 0], [1, 1, 0], [0, 0, 3]]))
y = np.array([1, -1, -1, 1])


def broken(kind: str, **changes):
    matrix = getattr(sp, f"{kind}_matrix")(X)
    for name, array in changes.items():
        setattr(matrix, name, np.asarray(array))
    return matrix


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (np.array([[1.0, np.nan], [0, 1]]), ValueError, "X contains NaN or infinity"),
        (sp.csr_array([[1.0, np.inf], [0, 1]]), ValueError, "X contains NaN or infinity"),
        (np.zeros((0, 3)), ValueError, "X is empty"),
        (np.zeros((3, 0)), ValueError, "X is empty"),
        (sp.csr_array((0, 4)), ValueError, "X is empty"),
        (sp.csr_array((4, 2**31 - 1)), ValueError, "X has 2,147,483,647 features; at most"),
        (np.zeros(3), ValueError, "X must have two dimensions"),
        (np.array([[1j, 0], [0, 1]]), TypeError, "X must hold real numbers"),
        (np.array([["a", "b"], ["c", "d"]]), TypeError, "X must hold real numbers"),
        (np.array([[1e200, 0], [0, 1]]), ValueError, "X has nonzero values outside"),
        (np.array([[1e-200, 0], [0, 1]]), ValueError, "X has nonzero values outside"),
        (broken("csr", indptr=[0, 2, 1, 4, 6]), ValueError, "indptr decreases"),
        (broken("csc", indptr=[0, 3, 2, 6]), ValueError, "indptr decreases"),
        (broken("csr", indptr=[0, 2, 3, 5, 99]), ValueError, "indptr ends at 99"),
        (broken("csr", indptr=[0, 2, 3, 5]), ValueError, "indptr has 4 entries"),
        (broken("csr", indptr=[1, 2, 3, 5, 6]), ValueError, "indptr must begin with 0"),
        (broken("csr", indices=[0, 2, 1, 0, 7, 2]), ValueError, "index 7 is outside 0..2"),
        (broken("csr", indices=[0, 2, 1, 0, -1, 2]), ValueError, "index -1 is outside 0..2"),
        (broken("csc", indices=[0, 2, 1, 2, 0, 4]), ValueError, "index 4 is outside 0..3"),
        (
            broken("csr", indptr=np.array([0, 2, 3, 5, 2**40], np.int64)),
            ValueError,
            "indptr ends at",
        ),
        (broken("csr", indptr=[0, 2, 3, -(2**31), 6]), ValueError, "indptr decreases"),
    ],
)
def test_matrix(bad, error, message):
    with pytest.raises(error, match=message):
        tb.Problem(bad, y[: bad.shape[0]])


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1, 1, 1, 1], ValueError, "y has one class only"),
        ([1, 2, 3, 1], ValueError, "y must have exactly two classes, got 3"),
        ([1, -1, 1], ValueError, "y has 3 labels, but X has 4 samples"),
        ([1, -1, np.nan, 1], ValueError, "y contains NaN"),
        ([1, -1, np.inf, 1], ValueError, "y contains NaN or infinity"),
        ([[1], [-1], [1], [1]], ValueError, "y must have one dimension"),
        (np.array(["a", 1, "a", 1], dtype=object), TypeError, "y must hold labels of one type"),
        (np.array(["a", None, "a", None], dtype=object), ValueError, "y contains None or NaN"),
    ],
)
def test_labels(bad, error, message):
    with pytest.raises(error, match=message):
        tb.Problem(X, bad)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1, 1, -1, 1], ValueError, "sample_weight must not be negative, got -1"),
        ([0, 0, 0, 0], ValueError, "sample_weight is zero for every sample"),
        ([1, 1, 1], ValueError, r"sample_weight must have shape \(4,\)"),
        ([1, np.nan, 1, 1], ValueError, "sample_weight contains NaN"),
        ([1, np.inf, 1, 1], ValueError, "sample_weight contains NaN or infinity"),
        (["a"] * 4, TypeError, "sample_weight must be a vector"),
        ([1, 0, 0, 1], ValueError, "sample_weight leaves one class only"),
    ],
)
def test_weights(bad, error, message):
    with pytest.raises(error, match=message):
        tb.Problem(X, y, bad)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"loss": "hinge"}, ValueError, "loss must be one of 'exponential', 'logistic'"),
        ({"fit_intercept": "yes"}, TypeError, "fit_intercept must be True or False"),
        ({"n_threads": 0}, ValueError, "n_threads must be between 1"),
        ({"n_threads": 1.5}, TypeError, "n_threads must be a positive integer"),
    ],
)
def test_problem_options(options, error, message):
    with pytest.raises(error, match=message):
        tb.Problem(X, y, **options)


@pytest.mark.parametrize(
    ("method", "options", "error", "message"),
    [
        ("newton", {}, ValueError, "method must be one of exact"),
        ("pcdm", {"tau": 0}, ValueError, "tau must be between 1 and the 20 coordinates, got 0"),
        ("pcdm", {"tau": 21}, ValueError, "tau must be between 1"),
        ("pcdm", {"tau": 2.0}, TypeError, "tau must be an integer"),
        ("pcdm", {"step": "collins"}, ValueError, "step: method 'pcdm' has no choice of step"),
        ("greedy", {"tau": 4}, ValueError, "tau: method 'greedy' has no blocks"),
        ("greedy", {"step": "collins"}, ValueError, "step must be 'exact' or 'lipschitz'"),
        ("greedy", {"alpha": 0.1}, ValueError, "alpha: method 'greedy' takes no l1 term"),
        ("greedy", {"alpha": 0.1, "l1_ratio": 0.0}, ValueError, "takes no penalty"),
        ("greedy", {"bounds": (0, 1)}, ValueError, "bounds: method 'greedy' takes no bounds"),
        ("lbfgs", {"alpha": 0.1}, ValueError, "alpha: method 'lbfgs' takes no l1 term"),
        ("fully-parallel", {"alpha": 0.1}, ValueError, "takes neither alpha nor bounds"),
        ("pcdm", {"alpha": -1.0}, ValueError, "alpha must be at least 0"),
        ("pcdm", {"alpha": np.nan}, ValueError, "alpha must be"),
        ("pcdm", {"alpha": "big"}, TypeError, "alpha must be a number"),
        ("pcdm", {"l1_ratio": 1.5}, ValueError, "l1_ratio must be at least 0 and at most 1"),
        ("pcdm", {"bounds": (1, 0)}, ValueError, "bounds are crossed at feature 0"),
        ("pcdm", {"bounds": 1}, TypeError, "bounds must be a pair"),
        ("pcdm", {"bounds": ([0, 1], None)}, ValueError, "bounds: lower must be a number or 20"),
        ("pcdm", {"bounds": (np.nan, None)}, ValueError, "bounds: lower contains NaN"),
        ("pcdm", {"lam0": np.zeros(3)}, ValueError, r"lam0 must have shape \(20,\)"),
        ("pcdm", {"lam0": np.full(20, np.nan)}, ValueError, "lam0 contains NaN"),
        ("pcdm", {"max_epochs": -1}, ValueError, "max_epochs must be at least 0"),
        ("pcdm", {"tol": -1e-3}, ValueError, "tol must be at least 0"),
        ("pcdm", {"time_limit": "1s"}, TypeError, "time_limit must be a number"),
        ("pcdm", {"target": np.nan}, ValueError, "target must be"),
        ("pcdm", {"random_state": -1}, ValueError, "random_state must be"),
        ("pcdm", {"random_state": "a"}, ValueError, "random_state must be"),
        ("pcdm", {"callback": 3}, TypeError, "callback must be callable"),
        ("pcdm", {"n_threads": -2}, ValueError, "n_threads must be"),
    ],
)
def test_solve_options(method, options, error, message):
    problem = CASES["binary"].problem()
    with pytest.raises(error, match=message):
        tb.solve(problem, method, **options)


def test_a_method_that_does_not_fit_the_loss_names_those_that_do():
    problem = CASES["binary"].problem(loss="logistic")
    with pytest.raises(ValueError, match=r"'pcdm' does not fit loss='logistic'; .*'lbfgs'"):
        tb.solve(problem, "pcdm")


def test_problem_must_be_a_problem():
    with pytest.raises(TypeError, match="Problem or TableProblem, got tuple"):
        tb.solve((X, y))


def test_value_checks_lam():
    problem = tb.Problem(X, y)
    with pytest.raises(ValueError, match=r"lam must have shape \(3,\), got \(2,\)"):
        problem.value([1.0, 2.0])
    with pytest.raises(ValueError, match="intercept must be 0"):
        problem.value([1.0, 2.0, 3.0], intercept=1.0)
