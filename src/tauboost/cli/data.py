"""Where the data of ``fit`` and ``predict`` come from: a file, standard input or a store."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..base.progress import progress_bar
from ..design.wide import is_wide, without_unused_features
from ..io import Store, is_store, open_store
from ..io.rows import LabelledRows, load_rows, row_blocks
from ..io.table_files import is_table_file
from ..io.tensors import is_tensor_file
from ..io.text_files import kind_of_texts
from ..validation import CsrArrays, as_csr

__all__ = [
    "Data",
    "blocks",
    "is_table",
    "name_of",
    "naming",
    "only",
    "open_data",
    "rows_in",
    "source_of",
    "used_columns",
]

Data: TypeAlias = LabelledRows | Store


def only(paths: list[Path]) -> Path:
    """Return the one path that there must be, of data that are no texts."""
    if len(paths) > 1:
        raise ValueError(
            f"{name_of(paths[1])}: several files are read if they hold texts (--text); of others, "
            "tauboost convert makes one store"
        )
    return paths[0]


def name_of(path: Path) -> str:
    """Return the name for people."""
    return "standard input" if str(path) == "-" else path.name


def is_table(path: Path) -> bool:
    """Tell a table, by its name, from rows of indices and values."""
    return is_table_file(path) and not path.is_dir()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say in a complaint about X or y, as Python calls them, which data they are from."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = str(error)
        if not text.startswith(("X ", "y ", "the table ", "Unknown label type")):
            raise
        raise type(error)(f"{name_of(path)}: {text}") from None


def source_of(path: Path) -> Path | BinaryIO:
    """Return what is read for a name: - is standard input."""
    if str(path) != "-":
        if is_tensor_file(path):
            raise ValueError(f"{path} is a model, and data are needed here")
        if path.is_dir():
            raise ValueError(f"{path} is a folder: name the files in it")
        return path
    if sys.stdin is None:
        raise ValueError("standard input is closed: name a file in place of -")
    return sys.stdin.buffer


def rows_in(path: Path) -> Path | BinaryIO:
    """Return it for rows of indices and values."""
    if kind_of_texts(path) is not None:  # which tables may hold as well
        what = "a table" if is_table(path) else "JSON lines"
        raise ValueError(
            f"{name_of(path)} is {what}, and rows of indices and values are needed here: svmlight "
            "text or a store"
        )
    return source_of(path)


def open_data(
    path: Path, threads: int | None, zero_based: bool | None, n_features: int | None = None
) -> Data:
    """Read a file, or open a store; with ``n_features``, a file's later features are left out."""
    if is_store(path) or path.is_dir():
        return open_store(path)
    return load_rows(
        rows_in(path),
        n_features=n_features,
        zero_based="auto" if zero_based is None else zero_based,
        n_threads=threads,
        progress=True,
    )


def used_columns(data: Data | CsrArrays) -> CsrArrays:
    """Return rows without the columns that are empty, where these are nearly all.

    For problems whose lam nobody is shown: it would have an entry for every column.
    """
    arrays = as_csr(data)
    if not is_wide(arrays.shape[1], arrays.nnz):
        return arrays
    return without_unused_features(arrays)[0]


def blocks(path: Path, threads: int | None, zero_based: bool, n_features: int) -> Iterator[Data]:
    """Yield the data in parts that fit the memory; a store, which is not read into it, in one."""
    if is_store(path) or path.is_dir():
        yield open_store(path)
        return
    source: Any = rows_in(path)
    size = path.stat().st_size if isinstance(source, Path) and path.is_file() else None
    title = f"predicting {name_of(path)}"
    with progress_bar(title, size, "MB", visible=True, scale=1e6) as show:
        for rows, n_read in row_blocks(
            source, n_features=n_features, zero_based=zero_based, n_threads=threads
        ):
            yield rows
            show(n_read)
