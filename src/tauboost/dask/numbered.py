"""Calls of the driver to an actor, each carried out once.

Calls are numbered: a call that arrives twice is answered again but carried out once, and a call
that does not follow the last one is refused, so that no step is ever lost or applied twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from .messages import received

__all__ = ["Numbered"]


class Numbered:
    """An actor that is called by a crew (crew.py)."""

    def __init__(self) -> None:
        self.number = -1
        self.last_answer: Any = None

    def answer(self, call: tuple[Any, ...]) -> Any:
        """Answer one call of the driver: the name of a method, and its arguments."""
        name, *arguments = received(call)
        return getattr(self, name)(*arguments)

    def carry_out(self, number: int, name: str, *arguments: Any) -> Any:
        """Carry out one numbered call, or repeat the answer to the last one."""
        if number != self.number:
            if number != self.number + 1:
                raise RuntimeError(f"a part is at round {self.number} and was asked for {number}")
            self.last_answer = getattr(self, name)(*arguments)
            self.number = number
        return self.last_answer

    def all_of(self, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Answer several calls at once."""
        return [self.answer(call) for call in calls]

    def rest(self, seconds: float) -> None:
        """Do nothing for a while: what the round cost and the watch are measured with."""
        time.sleep(seconds)
