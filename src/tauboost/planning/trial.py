"""A default fit on some of the rows, taken apart: what it did, and how long each part took."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.fit_warning import FitWarning
from ..parameters import LinearParameters
from ..tuning.fitting import fit
from ..tuning.options import Event
from ..validation import CsrArrays
from .rows import SEED

__all__ = ["Trial", "run_trial"]


@dataclass(frozen=True)
class Trial:
    """What a default fit on some rows was like."""

    n_rows: int
    nnz: int
    seconds: float
    build_seconds: float  # until the matrix was laid out, checks of the labels included
    race_seconds: float
    fit_seconds: float  # of the choice, on all of its rows
    is_chosen: bool  # whether alpha was chosen
    alpha: float


def run_trial(arrays: CsrArrays, codes: NDArray[np.intp], weights: Vector, n_threads: int) -> Trial:
    """Fit with default settings, and look at the clock."""
    times: dict[str, float] = {}
    began = time.perf_counter()

    def note(event: Event) -> bool:
        times[event.phase] = time.perf_counter() - began
        return False

    with warnings.catch_warnings():
        # What there is to say of a model of some rows says nothing of one of all.
        warnings.simplefilter("ignore", FitWarning)
        model = fit(
            arrays,
            codes,
            LinearParameters(random_state=SEED),
            n_threads=n_threads,
            sample_weight=weights,
            report=note,
        )
    seconds = time.perf_counter() - began
    built = times["build"]
    chosen = times.get("select", built)
    return Trial(
        n_rows=len(codes),
        nnz=arrays.nnz,
        seconds=seconds,
        build_seconds=built,
        race_seconds=chosen - built,
        fit_seconds=seconds - chosen,
        is_chosen=bool(model.selection),
        alpha=model.alpha,
    )
