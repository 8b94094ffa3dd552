"""What arrives over the network can be read by the kernels, whatever place it has in a message."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

from dataclasses import dataclass

import numpy as np

import askew
from tauboost.dask.actors import IdempotentActor, n_bytes, received


@dataclass(frozen=True)
class Answer:
    change: float
    sums: np.ndarray | None = None


class Listener(IdempotentActor):
    def is_aligned(self, *arrays):
        return [array.flags.aligned for array in arrays]


def test_arrays_are_moved_where_they_lie_askew_and_only_there():
    numbers = np.arange(5.0)
    assert received(numbers) is numbers
    moved = received(askew.copy_of(numbers))
    assert moved.flags.aligned
    np.testing.assert_array_equal(moved, numbers)


def test_also_in_lists_tuples_and_data_classes():
    piece = askew.copy_of(np.arange(3))
    inner, answer, word = received([(piece,), Answer(1.0, piece), "words"])
    assert inner[0].flags.aligned
    assert answer.sums.flags.aligned
    assert (answer.change, word) == (1.0, "words")
    whole = Answer(1.0, np.arange(3))
    assert received(whole) is whole


def test_a_part_gets_arrays_that_it_can_read():
    call = ("is_aligned", askew.copy_of(np.arange(4.0)), np.arange(4.0))
    assert Listener().answer(call) == [True, True]


def test_the_size_of_a_message():
    assert n_bytes([np.zeros(3), (1.0, Answer(0.0, np.zeros(2)))]) == 24 + 8 + 8 + 16
