"""Rows like those of short messages: few words each, some frequent and most rare."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def spam_like(n: int = 600, n_words: int = 250, n_classes: int = 2, kind: str = "words") -> Any:
    """Return X and y; ``kind`` says what entries are: 1, positive amounts, or of both signs."""
    rng = np.random.default_rng(n_classes)
    y = rng.choice(n_classes, n, p=[0.8, *[0.2 / (n_classes - 1)] * (n_classes - 1)])
    words = rng.zipf(1.3, (n, 14)) % n_words
    leans = rng.random((n, 14)) < 0.3
    words = np.where(leans, (n_classes * words + y[:, None]) % n_words, words)
    X = sp.csr_matrix((np.ones(words.size), (np.repeat(np.arange(n), 14), words.ravel())))
    X.resize(n, n_words)
    X.data[:] = 1.0
    if kind != "words":  # columns in very different units
        X.data *= rng.lognormal(size=X.nnz) * 10.0 ** (X.indices % 7 - 3)
    if kind == "signed":
        X.data *= np.where(rng.random(X.nnz) < 0.3, -1.0, 1.0)
    return X, y
