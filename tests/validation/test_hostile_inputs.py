"""Hostile input through every public entry point: a right result, or one sentence."""

from __future__ import annotations

import pytest

from hostile_inputs.runner import run

ONE_IN = 67  # a prime: every entry point and every kind of damage has its turn


def test_a_sample_of_hostile_inputs_is_answered_right_or_refused():
    outcome = run(every=ONE_IN)
    assert outcome.cases >= 150
    assert not outcome.wrong, str(outcome)


@pytest.mark.attack
def test_every_hostile_input_is_answered_right_or_refused():
    outcome = run()
    assert not outcome.wrong, str(outcome)
