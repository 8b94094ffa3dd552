"""The model that a report is about, whichever of the classifiers it is, fitted or from a file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.messages import shown, shown_label
from ..design.wide import coefficients_of, nonzeros_of
from ..tuning.model import Model
from ..tuning.record import Record
from ..tuning.table_model import TableModel
from ..tuning.text_model import TextModel

__all__ = ["Subject", "label_text", "subject_of"]

AnyModel = Model | TableModel | TextModel
KINDS = {Model: "sparse or dense rows", TableModel: "a table", TextModel: "texts"}
ACCEPTED = (
    "a fitted TauBoostClassifier, TableClassifier or TextClassifier, or the path of a model file"
)


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted model of any kind.

    Attributes
    ----------
    kind : the name of its class
    model : what was fitted, as plain data
    params : the parameters of the fit
    names : of the columns of a linear model, where they have any
    name : of the model, for people
    terms : of a table model
    positive : of two classes, the one that quality is measured of
    """

    kind: str
    model: AnyModel
    params: dict[str, Any]
    names: NDArray[Any] | None
    name: str
    terms: Any = None
    positive: int = 1

    @property
    def fit(self) -> Model | TableModel:
        """What all kinds have: how it was chosen, and how it ended."""
        return self.model.model if isinstance(self.model, TextModel) else self.model

    @property
    def record(self) -> Record | None:
        """What it was fitted on, where the model knows."""
        return self.fit.record

    @property
    def labels(self) -> list[str]:
        """The classes as text."""
        return [label_text(label) for label in self.model.classes.tolist()]

    @property
    def sides(self) -> tuple[str, str]:
        """The positive one of two classes, and the other."""
        return self.labels[self.positive], self.labels[1 - self.positive]

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.model.classes) == 2

    @property
    def learns_from(self) -> str:
        """What it is fitted to, in words."""
        return KINDS[type(self.model)]

    @property
    def row_word(self) -> str:
        """What a row is called."""
        return "text" if isinstance(self.model, TextModel) else "row"

    @property
    def n_columns(self) -> int:
        """How many columns, or terms of texts, it knows."""
        if isinstance(self.model, TableModel):
            return len(self.model.columns)
        assert not isinstance(self.fit, TableModel)
        return int(self.fit.coef.shape[1])

    def with_positive(self, label: Any) -> Subject:
        """Return it with this one of its two classes as the positive one."""
        if not self.is_binary:
            raise ValueError(
                f"positive is for models of two classes, and this one has {len(self.labels):,}"
            )
        for code, own in enumerate(self.model.classes.tolist()):
            if _is_label(label, own):
                return replace(self, positive=code)
        known = " or ".join(shown(own) for own in self.model.classes.tolist())
        raise ValueError(f"positive must be one of the model's labels, {known}, got {shown(label)}")

    def weights(self, task: int) -> tuple[NDArray[np.intp], Vector]:
        """Return the columns of which the coefficients of a task are not 0, and these."""
        assert not isinstance(self.fit, TableModel)
        return nonzeros_of(self.fit.coef, task)

    def weights_of(self, task: int, columns: NDArray[np.intp]) -> Vector:
        """Return the coefficients of some columns."""
        assert not isinstance(self.fit, TableModel)
        return np.asarray(coefficients_of(self.fit.coef[[task]], columns)[0])

    def column_name(self, column: int) -> str:
        """Return what a column of a linear model, or a term of texts, is called."""
        if isinstance(self.model, TextModel):
            features = self.model.features
            if features.terms is not None:
                return features.terms[column]
            return f"hash {column if features.kept is None else features.kept[column]}"
        return f"x{column}" if self.names is None else str(self.names[column])


def label_text(label: Any) -> str:
    """Write a label."""
    return f"{label:g}" if isinstance(label, float) and math.isfinite(label) else shown_label(label)


def _is_label(given: Any, own: Any) -> bool:
    """Whether a label is meant, by itself or, as on a command line, as text."""
    if isinstance(given, str) and not isinstance(own, str):
        try:
            return given == label_text(own) or float(given) == own
        except ValueError:
            return False
    return np.ndim(given) == 0 and bool(given == own)


def subject_of(clf: Any, name: str | None, names: Any = None) -> Subject:
    """Return the model of a fitted estimator."""
    from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415

    from ..estimators import TableClassifier, TauBoostClassifier, TextClassifier  # noqa: PLC0415

    if not isinstance(clf, TauBoostClassifier | TableClassifier | TextClassifier):
        raise TypeError(f"model must be {ACCEPTED}, got {shown(clf)}")
    check_is_fitted(clf, "classes_")
    is_table = isinstance(clf, TableClassifier)
    kind = type(clf).__name__
    return Subject(
        kind,
        clf.model_,
        clf.get_params(deep=False),
        column_names(clf, names),
        kind if name is None else name,
        clf.terms_ if is_table else None,
    )


def column_names(clf: Any, names: Any) -> NDArray[Any] | None:
    """Return the names of the columns of a linear model: those given, or those of the fit."""
    from ..estimators import TauBoostClassifier  # noqa: PLC0415

    if not isinstance(clf, TauBoostClassifier):
        if names is not None:
            raise TypeError(f"names are for a TauBoostClassifier, got a {type(clf).__name__}")
        return None
    if names is None:
        return getattr(clf, "feature_names_in_", None)
    return checked_names(names, clf.coef_.shape[1])


def checked_names(names: Any, n_columns: int) -> NDArray[Any]:
    """Return names of columns, if they are as many."""
    found = np.asarray(names, dtype=object)
    if found.shape != (n_columns,):
        raise ValueError(
            f"names must have shape ({n_columns},), one for each column, got {found.shape}"
        )
    return found
