"""A text model of a given size: narrower numbers first, then only the terms that matter most.

What a term adds to the decision values of texts varies by about |coef| idf sqrt(df), where df is in
how many texts it is. Terms with the least of it go first. On film reviews that changed the fewest
decisions: a tenth of the terms keeps 98 of 100 as they were. Scaling a text to length 1 then leaves
more of it to each term that stays, so coefficients shrink by as much, and probabilities stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..validation import check_count
from .features import TextFeatures
from .model import TextModel

__all__ = ["Shrinkage", "measured", "shrink"]


CLOSE = 0.995  # of the bytes that may be used: more need not be found
LARGEST = 6e4  # that half precision holds, in round numbers
HISTORY = 0.01  # of the bytes may say how the model was found
LONGEST = 255  # bytes of a term: a longer one would cost every other a byte more

Size = Callable[[TextModel], int]


@dataclass(frozen=True)
class Shrinkage:
    """What a model lost as it was made smaller; prints as a sentence.

    Attributes
    ----------
    n_bytes, n_bytes_before : int
        Size of its file.
    n_terms, n_terms_before : int
    kept : float
        Share of the weight of all terms that is left: of the sum of |coef| idf sqrt(df).
    n_texts : int
        How many texts the rest was measured on; 0: none, and the rest is None.
    changed : float or None
        Share of the texts whose predicted class is another now.
    score, score_before : float or None
        Accuracy on the texts, where their labels were given.
    """

    n_bytes: int
    n_bytes_before: int
    n_terms: int
    n_terms_before: int
    kept: float
    n_texts: int = 0
    changed: float | None = None
    score: float | None = None
    score_before: float | None = None

    def __str__(self) -> str:
        text = (
            f"{self.n_bytes:,} bytes instead of {self.n_bytes_before:,}: {self.n_terms:,} of "
            f"{self.n_terms_before:,} terms, with {self.kept:.1%} of their weight"
        )
        if self.changed is None:
            return f"{text}; what that changes was not measured, as no texts were given"
        text = f"{text}; {self.changed:.2%} of {self.n_texts:,} predictions changed"
        if self.score is None or self.score_before is None:
            return text
        return f"{text}, and accuracy went from {self.score_before:.4f} to {self.score:.4f}"


def shrink(model: TextModel, max_bytes: int, size: Size) -> tuple[TextModel, Shrinkage]:
    """Return a model whose ``size`` is at most this number of bytes, and what it lost."""
    max_bytes = check_count(max_bytes, "max_bytes")
    before = size(model)
    weights = importance(model)
    found, n_bytes = model, before
    for dtype in (np.float32, np.float16):
        if n_bytes > max_bytes:
            found = _rounded(model, dtype)
            n_bytes = size(found)
    if n_bytes > max_bytes:
        found = _without_history(found, max_bytes, size)
        found = _largest_that_fits(found, weights, max_bytes, size)
        n_bytes = size(found)
    n_before, n_after = model.features.n_features, found.features.n_features
    order = np.sort(weights)[::-1]
    kept = float(order[:n_after].sum() / max(order.sum(), np.finfo(np.float64).tiny))
    return found, Shrinkage(n_bytes, before, n_after, n_before, kept)


def _without_history(model: TextModel, max_bytes: int, size: Size) -> TextModel:
    """Leave out how the model was found where that would cost more than a few terms."""
    bare = replace(model, model=replace(model.model, selection=[], record=None))
    return bare if size(model) - size(bare) > HISTORY * max_bytes else model


def measured(
    lost: Shrinkage, before: NDArray[Any], after: NDArray[Any], y: NDArray[Any] | None = None
) -> Shrinkage:
    """Add what was measured on texts: their predicted labels, and their own where known."""
    lost = replace(lost, n_texts=len(before), changed=float(np.mean(before != after)))
    if y is None:
        return lost
    return replace(lost, score=float(np.mean(after == y)), score_before=float(np.mean(before == y)))


def importance(model: TextModel) -> Vector:
    """Return how much what a term adds to decision values varies from text to text."""
    weights: Vector = np.sqrt(np.square(model.model.coef).sum(axis=0))
    if model.features.idf is not None:
        weights *= model.features.idf * np.sqrt(_frequency(model.features.idf))
    if model.features.terms is not None:
        weights[np.diff(model.features.terms.offsets) > LONGEST] = 0.0
    return weights


def _frequency(idf: Vector) -> Vector:
    """Return in what part of the texts terms are, up to a factor: idf = 1 - log of it."""
    return np.asarray(np.exp(1.0 - idf))


def _rounded(model: TextModel, dtype: Any) -> TextModel:
    """Return a model whose numbers are those of a narrower type."""
    linear = replace(model.model, coef=_narrow(model.model.coef, dtype))
    idf = model.features.idf
    idf = None if idf is None else _narrow(idf, dtype)
    return TextModel(replace(model.features, idf=idf), linear)


def _narrow(numbers: Vector, dtype: Any) -> Vector:
    if dtype == np.float16 and np.abs(numbers).max() > LARGEST:
        dtype = np.float32
    return numbers.astype(dtype).astype(np.float64)


def _largest_that_fits(model: TextModel, weights: Vector, max_bytes: int, size: Size) -> TextModel:
    """Return the model with as many terms as fit, by bisection."""
    order = np.argsort(-weights, kind="stable")
    least, most = 1, len(order)  # what may fit, and what does not
    best = _selected(model, order[:1])
    low, high = size(best), size(model)
    if low > max_bytes:
        raise ValueError(f"max_bytes must be at least {low:,}: a file with one term has as many")
    while most - least > 1 and low < CLOSE * max_bytes:
        # Bytes grow nearly in step with terms; a bit less than that would be found in few steps.
        guess = least + int((most - least) * (0.999 * max_bytes - low) / (high - low))
        guess = min(max(guess, least + 1), most - 1)
        tried = _selected(model, order[:guess])
        n_bytes = size(tried)
        if n_bytes <= max_bytes:
            best, least, low = tried, guess, n_bytes
        else:
            most, high = guess, n_bytes
    return best


def _selected(model: TextModel, chosen: NDArray[np.intp]) -> TextModel:
    """Return the model with some of its terms."""
    columns = np.sort(chosen)
    features = model.features.select(columns)
    coef: Any = model.model.coef[:, columns] * _shorter(model.features, columns)
    return TextModel(features, replace(model.model, coef=_narrow(coef, np.float16)))


def _shorter(features: TextFeatures, columns: NDArray[np.intp]) -> float:
    """Return how long texts are without the other terms, as a share, on average."""
    if features.idf is None or features.options.norm is None:
        return 1.0
    power = 2 if features.options.norm == "l2" else 1
    lengths = _frequency(features.idf) * features.idf**power
    return float((lengths[columns].sum() / lengths.sum()) ** (1 / power))
