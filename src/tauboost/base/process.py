"""What this process has used of the machine."""

from __future__ import annotations

import sys

__all__ = ["peak_bytes"]


def peak_bytes() -> int | None:
    """Return the most memory that this process has had at once; None where nobody counts."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return None
    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
