"""Texts for ``fit`` and ``predict``: which data hold some, and reading them, all or in parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.progress import progress_bar
from ..io.text_files import begins_with_label, joined, kind_of_texts, text_blocks
from ..io.text_labels import LabelList
from ..io.text_wanted import TextBlock
from ..search.duplicates import text_fingerprints
from .data import is_table, name_of, source_of

__all__ = ["TextSource", "are_texts", "test_prints"]


def are_texts(paths: Sequence[Path], text: str | None, kind: str | None) -> bool:
    """Tell whether data are texts: said so, JSON lines by name, or fastText's by the first line."""
    if text is not None or kind is not None:
        return True
    return any(
        not path.is_dir()
        and not is_table(path)
        and (kind_of_texts(path) is not None or begins_with_label(source_of(path)))
        for path in paths
    )


def test_prints(texts: list[str], seed: int) -> NDArray[np.uint64]:
    """Return the fingerprints by which ``--test`` chooses texts.

    Not of the seed of the fit, which holds out a part of the rest.
    """
    return text_fingerprints(texts, seed + 2**40)


@dataclass(frozen=True)
class TextSource:
    """Files with texts, and the names of what is wanted of them."""

    paths: tuple[Path, ...]
    text: str | None
    label: str | None
    kind: str | None
    if_named: bool = False  # the names are those of a fit: files without names do as well
    errors: str | None = None  # what becomes of lines that are not UTF-8

    @property
    def name(self) -> str:
        """The name for people."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{name_of(self.paths[0])}{more}"

    @property
    def is_pipe(self) -> bool:
        """Whether they can be read only once."""
        return any(not path.is_file() for path in self.paths)

    def blocks(
        self, doing: str, *, with_labels: bool = True, is_eager: bool = False
    ) -> Iterator[TextBlock]:
        """Yield a few megabytes at a time, with a bar where that takes long."""
        total = None if self.is_pipe else sum(path.stat().st_size for path in self.paths)
        title = f"{doing} {self.name}"
        with progress_bar(title, total, "MB", visible=not is_eager, scale=1e6) as show:
            for block in text_blocks(
                map(source_of, self.paths),
                self.text,
                self.label,
                kind=self.kind,
                with_labels=with_labels,
                if_named=self.if_named,
                is_eager=is_eager,
                errors=self.errors or "strict",
            ):
                yield block
                show(block.bytes_read)

    def read(self, classes: NDArray[Any] | None = None) -> tuple[list[str], NDArray[Any]]:
        """Return all texts and labels; the labels of a test are compared with ``classes``."""
        texts, labels = joined(self.blocks("reading"), classes)
        assert labels is not None
        return texts, labels

    def labels(self, classes: NDArray[Any]) -> NDArray[Any]:
        """Return the labels alone, to be compared with ``classes``."""
        found = LabelList()
        for block in self.blocks("reading"):
            found.add(block)
        return found.array(classes)
