"""Text models to write, and what every loaded one must satisfy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from small_texts import fitted
from tauboost.io.model_file import ModelFile


def text_data(n_classes: int = 2, **options: Any) -> ModelFile:
    """Return what a fitted classifier writes."""
    return fitted(n_classes, **options)._to_file()


def terms_of(data: ModelFile) -> list[str]:
    """Return the terms, one by one."""
    text, offsets = data.arrays["terms"]
    raw = text.tobytes()
    return [raw[a:b].decode(errors="surrogatepass") for a, b in pairwise(offsets.tolist())]


def assert_valid_text(data: ModelFile) -> None:
    """Check a loaded text model by other means than the code under test."""
    arrays, options, n = data.arrays, data.header["options"], data.header["n_features"]
    coef, kept, idf = (arrays.get(name) for name in ("coef", "kept", "idf"))
    tasks = 1 if len(arrays["classes"]) == 2 else len(arrays["classes"])
    assert data.header["version"] == 3
    assert coef.shape == (tasks, n)
    assert np.isfinite(coef).all()
    if options["n_features"] is None:
        assert kept is None
        terms = terms_of(data)
        assert terms == sorted(set(terms))
        assert len(terms) == n
    else:
        assert "terms" not in arrays
        hashes = range(options["n_features"]) if kept is None else kept.tolist()
        assert len(hashes) == n
        assert list(hashes) == sorted(set(hashes))
        assert 0 <= hashes[0] <= hashes[-1] < options["n_features"]
    assert options["use_idf"] == (idf is not None)
    if idf is not None:
        assert idf.shape == (n,)
        assert (idf > 0).all()
