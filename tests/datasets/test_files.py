"""Generated sets on disk are those in memory, as store and as text, for any number of threads."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tauboost as tb
from stores import assert_nothing_left, assert_same
from tauboost.io.svmlight import SvmlightWriter

# More than one block of rows.
URL_SCALE, URL_ROWS = 0.0075, 17_971


@pytest.mark.parametrize("threads", [1, 3])
def test_url_store_is_make_url_like(tmp_path, threads):
    path = tb.generate_url(
        tmp_path / "s", scale=URL_SCALE, random_state=5, n_threads=threads, overwrite=True
    )
    assert path == tmp_path / "s"
    X, y = tb.make_url_like(URL_ROWS, random_state=5)
    store = tb.open_store(path, verify=True)
    assert_same(store.to_csr(), X)
    np.testing.assert_array_equal(store.y, y)
    del store.source["tauboost"]
    assert store.source == {"made_from": "generate url", "scale": URL_SCALE, "random_state": 5}


def test_w8a_store_is_make_w8a_like(tmp_path, monkeypatch):
    monkeypatch.setattr("tauboost.datasets.files.W8A_BLOCK_ROWS", 100)
    store = tb.open_store(tb.generate_w8a(tmp_path / "s", scale=0.02, random_state=3))
    X, y = tb.make_w8a_like(995, random_state=3)
    assert_same(store.to_csr(), X)
    np.testing.assert_array_equal(store.y, y)


@pytest.mark.parametrize("generate", [tb.generate_url, tb.generate_w8a])
def test_text_becomes_the_same_store(tmp_path, generate):
    generate(tmp_path / "x.svm", scale=0.001, as_text=True)
    generate(tmp_path / "direct", scale=0.001)
    direct = tb.open_store(tmp_path / "direct")
    made = tb.convert(tmp_path / "x.svm", tmp_path / "made", n_features=direct.shape[1])
    for name, array in direct._arrays.items():
        np.testing.assert_array_equal(array, made._arrays[name])


def test_seeds(tmp_path):
    for name, seed in (("a", 1), ("b", np.int64(1)), ("c", 2), ("d", None)):
        tb.generate_url(tmp_path / name, scale=1e-4, random_state=seed)
    a, b, c, d = (tb.open_store(tmp_path / name) for name in "abcd")
    assert_same(a.to_csr(), b.to_csr())
    assert not np.array_equal(a.parts()[0].indices, c.parts()[0].indices)
    again = tb.generate_url(tmp_path / "e", scale=1e-4, random_state=d.source["random_state"])
    assert_same(tb.open_store(again).to_csr(), d.to_csr())


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"scale": 0}, ValueError, "scale must be above 0"),
        ({"scale": -1.0}, ValueError, "scale must be above 0"),
        ({"scale": np.nan}, ValueError, "scale"),
        ({"scale": 1e9}, ValueError, "scale must be .*at most"),
        ({"scale": "big"}, TypeError, "scale must be a number"),
        ({"random_state": -1}, ValueError, "random_state must be"),
        ({"random_state": 0.5}, TypeError, "random_state must be"),
    ],
)
@pytest.mark.parametrize("generate", [tb.generate_url, tb.generate_w8a])
def test_bad_arguments(tmp_path, generate, options, error, words):
    with pytest.raises(error, match=words):
        generate(tmp_path / "s", **options)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("as_text", [True, False])
def test_nothing_is_generated_for_a_bad_path(tmp_path, monkeypatch, as_text):
    monkeypatch.setattr("tauboost.datasets.url_like.make_tables", None)
    (tmp_path / "taken").write_text("x")
    for path, words in ((tmp_path / "taken", "exists"), (tmp_path / "a" / "b", "no folder")):
        with pytest.raises(OSError, match=words):
            tb.generate_url(path, scale=1e-4, as_text=as_text)


def test_text_replaces_a_file_if_told(tmp_path):
    (tmp_path / "x").write_text("x")
    tb.generate_w8a(tmp_path / "x", scale=0.001, as_text=True, overwrite=True)
    assert tb.load_svmlight(tmp_path / "x")[0].shape[0] == 50
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        tb.generate_w8a(tmp_path / "folder", scale=0.001, as_text=True, overwrite=True)
    assert_nothing_left(tmp_path, "folder", "x")


@pytest.mark.parametrize("as_text", [True, False])
def test_an_error_on_the_way_leaves_nothing(tmp_path, monkeypatch, as_text):
    def fail(tables, k, n_rows):
        raise MemoryError

    monkeypatch.setattr("tauboost.datasets.url_like.make_block", fail)
    before = set(threading.enumerate())
    with pytest.raises(MemoryError):
        tb.generate_url(tmp_path / "s", scale=0.05, as_text=as_text)
    assert_nothing_left(tmp_path)
    assert set(threading.enumerate()) <= before


PEAK_MEMORY = """
import resource, sys, tauboost as tb
{command}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("as_text", [True, False])
def test_full_size_in_bounded_memory(tmp_path, as_text):
    """The URL set as in the paper; as text at a fifth of the size, then converted."""
    scale, command = 1.0, "tb.generate_url('s')"
    if as_text:
        scale = 0.2
        command = "tb.generate_url('t', scale=0.2, as_text=True); tb.convert('t', 's')"
    done = subprocess.run(
        [sys.executable, "-c", PEAK_MEMORY.format(command=command)],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) < 2**30
    store = tb.open_store(tmp_path / "s", verify=True)
    assert store.shape[0] == round(2_396_130 * scale)
    if not as_text:
        in_row = sum(np.diff(part.indptr) for part in store.parts())
        assert store.shape == (2_396_130, 3_231_961)
        assert in_row.max() == 414
        assert store.nnz == pytest.approx(277e6, rel=0.01)
        assert dict(store.labels)[1.0] == pytest.approx(store.shape[0] / 3, rel=1e-3)
        valued = np.unique(store.parts()[1].indices)
        np.testing.assert_array_equal(valued, np.arange(64))


