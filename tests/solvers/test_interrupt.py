"""Ctrl-C during any solve: KeyboardInterrupt within a second, and the process goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from interrupts import interrupted


@pytest.fixture(scope="module")
def problem() -> tb.Problem:
    """An epoch takes long enough for a signal to arrive in its middle."""
    rng = np.random.default_rng(0)
    m, n, per_row = 100_000, 2_000, 100
    indices = rng.integers(0, n, m * per_row, dtype=np.int32)
    X = sp.csr_array((np.ones(m * per_row), indices, np.arange(0, m * per_row + 1, per_row)))
    return tb.Problem(X, rng.choice([-1, 1], m))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", tb.METHODS)
def test_ctrl_c(problem, method, threads):
    with interrupted(0.4):
        tb.solve(problem, method, tol=0, max_epochs=10**9, n_threads=threads, random_state=0)
    again = tb.solve(problem, "fully-parallel", max_epochs=1, n_threads=threads)
    assert again.objective < 0


def test_ctrl_c_in_a_fresh_process():
    code = textwrap.dedent("""
        import numpy as np, scipy.sparse as sp, tauboost as tb
        X = sp.random(2000, 50, density=0.2, format="csr", random_state=0)
        y = np.where(np.arange(2000) % 2, 1, -1)
        print("ready", flush=True)
        tb.solve(tb.Problem(X, y), "pcdm", tol=0, max_epochs=10**9)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=5)
    assert "KeyboardInterrupt" in errors
