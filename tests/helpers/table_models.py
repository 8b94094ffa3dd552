"""Small table models with every kind of term, made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from tauboost.estimators.base import PredictionsMixin
from tauboost.estimators.table import GlassBoxMixin
from tauboost.tables.binning import encode
from tauboost.tables.columns import CategoryColumn, NumericColumn
from tauboost.tables.model import TableModel, TermData
from tauboost.validation.frames import take_frame

LABELS = {2: ["no", "yes"], 3: ["no", "maybe", "yes"]}


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


class GlassBox(GlassBoxMixin, PredictionsMixin, ClassifierMixin, BaseEstimator):
    """The least that an estimator needs to be a glass box."""

    def fit(self, X: Any, y: Any) -> GlassBox:
        return self

    def _codes(self, X: Any) -> np.ndarray:
        return encode(self.model_.columns, take_frame(X))

    def _decisions(self, X: Any) -> np.ndarray:
        return self.model_.decisions(self._codes(X))


def glass_box(n_classes: int = 2, **options: Any) -> GlassBox:
    """Return a fitted one."""
    clf = GlassBox()
    clf.model_ = make_model(n_classes, **options)
    return clf


def make_table(n_samples: int = 60, seed: int = 2) -> pd.DataFrame:
    """Return rows with numbers, known and unknown categories, and missing values."""
    rng = np.random.default_rng(seed)
    cities = np.array(["Oslo", "Bergen", "Tromsø", "Rome", None], dtype=object)
    age = rng.choice([17.0, 18.0, 25.5, 31.0, 64.5, 90.0, np.nan], n_samples)
    hours = rng.choice([-1.0, 0.0, 37.5, 40.0, np.nan], n_samples)
    return pd.DataFrame({"age": age, "city": rng.choice(cities, n_samples), "hours": hours})
