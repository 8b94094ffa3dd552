"""psi: its value, prox and violation belong together."""

from __future__ import annotations

import numpy as np
import pytest

from problems import CASES
from tauboost import _core
from tauboost.penalty import Penalty

NETS = [(0.0, 0.0), (0.3, 0.0), (0.0, 0.5), (0.2, 0.4)]


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("bounds", [None, (-0.4, 0.25)])
def test_prox_minimises(net, bounds):
    """No point of a fine grid is better, and the violation is 0 there."""
    problem = CASES["mixed"].problem()
    alpha, ratio = sum(net), net[0] / sum(net) if sum(net) else 1.0
    psi = Penalty.build(problem.design, alpha, ratio, bounds)
    rng = np.random.default_rng(0)
    n = problem.n_coordinates
    point, k = rng.normal(size=n), 0.5 + rng.random(n)
    found = psi.prox(point, k)
    assert found[-1] == point[-1]  # the intercept is free of psi
    for step in np.linspace(-0.2, 0.2, 41):
        other = psi.project(found + step)
        better = 0.5 * k * (other - point) ** 2 - 0.5 * k * (found - point) ** 2
        gained = [psi.value(np.where(np.arange(n) == i, other, found)) for i in range(n)]
        assert np.all(better + np.array(gained) - psi.value(found) >= -1e-12)
    np.testing.assert_allclose(psi.violation(found, k * (found - point)), 0.0, atol=1e-12)


@pytest.mark.parametrize("method", ["exact_sweep", "pcdm"])
@pytest.mark.parametrize("side", [0, 1])
def test_kernels_take_one_bound_alone(method, side):
    """A missing bound is an infinite one."""
    problem = CASES["mixed"].problem()
    n, matrix = problem.n_features, problem.matrix
    bound, free = np.full(n, [-0.02, 0.02][side]), np.full(n, [np.inf, -np.inf][side])
    found = []
    for other in (None, free):
        lower, upper = (bound, other) if side == 0 else (other, bound)
        psi = _core.Psi(1e-3, 0.0, lower, upper, n)
        w, lam = problem.c.copy(), np.zeros(matrix.n)
        if method == "pcdm":
            sampling = _core.NiceSampling(matrix.n, 2, 1)
            _core.pcdm(matrix, w, lam, w.sum(), 2.0, psi, sampling, 0, 20, np.inf, 1)
        else:
            columns = np.arange(matrix.n, dtype=np.int32)
            gain = np.zeros(matrix.n)
            _core.exact_sweep(matrix, w, None, None, lam, w.sum(), psi, columns, 4, gain, 1)
        found.append(lam)
    assert np.any(found[1][:n] == bound)
    np.testing.assert_array_equal(*found)


def test_values_are_those_of_each_point():
    psi = Penalty.elastic_net(3, 0.5, 0.2)
    points = np.array([[1.0, -2.0, 0.0, 7.0], [0.0, 0.0, 0.0, 1.0]])
    expected = 0.1 * 3.0 + 0.5 * 0.4 * 5.0
    np.testing.assert_allclose(psi.values(points), [expected, 0.0])
    assert psi.value(points[0]) == pytest.approx(expected)
