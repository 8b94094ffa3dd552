"""CSV and TSV with a column of texts and perhaps one of labels, by Python's own reader.

Cells may be quoted, and then hold delimiters, doubled quotes and line breaks. The first line holds
the names of the columns. All cells of a line must be there, so that one broken quote does not shift
everything behind it.

Most programs that write TSV quote nothing, and a quote that opens a cell there is never closed, or
far below. A line of TSV is read as it stands if its quotes do not pair up within it, though it has
all cells, and so has the line behind it: only where that is not so can a cell go on below. Where
the names of the columns are quoted, so are the cells, and quotes always mean what they do in CSV.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ..base.messages import shown, unknown
from .arrow import complaining, open_arrow
from .source import LONGEST_LINE
from .text_lines import BAD_LINE, Lines, TextBlock, Wanted, at_lines

__all__ = [
    "DELIMITERS",
    "CsvRows",
    "arrow_texts",
    "begins_with_field",
    "csv_texts",
    "has_other_delimiter",
    "json_texts",
]


DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
SIGNS: Final = ";,\t|"  # that may stand between cells


def csv_texts(blocks: Iterator[Lines], kind: str, wanted: Wanted) -> Iterator[TextBlock]:
    """Yield the rows, as many at a time as there are in a block of lines."""
    rows = CsvRows(blocks, DELIMITERS[kind])
    header = next(rows, None)
    if header is None:
        return
    try:
        places = wanted.places(header)
    except ValueError as error:
        hint = " (is another sign between the cells?)" if has_other_delimiter(header) else ""
        raise ValueError(f"{rows.name}: {error}{hint}") from None
    found: list[list[str]] = []
    lines: list[int] = []
    for cells in rows.below(header):
        found.append([cells[k] for k in places])
        lines.append(rows.began)
        if wanted.with_labels and not found[-1][1]:
            raise rows.wrong(f"column {wanted.label!r} is empty: leave the line out")
        if rows.is_block_over:
            yield _block(found, lines, rows, wanted)
            found, lines = [], []
    if found:
        yield _block(found, lines, rows, wanted)


def has_other_delimiter(header: list[str]) -> bool:
    """Return True if the names of the columns are one cell that should be several."""
    return len(header) == 1 and any(sign in header[0] for sign in SIGNS)


def _block(found: list[list[str]], lines: list[int], rows: CsvRows, wanted: Wanted) -> TextBlock:
    labels = [cells[1] for cells in found] if wanted.with_labels else None
    place = at_lines(rows.name, lines)
    return TextBlock([cells[0] for cells in found], labels, rows.bytes_read, place, is_typed=False)


class CsvRows:
    """The rows of a file, with the line where the last one began."""

    def __init__(self, blocks: Iterator[Lines], delimiter: str) -> None:
        # For all of the process, and only ever raised: some texts are books.
        csv.field_size_limit(max(csv.field_size_limit(), sys.maxsize))
        self.blocks = blocks
        self.name, self.bytes_read = "", 0
        self.n_lines = 0  # in the blocks so far
        self.began = 1
        self.n_letters = 0  # of the last row, so far
        self.delimiter, self.line_num = delimiter, 0
        self.lines, self.held = self._lines(), deque[str]()
        self.width: int | None = None  # of unquoted TSV: cells of a line
        self.reader = csv.reader(self._taken(), delimiter=delimiter, strict=True)

    def _lines(self) -> Iterator[str]:
        for block in self.blocks:
            self.name, self.bytes_read = block.name, block.bytes_read
            self.n_lines += block.n_lines
            try:
                yield from map(bytes.decode, io.BytesIO(block.content))
            except UnicodeDecodeError:
                block.text()  # says in which line
                raise

    @property
    def is_block_over(self) -> bool:
        """Whether the next row needs another block."""
        return self.line_num >= self.n_lines

    def wrong(self, what: str) -> ValueError:
        """Return the error that says what is wrong with the last row."""
        return ValueError(f"{self.name}, line {self.began}: {what}")

    def below(self, header: list[str]) -> Iterator[list[str]]:
        """Yield the rows that follow; each must be as wide as the header."""
        for cells in self:
            if len(cells) != len(header):
                raise self.wrong(
                    f"the line has {len(cells)} cells, and the first one {len(header)}"
                )
            yield cells

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        cells: list[str] = []
        while not cells:  # blank lines are no rows
            self.began, self.n_letters = self.line_num + 1, 0
            is_plain = self.delimiter == "\t" and self.line_num == 0 and self._has_no_quote()
            cells = self._as_it_stands() or self._quoted()
            self.width = len(cells) if is_plain else self.width
        return cells

    def _has_no_quote(self) -> bool:
        line = self._peeked()
        return line is not None and '"' not in line

    def _taken(self) -> Iterator[str]:
        """Yield the next lines, and count them."""
        while self._peeked() is not None:
            if self.n_letters > LONGEST_LINE:
                raise self.wrong(
                    f"no row may be longer than {LONGEST_LINE:,} bytes, and this one is: is a "
                    "quote opened here and never closed?"
                )
            self.line_num += 1
            line = self.held.popleft()
            self.n_letters += len(line)
            yield line

    def _peeked(self, k: int = 0) -> str | None:
        """Return one of the lines that come next, if there are so many."""
        while len(self.held) <= k:
            line = next(self.lines, None)
            if line is None:
                return None
            self.held.append(line)
        return self.held[k]

    def _quoted(self) -> list[str]:
        """Return the cells of a row, over as many lines as its quotes say."""
        try:
            return next(self.reader)
        except csv.Error as error:
            raise self.wrong(_csv_fault(str(error))) from None

    def _as_it_stands(self) -> list[str] | None:
        """Return the cells of a line of unquoted TSV, if it has a quote that means nothing."""
        line = None if self.width is None else self._peeked()
        if line is None or '"' not in line:
            return None
        cells = self._cut(line)
        if len(cells) != self.width:
            return None
        try:
            next(csv.reader([line], delimiter=self.delimiter, strict=True))
        except csv.Error as error:
            goes_on = "unexpected end" in str(error)
            below = self._peeked(1) if goes_on else None
            if below is None or len(self._cut(below)) == self.width:
                next(self._taken())
                return cells
        return None

    def _cut(self, line: str) -> list[str]:
        return line.rstrip("\r\n").split(self.delimiter)


def _csv_fault(complaint: str) -> str:
    """Describe what Python's reader finds wrong."""
    if "expected after" in complaint:
        return "text follows a closing quote: inside a quoted cell, quotes are doubled"
    if "unexpected end" in complaint:
        return "a quote is opened here and never closed"
    if "new-line character" in complaint:
        return "a carriage return stands alone in a cell: quote the cell, or leave it out"
    return complaint


