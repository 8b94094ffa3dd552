"""A fitted text classifier as plain data: what is counted in texts, and a linear model on it."""

from __future__ import annotations

import unicodedata
import warnings
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.kinds import is_sparse
from ..design.terms import Terms
from ..design.text_options import TextOptions
from ..design.texts import TextFeatures
from ..design.wide import coefficients_of
from ..io.model import TextData
from .model import Answers, Model

__all__ = ["KIND", "TextModel"]

KIND = "TextClassifier"  # the estimator whose files these are


@dataclass(frozen=True, eq=False)
class TextModel(Answers):
    """Features of texts, and coefficients of them."""

    features: TextFeatures
    model: Model

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels, in order."""
        return self.model.classes

    @property
    def loss(self) -> str:  # type: ignore[override]
        """The loss of the fit, which also says what decision values mean."""
        return self.model.loss

    @property
    def intercept(self) -> Vector:
        """The decision values of a text without a known word, (tasks,)."""
        return self.model.intercept

    @property
    def n_tasks(self) -> int:
        """One for two classes, else one for each."""
        return len(self.model.intercept)

    @classmethod
    def fitted(cls, features: TextFeatures, model: Model) -> TextModel:
        """Return the model of a fit; of very many hashes only those with a coefficient are kept."""
        if is_sparse(model.coef):
            used = np.unique(model.coef.indices) if model.coef.nnz else np.arange(1)
            features = features.select(used)
            model = replace(model, coef=coefficients_of(model.coef, used))
        return cls(features, model)

    def decisions(self, texts: Any, n_threads: int = 1) -> Vector:
        """Return the decision values, (texts, tasks)."""
        return self.model.decisions(self.features.rows(texts, n_threads), n_threads)

    def to_data(self, params: dict[str, Any], kind: str = KIND) -> TextData:
        """Return everything a file needs."""
        features = self.features
        params = {name: _plain(value) for name, value in params.items()}
        terms = features.terms
        return TextData(
            linear=self.model.to_data(params, kind=kind),
            options={name: _plain(value) for name, value in asdict(features.options).items()},
            text=None if terms is None else terms.text,
            offsets=None if terms is None else terms.offsets,
            kept=features.kept,
            idf=features.idf,
            unicode=unicodedata.unidata_version,
        )

    @classmethod
    def from_data(cls, data: TextData, trusted: bool = False) -> TextModel:
        """Make a model from checked data; anything that does not fit is an error.

        A regular expression can be made to run for hours. Those that are not compiled are taken
        from data that is ``trusted`` only.
        """
        options = TextOptions(**data.options).checked()
        if not trusted and options.analyzer == "word" and not options.is_plain:
            raise ValueError(
                f"its token_pattern {options.token_pattern!r:.60} is a regular expression of its "
                "maker's: load_model(path, trusted=True) takes it, for a file that you trust"
            )
        terms = None
        if data.text is not None and data.offsets is not None:
            terms = Terms(data.text, data.offsets)
        features = TextFeatures(options, terms, data.idf, data.kept)
        _warn_of_unicode(data.unicode)
        return cls(features, Model.from_data(data.linear))


def _plain(value: Any) -> Any:
    """Return a value as a file can hold it: a set as a list, a number of NumPy's as one."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    return value.item() if isinstance(value, np.generic) else value


def _warn_of_unicode(version: str) -> None:
    if version != unicodedata.unidata_version:
        warnings.warn(
            f"the model was made with Unicode {version}, and this Python has "
            f"{unicodedata.unidata_version}: words with letters that are new in one of them may be "
            "told apart differently",
            UserWarning,
            stacklevel=2,
        )
