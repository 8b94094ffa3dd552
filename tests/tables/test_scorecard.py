"""Scorecards: the points are offset + factor * log odds, but for the rounding of each line."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from table_models import glass_box, make_model, make_table

TABLE = make_table()


def log_odds(clf, place):
    p = clf.predict_proba(TABLE)
    return np.log(p[:, place] / p[:, 1 - place])


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("positive", [None, "no", "yes"])
def test_points_are_scaled_log_odds(loss, positive):
    clf = glass_box(loss=loss)
    card = clf.to_scorecard(points=500, odds=20, pdo=40, positive=positive)
    place = 1 if positive == "yes" else 0
    expected = 500 + 40 / np.log(2) * (log_odds(clf, place) - np.log(20))
    # Half a point for each of four terms, and for the base.
    assert np.abs(card.score(TABLE) - expected).max() <= 0.5 * 5
    assert card.positive == clf.classes_[place]
    assert card.offset + card.factor * np.log(20) == pytest.approx(500)
    assert card.factor == pytest.approx(40 / np.log(2))


def test_more_points_speak_against_the_second_class_by_default():
    clf = glass_box()
    points, p = clf.to_scorecard().score(TABLE), clf.predict_proba(TABLE)[:, 1]
    assert np.corrcoef(points, p)[0, 1] < -0.9


def test_the_score_is_the_sum_of_the_lines():
    clf = glass_box(n_terms=3)
    card = clf.to_scorecard()
    points = {(row.term, row.bin): row.points for row in card.rows}
    table = TABLE[:1].assign(age=31.0, city="Oslo", hours=37.5)
    total = sum(
        points[key]
        for key in [("age", "25 < age <= 31"), ("city", "Oslo"), ("hours", "0 < hours <= 37.5")]
    )
    assert card.score(table).tolist() == [total]


def test_lines_with_equal_points_are_merged():
    model = make_model(2, n_terms=1)
    scores = np.array([0.5, 0.5, 0.5001, 0.0, 0.0, -0.5, 0.0])[:, None]
    clf = glass_box()
    clf.model_ = replace(model, terms=(replace(model.terms[0], scores=scores),))
    card = clf.to_scorecard()
    assert [row.bin for row in card.rows] == [
        "age <= 31",
        "31 < age <= 64.5",
        "age > 64.5",
        "missing",
    ]
    first = card.rows[0]
    assert first.weight == pytest.approx(model.terms[0].weights[:3].sum())
    assert 0.5 < first.score < 0.5001
    assert all(isinstance(row.points, int) for row in card.rows)


def test_weights_of_every_term_add_up():
    card = glass_box().to_scorecard()
    for term in ("age", "city", "hours", "age x city"):
        total = sum(row.weight for row in card.rows if row.term == term)
        assert total == pytest.approx(1)
    assert any(row.bin == "age <= 25, city = Oslo" for row in card.rows)


def test_terms_without_scores_are_left_out():
    model = make_model(2)
    flat = replace(model.terms[0], scores=np.zeros((7, 1)))
    clf = glass_box()
    clf.model_ = replace(model, terms=(flat, *model.terms[1:]))
    assert "age" not in {row.term for row in clf.to_scorecard().rows}
    clf.model_ = replace(model, terms=())
    card = clf.to_scorecard()
    assert [row.term for row in card.rows] == ["base points"]
    assert card.score(TABLE).tolist() == [card.rows[0].points] * len(TABLE)


def test_many_small_terms_do_not_add_up_their_rounding():
    model = make_model(2)
    tiny = replace(model.terms[0], scores=1e-9 * model.terms[0].scores)
    clf = glass_box()
    clf.model_ = replace(model, terms=(tiny,) * 37)
    card = clf.to_scorecard()
    expected = card.offset - 2 * card.factor * 0.25
    assert np.abs(card.score(TABLE) - expected).max() <= 0.5


def test_csv(tmp_path):
    card = glass_box().to_scorecard()
    card.to_csv(tmp_path / "card.csv")
    with (tmp_path / "card.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["term", "bin", "points", "weight", "score"]
    assert len(lines) == len(card) + 1
    assert [float(cell) for cell in lines[1][2:]] == list(card.rows[0][2:])
    assert any(line[1] == "Tromsø" for line in lines)


def test_print():
    lines = repr(glass_box().to_scorecard()).splitlines()
    assert lines[0] == "Scorecard: more points speak for no"
    assert lines[1].split() == ["term", "bin", "points", "data", "score"]
    assert lines[4].startswith(" ")  # the name of a term stands once


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"odds": 0}, "odds must be above 0"),
        ({"pdo": -1}, "pdo must be above 0"),
        ({"points": float("nan")}, "points must be"),
    ],
)
def test_bad_scales(options, reason):
    with pytest.raises(ValueError, match=reason):
        glass_box().to_scorecard(**options)


def test_several_classes_have_no_card():
    with pytest.raises(ValueError, match="needs two classes, and the model has 3"):
        glass_box(3).to_scorecard()
