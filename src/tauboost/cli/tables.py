"""Tables for ``fit`` and ``predict``: from a file to a frame and its labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import listed, unknown
from ..design.binning import bin_table, encode
from ..design.planes import Planes
from ..io.table_files import read_table
from ..io.text_labels import labels_like
from ..search.duplicates import code_fingerprints
from ..tuning.table_model import TableModel
from ..validation import encode_labels
from ..validation.frames import Frame
from .data import name_of
from .held_out import held_out

__all__ = [
    "TableData",
    "open_as_model",
    "open_for_model",
    "open_table",
    "open_training_table",
    "split_table",
]


@dataclass(frozen=True, eq=False)
class TableData:
    """A table, and its labels where it has them."""

    frame: Frame
    y: NDArray[Any] | None

    def select(self, is_chosen: NDArray[np.bool_]) -> "TableData":
        """Return the chosen rows."""
        y = None if self.y is None else self.y[is_chosen]
        return TableData(self.frame.select(np.flatnonzero(is_chosen)), y)


def open_training_table(
    path: Path, label: str | None, drop: Sequence[str] = (), as_text: Sequence[str] = ()
) -> TableData:
    """Read a table whose labels are needed, without the columns to drop."""
    if label is None:
        names = read_table(path)[0].names
        raise ValueError(
            f"{name_of(path)} is a table: say by --label which column holds the labels, one of "
            f"{listed(names)}"
        )
    table, y = read_table(path, label, as_text=as_text)
    names = table.names
    for name in drop:
        if name not in names:
            raise ValueError(f"--drop: {unknown('column', name, names)}")
    if set(drop) >= set(names):
        raise ValueError("--drop leaves no column")
    return TableData(table.only([name for name in names if name not in drop]), y)


def open_table(
    path: Path,
    label: str | None = None,
    as_text: Sequence[str] = (),
    only: Sequence[str] | None = None,
) -> TableData:
    """Read a table; with a label, that column is apart; ``only`` some columns, if it has them."""
    table, y = read_table(path, label, as_text=as_text)
    if only is not None and set(only) <= set(table.names):
        table = table.only(only)
    return TableData(table, y)


def open_for_model(
    path: Path, model: TableModel, label: str | None, n_threads: int
) -> tuple[Planes, NDArray[Any] | None]:
    """Read a table as a model sees it."""
    data = open_as_model(path, model, label)
    return encode(model.columns, data.frame, n_threads), data.y


def open_as_model(
    path: Path, model: TableModel, label: str | None, *, is_bare: bool = False
) -> TableData:
    """Read a table; what the model takes for names is not read as numbers.

    A bare one has no columns but those of the model.
    """
    as_text = [column.name for column in model.columns if not column.is_ordered]
    if label is not None and model.classes.dtype.kind not in "biuf":
        as_text.append(label)
    names = [column.name for column in model.columns] if is_bare else None
    data = open_table(path, label, as_text, names)
    return data if data.y is None else replace(data, y=labels_like(data.y.tolist(), model.classes))


def split_table(
    data: TableData, fraction: float, seed: int, n_threads: int
) -> tuple[TableData, TableData]:
    """Cut into a part for training and one for testing, which has this fraction of each class.

    Rows are dealt as in a fit (search/folds.py): their order does not matter.
    """
    assert data.y is not None
    encode_labels(data.y)  # what is no label is said before the bins are made
    _, codes = bin_table(data.frame, n_threads=n_threads)
    held = held_out(code_fingerprints(codes, seed), data.y, fraction)
    return data.select(~held), data.select(held)
