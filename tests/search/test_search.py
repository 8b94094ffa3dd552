"""The search, with batches of numbers only: what is tried, kept, chosen and stopped."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tauboost.search.search import Candidate, Selection, Validation, Watch, search, vertex
from tauboost.solvers.stopping import StoppingRule


class Halving:
    """Fits whose sweeps gain half as much each time, and whose loss follows from alpha."""

    def __init__(self, alphas):
        self.candidates = [Candidate("logistic", alpha, 0.0) for alpha in alphas]
        self.n_sweeps, self.gain = 0, 1.0

    def epochs(self):
        return float(self.n_sweeps)

    def advance(self, epochs_left):
        assert epochs_left >= 1
        self.n_sweeps += 1
        self.gain /= 2

    def open_all(self):
        self.gain = 1.0

    def close(self, decrease):
        return self.gain <= decrease

    def objective(self):
        return self.gain

    def validation(self, candidate):
        loss = (math.log10(self.candidates[candidate].alpha) + 2.2) ** 2
        return Validation(loss, np.zeros((1, 1)), np.zeros(1, dtype=np.intp), np.ones(1))

    def points(self, candidate):
        return np.full((1, 2), self.candidates[candidate].alpha)


class Decades:
    """Two candidates at a time, from strong to weak, until the weaker one is worse."""

    def __init__(self, max_epochs=100):
        self.max_epochs, self.seen = max_epochs, []

    def batches(self, seen):
        for k in range(0, 6, 2):
            yield Halving([10.0**-k, 10.0 ** -(k + 1)])
            self.seen.append(len(seen.table))
            if seen.table[-1]["held_out_loss"] > seen.table[-2]["held_out_loss"]:
                break

    def rule(self, batch, watch):
        return watch.rule(0.1, batch.epochs() + self.max_epochs)

    def choose(self, seen):
        return Candidate("logistic", vertex(*seen.tried()), 0.0)


def test_a_space_sees_what_became_of_each_batch():
    space = Decades()
    seen, points, held = search(space, Watch())
    assert [row["alpha"] for row in seen.table] == [1.0, 0.1, 0.01, 0.001]
    assert space.seen == [2, 4]
    assert {row["n_sweeps"] for row in seen.table} == {4}  # 1/16 is the first below a tenth
    assert seen.loss == held.loss == pytest.approx(0.04)
    np.testing.assert_array_equal(points, [[0.01, 0.01]])
    assert seen.candidate.alpha == pytest.approx(10**-2.2, rel=2e-3)


def test_limits_of_the_rule_end_a_batch():
    seen, _, _ = search(Decades(max_epochs=2), Watch())
    assert {row["n_sweeps"] for row in seen.table} == {2}


@pytest.mark.parametrize("stop", ["asked to", "out of time"])
def test_a_search_that_is_stopped_has_chosen_from_what_it_saw(stop):
    events = []

    def report(event):
        events.append(event)
        return stop == "asked to" and len(events) == 3

    watch = Watch(1e-9 if stop == "out of time" else None, report)
    space = Decades()
    if stop == "out of time":
        space.rule = lambda batch, watch: StoppingRule(decrease=0.1, time_limit=0.0)
    seen, _, _ = search(space, watch)
    assert [row["alpha"] for row in seen.table] == [1.0, 0.1]
    assert seen.candidate.alpha == pytest.approx(0.1)
    assert [event.sweep for event in events] == [1, 2, 3][: len(events)]
    assert {event.phase for event in events} == {"select"}
    assert watch.is_stopped == (stop == "asked to")


def test_a_selection_is_what_it_was_when_it_was_written_down():
    seen, _, _ = search(Decades(), Watch())
    seen.link, seen.caution = (1.5, -0.25), "of little use"
    assert Selection.of_facts(seen.facts()) == seen
    given = Selection(Candidate("exponential", 0.5, 1.0))
    again = Selection.of_facts(given.facts())
    assert again.candidate == given.candidate
    assert math.isnan(again.loss)
