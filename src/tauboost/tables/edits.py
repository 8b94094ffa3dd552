"""Changes that a person makes to a term of a table model: flatten, remove, make monotone, rewrite.

After a change the term is centred again and the intercept takes the mean, so that terms,
explanations, predictions and files stay consistent. All but a rewritten term leave the mean
decision value over the training data as it was. The mean probability is not kept: it depends on
which rows have which scores together, and a model has only the weights of single terms. What the
fit measured (objective, validation loss) does not hold for the changed model and becomes NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.arrays import Vector
from ..base.messages import shown
from .model import TableModel, TermData

__all__ = ["edited", "isotonic"]


KEPT = " The mean decision value is kept, the mean probability is not."


def edited(
    model: TableModel,
    place: int,
    *,
    flatten: Any = None,
    remove: bool = False,
    monotone: int | None = None,
    scores: Any = None,
) -> TableModel:
    """Return the model with one of its terms changed in one of the four ways."""
    asked = [flatten is not None, bool(remove), monotone is not None, scores is not None]
    if sum(asked) != 1:
        raise ValueError("give one of flatten, remove=True, monotone and scores")
    term = model.terms[place]
    name = model.term_name(term)
    others = model.terms[:place], model.terms[place + 1 :]
    if remove:
        return _changed(model, (*others[0], *others[1]), term.mean(), f"{name} removed.{KEPT}")
    change: Callable[[TableModel, TermData, Any], Vector]
    value: Any
    if flatten is not None:
        change, value, what = _flattened, flatten, f"flattened.{KEPT}"
    elif monotone is not None:
        change, value, what = _monotone, monotone, f"made monotone.{KEPT}"
    else:
        change, value, what = _rewritten, scores, "rewritten."
    term = replace(term, scores=change(model, term, value))
    mean = term.mean()
    term = replace(term, scores=term.scores - mean)
    return _changed(model, (*others[0], term, *others[1]), mean, f"{name} {what}")


def _changed(
    model: TableModel, terms: tuple[TermData, ...], shift: Vector, what: str
) -> TableModel:
    return replace(
        model,
        terms=terms,
        intercept=model.intercept + shift,
        objective=np.full(model.n_tasks, np.nan),
        held_out_loss=np.nan,
        message=f"{model.message.removesuffix(KEPT).rstrip('.')}. Edited: {what}",
        spreads=None,
    )


def _flattened(model: TableModel, term: TermData, flatten: Any) -> Vector:
    column = _only_column(model, term, "flatten")
    cells = column.bins_in(flatten)
    weights, scores = term.weights[cells], term.scores.copy()
    # Bins without data have no weight to go by.
    scores[cells] = np.average(
        scores[cells], axis=0, weights=weights if weights.sum() > 0 else None
    )
    return scores


def _monotone(model: TableModel, term: TermData, direction: Any) -> Vector:
    column = _only_column(model, term, "monotone")
    if not column.is_ordered:
        raise ValueError(f"monotone needs numbers, and {column.name} has categories")
    if isinstance(direction, bool) or direction not in (1, -1):
        raise ValueError(f"monotone must be 1 or -1, got {shown(direction)}")
    if model.n_tasks > 1:
        raise ValueError("monotone needs two classes: with more, not all scores can rise")
    for other in model.terms:
        if len(other.columns) > 1 and term.columns[0] in other.columns and np.any(other.scores):
            pair = model.term_name(other)
            raise ValueError(
                f"monotone: {column.name} is in the pair {pair}, too, whose scores rise and fall "
                f"with it: take that out first, by edit_term({pair!r}, remove=True), or fit again "
                f"with monotonic_cst={{{column.name!r}: {int(direction)}}}"
            )
    scores, ordered = term.scores.copy(), slice(0, column.n_ordered)
    rising = isotonic(direction * scores[ordered, 0], term.weights[ordered])
    scores[ordered, 0] = direction * rising
    return scores


def _rewritten(model: TableModel, term: TermData, scores: Any) -> Vector:
    shape = term.scores.shape if model.n_tasks > 1 else term.scores.shape[:-1]
    try:
        given = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"scores must be numbers of shape {shape}, got {shown(scores)}") from None
    if given.shape != shape or not np.all(np.isfinite(given)):
        raise ValueError(f"scores must be finite numbers of shape {shape}, as the term shows them")
    return given.reshape(term.scores.shape)


def _only_column(model: TableModel, term: TermData, what: str) -> Any:
    if len(term.columns) > 1:
        raise ValueError(
            f"{what} needs a term of one column, and {model.term_name(term)} has two: "
            "give scores, or remove it"
        )
    return model.columns[term.columns[0]]


def isotonic(values: Vector, weights: Vector) -> Vector:
    """Return the rising vector that is nearest to ``values`` in weighted squares.

    Pool adjacent violators: while a block's mean is not above that of the block before it, the two
    become one. The weighted mean of all does not change.
    """
    # Values without weight go along with their neighbours.
    weights = np.maximum(weights, 1e-12 * weights.max(initial=0.0) or 1.0)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many values
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, mass, count = blocks.pop()
            total = mass + block[1]
            block = ((mean * mass + block[0] * block[1]) / total, total, count + block[2])
        blocks.append(block)
    return np.repeat([mean for mean, _, _ in blocks], [count for _, _, count in blocks])
