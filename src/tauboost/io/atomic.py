"""Write a file all at once: under its name stands the whole new content or what was there before.

The content goes to a temporary file in the same folder, reaches the disk, and is then renamed,
which the system does in one step. Neither a crash, a full disk nor Ctrl-C leaves half a file.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` when the block ends without an exception.

    A symbolic link is followed. Errors of the system name ``path``, not the temporary file.
    """
    target = Path(os.path.realpath(path))
    # A rename would replace a device such as /dev/null by a plain file.
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise ValueError(f"{os.fspath(path)}: is not a regular file")
    # Short, so that the longest name a file may have still leaves room.
    temporary = target.with_name(f".tauboost-{secrets.token_hex(8)}")
    try:
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _sync_folder(folder: Path) -> None:
    """Make the rename itself last; not every file system offers it, and the content is safe."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
