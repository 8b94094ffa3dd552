"""What a table model predicts, against sums written out cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from table_models import make_model, random_codes
from tauboost.tables import model as table_model


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("block", [7, 2**14])
def test_decisions_are_the_sum_of_the_cells(
    n_classes: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_model, "BLOCK", block)
    model = make_model(n_classes)
    codes = random_codes(model, 40)
    decisions = model.decisions(codes)
    assert decisions.shape == (40, model.n_tasks)
    for j in range(40):
        expected = model.intercept.copy()
        for term in model.terms:
            cell = tuple(m[codes[c, j]] for m, c in zip(term.maps, term.columns, strict=True))
            expected += term.scores[cell]
        np.testing.assert_array_equal(decisions[j], expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_contributions_add_up_exactly(n_classes: int) -> None:
    model = make_model(n_classes)
    codes = random_codes(model, 50)
    contributions = model.contributions(codes)
    assert contributions.shape == (50, len(model.terms), model.n_tasks)
    total = np.tile(model.intercept, (50, 1))
    for k in range(len(model.terms)):
        total += contributions[:, k]
    np.testing.assert_array_equal(total, model.decisions(codes))


def test_no_rows_and_no_terms() -> None:
    model = make_model(2)
    assert model.decisions(np.zeros((3, 0), np.uint8)).shape == (0, 1)
    bare = make_model(2, n_terms=0)
    np.testing.assert_array_equal(bare.decisions(np.zeros((3, 2), np.uint8)), [[0.25], [0.25]])
    assert bare.contributions(np.zeros((3, 2), np.uint8)).shape == (2, 0, 1)


def test_labels_and_probabilities() -> None:
    model = make_model(2)
    decisions = np.array([[-1.0], [2.0]])
    assert model.labels(decisions).tolist() == ["no", "yes"]
    # The exponential loss: log odds are twice the decision value.
    np.testing.assert_allclose(
        model.probabilities(decisions)[:, 1], [1 / (1 + np.e**2), 1 / (1 + np.e**-4)]
    )
    several = make_model(3)
    assert several.labels(np.array([[0.0, 1.0, -1.0]])).tolist() == ["maybe"]
    np.testing.assert_allclose(several.probabilities(np.zeros((1, 3))), [[1 / 3] * 3])


def test_terms_tell_their_mean_importance_and_scores_by_code() -> None:
    model = make_model(3)
    for term in model.terms:
        weights = term.weights[..., None]
        axes = tuple(range(term.weights.ndim))
        np.testing.assert_allclose(term.mean(), 0, atol=1e-15)
        np.testing.assert_allclose(term.importance(), (weights * abs(term.scores)).sum(axes))
    pair = model.terms[-1]
    by_code = pair.scores_of_codes()
    n_bins = [model.columns[column].n_bins for column in pair.columns]
    assert by_code.shape == (*n_bins, 3)
    np.testing.assert_array_equal(by_code[3, 2], pair.scores[pair.maps[0][3], pair.maps[1][2]])
    assert model.term_name(model.terms[0]) == "age"
    assert model.term_name(pair) == "age x city"


@pytest.mark.parametrize(
    "codes", [np.zeros((2, 5), np.uint8), np.zeros((3, 5), np.int64), np.zeros(3, np.uint8)]
)
def test_codes_of_another_shape_are_refused(codes: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"codes must be bytes of shape \(3, samples\)"):
        make_model(2).decisions(codes)


def test_rounding_is_no_use_of_a_term() -> None:
    assert table_model.are_used([0.5, 1e-32, 0.0, 1e-6]).tolist() == [True, False, False, True]
    assert table_model.are_used([0.0, 0.0]).tolist() == [False, False]
    assert table_model.are_used([1e-32, 2e-32]).tolist() == [True, True]
    assert table_model.are_used([]).tolist() == []
