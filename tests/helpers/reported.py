"""Models of each kind, and rows to report on; each is fitted once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import tauboost as tb

Case = tuple[Any, Any, Any]


@cache
def linear() -> Case:
    X, y = tb.make_w8a_like(2000, random_state=0)
    return tb.TauBoostClassifier(random_state=0).fit(X[:1500], y[:1500]), X[1500:], y[1500:]


@cache
def linear_classes() -> Case:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    y = np.array(["red", "green", "blue"])[np.argmax(X[:, :3] + rng.normal(size=(600, 3)), axis=1)]
    return tb.TauBoostClassifier(random_state=0).fit(X[:400], y[:400]), X[400:], y[400:]


def shop(n: int = 900) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "town": rng.choice(["Bonn", "Ulm", "Köln"], n),
            "income": np.exp(rng.normal(10, 1, n)),
        }
    )
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    chance = 0.1 + 0.5 * frame.age.between(31, 50) + 0.3 * (frame.town == "Ulm")
    return frame, np.where(rng.random(n) < chance, "buys", "leaves")


@cache
def table() -> Case:
    frame, y = shop()
    clf = tb.TableClassifier(random_state=0, interactions=[("age", "town")], bands=0.9).fit(
        frame[:600], y[:600]
    )
    return clf, frame[600:], y[600:]


@cache
def table_classes() -> Case:
    frame, y = shop()
    y = np.where(frame.town == "Köln", "asks", y)
    clf = tb.TableClassifier(random_state=0, interactions=[("age", "town")]).fit(
        frame[:600], y[:600]
    )
    return clf, frame[600:], y[600:]


def reviews() -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    words = {
        "good": ["superb", "warm", "fun"],
        "bad": ["dull", "cold", "slow"],
        "so": ["fine", "ok"],
    }
    labels = rng.choice(list(words), 300).tolist()
    return [
        f"the {rng.choice(words[label])} film {rng.choice(['x', 'y'])}" for label in labels
    ], labels


@cache
def texts() -> Case:
    given, labels = reviews()
    labels = ["good" if label == "good" else "bad" for label in labels]
    return (
        tb.TextClassifier(random_state=0).fit(given[:200], labels[:200]),
        given[200:],
        labels[200:],
    )


@cache
def texts_classes() -> Case:
    given, labels = reviews()
    return (
        tb.TextClassifier(random_state=0).fit(given[:200], labels[:200]),
        given[200:],
        labels[200:],
    )


KINDS = {
    make.__name__: make
    for make in (linear, linear_classes, table, table_classes, texts, texts_classes)
}
