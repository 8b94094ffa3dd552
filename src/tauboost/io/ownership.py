"""Owner, group and mode: what replaces a file or a folder takes over those of the old one."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["permissions", "take_over"]


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
