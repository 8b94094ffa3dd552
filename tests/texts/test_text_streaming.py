"""Texts that come in blocks and are not kept: the same model as from all of them at once."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest

from reviews import reviews
from tauboost.io.tensors import object_array
from tauboost.parameters import TextParameters
from tauboost.texts.training import fit_stream, fit_texts, for_streams

PARAMETERS = TextParameters(n_features=2000, random_state=0, n_jobs=1)
TEXTS, LABELS = reviews(300)
Y = object_array(LABELS)


def blocks(size, seen=None):
    for start in range(0, len(TEXTS), size):
        if seen is not None:
            seen.append(start)
        yield TEXTS[start : start + size]


@pytest.mark.parametrize("size", [1, 7, 300])
def test_blocks_do_not_matter(size, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = fit_stream(blocks(size), lambda: Y, PARAMETERS, n_threads=1)
    whole = fit_texts(TEXTS, Y, for_streams(PARAMETERS), n_threads=1)
    assert model.features.n_features == 2000
    np.testing.assert_allclose(model.model.coef, whole.model.coef, rtol=1e-9, atol=1e-12)
    assert np.mean(model.labels(model.decisions(TEXTS)) == Y) > 0.9
    assert list(tmp_path.iterdir()) == []


def test_labels_are_asked_for_when_all_texts_have_come():
    seen = []

    def labels():
        assert len(seen) == 3
        return Y

    fit_stream(blocks(100, seen), labels, PARAMETERS, n_threads=1)


def test_a_stream_needs_hashes():
    with pytest.raises(ValueError, match="n_features must be given"):
        fit_stream(blocks(100), lambda: Y, TextParameters(), n_threads=1)


def test_nothing_is_left_behind_by_a_fit_that_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ValueError, match="one class"):
        fit_stream(blocks(100), lambda: object_array(["a"] * 300), PARAMETERS, n_threads=1)
    assert list(tmp_path.iterdir()) == []


def test_hashed_counts_have_logarithms():
    """Signs that alternate would make counts below 0."""
    whole = fit_texts(TEXTS, Y, PARAMETERS, n_threads=1)
    assert np.isfinite(whole.model.coef).all()
    assert np.mean(whole.labels(whole.decisions(TEXTS)) == Y) > 0.9
