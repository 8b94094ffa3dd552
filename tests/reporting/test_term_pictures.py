"""Every kind of term is drawn, whatever its shape."""

from __future__ import annotations

import numpy as np
import pytest

import reported
import tauboost as tb
from html_reading import read
from tauboost.reporting.term_pictures import draw_term, spoken


@pytest.mark.parametrize("make", [reported.table, reported.table_classes])
def test_all_terms_of_a_model(make):
    clf = make()[0]
    kinds = set()
    for term in clf.terms_:
        found = read(draw_term(term))
        assert term.name.split(" x ")[0] in found.tags[0][1]["aria-label"]
        assert "nan" not in draw_term(term)
        kinds.add(term.kind)
    assert kinds == {"numeric", "category", "pair"}


def test_a_pair_of_several_classes_speaks_for_one():
    terms = reported.table_classes()[0].terms_
    assert all((spoken(term) is None) == (term.kind != "pair") for term in terms)


@pytest.mark.parametrize(
    "column",
    [
        np.zeros(60),
        np.repeat([0.0, 1.0], 30),
        np.r_[np.zeros(59), 1e9],
        np.exp(np.linspace(0, 40, 60)),
        np.r_[np.full(30, np.nan), np.arange(30.0)],
    ],
)
def test_odd_columns(column):
    y = np.arange(60) % 2
    clf = tb.TableClassifier(alpha=1e-4, interactions=0, max_bins=20).fit(
        np.column_stack([column, y + np.arange(60) % 3]), y
    )
    assert "nan" not in draw_term(clf.terms_[0])
    assert "inf" not in draw_term(clf.terms_[0])
