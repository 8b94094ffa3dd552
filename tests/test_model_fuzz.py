"""Thousands of mutated model files: each is refused in one line, or is a consistent model.

Raw mutations leave the checksum as it was, so no change of meaning may pass at all. Sealed ones
edit the parts and repair length and checksum, as an attacker would, and so reach every check behind
them. Memory is watched throughout, whatever a file claims.
"""

from __future__ import annotations

import json
import random
import struct
import tracemalloc
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from model_files import (
    assert_valid,
    content_of,
    dense_model,
    put_together,
    same_model,
    sparse_model,
    take_apart,
)
from tauboost.io.model import ModelFileError, read_model, write_model

BASES = [
    dense_model(),
    dense_model(classes=np.array([False, True]), params={"a": (1, {2: [None]}), "b": np.ones(2)}),
    dense_model(coef=np.ones((3, 3)), intercept=np.ones(3), classes=np.array([0.5, 1.5, 2.5])),
    dense_model(coef=sp.csr_array((1, 2**40)), n_features=2**40),
    sparse_model(),
    sparse_model(classes=np.array(["a", "b", "c", "dé"], dtype=object)),
]
INTEGERS = [0, 1, 2, 255, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**30]
INTEGERS += [-value for value in INTEGERS]
DOUBLES = [struct.pack("<d", value) for value in (np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308)]
VALUES = [*INTEGERS, None, True, False, "", "x", "F64", "U8", "I64", "BOOL", "\ud800", "é" * 50]
VALUES += [0.5, 1e308, [], {}, [1], [[[]]], {"$tuple": []}, {"$dict": [[1, 2]]}, {"$float": "nan"}]
MEMORY = 10 * 2**20


def flip_bits(rng, content):
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 8, 64])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_bytes(rng, content):
    begin = rng.randrange(len(content))
    patch = rng.choice([b"\0", b"\xff", b"9", b"-1", b'"', b"]", b"}", b"\\", b"1e999", b"NaN"])
    return content[:begin] + patch + content[begin + len(patch) :]


def cut(rng, content):
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice([content[:begin], content[end:], content[:begin] + content[end:]])


def splice(rng, content, others):
    """Insert, or overwrite with, a piece of this or another file."""
    donor = rng.choice([content, *others])
    begin, end = sorted(rng.randrange(len(donor) + 1) for _ in range(2))
    at = rng.randrange(len(content) + 1)
    return content[:at] + donor[begin:end] + content[at + rng.choice([0, end - begin]) :]


def set_length(rng, content):
    length = int.from_bytes(content[:8], "little")
    value = rng.choice([*map(abs, INTEGERS), length - 1, length + 1, length * 2, len(content)])
    return (value % 2**64).to_bytes(8, "little") + content[8:]


def edit_json(rng, value):
    """Return the value with one place changed, removed, added or copied from elsewhere."""
    if isinstance(value, dict | list) and value and rng.random() < 0.85:
        copy = value.copy()
        place = rng.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))
        action = rng.random()
        if action < 0.1:
            del copy[place]
        elif action < 0.2 and isinstance(copy, dict):
            copy[rng.choice(["x", "", "coef", "params.q", "a b", "$dict", "é"])] = copy.pop(place)
        elif action < 0.3 and isinstance(copy, list):
            copy.append(rng.choice(VALUES))
        else:
            copy[place] = edit_json(rng, copy[place])
        return copy
    if isinstance(value, int) and rng.random() < 0.5:
        return value + rng.choice([-8, -1, 1, 8])
    return rng.choice(VALUES)


def edit_data(rng, data):
    """Replace a word by an extreme one."""
    width = rng.choice([1, 4, 8])
    at = rng.randrange(max(len(data) // width, 1)) * width
    word = (rng.choice(INTEGERS) % 2 ** (8 * width)).to_bytes(width, "little")
    if width == 8 and rng.random() < 0.4:
        word = rng.choice(DOUBLES)
    return data[:at] + word + data[at + width :]


def edit_sealed(rng, content):
    fields, header, data = take_apart(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        part = rng.random()
        if part < 0.35:
            data = edit_data(rng, data)
        elif part < 0.65:
            header = edit_json(rng, header)
        elif part < 0.95:
            fields = edit_json(rng, fields)
        else:
            data = rng.choice([data[:-1], data + b"\0", b"", data * 2])
    return put_together(fields, header, data)


def mutate(rng, content, others):
    """Return a mutated file, and whether its checksum was repaired."""
    if rng.random() < 0.6:
        return edit_sealed(rng, content), True
    if rng.random() < 0.2:
        return splice(rng, content, others), False
    return rng.choice([flip_bits, set_bytes, cut, set_length])(rng, content), False


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
    outcomes = fuzz(tmp_path, 2_000, seed=0)
    assert outcomes["raw", "refused"] > 500
    assert outcomes["sealed", "refused"] > 500
    assert outcomes["sealed", "loaded"] > 50  # the edits are not all so crude that nothing passes


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
