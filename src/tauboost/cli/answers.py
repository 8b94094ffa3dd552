"""Where predictions go: a file, standard output or a document, one a line, each at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from numpy.typing import NDArray

from ..base.messages import shown
from ..io.atomic import new_file
from .terminal import standard_output

__all__ = ["check_lines", "output", "write_answers"]

LINES_AT_ONCE = 2**16
IN_A_FIT = "change it in the data, or fit in Python"


@contextmanager
def output(out: Path | None, is_quiet: bool) -> Iterator[BinaryIO | None]:
    """Give the file to write to; None where the predictions become part of a document."""
    if out is not None:
        with new_file(out, overwrite=True) as file:
            yield file
    elif is_quiet:
        yield None
    else:
        yield (file := standard_output())
        file.flush()


def check_lines(labels: NDArray[Any], advice: str = IN_A_FIT) -> None:
    """Refuse labels with a line break of any kind: there is one prediction a line."""
    if labels.dtype.kind in "biuf":
        return
    for label in dict.fromkeys(labels.tolist()):
        if isinstance(label, str) and len(f"{label}.".splitlines()) > 1:
            raise ValueError(
                f"the label {shown(label)} holds a line break, and predictions are one a line: "
                f"{advice}"
            )


def write_answers(found: NDArray[Any], file: BinaryIO) -> None:
    """Write labels or numbers, those of a sample on a line."""
    for start in range(0, len(found), LINES_AT_ONCE):
        part = found[start : start + LINES_AT_ONCE].tolist()
        rows = part if found.ndim > 1 else [[value] for value in part]
        lines = (" ".join(map(_text, row)) for row in rows)
        file.write(("\n".join(lines) + "\n").encode())
    file.flush()  # who sends a line through a pipe waits for its answer


def _text(value: Any) -> str:
    """Write a number so that it can be read back; a whole one without a point."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)
