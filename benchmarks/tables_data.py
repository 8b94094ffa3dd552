"""The tables that are compared on: public ones, CSV files, and generated ones.

The public ones come from the folder ``tables`` in the one that TAUBOOST_DATA names. In a CSV file
an empty cell is missing, and a column with anything but numbers in it is one of categories.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

__all__ = ["SETS", "Table", "genes", "load", "many_rows", "quick_tables", "split"]

SETS = ("telco", "credit_card", "adult", "give_me_credit")
LABEL = "target"
TEST_SHARE = 0.3
ENDINGS = ("", ".csv", ".csv.xz", ".csv.gz", ".csv.bz2")
Split = dict[str, tuple[Any, np.ndarray]]


@dataclass(frozen=True)
class Table:
    """A table and what is to be predicted from it."""

    name: str
    X: pd.DataFrame
    y: np.ndarray


def load(name: str, label: str = LABEL) -> Table:
    """Return a table by the name of a public one, or the path of a CSV file."""
    path = Path(name) if Path(name).is_file() else _public(name)
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    if label not in frame:
        names = ", ".join(map(str, frame.columns[:8]))
        raise ValueError(f"{name} has no column {label!r} to predict: --label names it ({names})")
    y = frame.pop(label).to_numpy()
    return Table(path.name.partition(".")[0], with_categories(frame), y)


def _public(name: str) -> Path:
    folder = os.environ.get("TAUBOOST_DATA")
    if folder is None:
        raise FileNotFoundError(f"table {name!r} not found, and TAUBOOST_DATA is not set")
    for ending in ENDINGS:
        path = Path(folder, "tables", name + ending)
        if path.is_file():
            return path
    raise FileNotFoundError(f"table {name!r} not found: no such file, nor in $TAUBOOST_DATA/tables")


def with_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with columns of words as categories, which all peers understand."""
    words = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    return frame.assign(**{c: frame[c].astype(object).astype("category") for c in words})


def split(table: Table) -> Split:
    """Return the fixed split: 70 % to fit on, 30 % to score on, the classes alike in both."""
    X_train, X_test, y_train, y_test = train_test_split(
        table.X, table.y, test_size=TEST_SHARE, stratify=table.y, random_state=0
    )
    return {"train": (X_train, y_train), "test": (X_test, y_test)}


# Generated tables.


def quick_tables(seed: int) -> list[Table]:
    """Return a tiny table with numbers, words and missing cells."""
    rng = np.random.default_rng(seed)
    n = 600
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(8, 0.5, n)),
            "job": rng.choice(["clerk", "farmer", "nurse"], n),
        }
    )
    score = (frame.age - 50) / 15 - (frame.income.fillna(3000) > 3500) + (frame.job == "nurse")
    y = np.where(rng.logistic(size=n) < score, "yes", "no")
    return [Table("small", with_categories(frame), y)]


def many_rows(n_samples: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Generate numbers in which a third of the columns matter, each by a separate curve."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_columns))
    score = np.zeros(n_samples)
    for k in range(0, n_columns, 3):
        score += np.sin(X[:, k] * rng.uniform(0.5, 3.0)) * rng.uniform(0.2, 1.0)
    return X, (rng.logistic(size=n_samples) < score).astype(int)


def genes(n_samples: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Generate many columns for few rows, twenty of which lie higher in the second class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_samples)
    X = rng.standard_normal((n_samples, n_columns))
    X[:, rng.choice(n_columns, 20, replace=False)] += 0.5 * y[:, None]
    return X, y
