"""Rows with the shape of the URL reputation data (Ma et al., 2009), one block at a time.

Rows belong to hosts, and hosts are malicious or benign. A host decides which groups of common
columns its rows have and which rare columns they share; a row adds its own tokens. The figures
were measured on a slice of the real set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Int32s: TypeAlias = npt.NDArray[np.int32]
Bools: TypeAlias = npt.NDArray[np.bool_]

FULL_SHAPE: Final = (2_396_130, 3_231_961)
MIN_FEATURES: Final = 256
OMEGA: Final = 414
N_REAL: Final = 64

# Groups of common columns: share of benign hosts and of malicious hosts that have the group, its
# number of real-valued columns, its number of 0/1 columns.
_GROUPS: Final = np.array([
    (1.0, 1.0, 3, 3), (1.0, 0.987, 2, 14), (0.994, 0.976, 0, 12), (0.989, 0.967, 0, 18),
    (0.964, 0.94, 0, 8), (0.92, 0.93, 0, 4), (0.86, 0.89, 1, 0), (0.79, 0.883, 1, 1),
    (0.765, 0.88, 1, 1), (0.8, 0.71, 1, 1), (0.84, 0.63, 0, 5), (0.77, 0.64, 0, 4),
    (0.69, 0.53, 0, 5), (0.94, 0.03, 0, 2), (0.57, 0.6, 1, 0), (0.4, 0.675, 1, 1),
    (0.476, 0.494, 1, 0), (0.43, 0.44, 0, 1), (0.325, 0.45, 1, 0), (0.39, 0.36, 0, 1),
    (0.31, 0.41, 1, 0), (0.23, 0.38, 1, 0), (0.2, 0.34, 0, 11), (0.195, 0.32, 0, 7),
    (0.41, 0.02, 1, 1), (0.002, 0.5, 0, 1), (0.17, 0.28, 0, 4), (0.03, 0.155, 0, 26),
    (0.025, 0.25, 1, 1), *((rate, rate, 1, 0) for rate in np.geomspace(0.08, 0.0005, 47)),
])  # fmt: skip
# The first groups are nested, as a host without a DNS record lacks all that is read from it.
_N_NESTED: Final = 6
_GROUP_OF: Final = np.concatenate(
    [np.repeat(np.arange(len(_GROUPS)), _GROUPS[:, kind].astype(int)) for kind in (2, 3)]
)
N_COMMON: Final = len(_GROUP_OF)
# Real columns hold a count over a fixed maximum (these), or, where 0, a continuous value.
_LEVELS: Final = np.resize([241, 145, 17, 0, 0, 7, 0, 0, 0, 18, 0, 10, 10, 20, 13], N_REAL)
_POWERS: Final = np.resize([3.0, 6.0, 0.3, 0.2, 1.5], N_REAL)
# Rare columns of a host: properties that all its rows share, and tokens that half of them have.
_N_PROPERTIES: Final = 8
_N_TOKENS: Final = 4


class Block(NamedTuple):
    """A block of rows in CSR form, with their labels."""

    data: Floats
    indices: Int32s
    indptr: Ints
    y: Floats


@dataclass(frozen=True)
class Tables:
    """What all blocks share; of the size of n_features.

    Malicious hosts come first. Rare columns are paired by popularity: the second of a pair leans
    to the malicious side by `lean`. `relabel` scatters the popular columns.
    """

    seed: np.random.SeedSequence
    n_malicious: int
    host_groups: Bools
    host_columns: Int32s
    lean: npt.NDArray[np.float32]
    relabel: Int32s


def default_width(n_samples: int) -> int:
    """Return the number of features that keeps the proportion of the full size."""
    scaled = round(n_samples * FULL_SHAPE[1] / FULL_SHAPE[0])
    return min(max(MIN_FEATURES, scaled), 2**31 - 1)


def make_tables(n_features: int, seed: np.random.SeedSequence) -> Tables:
    """Draw the hosts and the rare columns."""
    rng = _stream(seed, 0)
    n_rare = n_features - N_COMMON
    pair = np.arange((n_rare + 1) // 2)
    # Seen in the slice: rare columns are mostly of one class, popular ones of both.
    one_sided = rng.random(len(pair)) < 0.4 * pair / (pair + 100)
    lean = np.where(one_sided, 1.0, 0.6 * rng.random(len(pair))).astype(np.float32)
    relabel = (rng.permutation(n_rare) + N_COMMON).astype(np.int32)
    n_host_columns = _N_PROPERTIES + _N_TOKENS
    n_hosts = max(24, n_features // n_host_columns)
    n_malicious = n_hosts // 3
    malicious = np.arange(n_hosts) < n_malicious
    level = rng.random((n_hosts, len(_GROUPS)), dtype=np.float32)
    level[:, :_N_NESTED] = level[:, :1]
    share = _GROUPS[:, :2].T.astype(np.float32)
    groups = np.where(malicious[:, None], level < share[1], level < share[0])
    columns = _draw_columns(rng, np.repeat(malicious, n_host_columns), lean, relabel)
    return Tables(seed, n_malicious, groups, columns.reshape(n_hosts, -1), lean, relabel)


def make_block(tables: Tables, k: int, n_rows: int) -> Block:
    """Block k: choose hosts to fit the labels, then put common and rare columns side by side."""
    rng = _stream(tables.seed, 1, k)
    y = np.full(n_rows, -1.0)
    y[rng.permutation(n_rows)[: (n_rows + 1) // 3]] = 1.0
    # Some rows are drawn as if of the other class: the error that no model can avoid.
    malicious = (y > 0) ^ (rng.random(n_rows) < 0.013)
    n_benign = len(tables.host_groups) - tables.n_malicious
    host = _zipf(rng.random(n_rows), 20.0, np.where(malicious, tables.n_malicious, n_benign))
    host += np.where(malicious, 0, tables.n_malicious)
    common = tables.host_groups[host][:, _GROUP_OF]
    n_common = np.count_nonzero(common, axis=1)
    rare_row, rare_col = _rare_columns(rng, tables, host, malicious, OMEGA - n_common)
    n_rare = np.bincount(rare_row, minlength=n_rows)

    indptr = np.concatenate([[0], np.cumsum(n_common + n_rare)])
    indices = np.empty(indptr[-1], dtype=np.int32)
    row, col = np.nonzero(common)
    at = np.arange(len(col)) + (np.cumsum(n_rare) - n_rare)[row]
    indices[at] = col
    indices[np.arange(len(rare_col)) + np.cumsum(n_common)[rare_row]] = rare_col
    data = np.ones(len(indices))
    real = col < N_REAL
    data[at[real]] = _real_values(rng, col[real], malicious[row[real]])
    return Block(data, indices, indptr, y)


def _rare_columns(
    rng: np.random.Generator, tables: Tables, host: Ints, malicious: Bools, room: Ints
) -> tuple[Ints, Ints]:
    """Rows and columns, sorted and distinct, of host properties and tokens; cut to `room`."""
    rows = np.arange(len(host))
    has = np.ones((len(host), _N_PROPERTIES + _N_TOKENS), dtype=np.bool_)
    has[:, _N_PROPERTIES:] = rng.random((len(host), _N_TOKENS)) < 0.5
    own = np.minimum(rng.lognormal(np.log(11.0), 0.7, len(host)), 500.0).astype(np.int64)
    own_row = np.repeat(rows, own)
    own_col = _draw_columns(rng, malicious[own_row], tables.lean, tables.relabel)
    row = np.concatenate([np.nonzero(has)[0], own_row])
    col = np.concatenate([tables.host_columns[host][has], own_col])
    # One sort of row and column in one integer is several times faster than a lexsort.
    key = np.sort((row << 32) | col)
    key = key[np.concatenate([[True], key[1:] != key[:-1]])]
    row, col = key >> 32, key & 0xFFFFFFFF
    fits = np.arange(len(row)) - np.searchsorted(row, rows)[row] < room[row]
    return row[fits], col[fits]


def _real_values(rng: np.random.Generator, col: Ints, malicious: Bools) -> Floats:
    """Values in (0, 1] for entries of the real columns; malicious rows spread a little wider."""
    levels = _LEVELS[col]
    draw = rng.standard_exponential(len(col)) * np.where(malicious, 1.1, 0.9)
    steps = 1.0 + np.floor(np.maximum(0.9, 0.07 * levels) * draw)
    ratio = np.minimum(steps / np.maximum(levels, 1), 1.0)
    # exp(-power * exponential) is uniform ** power: no zero, and as skewed as the power says.
    skewed = np.maximum(np.exp(-draw * _POWERS[col]), 1e-6)
    values: Floats = np.where(levels > 0, ratio, skewed)
    return values


def _draw_columns(
    rng: np.random.Generator, malicious: Bools, lean: npt.NDArray[np.float32], relabel: Int32s
) -> Int32s:
    """Draw one rare column, by popularity, for each entry of `malicious`."""
    pair = _zipf(rng.random(len(malicious)), 10.0, len(lean))
    own_side = rng.random(len(malicious)) < 0.5 + 0.5 * lean[pair]
    columns: Int32s = relabel[np.minimum(2 * pair + (own_side == malicious), len(relabel) - 1)]
    return columns


def _zipf(u: Floats, offset: float, n: int | Ints) -> Ints:
    """Ranks below n with density 1 / (rank + offset), the law of the slice, from uniform u."""
    rank = (offset * np.expm1(u * np.log1p(np.asarray(n) / offset))).astype(np.int64)
    below: Ints = np.minimum(rank, np.asarray(n) - 1)
    return below


def _stream(seed: np.random.SeedSequence, *key: int) -> np.random.Generator:
    child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))
    return np.random.Generator(np.random.Philox(child))
