"""Bars of Rich that leave nothing behind where they are not shown."""

from __future__ import annotations

from rich.progress import Progress

__all__ = ["Bars"]


class Bars(Progress):
    """As Rich's own, which in older versions end with an empty line even if disabled."""

    def stop(self) -> None:
        """Remove the bars, or leave them at their end."""
        if not self.disable:
            super().stop()
