"""What the paper predicts for the same data: Theorem 1 at the paper's tau."""

from __future__ import annotations

from typing import Any

from ..eso import beta
from ..solvers.registry import PAPER_TAU

__all__ = ["theorem_1"]


def theorem_1(n: int, omega: int, m: int) -> dict[str, Any]:
    """Return what a plan says of n columns and m rows, with at most omega entries in a row."""
    tau = min(PAPER_TAU, n)
    worst = beta(n, min(max(omega, 1), n), tau, m)
    return {"paper_tau": tau, "paper_beta": worst, "paper_speedup": tau / worst}
