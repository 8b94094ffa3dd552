"""Memory: what is counted, and what is there."""

from __future__ import annotations

import pytest

import tauboost as tb
from tauboost.planning import memory
from tauboost.planning.cut import cut_from
from tauboost.planning.look import look_at


@pytest.mark.parametrize("make", [tb.make_w8a_like, tb.make_url_like])
@pytest.mark.parametrize("share", [1, 5])
def test_the_matrix(make, share):
    X, y = make(20_000, random_state=0)
    look = look_at((X, y), 1.0, 2)
    cut = cut_from(look.rows, look.size, look.size.nnz // share, 2)
    found = memory.matrix_bytes(look.size, cut)
    truth = tb.Problem(X, y, fit_intercept=True).matrix.nbytes
    assert found == pytest.approx(truth, rel=0.15)


def test_classes_and_parts_need_room():
    look = look_at(tb.make_w8a_like(2000, random_state=0), 1.0, 1)
    given = (look.size, look.rows, 1000)
    options = {"n_features": 300, "is_copied": False}
    one, two = (memory.fit_bytes(*given, n_parts, **options) for n_parts in (1, 2))
    assert 1000 < one < two < 2 * one
    copied = memory.fit_bytes(*given, 1, n_features=300, is_copied=True)
    assert copied - one == look.rows.arrays.indices.nbytes


def test_what_is_there(monkeypatch, tmp_path):
    free = memory.available_bytes()
    assert free is None or free > 0
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory.available_bytes() == 3000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_bytes() != 3000
