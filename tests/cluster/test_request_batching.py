"""Fits side by side that share their rounds: as many rounds as one has, each its own answers."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import time

from tauboost.dask.actors import RequestBatcher


class TwoParts:
    """A pool whose parts answer a call with what it says, and their number."""

    def __init__(self, fails_at=None):
        self.rounds, self.fails_at = [], fails_at

    def ask(self, name, *arguments, is_brief):
        self.rounds.append((name, *arguments))
        time.sleep(0.002)
        if len(self.rounds) == self.fails_at:
            raise ValueError("a part is lost")
        if name == "all_of":
            return [[(part, *call) for call in arguments[0]] for part in (0, 1)]
        return [(part, name, *arguments) for part in (0, 1)]


def test_rounds_are_shared_and_answers_are_not():
    pool = TwoParts()
    batcher, heard = RequestBatcher(pool), {}

    def fit(job, n_threads):
        assert n_threads == 1
        for k in range(20 + job):  # some end before the others
            heard[job, k] = batcher.ask("sum", job, k)

    batcher.run(fit, range(5))
    assert all(heard[j, k] == [(0, "sum", j, k), (1, "sum", j, k)] for j, k in heard)
    assert len(heard) == sum(20 + job for job in range(5))
    assert len(pool.rounds) < 40
    assert batcher.ask("alone") == [(0, "alone"), (1, "alone")]


@pytest.mark.parametrize("fails_at", [None, 7])
def test_what_one_fit_raises_ends_all_of_them(fails_at):
    batcher = RequestBatcher(TwoParts(fails_at))

    def fit(job, n_threads):
        for k in range(1000):
            batcher.ask("sum", job, k)
            if fails_at is None and job == 1 and k == 5:
                raise ValueError("a part is lost")

    with pytest.raises(ValueError, match="a part is lost"):
        batcher.run(fit, range(4))
    assert len(batcher.pool.rounds) < 1000
    batcher.pool.fails_at = None
    batcher.run(lambda job, n_threads: batcher.ask("again", job), range(3))
