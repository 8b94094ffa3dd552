"""The generators: shapes and statistics of the sets they imitate, determinism, canonical CSR."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from tauboost.datasets.generators import (
    URL_BLOCK_ROWS,
    find_data,
    make_url_like,
    make_w8a_like,
    url_like_blocks,
)

URL_COMMON = 196


@pytest.fixture(scope="module")
def w8a():
    return make_w8a_like()


@pytest.fixture(scope="module")
def url():
    return make_url_like(URL_BLOCK_ROWS + 4000)


def assert_canonical(X, y, shape):
    assert isinstance(X, sparse.csr_array)
    assert X.shape == shape
    assert (X.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int32)
    assert len(X.data) == len(X.indices) == X.indptr[-1]
    assert np.all(X.data != 0)
    entry_row = np.repeat(np.arange(shape[0]), np.diff(X.indptr))
    assert np.all(np.diff(entry_row * shape[1] + X.indices) > 0)
    assert len(X.indices) == 0 or (X.indices.min() >= 0 and X.indices.max() < shape[1])
    assert y.dtype == np.float64
    assert y.shape == (shape[0],)
    assert np.all(np.abs(y) == 1)
    if shape[0] >= 2:
        assert len(np.unique(y)) == 2


def assert_same(first, second):
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(first[0], name), getattr(second[0], name))
    np.testing.assert_array_equal(first[1], second[1])


def column_counts(X):
    return np.bincount(X.indices, minlength=X.shape[1])


def lowest_value(X, y, n_iterations):
    """Minimise log(mean(exp(-y * X @ coef))) from zero; return the value reached."""
    A = sparse.csr_array(X.multiply(-y[:, None]))

    def value_and_gradient(coef):
        r = A @ coef
        shift = r.max()
        w = np.exp(r - shift)
        return shift + np.log(w.mean()), A.T @ (w / w.sum())

    options = {"maxiter": n_iterations, "maxcor": 20, "ftol": 0.0, "gtol": 0.0}
    start = np.zeros(X.shape[1])
    return minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options=options).fun


class TestW8aLike:
    def test_format(self, w8a):
        assert_canonical(*w8a, (49_749, 300))
        assert np.all(w8a[0].data == 1.0)

    def test_row_counts(self, w8a):
        count = np.diff(w8a[0].indptr)
        assert count.max() == 114
        assert count.mean() == pytest.approx(11.65, abs=0.2)
        assert np.mean(count == 0) == pytest.approx(0.0845, abs=0.005)
        assert np.quantile(count, [0.25, 0.5, 0.75, 0.99]) == pytest.approx([4, 9, 16, 54], abs=2)

    def test_labels(self, w8a):
        assert np.mean(w8a[1] > 0) == pytest.approx(0.0297, abs=0.001)

    def test_column_counts(self, w8a):
        share = np.sort(column_counts(w8a[0]))[::-1] / 49_749
        assert share[-1] > 0
        assert share[[0, 10, 50, 100]] == pytest.approx([0.352, 0.163, 0.074, 0.042], rel=0.3)
        assert share[250] < 0.003

    def test_columns_of_one_class(self, w8a):
        X, y = w8a
        positive = column_counts(X[y > 0])
        one_class = (positive == 0) | (positive == column_counts(X))
        assert 35 <= one_class.sum() <= 80

    def test_correlated_columns(self, w8a):
        X = w8a[0].toarray()[:5000]
        X = X[:, X.std(axis=0) > 0]
        correlation = np.corrcoef(X.T)
        strong = np.abs(correlation[np.triu_indices_from(correlation, 1)]) > 0.5
        assert 0.005 < strong.mean() < 0.1

    def test_lowest_value_is_like_that_of_w8a(self, w8a):
        # -1.491 is w8a's own; 150 iterations come within 0.01 of the infimum.
        assert -1.7 < lowest_value(*w8a, n_iterations=150) < -1.2

    def test_not_separable(self, w8a):
        X, y = w8a
        empty = np.diff(X.indptr) == 0
        assert set(y[empty]) == {-1.0, 1.0}
        model = LogisticRegression(C=100.0, max_iter=100, tol=1e-2).fit(X[~empty], y[~empty])
        assert 0.005 < 1 - model.score(X[~empty], y[~empty]) < 0.029

    def test_seeds(self):
        assert_same(make_w8a_like(500, random_state=3), make_w8a_like(500, random_state=3))
        assert (make_w8a_like(500)[1] != make_w8a_like(500, random_state=1)[1]).any()

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 60), st.integers(1, 400), st.integers(0, 2**70))
    def test_odd_sizes(self, n_samples, n_features, seed):
        X, y = make_w8a_like(n_samples, n_features, random_state=seed)
        assert_canonical(X, y, (n_samples, n_features))
        assert np.all(X.data == 1.0)


class TestUrlLike:
    def test_format(self, url):
        assert_canonical(*url, (URL_BLOCK_ROWS + 4000, 27_494))

    def test_row_counts(self, url):
        count = np.diff(url[0].indptr)
        assert count.mean() == pytest.approx(115.6, abs=3)
        assert 200 < count.max() <= 414
        assert count.min() < 60
        assert np.quantile(count, [0.1, 0.5, 0.99]) == pytest.approx([101, 113, 165], abs=8)

    def test_no_row_is_longer_than_omega(self, monkeypatch):
        monkeypatch.setattr("tauboost.datasets.url_like.OMEGA", 170)
        X, y = make_url_like(2000, 20_000)
        assert np.diff(X.indptr).max() == 170
        assert_canonical(X, y, (2000, 20_000))

    def test_labels(self, url):
        assert np.mean(url[1] > 0) == pytest.approx(1 / 3, abs=0.001)

    def test_values(self, url):
        X = url[0]
        real = X.data[X.indices < 64]
        assert real.min() > 0
        assert real.max() <= 1
        assert np.all(X.data[X.indices >= 64] == 1.0)
        assert np.sum(X.data != 1) / X.shape[0] == pytest.approx(11.9, abs=1)
        assert len(np.unique(real)) > 10_000

    def test_column_counts_fall_like_a_power_law(self, url):
        count = column_counts(url[0])
        share = np.sort(count)[::-1] / url[0].shape[0]
        assert share[[5, 50, 100, 300, 1000]] == pytest.approx(
            [1, 0.97, 0.26, 0.023, 0.0045], rel=0.2
        )
        rare = np.sort(count[URL_COMMON:])[::-1]
        ranks = np.array([100, 300, 1000, 3000, 10_000])
        slope = np.polyfit(np.log(ranks), np.log(rare[ranks]), 1)[0]
        assert -1.3 < slope < -0.8
        assert np.mean(count > 0) > 0.85

    def test_rare_columns_lean_to_one_class(self, url):
        X, y = url
        count, positive = column_counts(X), column_counts(X[y > 0])
        chosen = (count >= 6) & (count <= 20)
        one_class = (positive == 0) | (positive == count)
        assert 0.25 < one_class[chosen].mean() < 0.6

    def test_rows_of_a_host_share_rare_columns(self, url):
        X = url[0][:2000, URL_COMMON:]
        X = X[:, column_counts(X) < 100]
        overlap = (X @ X.T).toarray()
        np.fill_diagonal(overlap, 0)
        assert np.mean(overlap.max(axis=1) >= 5) > 0.5
        assert np.median(overlap) <= 1

    def test_a_linear_model_errs_on_one_to_two_percent(self, url):
        X, y = url
        model = LogisticRegression(C=0.3, max_iter=1000, tol=1e-3).fit(X[:15_000], y[:15_000])
        assert 0.008 < 1 - model.score(X[15_000:], y[15_000:]) < 0.028
        assert 1 - model.score(X[:15_000], y[:15_000]) < 0.015

    def test_default_width_follows_the_full_size(self):
        assert make_url_like(10)[0].shape == (10, 256)
        assert make_url_like(1000)[0].shape == (1000, 1349)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 60), st.integers(256, 3000), st.integers(0, 2**70))
    def test_odd_sizes(self, n_samples, n_features, seed):
        X, y = make_url_like(n_samples, n_features, random_state=seed)
        assert_canonical(X, y, (n_samples, n_features))
        assert np.diff(X.indptr).max() <= 414


class TestUrlBlocks:
    def test_stacked_blocks_are_the_whole(self, url):
        blocks = list(url_like_blocks(URL_BLOCK_ROWS + 4000))
        assert [len(y) for _, y in blocks] == [URL_BLOCK_ROWS, 4000]
        X = sparse.vstack([X for X, _ in blocks], format="csr")
        assert_same((X, np.concatenate([y for _, y in blocks])), url)

    def test_a_block_alone(self, url):
        X, y = url
        alone = list(url_like_blocks(URL_BLOCK_ROWS + 4000, start=1, stop=2))
        assert len(alone) == 1
        assert_same(alone[0], (X[URL_BLOCK_ROWS:], y[URL_BLOCK_ROWS:]))

    def test_a_full_block_does_not_depend_on_the_number_of_rows(self):
        stream = url_like_blocks(10**12, 1000, random_state=5)
        short = url_like_blocks(2 * URL_BLOCK_ROWS, 1000, random_state=5)
        for first, second in zip(itertools.islice(stream, 2), short, strict=True):
            assert_same(first, second)

    def test_blocks_differ(self):
        (first, _), (second, _) = url_like_blocks(2 * URL_BLOCK_ROWS, 1000)
        assert not np.array_equal(first.indices[:5000], second.indices[:5000])

    def test_no_blocks(self):
        assert list(url_like_blocks(100, start=1)) == []


@pytest.mark.parametrize("make", [make_w8a_like, make_url_like])
class TestArguments:
    @pytest.mark.parametrize("seed", [0, np.int64(7), np.random.SeedSequence(4)])
    def test_same_seed_same_arrays(self, make, seed):
        assert_same(make(50, random_state=seed), make(50, random_state=seed))

    def test_generator(self, make):
        first, second = (make(50, random_state=np.random.default_rng(2)) for _ in range(2))
        assert_same(first, second)

    def test_none_gives_new_arrays(self, make):
        first, second = (make(200, random_state=None)[0] for _ in range(2))
        assert not np.array_equal(first.indices, second.indices)

    @pytest.mark.parametrize(
        ("error", "name", "value"),
        [
            (ValueError, "n_samples", 0),
            (ValueError, "n_samples", -3),
            (TypeError, "n_samples", 2.5),
            (TypeError, "n_samples", True),
            (TypeError, "n_samples", None),
            (ValueError, "n_features", 0),
            (ValueError, "n_features", 2**31),
            (TypeError, "n_features", "many"),
            (ValueError, "random_state", -1),
            (TypeError, "random_state", "seed"),
            (TypeError, "random_state", 1.0),
        ],
    )
    def test_errors_name_argument_value_and_what_is_accepted(self, make, error, name, value):
        with pytest.raises(error, match=rf"^{name} must be an integer >= \d+.*; got {value!r}"):
            make(**{"n_samples": 10, name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("n_features", 255), ("start", -1), ("start", 2), ("stop", 2)]
)
def test_url_blocks_refuse_bad_arguments_at_the_call(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*; got {value}"):
        url_like_blocks(100, **{name: value})


class TestFindData:
    @pytest.mark.parametrize("file", ["a9a", "a9a.svm", "a9a.xz", "a9a.svm.gz", "a9a.bz2"])
    def test_endings(self, tmp_path, monkeypatch, file):
        (tmp_path / file).touch()
        (tmp_path / "a9a.t").touch()
        monkeypatch.setenv("TAUBOOST_DATA", str(tmp_path))
        assert find_data("a9a") == tmp_path / file
        assert find_data("a9a.t") == tmp_path / "a9a.t"

    def test_missing_file(self, tmp_path, monkeypatch):
        (tmp_path / "w8a").mkdir()
        monkeypatch.setenv("TAUBOOST_DATA", str(tmp_path))
        with pytest.raises(FileNotFoundError, match=r"w8a\.svm\.xz.*TAUBOOST_DATA") as caught:
            find_data("w8a")
        assert str(tmp_path) in str(caught.value)

    def test_missing_variable(self, monkeypatch):
        monkeypatch.delenv("TAUBOOST_DATA", raising=False)
        with pytest.raises(FileNotFoundError, match="TAUBOOST_DATA is not set"):
            find_data("mushrooms")

    def test_unknown_name(self):
        with pytest.raises(ValueError, match=r"name must be one of w8a, .*; got 'iris'"):
            find_data("iris")
