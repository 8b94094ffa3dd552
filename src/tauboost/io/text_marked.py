"""Lines without names: plain ones, each a text, and fastText's, each with a label in front.

fastText takes every word that begins with ``__label__`` for a label. Here a line has one, its first
word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .text_lines import Lines
from .text_wanted import TextBlock, Wanted, at_lines

__all__ = ["PREFIX", "marked_texts", "plain_texts"]

PREFIX: Final = "__label__"
# As in fastText, words end at white space of ASCII only.
ANY_LABEL: Final = re.compile(rf"(?<!\S){PREFIX}", re.ASCII)
LABEL_FIRST: Final = re.compile(rf"\s*{PREFIX}(\S+)(?:\s(.*))?", re.ASCII | re.DOTALL)


def plain_texts(blocks: Iterator[Lines], wanted: Wanted) -> Iterator[TextBlock]:
    """Yield lines, each a text, the empty ones too."""
    for lines in blocks:
        if wanted.with_labels:
            raise ValueError(
                f"{lines.name}: plain lines have no labels: give JSON lines, CSV, TSV, or lines "
                f"that begin with {PREFIX}"
            )
        texts = lines.strings()
        place = at_lines(lines.name, range(lines.first, lines.first + len(texts)))
        yield TextBlock(texts, None, lines.bytes_read, place)


def marked_texts(blocks: Iterator[Lines], wanted: Wanted) -> Iterator[TextBlock]:
    """Yield fastText's lines, but for blank ones; labels that are not wanted may be missing."""
    for lines in blocks:
        for word, name in {"text": wanted.text, "label": wanted.label}.items():
            if name is not None and not wanted.if_named:
                raise ValueError(
                    f"{lines.name}: lines that begin with {PREFIX} have no names: leave {word}= out"
                )
        texts, labels, numbers = list[str](), list[str](), list[int]()
        for number, line in enumerate(lines.strings(), lines.first):
            if line.strip():
                label, text = _cut(lines, number, line, wanted)
                texts.append(text)
                labels.append(label)
                numbers.append(number)
        found = labels if wanted.with_labels else None
        yield TextBlock(texts, found, lines.bytes_read, at_lines(lines.name, numbers))


def _cut(lines: Lines, number: int, line: str, wanted: Wanted) -> tuple[str, str]:
    """Cut a line into its label and its text."""
    if line.count(PREFIX) > 1 and (n_labels := len(ANY_LABEL.findall(line))) > 1:
        raise lines.wrong(number, f"{n_labels} labels: only one label a line is understood")
    found = LABEL_FIRST.fullmatch(line)
    if found is not None:
        return found[1], found[2] or ""
    if wanted.with_labels or ANY_LABEL.search(line):
        raise lines.wrong(number, f"the line must begin with {PREFIX} and the name of a label")
    return "", line
