"""Small reviews in which a few words tell the label."""

from __future__ import annotations

import json

import numpy as np

WORDS = {"pos": ["great", "fine", "superb"], "neg": ["bad", "awful", "dull"]}
OTHERS = [f"word{k}" for k in range(60)]


def reviews(n=240, seed=0, labels=("neg", "pos")):
    """Return texts and labels; each label has a word or two of its own in most texts."""
    rng = np.random.default_rng(seed)
    texts, found = [], []
    for k in range(n):
        label = labels[k % len(labels)]
        own = WORDS.get(str(label), [f"only{label}", f"just{label}"])
        words = list(rng.choice(OTHERS, 8))
        if rng.random() < 0.9:
            words.insert(int(rng.integers(8)), str(rng.choice(own)))
        texts.append(" ".join(words))
        found.append(label)
    return texts, found


def as_lines(texts, labels, text="text", label="label"):
    rows = zip(texts, labels, strict=True)
    return "".join(json.dumps({text: t, "id": 1, label: y}) + "\n" for t, y in rows)
