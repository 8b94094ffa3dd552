"""Thousands of mutated model files: each is refused in one line, or is a consistent model.

Raw mutations leave the checksum as it was, so no change of meaning may pass at all. Sealed ones
edit the parts and repair length and checksum, as an attacker would, and so reach every check behind
them. Memory is watched throughout, whatever a file claims.
"""

from __future__ import annotations

import json
import random
import tracemalloc
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from fuzz.mutations import edit_bytes
from fuzz.sealed import edit_sealed, put_together, set_length, take_apart
from model_files import assert_valid, content_of, dense_model, same_model, sparse_model
from tauboost.io.model_file import ModelFileError
from tauboost.models import read_model, write_model

BASES = [
    dense_model(),
    dense_model(classes=np.array([False, True]), params={"a": (1, {2: [None]}), "b": np.ones(2)}),
    dense_model(coef=np.ones((3, 3)), intercept=np.ones(3), classes=np.array([0.5, 1.5, 2.5])),
    dense_model(coef=sp.csr_array((1, 2**40)), n_features=2**40),
    sparse_model(),
    sparse_model(classes=np.array(["a", "b", "c", "dé"], dtype=object)),
]
MEMORY = 10 * 2**20


def mutate(rng, content, others):
    """Return a mutated file, and whether its checksum was repaired."""
    if rng.random() < 0.6:
        return edit_sealed(rng, content), True
    if rng.random() < 0.1:
        return set_length(rng, content), False
    return edit_bytes(rng, content, rng.choice(others)), False


def fuzz(tmp_path, count, seed):
    """Load ``count`` mutated files; return how often each outcome was seen."""
    rng = random.Random(seed)
    path = tmp_path / "model"
    contents = [content_of(data, path) for data in BASES]
    outcomes = Counter()
    tracemalloc.start()
    for step in range(count):
        content, sealed = mutate(rng, contents[step % len(contents)], contents)
        path.write_bytes(content)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        data, message = load(path)
        assert message is None or (message.startswith(f"{path} cannot") and "\n" not in message)
        peak = tracemalloc.get_traced_memory()[1] - before
        assert peak < MEMORY, f"{peak} bytes for a file of {len(content)}"
        outcomes["sealed" if sealed else "raw", "refused" if data is None else "loaded"] += 1
        if data is not None:
            check_loaded(data, sealed, path)
    tracemalloc.stop()
    return outcomes


def load(path):
    try:
        data = read_model(path)
    except ModelFileError as error:
        return None, str(error)
    # What the estimator makes of it: a classifier, or the same kind of refusal.
    with suppress(ModelFileError):
        tb.load_model(path)
    return data, None


def check_loaded(data, sealed, path):
    assert_valid(data)
    if not sealed:
        assert any(same_model(data, base) for base in BASES), "damage went unnoticed"
    write_model(data, path)
    assert same_model(read_model(path), data)


def test_sample_of_mutations(tmp_path):
    outcomes = fuzz(tmp_path, 1_000, seed=0)
    assert outcomes["raw", "refused"] > 250
    assert outcomes["sealed", "refused"] > 250
    assert outcomes["sealed", "loaded"] > 25  # the edits are not all so crude that nothing passes


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_mutations(tmp_path, seed):
    """Run 125,000 mutations in all."""
    outcomes = fuzz(tmp_path, 25_000, seed)
    assert outcomes.total() == 25_000


@pytest.mark.parametrize("filler", ["[],", '{"a":0},'])
def test_a_header_of_the_largest_size_stays_cheap(tmp_path, filler):
    """The worst that 1 MiB of JSON can hold."""
    fields, header, data = take_apart(content_of(dense_model(), tmp_path / "model"))
    room = 2**20 - len(put_together(fields, header, data)) - 2_000
    quotes = json.dumps(filler).count("\\")
    text = json.dumps(header | {"params": {"a": "@"}}).replace(
        '"@"', "[" + filler * (room // (len(filler) + quotes)) + "0]"
    )
    path = tmp_path / "large"
    path.write_bytes(put_together(fields, text, data))
    tracemalloc.start()
    assert len(read_model(path).params["a"]) > 10_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 2**20
