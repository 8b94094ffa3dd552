"""What a format brings to the attack: sound files, a way to mutate them, and a way to read them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = ["Inconsistent", "Sample", "Target"]


class Inconsistent(Exception):  # noqa: N818
    """A file was accepted, and what it gave is not fit for use."""


@dataclass(frozen=True)
class Sample:
    """The files of one input, by name; ``kind`` says of which sound one it is a mutation."""

    kind: str
    files: dict[str, bytes]

    def write(self, folder: Path) -> None:
        """Put the files into the folder, in place of those of the input before."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)


class Target(Protocol):
    """A format."""

    def seeds(self, folder: Path) -> list[Sample]:
        """Return sound files, small ones; the folder is there to write them to."""

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Return one mutation of one of them."""

    def read(self, kind: str, folder: Path) -> None:
        """Read the files as people would; a ValueError or an OSError refuses them."""
