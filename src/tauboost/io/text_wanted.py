"""What is wanted of files with texts, and what they give: blocks of texts and labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.messages import listed
from .names import place_of

__all__ = ["TextBlock", "Wanted", "at_lines"]


@dataclass(frozen=True)
class Wanted:
    """The names of the parts that hold texts and labels; None: not said."""

    text: str | None
    label: str | None
    with_labels: bool
    if_named: bool = False  # the names are for files that have some: others are read without

    @property
    def names(self) -> dict[str, str | None]:
        """The names by what they are for."""
        return {"text": self.text} | ({"label": self.label} if self.with_labels else {})

    def check(self, names: Sequence[str], *, noun: str = "column") -> None:
        """Ask for a name that is needed and not given, out of those that are there."""
        for word, name in self.names.items():
            if name is None:
                raise ValueError(
                    f"say by {word}= which {noun} holds the {word}s, one of {listed(names)}"
                )
        if self.with_labels and self.text == self.label:
            raise ValueError(f"text= and label= both name the {noun} {self.text!r}")

    def places(self, names: Sequence[str], *, noun: str = "column") -> list[int]:
        """Return which of the names hold what is wanted."""
        self.check(names, noun=noun)
        return [place_of(str(name), names, noun=noun) for name in self.names.values()]


@dataclass(frozen=True)
class TextBlock:
    """Texts that follow each other in a file, and their labels where they are wanted."""

    texts: list[str]
    labels: list[Any] | None
    bytes_read: int  # so far
    place: Callable[[int], str]  # where one of them is, for messages
    is_typed: bool = True  # whether the file says of a label that it is a number, or a string


def at_lines(name: str, numbers: Sequence[int]) -> Callable[[int], str]:
    """Return what says where one of some texts is, by the lines of the file where they begin."""
    return lambda k: f"{name}, line {numbers[k]}"
