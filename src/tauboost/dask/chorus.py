"""Fits side by side that speak with one voice: a round of messages serves all of them.

Every fit has a thread. A call waits until every other fit has a call as well; then all go out in
one message to each part, and every fit gets its own answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from ..base.side_by_side import side_by_side
from .crew import Crew

__all__ = ["Chorus"]

T = TypeVar("T")
# What a part may go through in the thread that answers everybody, a few milliseconds: numbers.
BRIEF_WORK = 2**20


class Voice:
    """One call, and what came of it."""

    def __init__(self, call: tuple[Any, ...], work: int) -> None:
        self.call, self.work = call, work
        self.answers: list[Any] | None = None


class Chorus:
    """A crew that fits side by side ask together; outside of ``sing`` it is the crew alone."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self.turn = threading.Condition()
        self.n_fits = 0  # that are under way
        self.waiting: list[Voice] = []
        self.is_speaking = False
        self.error: BaseException | None = None

    def ask(self, *call: Any, work: int = BRIEF_WORK) -> list[Any]:
        """Have every part carry out a call; ``work`` is how much a part goes through for it."""
        if self.n_fits == 0:
            return self.crew.ask(*call, is_brief=work < BRIEF_WORK)
        voice = Voice(call, work)
        with self.turn:
            self.waiting.append(voice)
            while voice.answers is None:
                if self.error is not None:
                    raise RuntimeError("another fit has failed") from self.error
                if self.is_speaking or len(self.waiting) < self.n_fits:
                    self.turn.wait()
                else:
                    self._speak()
        return voice.answers

    def sing(self, fit: Callable[[T, int], None], jobs: Sequence[T]) -> None:
        """Carry out fits side by side."""
        self.error, self.waiting = None, []

        def work(job: T) -> None:
            with self._singing():
                fit(job, 1)

        try:
            side_by_side(work, jobs, len(jobs))
        except BaseException:
            if self.error is not None:  # the first of them: others ended because of it
                raise self.error from None
            raise

    @contextmanager
    def _singing(self) -> Iterator[None]:
        with self.turn:
            self.n_fits += 1
        try:
            yield
        except BaseException as error:
            self.error = self.error or error
            raise
        finally:
            with self.turn:
                self.n_fits -= 1
                self.turn.notify_all()

    def _speak(self) -> None:
        """Send what all fits have to say; meanwhile others may join them."""
        voices, self.waiting, self.is_speaking = self.waiting, [], True
        is_brief = sum(voice.work for voice in voices) < BRIEF_WORK
        self.turn.release()
        try:
            replies = self.crew.ask("all_of", [voice.call for voice in voices], is_brief=is_brief)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.turn.acquire()
            self.is_speaking = False
            self.turn.notify_all()
        for k, voice in enumerate(voices):
            voice.answers = [reply[k] for reply in replies]
