"""What all pictures share: an empty figure, and colours that colour-blind people tell apart."""

from __future__ import annotations

from typing import Any

__all__ = ["AGAINST", "FOR", "NEUTRAL", "new_figure"]

FOR, AGAINST, NEUTRAL = "#0072b2", "#d55e00", "#777777"


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure that belongs to nobody."""
    try:
        # Not pyplot, which would look for a display and keep the figure alive.
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise ImportError("plotting needs matplotlib: pip install 'tauboost[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")
