"""Pictures of terms: every kind can be drawn, and says in words what it shows."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from dataclasses import replace

import numpy as np

from pictures import png, texts
from table_models import CategoryColumn, make_model
from tauboost.tables.model import TermData
from tauboost.tables.terms import Band, make_terms


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("place", range(4))
def test_every_kind_of_term(n_classes, place):
    term = make_terms(make_model(n_classes))[place]
    figure = term.plot()
    assert png(figure).startswith(b"\x89PNG")
    assert term.name in texts(figure)
    assert figure.get_label().startswith(f"{term.name}, {term.kind}: scores of yes from")


def test_one_class_of_several():
    term = make_terms(make_model(3))[0]
    assert "score for maybe" in texts(term.plot("maybe"))
    with pytest.raises(ValueError, match=r"class_ must be one of \['no', 'maybe', 'yes'\]"):
        term.plot("never")
    with pytest.raises(ValueError, match="scores speak for 'yes'"):
        make_terms(make_model(2))[0].plot("no")


def test_the_missing_value_stands_apart():
    model = make_model(2)
    for place in (0, 1, 3):
        term = model.terms[place]
        weights = np.full(term.weights.shape, 1 / term.weights.size)
        shown = make_terms(replace(model, terms=(replace(term, weights=weights),)))[0].plot()
        assert "missing" in texts(shown)
        png(shown)


@pytest.mark.parametrize("place", [0, 1])
def test_bands_state_their_level(place):
    model = make_model(2)
    bands = [Band(t.scores[..., 0] - 1, t.scores[..., 0] + 1, 0.9) for t in model.terms]
    figure = make_terms(model, bands)[place].plot()
    assert "90% band" in texts(figure)
    png(figure)


def test_many_long_odd_names():
    names = np.array([f"{'very ' * 12}long ${k}" for k in range(200)], dtype=object)
    column = CategoryColumn("$x_{1}$", names)
    rng = np.random.default_rng(0)
    term = TermData(
        (0,), (np.arange(202, dtype=np.uint8),), rng.normal(size=(202, 1)), np.full(202, 1 / 202)
    )
    model = replace(make_model(2), columns=(column,), terms=(term,))
    figure = make_terms(model)[0].plot()
    assert "30 bins with most data; 171 not shown" in texts(figure)
    png(figure)


def test_a_constant_column_and_one_without_data():
    model = make_model(2)
    empty = [replace(t, weights=np.zeros_like(t.weights), scores=0 * t.scores) for t in model.terms]
    for term in make_terms(replace(model, terms=tuple(empty))):
        png(term.plot())
        assert term.plot().get_label() == f"{term.name}: no data."


def test_the_most_important():
    terms = make_terms(make_model(2))
    figure = terms.plot(2)
    assert "The 2 most important of 4 terms: scores for class yes" in texts(figure)
    png(figure)
    assert "All 4 terms" in texts(terms.plot())
    png(make_terms(make_model(3)).plot())
    png(make_terms(make_model(2, n_terms=0)).plot())
    bars = terms.plot_importances()
    png(bars)
    assert "age x city" in bars.get_label()
