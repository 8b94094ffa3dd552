"""What makes a fitted table classifier a glass box: its terms, explanations, scorecard, edits."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..base.arrays import Vector
from ..io.model import ModelFile
from ..models import place_of
from ..tables.columns import Planes
from ..tables.edits import edited
from ..tables.model import TableModel
from ..validation.frames import take_frame
from .explanation import TableExplanation
from .scorecard import Scorecard, make_scorecard
from .terms import Band, Terms, find_term, make_terms

__all__ = ["GlassBoxMixin"]


class GlassBoxMixin:
    """For an estimator with a ``model_`` of a table, and ``_codes`` of one."""

    if TYPE_CHECKING:
        feature_names_in_: NDArray[Any]
        n_features_in_: int
        model_: TableModel

        def _codes(self, X: Any) -> Planes: ...

    def _names_of_file(self) -> bool:
        return hasattr(self, "feature_names_in_")

    def _note_features(self, file: ModelFile) -> None:
        self.n_features_in_ = file.header["n_columns"]
        if file.header["feature_names"]:
            self.feature_names_in_ = file.arrays["names"]

    def _bands(self) -> list[Band | None] | None:
        """Return how far the scores of each term may be off, where that is known."""
        return None

    @property
    def terms_(self) -> Terms:
        """What each column, and each pair, adds to the decision value: by place or by name."""
        check_is_fitted(self)
        return make_terms(self.model_, self._bands())

    @property
    def importances_(self) -> Vector:
        """Mean absolute score of each term over the training data, in the order of ``terms_``."""
        return self.terms_.importances

    @property
    def feature_importances_(self) -> Vector:
        """The share of each column in all importances; a pair counts half for each of its two."""
        check_is_fitted(self)
        model = self.model_
        found = np.zeros(len(model.columns))
        for term in model.terms:
            columns = list(term.columns)
            found[columns] += float(term.importance().mean()) / len(columns)
        return found / (found.sum() or 1.0)

    def explain(self, X: Any, class_: Any = None) -> TableExplanation:
        """Return what each term adds to the decision value of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        class_ : label, optional
            The class the numbers speak for. By default, with two classes, the second one, as
            ``decision_function`` does; with more, the predicted class of each row.

        Returns
        -------
        TableExplanation
            Prints as a table, and draws itself. The intercept plus the contributions of a row is
            its decision value, bit for bit.
        """
        check_is_fitted(self)
        model, frame = self.model_, take_frame(X)
        codes = self._codes(X)
        where = frame.places(model.column_names, hasattr(self, "feature_names_in_"))
        found = model.explain(codes, class_)
        rows = np.arange(len(found.decisions))
        return TableExplanation(
            found.names or [],
            found.values,
            found.intercepts,
            found.decisions,
            found.probabilities,
            model.classes[found.places],
            rows,
            frame.with_categories(where[k] for k in model.category_columns),
            [tuple(where[column] for column in term.columns) for term in model.terms],
        )

    def to_scorecard(
        self, *, points: float = 600, odds: float = 50, pdo: float = 20, positive: Any = None
    ) -> Scorecard:
        """Return the model as points for each bin, as credit people use it.

        The score of a row is the sum of its points: offset + factor * log odds, with
        factor = pdo / log 2 and offset = points - factor * log(odds), rounded in each bin. The
        intercept is spread over the terms.

        Parameters
        ----------
        points, odds : float
            A row with odds of ``odds`` to 1 for ``positive`` gets ``points``.
        pdo : float
            Points to double the odds.
        positive : label, optional
            The class that more points speak for. By default ``classes_[0]``: ``classes_[1]`` is the
            bad event (default, fraud, churn), and more points mean that it is less likely.

        Returns
        -------
        Scorecard
            ``rows``, ``score(X)``, ``to_csv(path)``; prints as a table.
        """
        check_is_fitted(self)
        place = 0 if positive is None else place_of(positive, self.model_.classes, "positive")
        return make_scorecard(self.model_, self._codes, points, odds, pdo, place)

    def edit_term(
        self,
        name: str,
        *,
        flatten: Any = None,
        remove: bool = False,
        monotone: int | None = None,
        scores: Any = None,
    ) -> Self:
        """Return a copy of the fitted model with one term changed; this one stays as it is.

        The changed term is centred again and the intercept takes its mean, so predictions,
        ``terms_``, explanations and files agree. Pairs that the column is in keep their scores.
        The mean decision value over the training data stays as it was, unless ``scores`` says
        otherwise; the mean probability moves a little, as the model does not keep the rows.

        Parameters
        ----------
        name : str
            Such as "age", or "age x hours" for a pair.
        flatten : (low, high) or a list of categories
            Give every bin that holds a value from low to high, or all those categories, their mean
            score. None is no bound.
        remove : bool
            Take the term out.
        monotone : 1 or -1
            Make the scores rise (1) or fall with the number, by the nearest such function in
            weighted squares. Refused while the column is in a pair, which need not be monotone.
        scores : array of the shape of the term's ``scores``
            Put these in place of its own.
        """
        check_is_fitted(self)
        model = self.model_
        names = [model.term_name(term) for term in model.terms]
        place = find_term(names, [len(term.columns) > 1 for term in model.terms], name)
        other = copy(self)
        other.model_ = edited(
            model, place, flatten=flatten, remove=remove, monotone=monotone, scores=scores
        )
        return other
