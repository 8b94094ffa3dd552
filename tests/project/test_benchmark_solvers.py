"""The benchmark of solvers runs in its quick form, in every mode, and writes what it promises."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

import benchmark_runs

pytest.importorskip("matplotlib")

SCRIPT = benchmark_runs.BENCHMARKS / "solvers.py"
PROBLEM = {"data", "n_samples", "n_features", "nnz", "loss", "alpha", "l1_ratio"}
GAPS = 8


def run(out: Path, *options: str) -> str:
    # One thread: on a busy machine two wait for each other longer than a quick run lasts.
    return benchmark_runs.run("solvers.py", out, "--threads", "1", *options)


def rows_of(path: Path) -> list[dict[str, str]]:
    rows = benchmark_runs.rows_of(path)
    assert rows[0].keys() >= PROBLEM | {"threads", "repeats", "other_cores_busy"}
    return rows


def comparison(out: Path) -> dict[str, list[float]]:
    """Seconds of each method to the gaps, largest first."""
    (table,), (picture,) = out.glob("*.csv"), out.glob("*.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    times: dict[str, list[float]] = {}
    for row in rows_of(table):
        assert float(row["preparation"]) >= 0
        times.setdefault(row["method"], []).append(float(row["seconds"]))
    for seconds in times.values():
        assert len(seconds) == GAPS
        assert seconds == sorted(seconds)
        assert seconds[0] > 0
    assert math.isfinite(times["exact"][2])
    return times


@pytest.mark.slow
def test_every_method_without_a_penalty(tmp_path):
    printed = run(tmp_path)
    times = comparison(tmp_path)
    ours = {"exact", "exact-async", "pcdm", "pcdm-async", "fully-parallel", "accelerated"}
    assert times.keys() == ours | {"greedy", "lbfgs", "lbfgs, CSR products"}
    assert "skipped: sklearn-lbfgs (takes logistic loss with l2)" in printed
    assert "x exact" in printed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("l1_ratio", "reaching", "absent"),
    [
        ("0", {"lbfgs, CSR products", "scikit-learn lbfgs", "scikit-learn newton-cg"}, "saga"),
        ("1", {"scikit-learn liblinear"}, "lbfgs-csr"),
    ],
)
def test_peers_minimise_the_same_objective(tmp_path, l1_ratio, reaching, absent):
    printed = run(tmp_path, "--loss", "logistic", "--alpha", "1e-3", "--l1-ratio", l1_ratio)
    times = comparison(tmp_path)
    assert {name for name in times if math.isfinite(times[name][5])} >= reaching
    assert any(absent in line for line in printed.splitlines() if line.startswith("skipped"))


@pytest.mark.slow
def test_scaling(tmp_path):
    assert "x one thread" in run(tmp_path, "--scaling")
    rows = rows_of(tmp_path / "solvers_scaling.csv")
    assert {"1", "2"} <= {row["threads"] for row in rows}
    assert float(rows[0]["ratio_to_one_thread"]) == 1.0
    assert len({row["target"] for row in rows}) == 1


@pytest.mark.slow
def test_sweep(tmp_path):
    assert "pure gather" in run(tmp_path, "--sweep")
    (path,) = tmp_path.glob("solvers_sweep_*.csv")
    rows = rows_of(path)
    psi = {("0.0", "1.0"), ("0.001", "1.0"), ("0.001", "0.0")}
    cases = {(row["loss"], row["alpha"], row["l1_ratio"]) for row in rows}
    assert cases == {("exponential", *case) for case in psi} | {("logistic", "0.0003", "0.0")}
    assert all(float(row["ratio_to_pure_gather"]) > 0 for row in rows)


def test_an_unknown_data_set_is_one_clear_line(tmp_path):
    command = [sys.executable, str(SCRIPT), "nothing", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith("error: name must be one of")
