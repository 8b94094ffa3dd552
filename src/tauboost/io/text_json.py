"""JSON lines: one object a line, of which a text and perhaps a label are wanted.

msgspec reads a block of lines at once, and skips what is not wanted without making anything of it.
Where that fails, the block is read again line by line, to say which one is wrong, and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Final

from ..base.messages import shown, unknown
from .text_lines import BAD_LINE, Lines
from .text_wanted import TextBlock, Wanted

__all__ = ["begins_with_field", "json_texts"]

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
    """Tell whether the first line is a JSON object with this field."""
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
        place = partial(_place, lines)
        return TextBlock([row.text for row in rows], labels, lines.bytes_read, place)

    def _one(self, lines: Lines, number: int, line: bytes) -> Any:
        try:
            return self.decoder.decode(line)
        except self.refusals:
            found = _object(lines, number, line)
            raise lines.wrong(number, self._why(found)) from None

    def _why(self, found: dict[str, Any]) -> str:
        """Say what is missing in an object, or of the wrong kind."""
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


def _place(lines: Lines, k: int) -> str:
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
        raise lines.wrong(number, _in_words(str(error), line)) from None
    if isinstance(value, dict):
        return value
    raise lines.wrong(number, f"{shown(value)} is no object: {ONE_A_LINE}")


def _in_words(complaint: str, line: bytes) -> str:
    """Say what msgspec finds wrong with a line."""
    if SURROGATE.search(line):
        with suppress(ValueError, RecursionError):
            json.loads(line)  # takes everything else that JSON is, and this
            return "half a surrogate pair, as in \\ud800, is no character: leave it out"
    why = complaint.removeprefix("JSON is malformed: ")
    why = "it ends too early" if "truncated" in why else why
    return f"not JSON ({why}): {ONE_A_LINE}"
