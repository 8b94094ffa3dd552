"""Lines of text out of a file, in blocks: whole lines, numbered for messages, in UTF-8.

What is not UTF-8 is an error, unless bad bytes are to be replaced, or the lines that have some left
empty: these are no rows of any kind but of plain lines, whose numbers stay those of the file.

Lines end with a line feed, with or without a carriage return before it, and with nothing else: what
Unicode calls a line separator may stand inside a text.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..base.messages import listed, shown
from .source import Source, check_line, place_of
from .tensors import object_array

__all__ = [
    "BAD_LINE",
    "ERRORS",
    "NOT_UTF8",
    "PREFIX",
    "AlikeLabels",
    "LabelList",
    "Lines",
    "TextBlock",
    "Wanted",
    "at_lines",
    "label_array",
    "labels_like",
    "line_blocks",
    "marked_texts",
    "plain_texts",
]


NOT_UTF8: Final = "is not UTF-8: convert the file, as with iconv"
BAD_LINE: Final = f"the text {NOT_UTF8}, or give --errors replace or skip"
ERRORS: Final = ("strict", "replace", "skip")
NEAR: Final = 2**12  # bytes, among which the last line usually begins


@dataclass(frozen=True)
class Lines:
    """Some lines of a file that follow each other."""

    name: str  # of the file
    content: bytes
    first: int  # number of the first of them, from 1
    bytes_read: int  # of the file, so far
    n_lines: int
    bad_line: str = BAD_LINE  # what is said of one that is not UTF-8

    def wrong(self, number: int, what: str) -> ValueError:
        """Return the error that says what is wrong with a line, by its number in the file."""
        return ValueError(f"{self.name}, line {number}: {what}")

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """Yield every line, and its number."""
        for number, line in enumerate(io.BytesIO(self.content), self.first):
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")

    def text(self) -> str:
        """Return them as a string."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            number = self.first + self.content.count(b"\n", 0, error.start)
            raise self.wrong(number, self.bad_line) from None

    def strings(self) -> list[str]:
        """Return each as a string, without its end."""
        text = self.text()
        lines = text.removesuffix("\n").split("\n") if text else []
        return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def line_blocks(
    source: Source, errors: str = "strict", bad_line: str = BAD_LINE
) -> Generator[Lines]:
    """Yield the lines of a file, as many at a time as one read gives.

    ``errors`` is one of ``ERRORS``: what becomes of lines that are not UTF-8.
    """
    first, held, n_held, bytes_read = 1, list[Any](), 0, 0

    def lines(bytes_read: int) -> Lines:
        content = b"".join(held)
        check_line(source.name, first, content.find(b"\n"))  # others are in one part as a whole
        if errors != "strict":
            content = _mended(content, errors)
        n_lines = content.count(b"\n") + (content[-1:] not in (b"\n", b""))
        return Lines(source.name, content, first, bytes_read, n_lines, bad_line)

    for part, bytes_read in source.parts():
        end = _end_of_lines(part)
        held.append(part[:end])
        if end:
            found = lines(bytes_read)
            yield found
            first += found.n_lines
            held, n_held = [], 0
        # A copy: the next part takes the place of this one.
        held.append(part[end:].tobytes())
        n_held += len(part) - end
        check_line(source.name, first, n_held)
    rest = lines(bytes_read)
    if rest.content:
        yield rest


def _mended(content: bytes, errors: str) -> bytes:
    """Return lines that are UTF-8: bad bytes replaced, or bad lines left empty."""
    try:
        content.decode()
    except UnicodeDecodeError:
        if errors == "replace":
            return content.decode(errors="replace").encode()
        lines = content.split(b"\n")
        return b"\n".join(line if _is_utf8(line) else b"" for line in lines)
    return content


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _end_of_lines(part: NDArray[np.uint8]) -> int:
    """Return where the last whole line ends, looking at the end first."""
    end, size = len(part), NEAR
    while end > 0:
        begin = max(end - size, 0)
        found = part[begin:end].tobytes().rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end, size = begin, 2 * size
    return 0


# What is wanted of files with texts, and what they give: blocks of texts and labels.