# JSON lines: one object a line, of which a text and perhaps a label are wanted.
#
# msgspec reads a block of lines at once, and skips what is not wanted without making anything of
# it. Where that fails, the block is read again line by line, to say which one is wrong, and why.


ONE_A_LINE: Final = "every line must be one object, as in {...}"
SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def json_texts(blocks: Iterator[Lines], wanted: Wanted) -> Iterator[TextBlock]:
    """Yield the objects, as many at a time as there are in a block of lines."""
    reader: _Reader | None = None
    for lines in blocks:
        if reader is None:
            start = next(_filled(lines), None)
            if start is None:
                continue
            _check_names(lines, start, wanted)
            reader = _Reader(wanted)
        yield reader.read(lines)


def begins_with_field(lines: Lines, name: str) -> bool:
    """Return True if the first line is a JSON object with this field."""
    number, line = next(lines.numbered())
    try:
        return name in _object(lines, number, line)
    except ValueError:
        return False


def _check_names(lines: Lines, start: tuple[int, bytes], wanted: Wanted) -> None:
    """Ask for a name that is needed and not given, out of those of the first object."""
    if None in wanted.names.values() or wanted.text == wanted.label:
        names = list(_object(lines, *start))
        try:
            wanted.check(names, noun="field")
        except ValueError as error:
            raise ValueError(f"{lines.name}: {error}") from None


