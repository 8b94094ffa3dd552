"""Threads, tau and place: what is worth using."""

from __future__ import annotations

import pytest

import tauboost as tb
from tauboost.planning.advice import first_tau, message_seconds, place, thread_counts, useful
from tauboost.solvers.exact import BundleSize


@pytest.mark.parametrize(("most", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6])])
def test_threads_that_are_tried(most, counts):
    assert thread_counts(most) == counts


@pytest.mark.parametrize(
    ("seconds", "best"),
    [({1: 1.0}, 1), ({1: 1.0, 2: 0.99}, 1), ({1: 1.0, 2: 0.6, 4: 0.59}, 2), ({1: 1.0, 2: 2.0}, 1)],
)
def test_a_thread_must_be_worth_it(seconds, best):
    assert useful(seconds) == best


def test_tau_is_that_of_the_solver():
    problem = tb.Problem(*tb.make_w8a_like(2000, random_state=0))
    size = (problem.n_samples, problem.n_coordinates, problem.nnz)
    assert first_tau(*size) == BundleSize(problem.matrix, None).tau


def test_messages_grow_with_the_columns():
    few, many = (message_seconds(10**6, n, 10**8) for n in (10**4, 10**6))
    assert 0 < few < many


@pytest.mark.parametrize(
    ("needed", "available", "nnz", "sweep", "messages", "where", "words"),
    [
        (100, 10, 10**6, 1.0, 0.1, "a cluster", "are needed"),
        (10, 100, 10**6, 1.0, 2.0, "one machine", "messages of a sweep would take 2.0 s"),
        (10, None, 10**6, 1.0, 2.0, "one machine", "it fits the memory"),
        (10, 100, 2 * 10**9, 60.0, 2.0, "one machine", "a cluster may pay"),
        (10, 100, 2 * 10**9, 3.0, 2.0, "one machine", "messages of a sweep would take 2.0 s"),
    ],
)
def test_place(needed, available, nnz, sweep, messages, where, words):
    found, why = place(needed, available, nnz, sweep, messages)
    assert found == where
    assert words in why


def test_a_cluster_does_not_pay_below_the_break_even_of_the_page():
    """Few columns, and so few messages; docs/dask.md: below 1.5 billion nonzeros use solve."""
    assert "cluster may pay" not in place(10, 100, 10**9, 60.0, 0.01)[1]
