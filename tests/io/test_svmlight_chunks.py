"""Texts of many chunks: the same for any number of threads, at once or block by block."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from svmlight_texts import COMPRESS, assert_same, long_text
from tauboost.io import load_svmlight, svmlight_blocks
from tauboost.io.svmlight import read_rows


@pytest.mark.parametrize("values", [("1",), ("1", "0.25", "-3e-5")])
@pytest.mark.parametrize("comments", [False, True])
def test_any_number_of_threads(write, values, comments):
    rows = long_text(values=values)
    if comments:  # they leave gaps between the chunks
        rows[::7] = [row + " # a:b:c" for row in rows[::7]]
        rows[100:100] = ["# comment: only", ""] * 5000
    path = write("\n".join(rows).encode())
    expected = load_svmlight_file(str(path))
    for n_threads in (1, 2, 5):
        assert_same(load_svmlight(path, n_threads=n_threads), expected)


def test_values_and_long_indices_that_come_late(write):
    rows = long_text()
    rows[15_000] = "1 1:2.5"
    path = write("\n".join(rows).encode())
    expected = load_svmlight_file(str(path))
    assert_same(load_svmlight(path, n_threads=2), expected)
    rows[18_000] = f"1 1:1 {2**40}:1"
    X, _ = load_svmlight(write("\n".join(rows).encode()), n_threads=2)
    assert X.shape == (20_000, 2**40)
    assert X.indices.dtype == np.int64
    last = X.indptr[18_001]
    np.testing.assert_array_equal(X.indices[last - 2 : last], [0, 2**40 - 1])
    np.testing.assert_array_equal(X.indices[:100], expected[0].indices[:100])


def test_nothing_but_ones_means_no_values(write):
    rows = read_rows(write(b"1 1:1 2:1.0\n-1 3:1e0\n"))
    assert rows.data is None
    assert rows.n_features == 3
    np.testing.assert_array_equal(rows.indptr, [0, 2, 3])
    np.testing.assert_array_equal(rows.to_csr().data, 1.0)
    assert read_rows(write(b"1 1:1 2:1.5\n-1 3:1e0\n")).data is not None


# Blocks


def joined(blocks):
    indptr = np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)]).cumsum()
    indices = np.concatenate([block.indices for block in blocks])
    data = np.concatenate(
        [np.ones(len(block.indices)) if block.data is None else block.data for block in blocks]
    )
    X = sparse.csr_array((data, indices, indptr))
    X.resize(len(indptr) - 1, max(block.largest_index or 0 for block in blocks) + 1)
    return X, np.concatenate([block.y for block in blocks])


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("block_bytes", [1, 1000, 100_000, 64 << 20])
@pytest.mark.parametrize("zero_based", [True, False])
def test_blocks(write, kind, block_bytes, zero_based):
    rows = long_text(n_rows=200 if block_bytes == 1 else 2000, values=("1", "1", "7"))
    content = COMPRESS[kind]("\n".join(rows).encode())
    path = write(content)
    blocks = list(svmlight_blocks(path, zero_based=zero_based, block_bytes=block_bytes))
    assert_same(joined(blocks), load_svmlight(path, zero_based=zero_based))
    read = [block.bytes_read for block in blocks]
    assert read == sorted(read)
    assert read[-1] == len(content)
    for block in blocks:
        assert len(block.y) == len(block.indptr) - 1 > 0
        assert block.smallest_index == (min(block.indices) if len(block.indices) else None)
        assert block.largest_index == (max(block.indices) if len(block.indices) else None)
        assert block.data is None or (block.data != 1).any()
    if block_bytes == 1:
        assert all(len(block.y) == 1 for block in blocks)
    if kind == "plain":
        assert len(blocks) <= 1 + sum(map(len, rows)) / block_bytes + len(rows)


def test_blocks_of_unknown_base_are_as_written(write):
    blocks = list(svmlight_blocks(write(b"1 5:1\n1\n1 0:1\n"), zero_based="auto", block_bytes=1))
    assert [list(block.indices) for block in blocks] == [[5], [], [0]]
    assert [block.smallest_index for block in blocks] == [5, None, 0]


def test_blocks_take_little_memory():
    class Endless(io.RawIOBase):
        """Far more text than the test has memory for, if it kept it."""

        line = b"1 " + b" ".join(b"%d:1" % i for i in range(1, 100)) + b"\n"
        left = 200

        def read(self, _=-1):
            self.left -= 1
            return self.line * (1 << 11) if self.left >= 0 else b""

    sizes = [
        block.indices.nbytes
        for block in svmlight_blocks(Endless(), zero_based=False, block_bytes=1 << 22)
    ]
    assert sum(sizes) == 200 * (1 << 11) * 99 * 4
    assert max(sizes) < 1 << 23
