"""Python threads side by side: every item once, errors to the caller, and no thread is no error."""

from __future__ import annotations

import threading

import pytest

from tauboost.base import threads as module
from tauboost.base.threads import side_by_side


@pytest.mark.parametrize("n_threads", [1, 2, 5, 50])
def test_every_item_is_worked_on_once(n_threads):
    seen = []
    side_by_side(seen.append, range(20), n_threads)
    assert sorted(seen) == list(range(20))


def test_several_threads_take_part():
    together = threading.Barrier(2, timeout=20)
    side_by_side(lambda _: together.wait(), range(2), 2)


@pytest.mark.parametrize("refusal", [RuntimeError("can't start new thread"), MemoryError()])
def test_the_caller_does_all_where_no_thread_can_be_started(monkeypatch, refusal):
    def refuse(*_):
        raise refusal

    monkeypatch.setattr(module._thread, "start_new_thread", refuse)
    seen = []
    side_by_side(seen.append, range(5), 4)
    assert seen == [0, 1, 2, 3, 4]


def test_a_thread_that_dies_before_it_begins_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(module._thread, "start_new_thread", lambda *_: None)
    seen = []
    side_by_side(seen.append, range(3), 3)
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_reaches_the_caller_and_ends_the_rest(n_threads):
    seen = []

    def work(item):
        seen.append(item)
        raise KeyError(item)

    with pytest.raises(KeyError):
        side_by_side(work, range(100), n_threads)
    assert len(seen) <= n_threads
