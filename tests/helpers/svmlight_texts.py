"""svmlight texts for the tests of the reader, and what to compare its results with."""

from __future__ import annotations

import bz2
import gzip
import lzma
from contextlib import suppress
from functools import cache

import numpy as np
from hypothesis import strategies as st

from tauboost.io.source import _zstd

TEXT = b"+1 1:0.5 3:2\n-1 2:1\n+1\n-1 1:1 2:1 4:-1e-3\n"
DENSE = np.array([[0.5, 0, 2, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, -1e-3]])
COMPRESS = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
with suppress(ImportError):
    zstd = _zstd()
    CHECKED = {zstd.CompressionParameter.checksum_flag: 1}  # as the command does
    COMPRESS["zst"] = lambda text: zstd.compress(text, options=CHECKED)


def assert_same(ours, other):
    """Bit by bit, the sign of zeros too."""
    (X, y), (Z, z) = ours, other
    assert X.shape == Z.shape
    assert X.dtype == y.dtype == np.float64
    np.testing.assert_array_equal(X.indptr, Z.indptr)
    np.testing.assert_array_equal(X.indices, Z.indices)
    np.testing.assert_array_equal(X.data.view(np.int64), Z.data.view(np.int64))
    np.testing.assert_array_equal(y.view(np.int64), z.view(np.int64))


def long_text(n_rows=20_000, values=("1",)):
    """Lines that make many chunks if they are many."""
    return list(_random_lines(n_rows, values))


@cache
def _random_lines(n_rows, values):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 12, n_rows)
    indices = np.split(rng.integers(1, 10**6, counts.sum()), counts.cumsum()[:-1])
    chosen = iter(rng.choice(values, counts.sum()).tolist())
    labels = rng.choice(["-1", "+1"], n_rows)
    return tuple(
        " ".join([label, *(f"{index}:{next(chosen)}" for index in sorted(set(row.tolist())))])
        for label, row in zip(labels, indices, strict=True)
    )


BLANKS = st.sampled_from([" ", " ", " ", "  ", "\t", " \t "])
ENDS = st.sampled_from(["", "", " ", " # c", "#1:2", " # qid:1", "\r"])
FINITE = st.one_of(
    st.just("1"),
    st.floats(-1e6, 1e6).map(repr),
    st.floats(-1e6, 1e6).map("{:.4f}".format),
    st.floats(allow_nan=False, allow_infinity=False).map("{:e}".format),
    st.integers(-1000, 1000).map("{:+d}".format),
)


@st.composite
def lines(draw, values):
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(["", "  ", "# only: a comment", "\t\r"]))
    words = [draw(FINITE)]
    if draw(st.integers(0, 9)) == 0:
        words.append("qid:7")
    top = draw(st.sampled_from([5, 200, 10**7, 2 * 10**9]))
    indices = sorted(draw(st.sets(st.integers(0, top), max_size=12)))
    words += [f"{index}:{draw(values)}" for index in indices]
    return "".join(word + draw(BLANKS) for word in words).rstrip() + draw(ENDS)


@st.composite
def texts(draw):
    values = draw(st.sampled_from([st.just("1"), FINITE]))
    text = "\n".join(["1 1:1", *draw(st.lists(lines(values), max_size=8))])
    return (text + draw(st.sampled_from(["", "\n"]))).encode()
