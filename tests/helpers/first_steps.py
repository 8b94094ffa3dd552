"""The unit of the penalty in plain NumPy, from the formula in sparse/factors.py."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tauboost.sparse.training import Samples
from tauboost.validation import as_csr


def samples_of(X, codes, weights=None, **options):
    settings = {"fit_intercept": True, "seed": 0, "n_threads": 1, "penalty_factors": "auto"}
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
    rows = as_csr(sp.csr_array(X))
    return Samples.build(rows, codes, int(max(codes)) + 1, weights, **(settings | options))


def units(X, weights, fit_intercept=True):
    """Return what columns are subtracted (if far from 0, their mean), and their largest value."""
    centers = np.zeros(X.shape[1])
    for i, column in enumerate(np.transpose(X) if fit_intercept else ()):
        entries = column[column != 0]
        mean = np.average(column, weights=weights)
        variance = np.average((column - mean) ** 2, weights=weights)
        is_dense = len(entries) > 0.9 * len(column) and np.ptp(entries) > 0
        centers[i] = mean if is_dense and mean**2 > 9 * variance else 0.0
    sizes = np.abs(X - centers).max(axis=0)
    return centers, np.where(sizes > 0, sizes, 1.0)


def in_units(X, weights, fit_intercept=True):
    """Return the columns as psi sees them."""
    centers, sizes = units(X, weights, fit_intercept)
    return (X - centers) / sizes


def steps(Z, is_positive, copies):
    """d of each column as the module's docstring has it."""
    m_pos, m_neg = copies[is_positive].sum(), copies[~is_positive].sum()
    each = np.where(is_positive, copies / m_pos, copies / m_neg)
    y = np.where(is_positive, 1, -1)[:, None]
    agree = each @ np.where(np.sign(Z) == y, np.abs(Z), 0.0)
    disagree = each @ np.where(np.sign(Z) == -y, np.abs(Z), 0.0)
    one = (1 / m_pos + 1 / m_neg) / 2
    return np.log((agree + one) / (disagree + one))


def expected_scales(Z, is_positive, copies):
    d = np.abs(steps(Z, is_positive, copies))
    s = np.sqrt(np.where(d > 1e-9, d, 0.0))  # the rest is rounding
    is_used = (Z[copies > 0] != 0).any(axis=0)
    if not is_used.any():
        return np.ones(len(s))
    usual = np.median(s[is_used]) or s.max() or 1.0
    return np.where(is_used, np.maximum(s, usual / 100), usual)


def table(seed, m=60, n_classes=2):
    """Columns of every kind: 0/1, one value, real, signed, far from 0, constant, rare, empty."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(m) % n_classes)
    ones = (rng.random((m, 4)) < [0.1, 0.5, 0.9, 0.03]).astype(float)
    signed = rng.choice([-1.0, 0.0, 1.0], size=(m, 2))
    real = rng.normal(size=(m, 3)) * (rng.random((m, 3)) < 0.6) + 0.3 * (codes == 0)[:, None]
    far = rng.normal(2000, 3, size=(m, 2)) * [1, -0.01]
    constant, empty = np.full((m, 1), 7.0), np.zeros((m, 1))
    X = np.hstack([ones, -3 * ones[:, :2], signed, real, np.abs(real), far, constant, empty])
    return X, codes
