"""Small table models with every kind of term, made by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tauboost.tuning.table_model import TableModel, TermData

LABELS = {2: ["no", "yes"], 3: ["no", "maybe", "yes"]}


@dataclass
class NumericColumn:
    name: str
    edges: np.ndarray

    is_ordered = True

    @property
    def n_ordered(self) -> int:
        return len(self.edges) + 1

    @property
    def n_bins(self) -> int:
        return len(self.edges) + 2

    @property
    def missing(self) -> int:
        return len(self.edges) + 1


@dataclass
class CategoryColumn:
    name: str
    categories: np.ndarray

    is_ordered = False

    @property
    def n_bins(self) -> int:
        return len(self.categories) + 2

    @property
    def other(self) -> int:
        return len(self.categories)

    @property
    def missing(self) -> int:
        return len(self.categories) + 1


def make_columns() -> tuple[Any, ...]:
    return (
        NumericColumn("age", np.array([18.0, 25.0, 31.0, 40.0, 64.5])),
        CategoryColumn("city", np.array(["Oslo", "Bergen", "Tromsø"], dtype=object)),
        NumericColumn("hours", np.array([0.0, 37.5])),
    )


def make_model(
    n_classes: int = 2, n_terms: int | None = None, loss: str = "exponential", seed: int = 0
) -> TableModel:
    """Return a model over age, city and hours, with the pair of age and city."""
    rng = np.random.default_rng(seed)
    columns = make_columns()
    n_tasks = 1 if n_classes == 2 else n_classes
    terms = [
        make_term(rng, (k,), (np.arange(column.n_bins, dtype=np.uint8),), n_tasks)
        for k, column in enumerate(columns)
    ]
    maps = (np.array([0, 0, 1, 1, 2, 2, 3], np.uint8), np.array([0, 1, 1, 2, 3], np.uint8))
    terms.append(make_term(rng, (0, 1), maps, n_tasks))
    return TableModel(
        classes=np.array(LABELS[n_classes], dtype=object),
        columns=columns,
        terms=tuple(terms[:n_terms]),
        intercept=np.linspace(0.25, 1, n_tasks),
        loss=loss,
        alpha=0.01,
        l1_ratio=1.0,
        n_iter=8,
        objective=np.full(n_tasks, 0.5),
        held_out_loss=np.nan,
        message="done",
    )


def make_term(rng: Any, columns: tuple[int, ...], maps: Any, n_tasks: int) -> TermData:
    shape = tuple(int(m.max()) + 1 for m in maps)
    weights = rng.random(shape)
    weights.flat[-1] = 0.0  # nothing is missing in the data
    weights /= weights.sum()
    scores = rng.normal(size=(*shape, n_tasks))
    scores -= np.tensordot(weights, scores, weights.ndim)
    scores[weights == 0] = 0.0
    return TermData(columns, maps, scores, weights)


def random_codes(model: TableModel, n_samples: int, seed: int = 1) -> np.ndarray:
    """Return codes with every bin of every column possible."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(column.n_bins, size=n_samples) for column in model.columns]
    return np.array(rows, dtype=np.uint8).reshape(len(model.columns), n_samples)
