"""Mutated model files of one kind, read one after another, with an eye on memory."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fuzz.sealed import edit_file
from model_files import content_of
from tauboost.io.model_file import ModelFileError
from tauboost.models import read_model, write_model

MEMORY = 10 * 2**20

Use = Callable[[Any], None]
Same = Callable[[Any, Any], bool]


def fuzz(
    path: Path, bases: Sequence[Any], count: int, seed: int, use: Use, same: Same
) -> Counter[str]:
    """Load ``count`` mutated files; return how often each outcome was seen.

    ``use`` checks what was read from the path, makes a model of the file and uses it; ``same``
    tells whether what was read is also read from a file that was written of it.
    """
    rng = random.Random(seed)
    contents = [content_of(data, path) for data in bases]
    outcomes: Counter[str] = Counter()
    tracemalloc.start()
    for step in range(count):
        content = edit_file(rng, contents[step % len(contents)], rng.choice(contents))
        path.write_bytes(content)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        outcomes[_outcome(path, use, same)] += 1
        peak = tracemalloc.get_traced_memory()[1] - before
        assert peak < MEMORY, f"{peak} bytes for a file of {len(content)}"
    tracemalloc.stop()
    return outcomes


def _outcome(path: Path, use: Use, same: Same) -> str:
    try:
        data = read_model(path)
    except ModelFileError as error:
        message = str(error)
        assert message.startswith(f"{path} cannot")
        assert "\n" not in message
        return "refused"
    try:
        use(data)
    except ModelFileError:
        return "no model"
    write_model(data, path)
    assert same(read_model(path), data)
    return "loaded"
