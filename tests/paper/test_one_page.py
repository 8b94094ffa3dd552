"""The algorithm on one page: what the real one does, step by step, and the run that it prints."""

from __future__ import annotations

import re
import runpy
from importlib import import_module
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import tauboost as tb
import tauboost.paper
from problems import CASES
from tauboost.paper import one_page, reference

# Columns of one absolute value, as the exact step on the page takes them, and others.
VALUE_FREE = ["binary", "weighted", "one-class-columns", "one-column", "nearly-full"]


def blocks_of(n, tau, epochs=2):
    order = np.random.default_rng(1).permutation(n)
    return [order[k : k + tau].tolist() for _ in range(epochs) for k in range(0, n, tau)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("tau", [1, 3])
def test_algorithm_2_equals_the_oracle(name, tau):
    case = CASES[name]
    A, c = case.signed(), case.c()
    n = A.shape[1]
    tau = min(tau, n)
    draws = [reference.tau_nice(5, t, n, tau) for t in range(40)]
    points = list(islice(reference.pcdm(A, c, np.zeros(n), tau, 5), 41))
    found = list(one_page.pcdm(A, c, tau, draws))
    np.testing.assert_allclose([lam for lam, _ in found], points[1:], rtol=1e-10, atol=1e-13)
    values = [reference.value(A, c, lam) for lam in points[1:]]
    np.testing.assert_allclose([F for _, F in found], values, rtol=1e-10, atol=1e-13)
    assert np.all(np.diff([0.0] + [F for _, F in found]) <= 0)


@pytest.mark.parametrize("name", VALUE_FREE)
@pytest.mark.parametrize("l1", [0.0, 0.01])
@pytest.mark.parametrize("tau", [1, 3])
def test_exact_steps_equal_the_oracle(name, l1, tau):
    case = CASES[name]
    A, c = case.signed(), case.c()
    n = A.shape[1]
    blocks = blocks_of(n, min(tau, n))
    points = list(reference.exact(A, c, np.zeros(n), blocks, l1))[1:]
    found = list(one_page.exact(A, c, l1, blocks))
    np.testing.assert_allclose([lam for lam, _ in found], points, rtol=1e-8, atol=1e-10)
    assert np.all(np.diff([0.0] + [objective for _, objective in found]) <= 0)


@pytest.mark.parametrize("name", ["binary", "weighted", "nearly-full"])
def test_both_reach_the_optimum_of_solve(name):
    case, l1 = CASES[name], 0.01
    A, c = case.signed(), case.c()
    best = tb.solve(case.problem(), alpha=l1, gap=1e-10, random_state=0)
    for lam, objective in one_page.exact(A, c, l1, blocks_of(A.shape[1], 3, epochs=100)):  # noqa: B007
        pass
    assert objective == pytest.approx(best.objective, abs=1e-8)
    np.testing.assert_allclose(lam, best.lam, atol=1e-3)


def test_the_exact_step_is_a_minimiser():
    random = np.random.default_rng(0)
    grid = np.linspace(-1e-3, 1e-3, 201)
    for _ in range(300):
        plus, minus, _ = random.dirichlet([1, 1, 1])
        a, x = random.choice([0.5, 1.0, 3.0]), random.choice([0.0, random.normal()])
        l1 = random.choice([0.0, 0.05, 0.5, 2.0])

        def objective(d, a=a, x=x, l1=l1, plus=plus, minus=minus):
            sums = 1 - plus - minus + plus * np.exp(a * d) + minus * np.exp(-a * d)
            return np.log(sums) + l1 * np.abs(x + d)

        step = one_page.exact_step(a, plus, minus, x, l1)
        assert objective(step) <= objective(step + grid).min() + 1e-14


@pytest.mark.parametrize(
    "sizes", [(300, 114, 16, 49_749), (20, 20, 7, 50), (20, 1, 7, 50), (50, 9, 1, 1), (9, 4, 9, 30)]
)
def test_beta_is_that_of_the_theorem(sizes):
    assert one_page.beta(*sizes) == pytest.approx(tb.beta(*sizes), rel=1e-12)


def test_the_page_runs_by_itself(capsys):
    path = Path(one_page.__file__)
    imported = re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
    assert set(imported) <= {"__future__", "sys", "collections", "math", "typing", "numpy", "scipy"}
    runpy.run_path(str(path), run_name="__main__")
    shape, head, *lines = capsys.readouterr().out.splitlines()
    assert "beta=" in shape
    assert head.split() == ["epoch", "Algorithm", "2", "exact", "step"]
    table = np.array([line.split() for line in lines], dtype=float)
    assert table[:, 0].tolist() == list(range(1, 11))
    assert np.all(np.diff(table[:, 1:], axis=0) <= 0)
    assert table[0, 2] < table[-1, 1]  # one epoch of exact steps is worth more than ten
    assert len(path.read_text().splitlines()) <= 180


def test_the_map_of_the_paper_names_what_is_there():
    root = Path(__file__).parents[2]
    for name in re.findall(r"`([\w./]+)`", tauboost.paper.__doc__.replace("``", "")):
        if name.startswith("tauboost."):
            import_module(name)
        else:
            assert (root / name).is_file(), name
