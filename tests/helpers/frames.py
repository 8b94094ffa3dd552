"""One small table with every kind of column, as every kind of data frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

COLUMNS = {
    "age": [25, 31, None, 47, 25, 60],
    "pay": [1.5, 2.25, -0.0, 0.0, None, 1e300],
    "town": ["Bonn", None, "Ulm", "Bonn", "Köln", ""],
    "member": [True, False, None, True, True, False],
    "empty": [None] * 6,
    "same": [7] * 6,
}
NAMES = list(COLUMNS)


def as_pandas(columns=COLUMNS, strings="string"):
    kinds = {"age": "Int64", "pay": "float64", "town": strings, "member": "boolean"}
    return pd.DataFrame(columns).astype({k: v for k, v in kinds.items() if k in columns})


def as_rows(columns=COLUMNS):
    return [list(row) for row in zip(*columns.values(), strict=True)]


def arrow():
    return pytest.importorskip("pyarrow")


def as_pandas_of_arrow():
    kinds = {name: pd.ArrowDtype(arrow().array(values).type) for name, values in COLUMNS.items()}
    return pd.DataFrame({n: pd.array(v, dtype=kinds[n]) for n, v in COLUMNS.items()})


FRAMES = {
    "pandas": as_pandas,
    "pandas, strings as objects": lambda: as_pandas(strings="object"),
    "pandas, all objects": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "pandas, categories": lambda: as_pandas(strings="category"),
    "pandas, of arrow": as_pandas_of_arrow,
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars, categories": lambda: pl.DataFrame(COLUMNS).cast({"town": pl.Categorical}),
    "pyarrow": lambda: arrow().table(COLUMNS),
    "pyarrow, in chunks": lambda: arrow().concat_tables(
        [arrow().table(COLUMNS).slice(0, 2), arrow().table(COLUMNS).slice(2)]
    ),
    "pyarrow, encoded": lambda: arrow().table(
        COLUMNS | {"town": arrow().array(COLUMNS["town"]).dictionary_encode()}
    ),
    "pyarrow, a batch": lambda: arrow().RecordBatch.from_pydict(COLUMNS),
    "lists by name": lambda: COLUMNS,
    "arrays by name": lambda: {n: np.array(cells, dtype=object) for n, cells in COLUMNS.items()},
    "objects": lambda: np.array(as_rows(), dtype=object),
    "rows": as_rows,
}