@dataclass(frozen=True)
class Wanted:
    """The names of the parts that hold texts and labels; None: not said."""

    text: str | None
    label: str | None
    with_labels: bool
    if_named: bool = False  # the names are for files that have some: others are read without

    @property
    def names(self) -> dict[str, str | None]:
        """The names by what they are for."""
        return {"text": self.text} | ({"label": self.label} if self.with_labels else {})

    def check(self, names: Sequence[str], *, noun: str = "column") -> None:
        """Ask for a name that is needed and not given, out of those that are there."""
        for word, name in self.names.items():
            if name is None:
                raise ValueError(
                    f"say by {word}= which {noun} holds the {word}s, one of {listed(names)}"
                )
        if self.with_labels and self.text == self.label:
            raise ValueError(f"text= and label= both name the {noun} {self.text!r}")

    def places(self, names: Sequence[str], *, noun: str = "column") -> list[int]:
        """Return which of the names hold what is wanted."""
        self.check(names, noun=noun)
        return [place_of(str(name), names, noun=noun) for name in self.names.values()]


@dataclass(frozen=True)
class TextBlock:
    """Texts that follow each other in a file, and their labels where they are wanted."""

    texts: list[str]
    labels: list[Any] | None
    bytes_read: int  # so far
    place: Callable[[int], str]  # where one of them is, for messages
    is_typed: bool = True  # whether the file says of a label that it is a number, or a string


def at_lines(name: str, numbers: Sequence[int]) -> Callable[[int], str]:
    """Return what says where one of some texts is, by the lines of the file where they begin."""
    return lambda k: f"{name}, line {numbers[k]}"


# Labels out of files: all strings, all numbers, or all true and false.
#
# Formats with types (JSON, Parquet, Arrow) say what a label is. In CSV all is text, and labels
# are read as they stand: numbers if every one of them is written as one, and strings otherwise. 7
# is a number, and 007, NA and true are names; an empty cell alone is no label. Tables and texts
# share this rule, whatever reads their cells.


LABEL_KINDS: Final = {str: "strings", bool: "true or false", int: "numbers", float: "numbers"}
NUMBER: Final = re.compile(r"\s*-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*", re.ASCII)
TRUTHS: Final = {"true": True, "false": False}
LARGEST: Final = 2**63


class AlikeLabels:
    """Sees to it that the labels of all blocks of all files are of one kind."""

    def __init__(self) -> None:
        self.kind: str | None = None

    def check(self, block: TextBlock) -> None:
        """Take the labels of a block."""
        labels = block.labels
        if not labels:
            return
        self.kind = self.kind or LABEL_KINDS[type(labels[0])]
        if {LABEL_KINDS[kind] for kind in set(map(type, labels))} != {self.kind}:
            k = next(k for k, label in enumerate(labels) if LABEL_KINDS[type(label)] != self.kind)
            raise ValueError(
                f"{block.place(k)}: the label {shown(labels[k])} is unlike those before, which "
                f"are {self.kind}: write all of them alike"
            )
        if self.kind == "numbers":
            for k, label in enumerate(labels):
                if not -LARGEST <= label < LARGEST:  # or it is not a number
                    raise ValueError(f"{block.place(k)}: a label cannot be {shown(label)}")


class LabelList:
    """The labels of some blocks, one after another."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.is_text = False  # whether a file has no types

    def add(self, block: TextBlock) -> None:
        """Take those of a block."""
        self.values += block.labels or []
        self.is_text |= not block.is_typed

    def array(self, classes: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return all of them; with ``classes``, to be compared with these."""
        if classes is not None:
            return labels_like(self.values, classes)
        return label_array(self.values, is_text=self.is_text)


def label_array(labels: Sequence[Any], *, is_text: bool) -> NDArray[Any]:
    """Return labels that are alike as an array; of a text file, as numbers where all are some."""
    if not labels or not isinstance(labels[0], str):
        return np.array(labels)
    if is_text:
        different = set(labels)
        if all(map(NUMBER.fullmatch, different)):
            return _numbers(labels, different)
    return object_array(labels)


def _numbers(labels: Sequence[str], different: set[str]) -> NDArray[Any]:
    read = int if all(text.strip().lstrip("-").isdecimal() for text in different) else float
    values = {text: read(text) for text in different}
    if not all(-LARGEST <= value < LARGEST for value in values.values()):
        return object_array(labels)
    return np.array([values[label] for label in labels])


def labels_like(labels: Sequence[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels to compare with those of a model: text is read as what the model has."""
    if classes.dtype.kind == "b" and all(str(label).lower() in TRUTHS for label in labels):
        return np.array([TRUTHS[str(label).lower()] for label in labels])
    return label_array(labels, is_text=classes.dtype.kind in "biuf")


# Lines without names: plain ones, each a text, and fastText's, each with a label in front.
#
# fastText takes every word that begins with ``__label__`` for a label. Here a line has one, its
# first word.


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
