"""Smaller text models: never larger than asked for, and what goes first matters least."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from small_texts import fitted, make_texts
from tauboost.models import model_size
from tauboost.texts.shrink import Shrinkage, importance, measured, shrink

TEXTS, Y = make_texts(200, seed=3)


def size(model):
    return model_size(model.to_arrays({}))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [{}, {"use_idf": False}, {"norm": None}, {"norm": "l1"}, {"n_features": 512, "min_df": 1}],
)
def test_any_size(n_classes, options):
    model = fitted(n_classes, **options).model_
    before = size(model)
    for share in (2.0, 1.0, 0.8, 0.6, 0.28):
        small, lost = shrink(model, int(share * before), size)
        assert lost.n_bytes == size(small) <= share * before
        assert lost.n_bytes_before == before
        assert small.decisions(TEXTS).shape == model.decisions(TEXTS).shape
        assert 0 <= lost.kept <= 1
        if share >= 1.0:
            assert small is model
    assert lost.n_terms < lost.n_terms_before


def test_rounding_comes_before_leaving_out():
    model = fitted().model_
    small, lost = shrink(model, size(model) - 1, size)
    assert lost.n_terms == lost.n_terms_before
    np.testing.assert_allclose(small.decisions(TEXTS), model.decisions(TEXTS), rtol=1e-5, atol=1e-5)


def test_nearly_all_of_the_bytes_are_used():
    model = fitted(n=600, analyzer="char_wb", ngram_range=(1, 6)).model_
    small, lost = shrink(model, size(model) // 4, size)
    assert lost.n_bytes > 0.97 * (size(model) // 4)
    chosen = np.array([model.features.terms.find(t) for t in small.features.terms.names])
    weights = importance(model)
    assert weights[chosen].min() >= np.delete(weights, chosen).max()


def test_texts_keep_their_length():
    """Without the scale, probabilities of a model of few terms would be far too sure."""
    model = fitted(n=600).model_
    small, _ = shrink(model, size(model) // 3, size)
    ratio = np.abs(small.decisions(TEXTS)).mean() / np.abs(model.decisions(TEXTS)).mean()
    assert 0.8 < ratio < 1.25


def test_large_coefficients_stay_single_precision():
    model = fitted().model_
    model.model.coef[0, 0] = 1e6
    small, _ = shrink(model, int(0.7 * size(model)), size)
    assert np.isfinite(small.model.coef).all()
    assert small.model.coef.max() > 1e5


def test_too_few_bytes():
    with pytest.raises(ValueError, match=r"max_bytes must be at least [\d,]+: a file with one"):
        shrink(fitted().model_, 100, size)
    with pytest.raises(ValueError, match="max_bytes must be"):
        shrink(fitted().model_, 0, size)


def test_what_was_lost_in_words():
    lost = Shrinkage(2_000, 10_000, 30, 120, 0.875)
    assert str(lost).startswith("2,000 bytes instead of 10,000: 30 of 120 terms, with 87.5% of")
    assert str(lost).endswith("was not measured, as no texts were given")
    before, after = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    assert str(measured(lost, before, after)).endswith("25.00% of 4 predictions changed")
    labels = np.array([0, 1, 1, 1])
    assert str(measured(lost, before, after, labels)).endswith("went from 0.7500 to 0.5000")


def test_how_it_was_found_goes_before_terms_where_bytes_are_few():
    model = fitted(n=600).model_
    small, _ = shrink(model, size(model) // 2, size)
    assert small.model.record is None
    assert small.model.selection == []
    long = replace(model, model=replace(model.model, message="x" * 10**6))
    large, _ = shrink(long, size(long) - 10_000, size)
    assert large.model.record == model.model.record
