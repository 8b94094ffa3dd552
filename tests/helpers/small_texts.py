"""Small texts with labels, and text models made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tauboost as tb

WORDS = {
    "good": ["good", "great", "superb", "warm", "lovely"],
    "bad": ["bad", "awful", "dull", "poor", "boring"],
    "odd": ["odd", "strange", "weird", "queer", "ÄRGER"],
}
COMMON = ["the", "a", "film", "plot", "of", "actor", "and", "scene", "Time", "was", "in", "to"]
COMMON += ["İt", "日本", "it"]


def make_texts(n: int = 120, n_classes: int = 2, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Return texts of common words, and a few of those that their class likes."""
    rng = np.random.default_rng(seed)
    labels = np.array(list(WORDS)[:n_classes])
    y = labels[rng.integers(n_classes, size=n)]
    texts = []
    for label in y:
        words = [*rng.choice(COMMON, rng.integers(3, 12)), *rng.choice(WORDS[label], 2)]
        if rng.random() < 0.2:  # nothing is certain
            words.append(rng.choice(WORDS["bad"]))
        rng.shuffle(words)
        texts.append(" ".join(words).capitalize() + rng.choice(["", ".", "!", " \n"]))
    return texts, y


def fitted(n_classes: int = 2, n: int = 120, **options: Any) -> tb.TextClassifier:
    """Return a fitted classifier; quick, as nothing is chosen."""
    settings = {"alpha": 1e-3, "max_iter": 5, "n_jobs": 1, "random_state": 0} | options
    return tb.TextClassifier(**settings).fit(*make_texts(n, n_classes))
