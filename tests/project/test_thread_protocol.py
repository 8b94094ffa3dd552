"""The thread protocol in all interleavings: the short form of `make model`."""

from __future__ import annotations

import pytest

from attack.model import MUTANTS, QUICK, Run, missing, search

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


@pytest.mark.parametrize("run", QUICK.values(), ids=QUICK)
def test_the_protocol_holds_in_all_states(run, tmp_path):
    error, n_states = search(run, tmp_path)
    assert error == ""
    assert n_states > 100_000


@pytest.mark.parametrize("run", MUTANTS.values(), ids=MUTANTS)
def test_what_is_wrong_with_a_variant_is_found(run, tmp_path):
    assert search(run, tmp_path)[0] == run.error


def test_a_search_that_cannot_be_made_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match="protocol"):
        search(Run(("MEMBERS=no",)), tmp_path)
