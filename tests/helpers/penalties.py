"""Every kind of psi whose optimum can be bounded, as options of ``solve``."""

from __future__ import annotations

PSI = {
    "l1": {"alpha": 1.0},
    "l2": {"alpha": 1.0, "l1_ratio": 0.0},
    "both": {"alpha": 1.0, "l1_ratio": 0.5},
    "box": {"bounds": (-0.7, 0.4)},
    "l1 in a box": {"alpha": 1.0, "bounds": (-1.0, 2.0)},
    "l1 on one side": {"alpha": 1.0, "bounds": (0.0, None)},
    "l2 off zero": {"alpha": 1.0, "l1_ratio": 0.0, "bounds": (0.25, None)},
    "l1 off zero": {"alpha": 1.0, "bounds": (0.25, None)},
}


def psi(name: str, alpha: float) -> dict:
    options = PSI[name]
    return options | {"alpha": alpha} if "alpha" in options else options
