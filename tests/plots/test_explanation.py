"""Pictures of one row's explanation."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from dataclasses import replace

from pictures import png, texts
from table_models import glass_box, make_model, make_table


def test_a_rows_explanation():
    explanation = glass_box().explain(make_table())
    figure = explanation.plot(3)
    assert "row 3: yes has probability" in texts(figure)
    assert "decision value" in texts(figure)
    assert figure.get_label().startswith("row 3: yes")
    png(figure)


def test_many_terms_are_drawn_together():
    clf = glass_box()
    model = make_model(2)
    clf.model_ = replace(model, terms=model.terms * 5)
    figure = clf.explain(make_table()).plot()
    assert "6 more terms" in texts(figure)
    png(figure)


def test_no_terms():
    png(glass_box(n_terms=0).explain(make_table()).plot())