# Text


ROW = st.tuples(
    st.sampled_from([-1.0, 1.0, 0.0, 2.5, 1e300, -(2.0**60)]),
    st.dictionaries(
        st.integers(0, 2000),
        st.sampled_from([1.0, -1.0, 0.1, 1e-300, 123456789.125, 5.0, 1 / 3]),
        max_size=5,
    ),
)


@given(st.lists(st.lists(ROW, max_size=4), min_size=1, max_size=3))
def test_written_text_is_read_back_bit_for_bit(tmp_path_factory, blocks):
    path = tmp_path_factory.mktemp("text") / "x.svm"
    rows = [row for block in blocks for row in block]
    with SvmlightWriter(path) as writer:
        for block in blocks:
            indptr = np.cumsum([0, *(len(entries) for _, entries in block)])
            pairs = [pair for _, entries in block for pair in sorted(entries.items())]
            indices = np.array([index for index, _ in pairs], dtype=np.int32)
            data = np.array([value for _, value in pairs])
            writer.append_arrays(indptr, indices, data, np.array([label for label, _ in block]))
    assert writer.n_samples == len(rows)
    if not rows:
        assert path.read_bytes() == b""
        return
    assert path.read_text().count("\n") == len(rows)
    X, y = tb.load_svmlight(path, zero_based=False)
    np.testing.assert_array_equal(y, [label for label, _ in rows])
    for j, (_, entries) in enumerate(rows):
        row = X[[j]]
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == entries


def test_text_without_values(tmp_path):
    with SvmlightWriter(tmp_path / "x") as writer:
        writer.append_arrays(np.array([0, 2, 2]), np.array([0, 10]), None, np.array([1.0, -1.0]))
    assert (tmp_path / "x").read_text() == "1 1:1 11:1\n-1\n"
