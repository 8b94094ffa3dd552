"""What this process has used of the machine's memory, and what it may still use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["available_bytes", "peak_bytes"]


CGROUP = Path("/sys/fs/cgroup")
LIMITS = {
    "memory.max": "memory.current",
    "memory/memory.limit_in_bytes": "memory/memory.usage_in_bytes",
}


def available_bytes() -> int | None:
    """Return how much memory this process may still take; None where it is unknown."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known = dict(line.split(":") for line in lines)
        found.append(int(known["MemAvailable"].split()[0]) * 1024)
    except (OSError, ValueError, KeyError):
        with suppress(OSError, ValueError, AttributeError):
            found.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for most, used in LIMITS.items():
        with suppress(OSError, ValueError):  # "max" is no number
            limit, now = (int((CGROUP / name).read_text()) for name in (most, used))
            found.append(max(0, limit - now))
    return min(found, default=None)


def peak_bytes() -> int | None:
    """Return the most memory that this process has had at once; None where nobody counts."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return None
    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
