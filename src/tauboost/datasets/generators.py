"""Generators with the shapes of the paper's data sets, and a finder for the public sets themselves.

The generators imitate what decides how hard a set is for coordinate descent: nonzeros a row, the
longest row (omega), column counts, correlated columns, and how well a linear model can do. They
need no download, so that examples, tests and benchmarks run anywhere.
"""

from __future__ import annotations

import operator
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse, special

from ..base.messages import shown
from . import url_like as _url_like

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["URL_BLOCK_ROWS", "find_data", "make_url_like", "make_w8a_like", "url_like_blocks"]


RandomState: TypeAlias = SupportsIndex | np.random.Generator | np.random.SeedSequence | None
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

_INT32_MAX: Final = 2**31 - 1

URL_BLOCK_ROWS: Final = 16_384

# Measured on w8a: the share of rows with at most this many nonzeros, and the share of rows that a
# column occurs in, by the column's rank divided by n.
_W8A_ROWS: Final = np.array([
    (0, 0.0845), (1, 0.134), (4, 0.285), (8, 0.488), (12, 0.645), (16, 0.762), (20, 0.844),
    (25, 0.907), (33, 0.955), (40, 0.974), (54, 0.991), (70, 0.997), (84, 0.999), (114, 1.0),
])  # fmt: skip
_W8A_COLUMNS: Final = np.array([
    (0, 0.352), (0.007, 0.27), (0.033, 0.163), (0.067, 0.13), (0.133, 0.083), (0.2, 0.066),
    (0.333, 0.042), (0.4, 0.03), (0.467, 0.026), (0.533, 0.0126), (0.6, 0.0053), (0.667, 0.0029),
    (0.833, 0.001), (1, 0.0002),
])  # fmt: skip
# Columns with ranks between two neighbouring edges come and go together.
_W8A_GROUP_EDGES: Final = np.array([
    0.1, 0.16, 0.22, 0.24, 0.27, 0.29, 0.31, 0.37, 0.49, 0.53, 0.56, 0.6, 0.64, 0.68, 0.7, 0.75,
])  # fmt: skip
# Ranks of the columns that never occur with a positive label, and of those that only do.
_W8A_NEGATIVE_ONLY: Final = (0.37, 0.49)
_W8A_POSITIVE_ONLY: Final = (0.94, 1.0)

_PUBLIC_SETS: Final = (
    "w8a", "a9a", "a9a.t", "imdb_unigram", "url_uci_slice", "sms_spam", "mushrooms",
)  # fmt: skip


