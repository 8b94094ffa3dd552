"""A quick look at files and stores: whole where they are small, some rows where they are not."""

from __future__ import annotations

import lzma

import numpy as np
import pytest

import tauboost as tb
from tauboost.io import svmlight
from tauboost.planning import data
from tauboost.planning.data import sample_data
from tauboost.validation import as_csr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("look")
    tb.generate_url(path / "url.svm", scale=0.004, as_text=True)
    tb.generate_url(path / "url.store", scale=0.004)
    (path / "url.svm.xz").write_bytes(lzma.compress((path / "url.svm").read_bytes(), preset=0))
    return path


@pytest.mark.parametrize("name", ["url.svm", "url.svm.xz", "url.store"])
def test_all_of_it(folder, name):
    X, y = tb.load_svmlight(folder / "url.svm")
    found = sample_data(folder / name, 60.0, 1, False)
    assert found.share == 1.0
    assert found.name == name
    assert (found.shape.m, found.shape.nnz) == (X.shape[0], X.nnz)
    assert found.n_used == len(np.unique(X.indices))
    assert found.read_seconds > 0
    assert (found.rows.arrays.to_scipy()[:, : X.shape[1]] != X).nnz == 0
    np.testing.assert_array_equal(found.rows.codes, y > 0)


def test_the_first_rows_of_a_file(folder, monkeypatch):
    monkeypatch.setattr(svmlight, "PART_BYTES", 2**18)
    X, _ = tb.load_svmlight(folder / "url.svm")
    found = sample_data(folder / "url.svm", 1e-9, 1, False)
    assert 0 < found.share < 1
    assert found.shape.m == pytest.approx(X.shape[0], rel=0.05)
    assert found.shape.nnz == pytest.approx(X.nnz, rel=0.05)
    assert found.n_used == pytest.approx(len(np.unique(X.indices)), rel=0.3)
    assert "first" in found.how_read


def test_slices_of_a_store(folder, monkeypatch):
    store = tb.open_store(folder / "url.store")
    monkeypatch.setattr(data, "MOST_ENTRIES", 2**10)
    monkeypatch.setattr(data, "SLICE_ENTRIES", 2**17)
    found = sample_data(store, 1.0, 1, False)
    assert found.share == pytest.approx(2**17 / store.nnz, rel=0.1)
    assert found.shape[:2] == store.shape
    assert found.shape.nnz == store.nnz
    assert found.n_used <= store.shape[1]
    assert found.data_bytes == 0


def test_reading_goes_on_until_there_are_two_classes(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "PART_BYTES", 2**12)
    lines = ["-1 1:1\n"] * 2000 + ["1 2:1\n"] * 20
    (tmp_path / "sorted.svm").write_text("".join(lines))
    assert sample_data(tmp_path / "sorted.svm", 1e-9, 1, False).rows.n_classes == 2


def test_counting_from_0(tmp_path):
    (tmp_path / "zero.svm").write_text("-1 0:1 2:1\n1 1:1\n")
    assert sample_data(tmp_path / "zero.svm", 1.0, 1, False).shape.n == 3


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "x,y\n1,2\n", "for a table or texts"),
        ("a.npz", "PK\x03\x04", "plan takes the path"),
        ("a.svm", "", "no samples|reads a file twice"),
    ],
)
def test_refusals(tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=words):
        sample_data(tmp_path / name, 1.0, 1, False)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        sample_data(tmp_path / "none.svm", 1.0, 1, False)


@pytest.mark.parametrize("kind", ["ones", "values", "store"])
def test_some_rows(tmp_path, kind):
    X, y = (tb.make_w8a_like if kind == "ones" else tb.make_url_like)(3000, random_state=0)
    if kind == "store":
        with tb.StoreWriter(tmp_path / "s", n_features=X.shape[1]) as writer:
            writer.append(X, y)
        assert as_csr(tb.open_store(tmp_path / "s")).more is not None
        X = tb.open_store(tmp_path / "s")
    rows = sample_data((X, y), 1.0, 1, False).rows
    some = rows.some(rows.nnz / 4)
    assert some.nnz == pytest.approx(rows.nnz / 4, rel=0.2)
    assert some.arrays.shape == (len(some.codes), rows.arrays.shape[1])
    assert len(some.weights) == len(some.codes)
    assert rows.some(rows.nnz) is rows


def test_some_rows_of_every_class():
    y = np.repeat([0, 1, 2], [3000, 60, 30])
    rows = sample_data((np.eye(len(y), 5) + 1.0, y), 1.0, 1, False).rows
    assert np.bincount(rows.some(rows.nnz / 50).codes).min() >= 20


def test_the_problem_of_some_rows():
    rows = sample_data(tb.make_w8a_like(2000, random_state=0), 1.0, 1, False).rows
    problem = rows.some(500).problem(1)
    assert (problem.loss, problem.fit_intercept) == ("logistic", True)
    assert tb.solve(problem, max_epochs=1, random_state=0).objective < np.log(2)
