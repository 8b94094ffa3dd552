"""Tasks that load the rows of a part on a worker: whatever they come as, one CSR and labels.

Pieces are (X, y) or (X, y, sample_weight); X may be dense, sparse or a data frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..io import load_svmlight
from ..validation import as_csr, check_vector, labels_of, refuse_missing_labels

__all__ = [
    "LoadedPart",
    "Summary",
    "check_beside",
    "found_features",
    "joined_weights",
    "load_part",
    "read_range",
    "split_piece",
    "summarise",
    "summary_of",
    "take_rows",
    "used_features",
    "with_features",
]

# Labels of which there are more are no classes.
MOST_LABELS = 1000


@dataclass(frozen=True)
class LoadedPart:
    """The rows of a part, as loaded."""

    X: Any  # CSR
    y: NDArray[Any]
    sample_weight: Vector | None

    def widened(self, n_features: int, used: NDArray[np.intp] | None = None) -> Any:
        """Return X with empty columns up to ``n_features``, or with the ``used`` ones only."""
        X, indices = self.X, self.X.indices
        if used is not None:
            indices, n_features = np.searchsorted(used, indices), len(used)
            # Rows of weight 0 may have features that no other row has; they are left out anyway.
            indices = np.minimum(indices, n_features - 1)
        elif X.shape[1] == n_features:
            return X
        return sp.csr_array((X.data, indices, X.indptr), shape=(X.shape[0], n_features))

    @property
    def present(self) -> Any:
        """The rows of X whose weight is positive."""
        return self.X if self.sample_weight is None else self.X[self.sample_weight > 0]


@dataclass(frozen=True)
class Summary:
    """What the driver has to know of a part before it can be built."""

    n_samples: int
    n_present: int  # samples whose weight is positive
    n_features: int
    nnz: int  # of these
    labels: list[Any]  # the different ones, at most MOST_LABELS
    counts: list[int]  # samples of each of these
    largest_weight: float
    weight: float  # the sum of weights, over the largest


def load_part(pieces: Sequence[Any], can_widen: bool) -> LoadedPart:
    """Put the pieces of a part together."""
    loaded = [_as_piece(piece) for piece in pieces]
    widths = sorted({piece.X.shape[1] for piece in loaded})
    if len(widths) > 1:
        if not can_widen:
            raise ValueError(f"the parts have different numbers of columns: {widths}")
        loaded = [replace(piece, X=piece.widened(widths[-1])) for piece in loaded]
    if len(loaded) == 1:
        return loaded[0]
    return LoadedPart(
        sp.vstack([piece.X for piece in loaded], format="csr"),
        np.concatenate([piece.y for piece in loaded]),
        joined_weights([piece.sample_weight for piece in loaded]),
    )


def joined_weights(weights: Sequence[Vector | None]) -> Vector | None:
    """Return the weights of pieces as one vector, if they have any."""
    given = [weight for weight in weights if weight is not None]
    if given and len(given) < len(weights):
        raise ValueError("sample_weight: some pieces have weights and others have none")
    return np.concatenate(given) if given else None


def _as_piece(piece: Any) -> LoadedPart:
    X, y, sample_weight = split_piece(piece)
    X, y = _checked_rows(X), labels_of(y)
    return LoadedPart(X, y, check_beside(y, sample_weight, X.shape[0]))


def split_piece(piece: Any) -> tuple[Any, Any, Any]:
    """Return X, y and sample_weight, or None, of a piece, also where these are columns of X."""
    if not isinstance(piece, tuple | list) or len(piece) not in {2, 3}:
        raise TypeError(
            "a part must be (X, y) or (X, y, sample_weight), got an object of type "
            f"{type(piece).__name__}"
        )
    X, y, sample_weight = (*piece, None)[:3]
    if isinstance(y, str):
        X, y = _without_column(X, y)
    if isinstance(sample_weight, str):
        X, sample_weight = _without_column(X, sample_weight)
    return X, y, sample_weight


def check_beside(y: NDArray[Any], sample_weight: Any, n_samples: int) -> Vector | None:
    """Check the lengths of labels and weights, and return the weights."""
    if y.ndim != 1 or len(y) != n_samples:
        raise ValueError(f"y has shape {y.shape}, but X has {n_samples} samples")
    return (
        None if sample_weight is None else check_vector(sample_weight, n_samples, "sample_weight")
    )


def _checked_rows(X: Any) -> Any:
    """Return X as a CSR array; unlike a whole data set, a piece of one may have no rows."""
    shape = np.shape(X)
    if len(shape) == 2 and shape[0] == 0 and shape[1] > 0:
        return sp.csr_array(shape)
    return as_csr(X).to_scipy()


def _without_column(frame: Any, name: str) -> tuple[Any, Any]:
    if not hasattr(frame, "columns"):
        kind = type(frame).__name__
        raise TypeError(f"{name!r} names a column, but X is no data frame: it is a {kind}")
    if name not in frame.columns:
        raise ValueError(f"the data frame has no column {name!r}")
    return frame.drop(columns=name), frame[name]


def summarise(loaded: LoadedPart) -> Summary:
    """Look at the labels and the weights of a part."""
    nnz = int(loaded.present.nnz)
    return summary_of(loaded.y, loaded.sample_weight, loaded.X.shape[1], nnz)


def summary_of(
    labels: NDArray[Any], weights: Vector | None, n_features: int, nnz: int = 0
) -> Summary:
    """Return the summary of a part with these labels and weights."""
    n_samples, y = len(labels), labels
    if weights is None:
        n_present, largest, weight = n_samples, float(n_samples > 0), float(n_samples)
    else:
        if np.any(weights < 0):
            raise ValueError(f"sample_weight must not be negative, got {weights.min():g}")
        y = labels[weights > 0]
        n_present, largest = len(y), float(weights.max(initial=0.0))
        weight = float((weights / largest).sum()) if largest > 0 else 0.0
    refuse_missing_labels(y)
    if y.dtype.kind in "biuf":
        kinds, counts = (found.tolist()[:MOST_LABELS] for found in np.unique(y, return_counts=True))
    else:
        found = Counter(y.tolist())
        kinds, counts = list(found)[:MOST_LABELS], list(found.values())[:MOST_LABELS]
    return Summary(n_samples, n_present, n_features, nnz, kinds, counts, largest, weight)


def used_features(loaded: LoadedPart) -> NDArray[np.intp]:
    """Return the features that a row of positive weight has, in order."""
    return np.unique(loaded.present.indices).astype(np.intp)


def found_features(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return the features that any part has, in order; a matrix has one column at least."""
    return np.unique(np.concatenate(parts)) if any(map(len, parts)) else np.arange(1)


def with_features(loaded: LoadedPart, features: NDArray[np.intp]) -> LoadedPart:
    """Return a part with the features that a row of positive weight has, numbered anew."""
    return replace(loaded, X=loaded.widened(len(features), features))


def read_range(
    path: str, start: int, stop: int, n_features: int | None
) -> tuple[Any, NDArray[np.float64]]:
    """Read the lines of a plain svmlight file that begin within a range of bytes."""
    with Path(path).open("rb") as file:
        if start > 0:  # a line that begins exactly here is ours
            file.seek(start - 1)
            file.readline()
        text = file.read(max(stop - file.tell(), 0))
        if text and not text.endswith(b"\n"):
            text += file.readline()
    if not any(line.partition(b"#")[0].strip() for line in BytesIO(text)):
        return sp.csr_array((0, n_features or 1)), np.empty(0)
    lines = BytesIO(text)
    lines.name = f"{path}, bytes {start} to {stop}"
    return load_svmlight(lines, n_features=n_features, zero_based=False)


def take_rows(store: Any, start: int, stop: int) -> tuple[Any, Any]:
    """Read some rows of a store."""
    return store.rows(start, stop), store.y[start:stop]