def make_w8a_like(
    n_samples: int = 49_749, n_features: int = 300, *, random_state: RandomState = 0
) -> tuple[sparse.csr_array, Floats]:
    """Make a binary set with the shape of w8a (web pages and 300 keywords; Platt, 1998).

    Row counts follow the quantiles of w8a, so that omega is 114 at the default size. A row's
    columns are drawn without replacement, with weights that depend on its label and noise that
    correlated columns share. Time grows with ``n_samples * n_features``.

    Parameters
    ----------
    n_samples, n_features : int
        At least 1. With few features the row counts are cut to what fits.
    random_state : int, None, numpy Generator or SeedSequence
        The same int gives the same arrays (for one version of NumPy); None gives new ones.

    Returns
    -------
    X : scipy.sparse.csr_array of float64, all values 1, int32 indices
    y : array of -1.0 and +1.0, about 3 % positive; both classes occur if ``n_samples >= 2``

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(1000)
    >>> X.shape, int((y > 0).sum())
    ((1000, 300), 30)
    """
    m = _integer("n_samples", n_samples, 1)
    n = _integer("n_features", n_features, 1, _INT32_MAX)
    rng = np.random.default_rng(_seed_sequence(random_state))
    log_weight, group = _w8a_columns(n)
    y = np.full(m, -1.0)
    y[rng.permutation(m)[: max(min(1, m - 1), round(0.0297 * m))]] = 1.0
    quantile = (rng.permutation(m) + 0.5) / m
    count = np.ceil(np.interp(quantile, _W8A_ROWS[:, 1], _W8A_ROWS[:, 0])).astype(np.int64)
    count = np.minimum(count, np.isfinite(log_weight).all(axis=0).sum())
    place = rng.permutation(n)
    indptr = np.concatenate([[0], np.cumsum(count)])
    indices = np.empty(indptr[-1], dtype=np.int32)
    step = max(1, 2_000_000 // n)
    for start in range(0, m, step):
        rows = slice(start, min(start + step, m))
        score = log_weight[(y[rows] > 0).astype(np.int64)]
        score += rng.gumbel(size=(len(score), group.max() + 1))[:, group]
        # Members of a group differ a little, else all of them would be duplicates of one column.
        score += 0.3 * rng.standard_normal(score.shape)
        last = np.maximum(n - count[rows], 0)
        ranked = np.pad(np.sort(score, axis=1), ((0, 0), (0, 1)), constant_values=np.inf)
        chosen = score >= np.take_along_axis(ranked, last[:, None], axis=1)
        indices[indptr[start] : indptr[rows.stop]] = np.nonzero(chosen[:, place])[1]
    return _csr(np.ones(len(indices)), indices, indptr, n), y


def _w8a_columns(n: int) -> tuple[Floats, Ints]:
    """Log weights of the columns for each class (2 x n), and the group each column belongs to."""
    rank = (np.arange(n) + 0.5) / n
    freq = np.exp(np.interp(rank, _W8A_COLUMNS[:, 0], np.log(_W8A_COLUMNS[:, 1])))
    interval = np.searchsorted(_W8A_GROUP_EDGES, rank)
    alone = (interval == 0) | (interval == len(_W8A_GROUP_EDGES))
    group = np.where(alone, np.arange(n) + len(_W8A_GROUP_EDGES), interval)
    _, group = np.unique(group, return_inverse=True)
    # Normal quantiles at a golden-ratio sequence: every seed gives an equally hard problem.
    tilt = 1.8 * special.ndtri((group + 0.5) * 0.6180339887 % 1.0)
    # A steeper tilt against the positive class would empty whole groups of positive rows.
    tilt = np.maximum(tilt, np.where(alone, -2.0, -0.7))
    # Rare keywords are in w8a because they indicate the positive class.
    tilt = np.where(freq < 0.003, np.abs(tilt) + 1.2, tilt)
    weight = np.log(-np.log1p(-freq))
    log_weight = np.stack([weight, weight + tilt])
    negative_only, positive_only = (
        (rank > low) & (rank < high) for low, high in (_W8A_NEGATIVE_ONLY, _W8A_POSITIVE_ONLY)
    )
    log_weight[1, negative_only] = -np.inf
    log_weight[0, positive_only] = -np.inf
    log_weight[1, positive_only] = weight[positive_only] + 4.0
    return log_weight, group.astype(np.int64)


def make_url_like(
    n_samples: int = 20_000, n_features: int | None = None, *, random_state: RandomState = 0
) -> tuple[sparse.csr_array, Floats]:
    """Make a set with the shape of the URL reputation data (Ma et al., 2009).

    Rows belong to hosts. Columns 0-63 are real-valued in (0, 1]; the next 132 are common 0/1
    columns that a host has or lacks in groups; the rest are 0/1 host properties and tokens with
    power-law counts, most of them leaning to one class. A linear model errs on 1-2 % of new rows.

    Parameters
    ----------
    n_samples : int
        At least 1; the full size is 2,396,130.
    n_features : int, optional
        At least 256. None keeps the proportion of the full size (3,231,961 features).
    random_state : int, None, numpy Generator or SeedSequence
        The same int gives the same arrays (for one version of NumPy); None gives new ones.

    Returns
    -------
    X : scipy.sparse.csr_array of float64, sorted, about 115 and at most 414 nonzeros a row
    y : array of -1.0 and +1.0, one third positive; both classes occur if ``n_samples >= 2``

    See Also
    --------
    generate_url : the same rows to a file, for sizes that do not fit in memory.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_url_like(300)
    >>> X.shape, int((y > 0).sum())
    ((300, 405), 100)
    """
    parts, labels = zip(
        *url_like_blocks(n_samples, n_features, random_state=random_state), strict=True
    )
    # Not sparse.vstack: in older versions of SciPy it makes a csr_matrix of csr_arrays.
    data = np.concatenate([X.data for X in parts])
    indices = np.concatenate([X.indices for X in parts])
    count = np.concatenate([[0], *(np.diff(X.indptr) for X in parts)])
    indptr = np.cumsum(count, dtype=np.int64)
    return _csr(data, indices, indptr, parts[0].shape[1]), np.concatenate(labels)


def url_like_blocks(
    n_samples: int,
    n_features: int | None = None,
    *,
    random_state: RandomState = 0,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[tuple[sparse.csr_array, Floats]]:
    """Yield the rows of `make_url_like` in blocks of ``URL_BLOCK_ROWS`` (the last may be shorter).

    A block has its own random stream and needs only tables of the size of ``n_features``, so
    block k can be made without the blocks before it: elsewhere, in parallel, or again. For that,
    give an int or a SeedSequence as ``random_state``.

    Parameters
    ----------
    n_samples, n_features, random_state
        As for `make_url_like`.
    start, stop : int
        The blocks to make: ``start <= k < stop``; None stops at the last one.

    Yields
    ------
    X_block, y_block : as from `make_url_like`

    Examples
    --------
    >>> [X.shape for X, y in url_like_blocks(20_000, 1000, start=1)]
    [(3616, 1000)]
    """
    m = _integer("n_samples", n_samples, 1)
    if n_features is None:
        n_features = _url_like.default_width(m)
    n = _integer("n_features", n_features, _url_like.MIN_FEATURES, _INT32_MAX)
    n_blocks = -(-m // URL_BLOCK_ROWS)
    first = _integer("start", start, 0, n_blocks)
    end = n_blocks if stop is None else _integer("stop", stop, 0, n_blocks)
    tables = _url_like.make_tables(n, _seed_sequence(random_state))

    def blocks() -> Iterator[tuple[sparse.csr_array, Floats]]:
        for k in range(first, end):
            size = min(URL_BLOCK_ROWS, m - k * URL_BLOCK_ROWS)
            block = _url_like.make_block(tables, k, size)
            yield _csr(block.data, block.indices, block.indptr, n), block.y

    return blocks()


def find_data(name: str) -> Path:
    """Find the file of a named public set in the folder that TAUBOOST_DATA names.

    Parameters
    ----------
    name : {"w8a", "a9a", "a9a.t", "imdb_unigram", "url_uci_slice", "sms_spam", "mushrooms"}
        Looked for as ``name`` and ``name.svm``, plain or ending in .xz, .gz or .bz2.

    Examples
    --------
    >>> find_data("w8a")  # doctest: +SKIP
    PosixPath('/data/w8a.xz')
    """
    if name not in _PUBLIC_SETS:
        raise ValueError(f"name must be one of {', '.join(_PUBLIC_SETS)}; got {shown(name)}")
    tried = [name + svm + end for svm in ("", ".svm") for end in ("", ".xz", ".gz", ".bz2")]
    folder = os.environ.get("TAUBOOST_DATA")
    where = f"in {folder!r}" if folder else "nowhere: TAUBOOST_DATA is not set"
    for path in [Path(folder) / file for file in tried] if folder else []:
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"data set {name!r} not found; looked for {', '.join(tried)} {where}. The environment "
        "variable TAUBOOST_DATA must point at the folder that holds the downloaded file."
    )


def _csr(data: Floats, indices: npt.NDArray[np.int32], indptr: Ints, n: int) -> sparse.csr_array:
    # SciPy wants one type for both; int64 only where the number of nonzeros forces it.
    dtype = np.int32 if indptr[-1] <= _INT32_MAX else np.int64
    arrays = (data, indices.astype(dtype, copy=False), indptr.astype(dtype))
    return sparse.csr_array(arrays, shape=(len(indptr) - 1, n))


def _seed_sequence(random_state: RandomState) -> np.random.SeedSequence:
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if random_state is None:
        return np.random.SeedSequence()
    return np.random.SeedSequence(_integer("random_state", random_state, 0))


def _integer(name: str, value: SupportsIndex, low: int, high: int | None = None) -> int:
    accepted = f"an integer >= {low}" + ("" if high is None else f" and <= {high}")
    if name == "random_state":
        accepted += ", None, a numpy Generator or a SeedSequence"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be {accepted}; got {shown(value)} ({type(value).__name__})")
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be {accepted}; got {shown(value)}")
    return number
