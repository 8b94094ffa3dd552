"""The small problems, tables and texts that golden values are recorded on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp


def _labels(random: np.random.Generator, m: int) -> np.ndarray:
    y = np.where(random.random(m) < 0.4, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return y


def problems() -> dict[str, tuple[Any, np.ndarray, dict[str, Any]]]:
    """Return X, y and the options of `Problem`, each with something that breaks careless code."""
    random = np.random.default_rng(11)
    m = 150
    y = _labels(random, m)
    binary = (random.random((m, 20)) < 0.2).astype(float)
    real = random.normal(size=(m, 15)) * (random.random((m, 15)) < 0.4)
    real *= 10.0 ** random.integers(-2, 2, 15)
    mixed = (random.random((m, 12)) < 0.3) * np.array([1, 1, -1, 3, 0.5, 1, 1, 1, 1, 0, 1, 1.0])
    mixed[:, 10:] *= random.normal(size=(m, 2))
    mixed[7] = 0
    full = (random.random((m, 8)) < [0.95, 0.02, 0.8, 1.0, 0.3, 0.9, 0.02, 0.7]) * 1.0
    apart = binary.copy()
    apart[:, 0] = y > 0
    weights = 10.0 ** random.uniform(-4, 4, m)
    logistic = {"loss": "logistic"}
    return {
        "binary": (sp.csr_array(binary), y, {}),
        "binary logistic": (sp.csc_array(binary), y, logistic),
        "real": (sp.csc_array(real), y, {}),
        "real logistic": (sp.csr_array(real), y, logistic | {"fit_intercept": True}),
        "dense mixed": (mixed, y, {"fit_intercept": True}),
        "weighted": (sp.csr_array(mixed), y, {"sample_weight": weights}),
        "nearly full": (sp.csr_array(full), y, logistic),
        "one column": (binary[:, :1].astype(np.int8), y, {}),
        "separable": (sp.csr_array(apart), y, {}),
    }


def sharded() -> tuple[sp.csr_array, np.ndarray]:
    """Return value-free and real columns of so many rows that the core cuts them into shards."""
    random = np.random.default_rng(13)
    m, n = 60_000, 100
    chosen = np.sort(random.choice(m * n, m * n // 10, replace=False))
    rows, columns = np.divmod(chosen, n)
    values = np.where(columns < 20, random.normal(size=len(chosen)), 1.0)
    return sp.csr_array((values, (rows, columns)), shape=(m, n)), _labels(random, m)


PENALTIES: dict[str, dict[str, Any]] = {
    "none": {},
    "l1": {"alpha": 0.01},
    "l2": {"alpha": 0.01, "l1_ratio": 0.0},
    "elastic": {"alpha": 0.01, "l1_ratio": 0.5},
    "box": {"bounds": (-0.5, 0.25)},
}


def classes(n_classes: int, m: int = 600, n: int = 40) -> tuple[sp.csr_array, np.ndarray]:
    """Return sparse real data of several classes that overlap, some rows of it twice."""
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(m, n)) * (random.random((m, n)) < 0.25)
    scores = X @ random.normal(size=(n, n_classes)) + random.gumbel(size=(m, n_classes))
    X[:50], scores[:50] = X[50:100], scores[50:100]
    return sp.csr_array(X), scores.argmax(axis=1)


def table(n_classes: int = 2, m: int = 700) -> tuple[pd.DataFrame, np.ndarray]:
    """Return numbers with and without missing values, categories, and a pair that matters."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{k}": np.round(random.normal(size=m), 2) for k in range(4)})
    frame["few"] = random.integers(0, 5, m).astype(float)
    frame.loc[::7, "x1"] = np.nan
    frame["town"] = random.choice(["Ulm", "Bonn", "Kiel", "Jena"], m, p=[0.5, 0.3, 0.15, 0.05])
    frame["maybe"] = random.choice(np.array(["yes", "no", None], dtype=object), m)
    score = frame["x0"] + 2 * np.sin(2 * frame["x2"]) * (frame["town"] == "Bonn") - frame["few"] / 3
    score = (score + 0.5 * random.logistic(size=m)).to_numpy()
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return frame, np.array(["no", "perhaps", "yes"])[y if n_classes > 2 else 2 * y]


def texts(n_classes: int = 2, m: int = 300) -> tuple[list[str], np.ndarray]:
    """Return texts whose words lean to one class or another."""
    random = np.random.default_rng(7)
    codes = random.integers(0, n_classes, m)
    found = [
        " ".join(
            f"w{k}" for k in (random.zipf(1.3, 12) + 7 * code * (random.random(12) < 0.4)) % 97
        )
        for code in codes
    ]
    found[5], found[6], found[7] = "", "ÄRGER, Straße! 日本 İt", "W1 w1. w2"
    return found, np.array(["no", "yes", "maybe"])[codes]


def real(name: str) -> Path | None:
    """Return a file of TAUBOOST_DATA, if it is there."""
    path = Path(os.environ.get("TAUBOOST_DATA", "")) / name
    return path if path.is_file() else None
