"""What makes a fitted text classifier a glass box: its terms, explanations, and a smaller copy."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base.threads import resolve_jobs
from ..io.model import ModelFile
from ..io.strings import object_array
from ..models import model_size
from ..tuning.text_model import TextModel
from ..tuning.text_shrinking import Shrinkage, measured, shrink
from ..tuning.top_terms import top_terms
from ..validation import check_count
from ..validation.texts import take_texts
from .inputs import take_labels
from .margins import MarginsMixin
from .tables import TopFeatures
from .text_explanation import TextExplanation, TextsExplanation, explain_text, explain_texts

__all__ = ["TextGlassMixin"]


class TextGlassMixin(MarginsMixin):
    """For an estimator with a ``model_`` of texts."""

    if TYPE_CHECKING:
        model_: TextModel
        shrinkage_: Shrinkage
        n_jobs: int | None

        def _to_file(self, model: TextModel | None = None) -> ModelFile: ...

    def explain(self, texts: Any, class_: Any = None) -> TextExplanation | TextsExplanation:
        """Return what each word and pair of texts adds to their decision values, and where it is.

        Parameters
        ----------
        texts : str, or list, array or column of strings
        class_ : label, optional
            The class that the numbers shown speak for. By default, with two classes, the second
            one, as ``decision_function`` does; with more, the predicted class. The explanation
            holds those of all classes.

        Returns
        -------
        TextExplanation, or TextsExplanation of several texts
            Prints as a table, and shows the text with its words marked in a notebook, or by its
            ``html()``. The intercept plus the contributions is the decision value.
        """
        check_is_fitted(self)
        n_threads = resolve_jobs(self.n_jobs)
        if isinstance(texts, str):
            return explain_text(self.model_, texts, class_, n_threads)
        return explain_texts(self.model_, take_texts(texts), class_, n_threads)

    def top_features(self, k: int = 20, class_: Any = None) -> TopFeatures:
        """Return the terms that speak most for each class, or for one of them.

        Parameters
        ----------
        k : int
            How many at most, for each class.
        class_ : label, optional

        Returns
        -------
        TopFeatures
            ``names``, ``weights``, ``classes`` and ``indices``, class by class, the largest weight
            first. Prints as a table.
        """
        check_is_fitted(self)
        k = check_count(k, "k")
        if class_ is not None:
            self._task(class_)  # which says what is wrong with it
        rows = [
            (label, term)
            for label, terms in zip(self.classes_, top_terms(self.model_, k), strict=True)
            if class_ is None or label == class_
            for term in terms
        ]
        labels, terms = zip(*rows, strict=True) if rows else ((), ())
        return TopFeatures(
            object_array([term.term for term in terms]),
            np.array([term.weight for term in terms]),
            np.array(labels, dtype=self.classes_.dtype),
            np.array([term.column for term in terms], dtype=np.intp),
            self.classes_ if len(self.classes_) == 2 else None,
        )

    def shrink(self, max_bytes: int, texts: Any = None, y: Any = None) -> Self:
        """Return a copy whose file has at most so many bytes; this one stays as it is.

        Numbers are rounded first, then the terms that matter least are left out. ``shrinkage_`` of
        the copy says what was lost; it prints as a sentence.

        Parameters
        ----------
        max_bytes : int
        texts : texts, optional
            What the loss is measured on: how many of them are predicted otherwise.
        y : array-like of shape (n_texts,), optional
            Their labels: then the accuracy is measured, too.
        """
        check_is_fitted(self)
        small, lost = shrink(self.model_, max_bytes, lambda tried: model_size(self._to_file(tried)))
        if texts is not None:
            texts = take_texts(texts)
            labels = None if y is None else take_labels(y, len(texts))
            n_threads = resolve_jobs(self.n_jobs)
            before, after = (m.labels(m.decisions(texts, n_threads)) for m in (self.model_, small))
            lost = measured(lost, before, after, labels)
        other = copy(self)
        other.model_ = small
        other.shrinkage_ = lost
        return other
