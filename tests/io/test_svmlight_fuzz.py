"""A short fuzz run: the corpus of `make fuzz` and mutations of it, through the Python binding."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from svmlight_texts import assert_same
from tauboost import _core

FUZZ = Path(__file__).parents[2] / "fuzz"
CORPUS = sorted(path.name for path in (FUZZ / "corpus").iterdir())
MUTATIONS = 200  # of each file
WORDS = [b":1 ", b":", b"\n", b"\r\n", b" ", b"#", b"qid:", b"1e308", b"1e-400", b"2147483647:"]


def mutated(text: bytes, rng: np.random.Generator) -> bytes:
    for _ in range(rng.integers(1, 5)):
        start, end = np.sort(rng.integers(0, len(text) + 1, 2))
        choice = rng.integers(4)
        if choice == 0:  # another byte
            text = text[:start] + bytes([rng.integers(256)]) + text[start + 1 :]
        elif choice == 1:  # a word more
            text = text[:start] + WORDS[rng.integers(len(WORDS))] + text[start:]
        elif choice == 2:  # a piece less
            text = text[:start] + text[min(end, start + 4) :]
        else:  # a piece twice
            text = text[:end] + text[start:]
    return text


def read(text: bytes, cuts: np.ndarray, n_threads: int):
    """Return the fault, or the rows."""
    reader = _core.SvmlightReader(base=0, least=0)
    for part in np.split(np.frombuffer(text, np.uint8), cuts):
        reader.feed(part, n_threads)
    reader.finish()
    return reader.complaint or reader.take()


@pytest.mark.parametrize("name", CORPUS)
def test_corpus_and_mutations(name):
    seed = (FUZZ / "corpus" / name).read_bytes()[2:]
    rng = np.random.default_rng(0)
    for text in [seed, *(mutated(seed, rng) for _ in range(MUTATIONS))]:
        cuts = np.sort(rng.integers(0, len(text) + 1, rng.integers(0, 4)))
        whole, in_parts = read(text, np.array([], int), 1), read(text, cuts, 2)
        if isinstance(whole[0], str):
            assert whole == in_parts, text
            continue
        for ours, other in zip(whole, in_parts, strict=True):
            np.testing.assert_array_equal(ours, other)
        y, indptr, indices, data, _, largest = whole
        if len(y) > 0 and (largest or 0) < 2**31:  # more than scikit-learn can read
            data = np.ones(len(indices)) if data is None else data
            X = sparse.csr_array((data, indices, indptr), shape=(len(y), (largest or 0) + 1))
            assert_same((X, y), load_svmlight_file(io.BytesIO(text), zero_based=True))
