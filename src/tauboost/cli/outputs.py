"""Where commands write: never over what they read, nor two results into one file.

What a command makes replaces a regular file of that name, and nothing else. Data are replaced only
with ``--overwrite``; what writes them sees to that.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from numpy.typing import NDArray

from ..io.atomic import new_file
from ..io.store import is_store
from .terminal import standard_output

__all__ = ["check_apart", "check_outputs", "output", "write_answers"]


STDIN = 0
LINES_AT_ONCE = 2**16


def check_outputs(
    outputs: Iterable[tuple[str, Path | None]],
    inputs: Iterable[Path | None],
    others: Iterable[tuple[str, Path]] = (),
) -> None:
    """Refuse files that cannot be written or must not be: after an hour of work is too late.

    Outputs come with the names of their options; of ``others`` the folder is still to be made.
    """
    given = [(option, path) for option, path in outputs if path is not None]
    for option, path in given:
        if path.is_dir():
            raise ValueError(f"{option}: {path} is a folder")
        if path.exists() and not path.is_file():
            raise ValueError(f"{option}: {path} is not a regular file")
        folder = path.resolve().parent
        if not folder.is_dir():
            raise ValueError(f"{option}: there is no folder {path.parent}")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError(f"{option}: not allowed to write into the folder {path.parent}")
    check_apart([*given, *others], inputs)


def check_apart(outputs: Iterable[tuple[str, Path]], inputs: Iterable[Path | None]) -> None:
    """Refuse an output that is an input or another output, lies in one, or has one in it."""
    sources = [
        (path, _lineage(path))
        for path in inputs
        if path is not None and (is_store(path) or not path.is_dir())
    ]
    before: list[tuple[str, list[object]]] = []
    for option, path in outputs:
        lineage = _lineage(path)
        for source, other in sources:
            if _overlap(lineage, other):
                raise ValueError(
                    f"{option}: writing {path} would change {source}, which is read: name another"
                )
        for name, other in before:
            if _overlap(lineage, other):
                raise ValueError(f"{option}: {path} is what {name} writes to: name another file")
        before.append((option, lineage))


def _overlap(one: list[object], other: list[object]) -> bool:
    return one[0] in other or other[0] in one


def _lineage(path: Path) -> list[object]:
    """Return what identifies a file, and then the same of the folders that it is in."""
    real = Path(os.path.realpath(path))
    return [_identity(path), *map(_identity, real.parents)]


def _identity(path: Path) -> object:
    """Return the device and the inode: no link is another file; of what is not there, the path."""
    try:
        found = os.fstat(STDIN) if str(path) == "-" else path.stat()
    except OSError:
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


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
