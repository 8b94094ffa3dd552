from enum import Enum
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Floats: TypeAlias = NDArray[np.float64]

class Matrix:
    @property
    def m(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def nnz(self) -> int: ...
    @property
    def omega(self) -> int: ...
    @property
    def n_valued(self) -> int: ...
    @property
    def n_shards(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def column_counts(self, counts: NDArray[np.int64]) -> None: ...
    def entries(self, rows: NDArray[np.int32], values: _Floats) -> None: ...
    def positive(self, positive: NDArray[np.uint8]) -> None: ...
    @property
    def is_sound(self) -> bool: ...
    @property
    def scale(self) -> _Floats: ...
    def valued(self, valued: NDArray[np.uint8]) -> None: ...
    def rescale(self, factors: _Floats) -> None: ...
    def divide(self, sizes: _Floats, n_threads: int) -> None: ...
    @property
    def row_order(self) -> NDArray[np.int64]: ...

def outline(
    m: int,
    nnz: int,
    omega: int,
    intercept: bool,
    scale: _Floats,
    valued: NDArray[np.uint8],
) -> Matrix: ...
def build_matrix(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: _Floats | None,
    more_indptr: NDArray[Any] | None,
    more_indices: NDArray[Any] | None,
    more_data: _Floats | None,
    positive: NDArray[np.uint8],
    place: NDArray[np.int32],
    centered: NDArray[np.int64],
    centers: _Floats,
    intercept: bool,
    cuts: NDArray[np.int64],
    n_threads: int,
) -> Matrix: ...
def gather_columns(
    matrix: Matrix,
    w: _Floats,
    columns: NDArray[np.int32],
    neg: _Floats,
    pos: _Floats,
    n_threads: int,
    square: _Floats | None = None,
) -> None: ...
def move_rows(
    matrix: Matrix,
    w: _Floats,
    E: _Floats | None,
    c: _Floats | None,
    columns: NDArray[np.int32],
    steps: _Floats,
    fraction: float,
    n_threads: int,
) -> float: ...
def add_all(matrix: Matrix, d: _Floats, r: _Floats, n_threads: int) -> None: ...
def pure_gather(matrix: Matrix, w: _Floats, n_threads: int) -> float: ...
def gram(
    matrix: Matrix, w: _Floats, columns: NDArray[np.int32], H: _Floats, n_threads: int
) -> None: ...
def quadratic_descent(
    H: _Floats,
    slope: _Floats,
    x: _Floats,
    l1: _Floats,
    lower: _Floats,
    upper: _Floats,
    most_passes: int,
    d: _Floats,
) -> None: ...

class SweepOutcome:
    @property
    def bundles(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def drift(self) -> float: ...
    @property
    def undone(self) -> int: ...
    @property
    def total(self) -> float: ...
    @property
    def decrease(self) -> float: ...
    @property
    def predicted(self) -> float: ...
    @property
    def longest(self) -> float: ...
    @property
    def edge(self) -> float: ...

class _Rounds(Protocol):
    def round(
        self,
        undo: float,
        steps: _Floats | None,
        fraction: float,
        ask: NDArray[np.int32] | None,
    ) -> tuple[list[float], _Floats | None, _Floats | None, _Floats | None]: ...
    def total(self) -> float: ...

def remote_sweep(
    matrix: Matrix,
    lam: _Floats,
    total: float,
    psi: Psi,
    columns: NDArray[np.int32],
    tau: int,
    gain: _Floats,
    is_logistic: bool,
    rounds: _Rounds,
) -> SweepOutcome: ...
def remote_pcdm(
    matrix: Matrix,
    lam: _Floats,
    total: float,
    psi: Psi,
    beta: float,
    sampling: NiceSampling,
    first: int,
    n_iterations: int,
    max_drift: float,
    rounds: _Rounds,
) -> SweepOutcome: ...
def exact_sweep(
    matrix: Matrix,
    w: _Floats,
    E: _Floats | None,
    c: _Floats | None,
    lam: _Floats,
    total: float,
    psi: Psi,
    columns: NDArray[np.int32],
    tau: int,
    gain: _Floats,
    n_threads: int,
) -> SweepOutcome: ...

class NiceSampling:
    def __init__(self, n: int, tau: int, seed: int) -> None: ...
    @property
    def tau(self) -> int: ...
    def draw(self, t: int, subset: NDArray[np.int64]) -> None: ...

def independent_draw(seed: int, draw: int, n: int) -> int: ...

class Psi:
    def __init__(
        self,
        l1: float,
        l2: float,
        lower: _Floats | None,
        upper: _Floats | None,
        n_penalised: int,
        l1_factors: _Floats | None = None,
        l2_factors: _Floats | None = None,
    ) -> None: ...

Outcome: TypeAlias = SweepOutcome

def exact_async(
    matrix: Matrix,
    w: _Floats,
    E: _Floats | None,
    c: _Floats | None,
    lam: _Floats,
    total: float,
    psi: Psi,
    columns: NDArray[np.int32],
    max_drift: float,
    n_threads: int,
) -> Outcome: ...
def pcdm(
    matrix: Matrix,
    w: _Floats,
    lam: _Floats,
    total: float,
    beta: float,
    psi: Psi,
    sampling: NiceSampling,
    first: int,
    n_iterations: int,
    max_drift: float,
    n_threads: int,
) -> SweepOutcome: ...
def pcdm_async(
    matrix: Matrix,
    w: _Floats,
    lam: _Floats,
    total: float,
    beta: float,
    psi: Psi,
    seed: int,
    first: int,
    n_draws: int,
    max_drift: float,
    n_threads: int,
) -> Outcome: ...

class Table:
    def __init__(self, codes: NDArray[np.uint8], n_columns: int, n_rows: int) -> None: ...
    def add_shard(self, first_row: int, n_rows: int, label: int) -> None: ...
    def add_column_term(self, column: int, n_bins: int, n_ordered: int) -> None: ...
    def add_wide_term(self, low: int, high: int, n_bins: int) -> None: ...
    def add_pair_term(
        self,
        first: int,
        first_map: list[int],
        ordered_first: int,
        second: int,
        second_map: list[int],
        ordered_second: int,
    ) -> None: ...
    def shard_rows(self) -> list[int]: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_levels(self) -> int: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def n_terms(self) -> int: ...
    @property
    def n_shards(self) -> int: ...

class Booster:
    def __init__(self, table: Table, w: _Floats) -> None: ...
    def signed_sums(self, neg: _Floats, pos: _Floats) -> None: ...
    def move(self, level: int, d: float, n_threads: int) -> None: ...

class LaneOutcome:
    @property
    def bundles(self) -> int: ...
    @property
    def undone(self) -> list[int]: ...
    @property
    def total(self) -> list[float]: ...
    @property
    def decrease(self) -> list[float]: ...
    @property
    def predicted(self) -> list[float]: ...
    @property
    def longest(self) -> list[float]: ...
    @property
    def edge(self) -> list[float]: ...

def vector_width() -> int: ...
def set_vector_width(width: int) -> None: ...
def table_sweep(
    table: Table,
    E: _Floats,
    c: _Floats | None,
    is_positive: NDArray[np.uint8],
    shards: NDArray[np.int32],
    levels: _Floats,
    intercepts: _Floats,
    total: _Floats,
    l1: _Floats,
    l2: _Floats,
    signs: NDArray[np.int8],
    terms: NDArray[np.int32],
    n_newton: int,
    n_threads: int,
) -> LaneOutcome: ...
def table_lane_sweep(
    table: Table,
    E: NDArray[np.float32],
    c: _Floats | None,
    is_positive: NDArray[np.uint8],
    shards: NDArray[np.int32],
    levels: _Floats,
    intercepts: _Floats,
    total: _Floats,
    l1: _Floats,
    l2: _Floats,
    signs: NDArray[np.int8],
    terms: NDArray[np.int32],
    n_newton: int,
    n_threads: int,
) -> LaneOutcome: ...
def table_psi(table: Table, levels: _Floats, l1: _Floats, l2: _Floats) -> float: ...
def table_values(
    table: Table,
    levels: _Floats,
    intercepts: _Floats,
    shards: NDArray[np.int32],
    values: _Floats,
    n_threads: int,
) -> None: ...
def table_histograms(
    table: Table,
    w: _Floats,
    sums: _Floats,
    n_threads: int,
    terms: NDArray[np.int32] | None = None,
) -> None: ...
def span_sums(
    now: _Floats,
    along: _Floats,
    c: _Floats | None,
    steps: _Floats,
    sums: _Floats,
    n_threads: int,
) -> None: ...
def span_go(now: _Floats, along: _Floats, steps: _Floats, r: _Floats, n_threads: int) -> None: ...
def equal_rows(
    codes: NDArray[np.uint8],
    n_columns: int,
    labels: NDArray[np.int32],
    prints: NDArray[np.uint64],
    first: NDArray[np.int64],
    n_threads: int,
) -> int: ...
def chain_minimum(
    h: _Floats, target: _Floats, a: float, b: float, sign: int, x: _Floats
) -> None: ...
def pair_sums(
    table: Table,
    columns: NDArray[np.int32],
    maps: NDArray[np.uint8],
    side: int,
    g: _Floats,
    h: _Floats,
    sums: _Floats,
    n_threads: int,
) -> None: ...
def table_pass(
    table: Table,
    E: _Floats,
    c: _Floats | None,
    is_positive: NDArray[np.uint8],
    shards: NDArray[np.int32],
    last: int,
    growth: _Floats,
    following: int,
    sums: _Floats,
    n_threads: int,
) -> None: ...
def table_lane_pass(
    table: Table,
    E: NDArray[np.float32],
    c: _Floats | None,
    is_positive: NDArray[np.uint8],
    shards: NDArray[np.int32],
    last: int,
    growth: _Floats,
    following: int,
    sums: _Floats,
    n_threads: int,
) -> None: ...
def remote_table_sweep(
    table: Table,
    rounds: Any,
    is_logistic: bool,
    levels: _Floats,
    intercepts: _Floats,
    total: _Floats,
    l1: _Floats,
    l2: _Floats,
    signs: NDArray[np.int8],
    terms: NDArray[np.int32],
    n_newton: int,
) -> LaneOutcome: ...
def remote_table_lane_sweep(
    table: Table,
    rounds: Any,
    is_logistic: bool,
    levels: _Floats,
    intercepts: _Floats,
    total: _Floats,
    l1: _Floats,
    l2: _Floats,
    signs: NDArray[np.int8],
    terms: NDArray[np.int32],
    n_newton: int,
) -> LaneOutcome: ...

class LaneSweep:
    def __init__(
        self,
        matrix: Matrix,
        rows: _Floats,
        lam: _Floats,
        total: _Floats,
        l1: _Floats,
        l2: _Floats,
        n_penalised: int,
        l1_factors: _Floats | None,
        l2_factors: _Floats | None,
        columns: NDArray[np.int32],
        tau: int,
        is_logistic: bool,
        is_signed: bool,
        n_threads: int,
    ) -> None: ...

class Subspace:
    def __init__(
        self,
        matrix: Matrix,
        c: _Floats,
        labels: _Floats | None,
        l2: _Floats,
        factors: _Floats | None,
        columns: NDArray[np.int32],
        n_penalised: int,
        row_point: _Floats,
        row_step: _Floats,
        row_older: _Floats,
        point: _Floats,
        step: _Floats,
        older: _Floats,
    ) -> None: ...
    def run(self, rows: _Floats, lam: _Floats) -> list[float]: ...

class SweptLanes(LaneOutcome):
    @property
    def least_odds(self) -> float: ...
    @property
    def most_odds(self) -> float: ...

def sweep_lanes(sweeps: list[LaneSweep], n_threads: int) -> list[SweptLanes]: ...
def logistic(r: _Floats, losses: _Floats | None, shares: _Floats | None) -> None: ...
def logarithms(x: _Floats, out: _Floats) -> None: ...

class CsrFacts:
    @property
    def least_index(self) -> int: ...
    @property
    def most_index(self) -> int: ...
    @property
    def least(self) -> float: ...
    @property
    def most(self) -> float: ...
    @property
    def is_finite(self) -> bool: ...
    @property
    def all_one(self) -> bool: ...
    @property
    def is_ascending(self) -> bool: ...
    @property
    def has_duplicates(self) -> bool: ...

def inspect_csr(
    indptr: NDArray[Any], indices: NDArray[Any], data: _Floats | None, n_threads: int
) -> CsrFacts: ...
def inspect_values(values: _Floats) -> CsrFacts: ...
def first_shared_row(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    more_indptr: NDArray[Any],
    more_indices: NDArray[Any],
) -> int: ...
def csr_product(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: _Floats | None,
    coef: _Floats,
    intercept: _Floats,
    out: _Floats,
    n_threads: int,
) -> None: ...
def row_fingerprints(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: _Floats | None,
    seed: int,
    out: NDArray[np.uint64],
    n_threads: int,
    zero: _Floats | None = None,
    size: _Floats | None = None,
) -> None: ...
def column_moments(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: _Floats | None,
    weights: _Floats,
    slot: NDArray[np.int32],
    zero: _Floats,
    size: _Floats,
    out: _Floats,
    n_threads: int,
) -> None: ...
def column_ranges(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: _Floats | None,
    least: _Floats,
    most: _Floats,
    counts: NDArray[np.int64],
    n_threads: int,
) -> None: ...
def numeric_edges(
    values: _Floats, weights: NDArray[np.int64] | None, max_bins: int
) -> list[float]: ...
def numeric_codes(values: _Floats, edges: _Floats, codes: NDArray[np.uint8]) -> None: ...

class SvmlightReader:
    def __init__(self, base: int, least: int, longest_line: int = ...) -> None: ...
    def feed(self, text: NDArray[np.uint8], n_threads: int) -> None: ...
    def finish(self) -> None: ...
    def take(
        self,
    ) -> tuple[
        _Floats,
        NDArray[np.int64],
        NDArray[np.int32] | NDArray[np.int64],
        _Floats | None,
        int | None,
        int | None,
    ]: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def complaint(self) -> tuple[str, int, int, bytes, int] | None: ...

def read_at(file: int, position: int, room: NDArray[np.uint8], n_threads: int) -> int: ...
def fill_with_ones(values: _Floats, n_threads: int) -> None: ...

_TextRows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any] | None]

class HeldTexts:
    def __init__(self, strings: Any) -> None: ...
    def lower(self) -> None: ...
    def __len__(self) -> int: ...
    @property
    def widest(self) -> int: ...

class Characters:
    def __init__(self, kinds: NDArray[np.uint8], lower: NDArray[np.uint32]) -> None: ...
    def __len__(self) -> int: ...

class Splitting:
    def __init__(self, lowercase: bool, shortest: int, least: int, most: int) -> None: ...

class Kind(Enum):
    ones = 0
    counts = 1
    values = 2

class Values:
    def __init__(self, kind: Kind, sublinear: bool, idf: _Floats | None, norm: int) -> None: ...

class FoundRows:
    def __len__(self) -> int: ...
    @property
    def n_texts(self) -> NDArray[np.int64]: ...
    @property
    def totals(self) -> NDArray[np.int64]: ...
    def rows(
        self, numbers: NDArray[np.int32] | None, values: Values, n_threads: int
    ) -> _TextRows: ...

class FoundWords(FoundRows):
    def names(
        self, numbers: NDArray[np.int32] | None, n_threads: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...

class FoundColumns:
    def __len__(self) -> int: ...
    @property
    def n_texts(self) -> NDArray[np.int64]: ...
    @property
    def totals(self) -> NDArray[np.int64]: ...
    def rows(
        self, numbers: NDArray[np.int32] | None, values: Values, n_threads: int
    ) -> _TextRows: ...
    def names(
        self, numbers: NDArray[np.int32] | None, n_threads: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...

class TextCorpus:
    def __init__(self, splitting: Splitting, left_out: list[str], has_runs: bool) -> None: ...
    def read(self, texts: HeldTexts, characters: Characters, n_threads: int) -> None: ...
    @property
    def n_texts(self) -> int: ...
    def rows(self, binary: bool, n_threads: int) -> FoundWords: ...
    def columns(
        self,
        least: int,
        most: int,
        min_texts: int,
        max_texts: int,
        binary: bool,
        n_threads: int,
    ) -> FoundColumns: ...

class TextIndex:
    def __init__(
        self,
        text: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        left_out: list[str],
        has_runs: bool,
    ) -> None: ...
    def rows(
        self,
        texts: HeldTexts,
        characters: Characters,
        splitting: Splitting,
        least: int,
        most: int,
        binary: bool,
        n_threads: int,
    ) -> FoundRows: ...

def merged_terms(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    other_text: NDArray[np.uint8],
    other_offsets: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...

class Hashing:
    def __init__(
        self, n_features: int, alternate_sign: bool, binary: bool, least: int, most: int
    ) -> None: ...

def hashed_rows(
    texts: HeldTexts,
    characters: Characters,
    splitting: Splitting,
    left_out: list[str],
    hashing: Hashing,
    n_threads: int,
) -> FoundRows: ...