class _Reader:
    """Takes the text, and the label where one is wanted, out of every object."""

    def __init__(self, wanted: Wanted) -> None:
        import msgspec  # noqa: PLC0415

        self.wanted = wanted
        fields: list[Any] = [("text", str, msgspec.field(name=wanted.text))]
        if wanted.with_labels:
            fields.append(("label", str | bool | int | float, msgspec.field(name=wanted.label)))
        try:
            row = msgspec.defstruct("Row", fields, gc=False)
        except ValueError:
            names = " or ".join(map(repr, wanted.names.values()))
            raise ValueError(f'the name of a field cannot hold \\ or ", got {names}') from None
        self.decoder = msgspec.json.Decoder(row)
        # Of msgspec's errors, those of newer versions only are a kind of ValueError.
        self.refusals = (msgspec.DecodeError, ValueError, RecursionError)

    def read(self, lines: Lines) -> TextBlock:
        """Read a block of lines."""
        content = lines.content
        try:
            rows: list[Any] = self.decoder.decode_lines(content)
            # msgspec lets an object stretch over lines, and a line hold several or none.
            n_objects = content.count(b"\n{") + content.startswith(b"{")
            is_sound = len(rows) == lines.n_lines == n_objects
        except self.refusals:
            is_sound = False
        if not is_sound:
            rows = [self._one(lines, number, line) for number, line in _filled(lines)]
        labels = [row.label for row in rows] if self.wanted.with_labels else None
        place = partial(_line_of, lines)
        return TextBlock([row.text for row in rows], labels, lines.bytes_read, place)

    def _one(self, lines: Lines, number: int, line: bytes) -> Any:
        try:
            return self.decoder.decode(line)
        except self.refusals:
            found = _object(lines, number, line)
            raise lines.wrong(number, self._why(found)) from None

    def _why(self, found: dict[str, Any]) -> str:
        """Describe what is missing in an object, or of the wrong kind."""
        for word, name in self.wanted.names.items():
            if name not in found:
                return unknown("field", str(name), list(found))
            value = found[name]
            if value is None:
                return f"field {name!r} is null, and a {word} is needed: leave the line out"
            if word == "text" and not isinstance(value, str):
                return f"a text must be a string, and field {name!r} is {shown(value)}"
            if not isinstance(value, str | bool | int | float):
                return f"a label must be a string or a number, and field {name!r} is {shown(value)}"
        return "the line cannot be read"


def _line_of(lines: Lines, k: int) -> str:
    number, _ = next(islice(_filled(lines), k, None))
    return f"{lines.name}, line {number}"


def _filled(lines: Lines) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, and their numbers."""
    return ((number, line) for number, line in lines.numbered() if line.strip())


def _object(lines: Lines, number: int, line: bytes) -> dict[str, Any]:
    """Read a line with all that is in it."""
    import msgspec  # noqa: PLC0415

    try:
        value = msgspec.json.decode(line)
    except RecursionError:
        raise lines.wrong(number, "too many lists inside each other") from None
    except UnicodeDecodeError:
        raise lines.wrong(number, BAD_LINE) from None
    except msgspec.DecodeError as error:
        raise lines.wrong(number, _json_fault(str(error), line)) from None
    if isinstance(value, dict):
        return value
    raise lines.wrong(number, f"{shown(value)} is no object: {ONE_A_LINE}")


def _json_fault(complaint: str, line: bytes) -> str:
    """Describe what msgspec finds wrong with a line."""
    if SURROGATE.search(line):
        with suppress(ValueError, RecursionError):
            json.loads(line)  # takes everything else that JSON is, and this
            return "half a surrogate pair, as in \\ud800, is no character: leave it out"
    why = complaint.removeprefix("JSON is malformed: ")
    why = "it ends too early" if "truncated" in why else why
    return f"not JSON ({why}): {ONE_A_LINE}"


# Texts and labels out of Parquet and Arrow files, some rows at a time, by pyarrow.


def arrow_texts(path: Path, kind: str, wanted: Wanted) -> Iterator[TextBlock]:
    """Yield the rows of a Parquet file, or of an Arrow file or stream."""
    size, first = path.stat().st_size, 1
    with complaining(path):
        reader = open_arrow(path, kind)
        names = reader.schema.names
        columns = [names[k] for k in wanted.places(names)]
        for field in map(reader.schema.field, columns):
            _check(field, is_text=field.name == wanted.text)
        for batch, done in reader.batches(columns):
            values = [_values(batch.column(name), name, first) for name in columns]
            place = partial(_row_of, path, first)
            labels = values[1] if wanted.with_labels else None
            yield TextBlock(values[0], labels, int(size * done), place)
            first += batch.num_rows


def _row_of(path: Path, first: int, k: int) -> str:
    return f"{path}, row {first + k}"


def _check(field: Any, *, is_text: bool) -> None:
    """Refuse a column whose type is none of texts, or of labels."""
    from pyarrow import types  # noqa: PLC0415

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return
    if is_text:
        raise ValueError(f"texts must be strings, and column {field.name!r} is {field.type}")
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise ValueError(
            f"labels must be numbers or strings, and column {field.name!r} is {field.type}"
        )


def _values(column: Any, name: str, first: int) -> list[Any]:
    if column.null_count:
        row = first + column.is_null().to_pylist().index(True)
        raise ValueError(f"row {row}: column {name!r} is missing: leave the row out")
    values: list[Any] = column.to_pylist()
    return values
