"""The file of a solve on a cluster, damaged or forged, is refused in one sentence."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fuzz.sealed import edit_file
from tauboost.io.checkpoint import SOLVE_FORMAT, SolveCheckpoint
from tauboost.io.tensors import write_tensors

FACTS = {"n_samples": 9, "n_features": 3, "alpha": 0.5}


@pytest.fixture
def file(tmp_path):
    checkpoint = SolveCheckpoint(tmp_path / "where", FACTS)
    checkpoint.save(np.array([1.0, -2.0, 0.0]), 0.5, 7.0)
    return checkpoint


def test_comes_back(file):
    again = SolveCheckpoint(file.path, FACTS)
    lam, intercept = again.load()
    assert (lam.tolist(), intercept, again.epochs_before) == ([1.0, -2.0, 0.0], 0.5, 7.0)


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"lam": np.zeros(2)},
        {"lam": np.zeros((3, 1))},
        {"lam": np.zeros(3, dtype=np.float32)},
        {"lam": np.full(3, np.nan)},
        {"intercept": np.array(np.inf)},
        {"intercept": np.zeros(1)},
        {"epoch": np.array(-1.0)},
    ],
)
def test_forged_arrays_are_refused(file, arrays):
    sound = {"lam": np.zeros(3), "intercept": np.array(0.0), "epoch": np.array(0.0)}
    facts = '{"n_samples": 9, "n_features": 3, "alpha": 0.5}'
    write_tensors(file.path, arrays and sound | arrays, {"format": SOLVE_FORMAT, "facts": facts})
    with pytest.raises(ValueError, match=r"does not fit this problem.* Remove it, or name another"):
        SolveCheckpoint(file.path, FACTS).load()


def test_an_archive_of_an_older_version_is_refused(file):
    with file.path.open("wb") as old:
        np.savez(old, lam=np.zeros(3))
    with pytest.raises(ValueError, match="Remove it, or name another file"):
        SolveCheckpoint(file.path, FACTS).load()


def test_mutations_are_refused_in_one_line(file):
    """An .npz archive let errors of zlib, of the end of a file and others escape."""
    content = file.path.read_bytes()
    rng = random.Random(0)
    for _ in range(1000):
        file.path.write_bytes(edit_file(rng, content, content, "facts"))
        try:
            found = SolveCheckpoint(file.path, FACTS).load()
        except ValueError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert found[0].shape == (3,)
