"""Files and folders that appear under their name complete, or not at all.

The work goes on under a hidden sibling name, ``.NAME.XXXXXXXX.partial``, which is renamed at the
end. After an error or Ctrl-C it is removed at once; what a killed process leaves is removed by the
next one that writes the same name.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

__all__ = ["InTheMaking", "named", "new_file", "new_folder"]


class InTheMaking:
    """What is written block by block in a ``with`` statement, and appears when that ends well."""

    def _begin(self, stack: ExitStack) -> None:
        """Open what is written to; the stack puts it in place or removes it in the end."""
        raise NotImplementedError

    def _finish(self) -> None:
        """Write what can be told only when all blocks are there."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._begin(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            with self._stack:
                self._finish()
        else:
            self._stack.__exit__(kind, error, traceback)


@contextmanager
def new_folder(
    path: str | os.PathLike[str], *, replace: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Yield a hidden folder to fill; it becomes ``path`` when the block ends well.

    An existing path is refused, unless ``replace`` is given and is true of it.
    """
    final = Path(os.path.realpath(path))
    _check_target(path, final, replace is not None)
    if replace is not None and final.exists() and not (final.is_dir() and replace(final)):
        raise FileExistsError(f"{path}: exists and is not of the kind that may be replaced")
    _remove_leftovers(final)
    partial = _hidden(final, "partial")
    with named(path):
        partial.mkdir()
    # Held as long as this process lives: no other one takes the folder for a leftover.
    lock = os.open(partial, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield partial
        _sync_folder(partial)
        with named(path):
            _put_in_place(partial, final, may_replace=replace is not None)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    finally:
        os.close(lock)
    _sync_folder(final.parent)


@contextmanager
def new_file(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Yield a hidden file to write; it becomes ``path`` when the block ends well."""
    final = Path(os.path.realpath(path))
    _check_target(path, final, overwrite)
    # A rename would replace a device such as /dev/null by a plain file.
    if final.exists() and not (final.is_file() or final.is_dir()):
        raise ValueError(f"{os.fspath(path)}: is not a regular file")
    if final.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    _remove_leftovers(final)
    partial = _hidden(final, "partial")
    try:
        with named(path), partial.open("xb") as file:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            os.fsync(file.fileno())
            _check_target(path, final, overwrite)  # it may have been made meanwhile
            partial.replace(final)
    except BaseException:
        with suppress(OSError):  # of a disk to read from alone, which would name the hidden file
            partial.unlink()
        raise
    _sync_folder(final.parent)


def _check_target(path: str | os.PathLike[str], final: Path, may_exist: bool) -> None:
    if not final.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {final.parent}")
    if final.exists() and not may_exist:
        raise FileExistsError(f"{path}: exists already: overwrite=True replaces it")


def _hidden(final: Path, ending: str) -> Path:
    return final.with_name(f".{_stem(final)}.{secrets.token_hex(4)}.{ending}")


def _stem(final: Path) -> str:
    """Return the name, cut so that a hidden one is not longer than names may be."""
    return os.fsencode(final.name)[:200].decode(errors="ignore")


def _put_in_place(partial: Path, final: Path, may_replace: bool) -> None:
    if not (may_replace and final.exists()):
        partial.rename(final)  # refuses a folder with something in it, made meanwhile
        return
    # A folder cannot be replaced in one step: for a moment the old one has another name.
    old = _hidden(final, "replaced")
    final.rename(old)
    try:
        partial.rename(final)
    except BaseException:
        old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _remove_leftovers(final: Path) -> None:
    """Remove what killed processes left; a lock tells it from what a living one works on."""
    # A store that was to be replaced is kept if its place is empty: it may be the only one.
    endings = "partial|replaced" if final.exists() else "partial"
    leftover = re.compile(rf"\.{re.escape(_stem(final))}\.[0-9a-f]{{8}}\.({endings})")
    for entry in os.scandir(final.parent):
        if not leftover.fullmatch(entry.name) or entry.is_symlink():
            continue
        with suppress(OSError):
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if entry.is_dir():
                    shutil.rmtree(entry.path)
                else:
                    Path(entry.path).unlink()
            finally:
                os.close(descriptor)


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the system speak of the name that people know, not of the hidden one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from None


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some file systems have no such thing
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
