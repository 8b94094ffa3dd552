"""Text models to write, and what every loaded one must satisfy."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from model_files import same_model, same_value
from small_texts import fitted
from tauboost.io.text_data import TextData


def text_data(n_classes: int = 2, **options: Any) -> TextData:
    """Return what a fitted classifier writes."""
    return fitted(n_classes, **options)._to_model()


def same_text(a: TextData, b: TextData) -> bool:
    """Whether two are the same in every bit."""
    if not same_model(a.linear, b.linear):
        return False
    names = [field.name for field in fields(TextData) if field.name != "linear"]
    return all(same_value(getattr(a, name), getattr(b, name)) for name in names)


def terms_of(data: TextData) -> list[str]:
    """Return the terms, one by one."""
    raw = data.text.tobytes()
    return [raw[a:b].decode(errors="surrogatepass") for a, b in pairwise(data.offsets.tolist())]


def assert_valid_text(data: TextData) -> None:
    """Check a loaded text model by other means than the code under test."""
    n = data.linear.n_features
    tasks = 1 if len(data.classes) == 2 else len(data.classes)
    assert data.linear.coef.shape == (tasks, n)
    assert np.isfinite(data.linear.coef).all()
    if data.options["n_features"] is None:
        assert data.kept is None
        terms = terms_of(data)
        assert terms == sorted(set(terms))
        assert len(terms) == n
    else:
        assert data.text is None
        assert data.offsets is None
        hashes = range(data.options["n_features"]) if data.kept is None else data.kept.tolist()
        assert len(hashes) == n
        assert list(hashes) == sorted(set(hashes))
        assert 0 <= hashes[0] <= hashes[-1] < data.options["n_features"]
    assert data.options["use_idf"] == (data.idf is not None)
    if data.idf is not None:
        assert data.idf.shape == (n,)
        assert (data.idf > 0).all()
