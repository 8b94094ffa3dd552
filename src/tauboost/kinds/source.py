"""Where data come from, files by name, a store or standard input, and what kind they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from ..base.threads import resolve_threads
from ..io.conversion import LabelledRows, load_rows
from ..io.store import Store, is_store, open_store
from ..io.tables import is_table_file
from ..io.tensors import is_tensor_file
from ..io.texts import begins_with_label, kind_of_texts
from ..sparse.design import is_wide, without_unused_features
from ..validation import CsrArrays, as_csr

__all__ = [
    "Source",
    "hold_texts",
    "is_in_a_store",
    "is_table",
    "name_of",
    "naming",
    "open_data",
    "opened",
    "rows_in",
    "used_columns",
]


@dataclass(frozen=True)
class Source:
    """Files by name, and how to read them: an option that was not given is None."""

    paths: tuple[Path, ...]
    text: str | None = None  # the field with the texts
    label: str | None = None  # the field, or column, with the labels
    format: str | None = None  # of files with texts
    errors: str | None = None  # what becomes of lines that are not UTF-8
    zero_based: bool | None = None
    threads: int | None = None
    if_named: bool = False  # the fields are those of a fit: files without names do as well

    @property
    def name(self) -> str:
        """The name for people."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{name_of(self.paths[0])}{more}"

    @property
    def path(self) -> Path:
        """The one path that there must be, of data that are no texts."""
        if len(self.paths) > 1:
            raise ValueError(
                f"{name_of(self.paths[1])}: several files are read if they hold texts (--text); of "
                "others, tauboost convert makes one store"
            )
        return self.paths[0]

    @property
    def is_pipe(self) -> bool:
        """Whether they can be read only once."""
        return any(not path.is_file() for path in self.paths)

    @property
    def n_threads(self) -> int:
        """How many threads may be used."""
        return resolve_threads(self.threads)

    def at(self, path: str) -> Source:
        """Return another file that is read in the same way."""
        return replace(self, paths=(Path(path),))


def name_of(path: Path) -> str:
    """Return the name for people."""
    return "standard input" if str(path) == "-" else path.name


def is_in_a_store(path: Path) -> bool:
    """Return whether a path is a store, or a folder that should be one."""
    return is_store(path) or path.is_dir()


def is_table(path: Path) -> bool:
    """Return whether data are a table, by their name."""
    return is_table_file(path) and not path.is_dir()


def hold_texts(source: Source) -> bool:
    """Return whether data are texts: by an option, JSON lines by name, fastText's by a line."""
    if source.text is not None or source.format is not None:
        return True
    return any(
        not path.is_dir()
        and not is_table(path)
        and (kind_of_texts(path) is not None or begins_with_label(opened(path)))
        for path in source.paths
    )


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the data in a complaint about X or y, as Python calls them."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = str(error)
        if not text.startswith(("X ", "y ", "the table ", "Unknown label type")):
            raise
        raise type(error)(f"{name_of(path)}: {text}") from None


def opened(path: Path) -> Path | BinaryIO:
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
    return opened(path)


def open_data(
    path: Path, threads: int | None, zero_based: bool | None, n_features: int | None = None
) -> LabelledRows | Store:
    """Read a file, or open a store; with ``n_features``, a file's later features are left out."""
    if is_in_a_store(path):
        return open_store(path)
    return load_rows(
        rows_in(path),
        n_features=n_features,
        zero_based="auto" if zero_based is None else zero_based,
        n_threads=threads,
        progress=True,
    )


def used_columns(data: Any) -> CsrArrays:
    """Return rows without the columns that are empty, where these are nearly all.

    For problems whose lam nobody is shown: it would have an entry for every column.
    """
    arrays = as_csr(data)
    if not is_wide(arrays.shape[1], arrays.nnz):
        return arrays
    return without_unused_features(arrays)[0]
