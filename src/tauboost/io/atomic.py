"""Files and folders that appear under their name complete, or not at all.

The file is written under a hidden sibling name, ``.NAME.XXXXXXXX.partial``, which is renamed at the
end. After an error or Ctrl-C it is removed at once; what a killed process leaves is removed by the
next one that writes the same name. What replaces a file or a folder takes over its owner and mode.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, TypeVar

__all__ = [
    "InTheMaking",
    "named",
    "new_file",
    "new_folder",
    "permissions",
    "read_folder",
    "take_over",
]


# Owner, group and mode: what replaces a file or a folder takes over those of the old one.


def permissions(path: Path) -> dict[str, os.stat_result]:
    """Return owner and mode of a file or a folder, under "", and of what is in the folder."""
    found = {}
    with suppress(OSError):  # it is a file, or nothing; or it is being replaced
        found[""] = path.stat()
        found |= {entry.name: entry.stat() for entry in os.scandir(path)}
    return found


def take_over(old: os.stat_result, new: Path) -> None:
    """Give a file or a folder the owner, the group and the mode of another, as far as possible."""
    if not new.exists():
        return
    mode, now = stat.S_IMODE(old.st_mode), new.stat()
    with suppress(OSError):
        if old.st_uid != now.st_uid:
            os.chown(new, old.st_uid, -1)
    try:
        if old.st_gid != now.st_gid:
            os.chown(new, -1, old.st_gid)
    except OSError:  # another group gets no more than everybody
        mode = mode & ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3
    with suppress(OSError):
        new.chmod(mode)


T = TypeVar("T")

# Of Linux, <fcntl.h> and <linux/fs.h>; os.rename cannot say them.
AT_FDCWD, RENAME_EXCHANGE = -100, 2
HIDDEN = re.compile(r"(^|/)\.[^/]*\.[0-9a-f]{8}\.(partial|replaced)(/|$)")


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
    path: str | os.PathLike[str], *, replace: Callable[[int], bool] | None = None
) -> Iterator[Path]:
    """Yield a hidden folder to fill; it becomes ``path`` when the block ends well.

    An existing path is refused, unless ``replace`` is given and is true of the folder's descriptor.
    """
    final = Path(os.path.realpath(path))
    _check_target(path, final, replace is not None)
    _check_folder(path, final, replace)
    old = permissions(final)

    def make(partial: Path) -> None:
        partial.mkdir(0o700 if old else 0o777)

    with _partial(path, final, make, os.O_RDONLY | os.O_DIRECTORY) as (partial, _):
        yield partial
        for name, was in old.items():
            take_over(was, partial / name)
        _sync_folder(partial)
        _check_folder(path, final, replace)  # it may have been made meanwhile
        with named(path):
            _put_in_place(partial, final, may_replace=replace is not None)
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
    old = permissions(final)

    def make(partial: Path) -> None:
        partial.touch(0o600 if old else 0o666, exist_ok=False)

    with (
        _partial(path, final, make, os.O_RDWR) as (partial, descriptor),
        named(path),
        open(descriptor, "wb", closefd=False) as file,
    ):
        for was in old.values():
            take_over(was, partial)
        yield file
        file.flush()
        os.fsync(descriptor)
        _check_target(path, final, overwrite)  # it may have been made meanwhile
        partial.replace(final)
    _sync_folder(final.parent)


def read_folder(path: str | os.PathLike[str], read: Callable[[int], T]) -> T:
    """Read from a folder by its descriptor, so that all of it is of one version.

    If another process replaced the folder meanwhile, what was read may be gone: begin anew.
    """
    while True:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return read(descriptor)
        except (OSError, ValueError):
            if _is_at(path, descriptor):
                raise
        finally:
            os.close(descriptor)


def _check_target(path: str | os.PathLike[str], final: Path, may_exist: bool) -> None:
    if not final.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {final.parent}")
    if final.exists() and not may_exist:
        raise FileExistsError(f"{path}: exists already: overwrite=True replaces it")


def _check_folder(
    path: str | os.PathLike[str], final: Path, replace: Callable[[int], bool] | None
) -> None:
    """Refuse to replace an existing file that is not of the kind."""
    refusal = FileExistsError(f"{path}: exists and is not of the kind that may be replaced")

    def check(folder: int) -> None:
        if replace is not None and not replace(folder):
            raise refusal

    try:
        read_folder(final, check)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise refusal from None


def _hidden(final: Path, ending: str) -> Path:
    return final.with_name(f".{_stem(final)}.{secrets.token_hex(4)}.{ending}")


def _stem(final: Path) -> str:
    """Return the name, cut so that a hidden one is not longer than names may be."""
    return os.fsencode(final.name)[:200].decode(errors="ignore")


@contextmanager
def _partial(
    path: str | os.PathLike[str], final: Path, make: Callable[[Path], None], flags: int
) -> Iterator[tuple[Path, int]]:
    """Yield a new hidden path and its descriptor; what has that name in the end is removed.

    It is locked as long as this process lives: no other one takes it for a leftover. One that was
    faster than the lock has removed it, and it is made again.
    """
    _remove_leftovers(final)
    while True:
        partial, descriptor = _hidden(final, "partial"), None
        try:
            with named(path):
                make(partial)
                descriptor = _locked(partial, flags)
            if descriptor is not None:
                yield partial, descriptor
                return
        finally:
            if descriptor is not None:
                os.close(descriptor)
            _remove(partial)


def _locked(partial: Path, flags: int) -> int | None:
    """Open and lock what was just made; None: another process has removed it."""
    try:
        descriptor = os.open(partial, flags)
    except FileNotFoundError:
        return None
    with suppress(OSError):  # a file system without locks: nobody removes anything
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    if _is_at(partial, descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there, as far as that is allowed."""
    with suppress(OSError):
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)


def _is_at(path: str | os.PathLike[str], descriptor: int) -> bool:
    """Return True if a path still leads to what was opened."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _put_in_place(partial: Path, final: Path, may_replace: bool) -> None:
    """Give a folder its name; what had it before gets the hidden one."""
    try:
        partial.rename(final)  # refuses a folder with something in it
    except OSError as error:
        if not may_replace or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not _exchange(partial, final):
            _replace_in_two_steps(partial, final)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; return False where the system cannot."""
    import ctypes  # noqa: PLC0415

    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    if renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        return False
    raise OSError(code, os.strerror(code))


def _replace_in_two_steps(partial: Path, final: Path) -> None:
    """Replace a folder where names cannot be exchanged: for a moment the old one has another."""
    old = _hidden(final, "replaced")
    try:
        final.rename(old)
        partial.rename(final)
    except BaseException:
        if old.exists() and not final.exists():
            old.rename(final)
        raise
    _remove(old)


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
                _remove(Path(entry.path))
            finally:
                os.close(descriptor)


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the system speak of the name that people know, not of the hidden one."""
    try:
        yield
    except OSError as error:
        is_of_another = error.filename is not None and not HIDDEN.search(
            os.fsdecode(error.filename)
        )
        if error.errno is None or is_of_another:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from None


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some file systems have no such thing
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
