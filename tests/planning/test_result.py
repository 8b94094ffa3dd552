"""What a plan shows."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import pytest

from tauboost.planning.result import Plan, in_bytes, in_seconds

NAMES = ["read_seconds", "build_seconds", "sweep_seconds", "sweeps", "fit_seconds", "data_bytes"]
NAMES += ["matrix_bytes", "peak_bytes", "place"]


@pytest.fixture
def found():
    return Plan(
        name="reviews.svm",
        n_samples=1000,
        n_features=50,
        nnz=9000,
        omega=20,
        share=1.0,
        read_seconds=2.04,
        build_seconds=0.4,
        sweep_seconds={1: 0.09, 2: 0.05},
        accuracy=1e-3,
        sweeps=12.3,
        fit_seconds=1.1,
        fit_parts={"building the matrix": 0.5, "choosing alpha": 0.6},
        data_bytes=123_456_789,
        matrix_bytes=10_000,
        peak_bytes=600_000_000,
        available_bytes=None,
        n_threads=2,
        tau=64,
        place="one machine",
        message_seconds=0.1,
        paper_tau=16,
        paper_beta=3.0,
        paper_speedup=16 / 3,
        how=dict.fromkeys(NAMES, "somehow"),
        ranges={
            "read_seconds": (2.0, 2.1),
            "build_seconds": (0.3, 0.5),
            "sweep_seconds": (0.5, 2.0),
            "sweeps": (6.0, 24.0),
            "fit_seconds": (0.9, 1.4),
        },
        plan_seconds=0.3,
    )


def test_one_sentence(found):
    assert found.summary() == (
        "Reading 2.0 s, building 400 ms, a sweep 50 ms, about 12 sweeps to an edge of 0.001; "
        "default fit about 1.1 s with 2 threads; 600 MB beyond the data."
    )
    assert replace(found, read_seconds=0.0).summary().startswith("Building 400 ms")


def test_the_table(found):
    lines = repr(found).splitlines()
    assert lines[0] == "reviews.svm: 1,000 samples, 50 features, 9,000 nonzeros"
    assert any(line.split()[:6] == ["reading", "2.0", "s", "2.0", "s", "to"] for line in lines)
    assert "45 ms to 180 ms" in repr(found)
    assert lines[-1] == "Most of the time goes into reading."
    assert repr(replace(found, share=0.1)).startswith("reviews.svm: about 1,000")


def test_it_is_json(found):
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["paper_tau"] == 16


def test_the_paper_promises_no_number_of_epochs(found):
    assert "The paper: with tau = 16, beta is 3 and tau / beta 5.33." in repr(found)


def test_it_is_frozen(found):
    with pytest.raises(FrozenInstanceError):
        found.sweeps = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2e-6, "2.0 µs"),
        (0.01234, "12 ms"),
        (1.26, "1.3 s"),
        (600, "10 min"),
        (36000, "10 h"),
        (0, "0 µs"),
        (float("inf"), "unknown h"),
    ],
)
def test_times(value, text):
    assert in_seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 bytes"), (999, "1,000 bytes"), (1000, "1.0 kB"), (23.4e9, "23 GB")]
)
def test_sizes(value, text):
    assert in_bytes(value) == text
