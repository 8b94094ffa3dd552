"""tauboost.dask.TauBoostClassifier: the local one's coefficients, from whatever Dask holds."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

from itertools import pairwise

import dask.array as da
import numpy as np
import pandas as pd
import scipy.sparse as sp
from dask import dataframe as dd
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.exceptions import NotFittedError

import tauboost as tb
import tauboost.dask as td
from sparse_data import random_csr
from tauboost.dask import labels as labelled
from tauboost.dask.loading import LoadedPart, read_range
from tauboost.sparse.scaling import Units
from tauboost.validation import as_csr

GIVEN = {"alpha": 1e-2, "tol": 1e-8, "max_iter": 300, "random_state": 0}
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def make_data(n_classes=2, n=600, n_features=16):
    rng = np.random.default_rng(n_classes)
    X = random_csr((n, n_features), 0.3, rng)
    scores = X @ rng.normal(size=(n_features, n_classes)) + 0.3 * rng.normal(size=(n, n_classes))
    return X, scores.argmax(axis=1)


X, Y = make_data()
UNITS = Units.of(as_csr(X), np.ones(X.shape[0]), True, 1)
FRAME = pd.DataFrame(X.toarray(), columns=[f"f{i}" for i in range(X.shape[1])])


def dask_array(X, size=150, *, is_sparse=True):
    if not is_sparse:
        return da.from_array(X.toarray(), chunks=(size, 10))
    return da.from_array(X.toarray(), chunks=(size, -1)).map_blocks(sp.csr_matrix)


def parts(X, y, n=4):
    return [(X[k::n], y[k::n]) for k in range(n)]


@pytest.fixture(scope="module")
def local():
    return tb.TauBoostClassifier(**GIVEN).fit(X, Y)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    dump_svmlight_file(X, Y, str(folder / "data.svm"), zero_based=False)
    tb.convert(folder / "data.svm", folder / "data.store")
    return folder / "data.store"


def data_like(kind, store):
    frame = FRAME.assign(label=Y)
    return {
        "dense": lambda: (dask_array(X, is_sparse=False), Y),
        "sparse": lambda: (dask_array(X), da.from_array(Y, chunks=200)),
        "frame and series": lambda: (
            dd.from_pandas(FRAME, npartitions=3),
            dd.from_pandas(pd.Series(Y), npartitions=3),
        ),
        "frame and column": lambda: (dd.from_pandas(frame, npartitions=3), "label"),
        "parts": lambda: ([(X[:100], Y[:100]), (X[100:], Y[100:])],),
        "a class missing from parts": lambda: ([(X[Y == 0], Y[Y == 0]), (X[Y == 1], Y[Y == 1])],),
        "file": lambda: ([store.parent / "data.svm"],),
        "ranges": lambda: (td.svmlight_ranges(store.parent / "data.svm", 3),),
        "store": lambda: (tb.open_store(store),),
    }[kind]()


KINDS = (
    "dense",
    "sparse",
    "frame and series",
    "frame and column",
    "parts",
    "a class missing from parts",
    "file",
    "ranges",
    "store",
)


@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_are_those_of_one_machine(client, local, store, kind):
    clf = td.TauBoostClassifier(**GIVEN, client=client, n_parts=2).fit(*data_like(kind, store))
    assert np.allclose(clf.coef_, local.coef_, atol=1e-5)
    assert np.allclose(clf.intercept_, local.intercept_, atol=1e-5)
    assert np.allclose(clf.objective_, local.objective_, atol=1e-9)
    assert clf.classes_.tolist() == [0, 1]
    names = getattr(clf, "feature_names_in_", None)
    assert names is None if "frame" not in kind else names.tolist() == FRAME.columns.tolist()


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_several_classes_with_weights_and_words_for_labels(client, loss):
    X, codes = make_data(3)
    y = np.array(["low", "middle", "top"])[codes]
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    options = GIVEN | {"loss": loss}
    local = tb.TauBoostClassifier(**options).fit(X, y, weights)
    lazy = dask_array(X)
    labels = da.from_array(y.astype(object), chunks=150)
    clf = td.TauBoostClassifier(**options, client=client, n_parts=2)
    clf.fit(lazy, labels, da.from_array(weights, chunks=150))
    assert np.allclose(clf.coef_, local.coef_, atol=1e-5)
    assert np.allclose(clf.objective_, local.objective_, atol=1e-8)
    assert clf.classes_.tolist() == local.classes_.tolist()
    same_record(clf.record_, local.record_)
    for method in METHODS:
        answer = getattr(clf, method)(lazy)
        there = getattr(clf.to_local(), method)(X)
        assert isinstance(answer, da.Array)
        assert answer.shape == there.shape
        assert same(answer.compute(), there)


def same_record(there, local):
    """What is known of the fit, but for the hash of the data, which is not taken."""
    facts = ("n_samples", "n_columns", "counts", "seed", "versions")
    assert [getattr(there, name) for name in facts] == [getattr(local, name) for name in facts]
    assert there.data_hash == ""
    assert np.array_equal(there.sketch.prints, local.sketch.prints)
    assert np.array_equal(there.sketch.counts, local.sketch.counts)
    assert there.seconds > 0
    assert there.peak_bytes is None  # that of the driver


def same(a, b):
    """Equal, but for what a product gains or loses by being cut into blocks."""
    return np.allclose(a, b, rtol=1e-12) if a.dtype.kind == "f" else np.array_equal(a, b)


def test_answers_are_lazy_and_those_of_the_local_model(client, local):
    frame = dd.from_pandas(FRAME, npartitions=3)
    clf = td.TauBoostClassifier(**GIVEN, client=client)
    clf.fit(frame, dd.from_pandas(pd.Series(Y), npartitions=3))
    # A partition without rows, as filters leave them behind.
    frame = dd.concat([frame, frame[frame.f0 > 2.0]])
    for method in METHODS:
        here = getattr(clf.to_local(), method)(FRAME)
        answer = getattr(clf, method)(frame)
        assert isinstance(answer, da.Array)
        assert same(client.compute(answer).result(), here)
        assert np.array_equal(getattr(clf, method)(FRAME), here)
    clf.fit(dask_array(X, is_sparse=False), Y)
    assert not hasattr(clf, "feature_names_in_")
    for method in METHODS:
        here = getattr(local, method)(X)
        answer = getattr(clf, method)(dask_array(X, is_sparse=False))
        assert (answer.shape, answer.dtype) == (here.shape, here.dtype)
        assert np.allclose(answer.compute(), here, atol=1e-5)


def test_to_local_can_be_saved(client, tmp_path):
    clf = td.TauBoostClassifier(**GIVEN, client=client).fit(dask_array(X), Y)
    local = clf.to_local()
    assert type(local) is tb.TauBoostClassifier
    tb.save_model(local, tmp_path / "model")
    loaded = tb.load_model(tmp_path / "model")
    assert np.array_equal(loaded.predict(X), clf.predict(X))
    assert loaded.record_.to_data() == clf.record_.to_data()
    assert 0 <= loaded.record_.gap < 1e-3


def test_a_report_says_that_no_hash_was_taken(client, local):
    clf = td.TauBoostClassifier(**GIVEN, client=client).fit(dask_array(X), Y).to_local()
    same_record(clf.record_, local.record_)
    for page in (tb.report(clf, X, Y), tb.report(clf, X)):
        assert "not taken: the rows stayed in parts on a cluster" in page.html
        assert "600 rows" in page.html
        assert "data than those of the fit" not in page.html
        assert "The model was trained on about 100%" in page.warnings[0]


def test_alpha_is_chosen_on_all_rows_where_they_fit(client):
    X, y = tb.make_w8a_like(3000, random_state=0)
    clf = td.TauBoostClassifier(client=client, random_state=0).fit(parts(X, y))
    local = tb.TauBoostClassifier(random_state=0).fit(X, y)
    assert clf.alpha_ == pytest.approx(local.alpha_)
    assert clf.held_out_loss_ == pytest.approx(local.held_out_loss_)
    assert len(clf.selection_) == len(local.selection_)
    assert np.allclose(clf.coef_, local.coef_, rtol=0, atol=1e-6)
    assert "Chosen on 3000 rows: logistic loss" in clf.message_
    assert clf.record_.data_hash == local.record_.data_hash
    assert "fitted on these very rows" in tb.report(clf.to_local(), X, y).warnings[0]


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_alpha_chosen_on_a_sample_is_as_good(client, monkeypatch, l1_ratio):
    X, y = tb.make_w8a_like(12_000, random_state=0)
    X, y, test_X, test_y = X[:8000], y[:8000], X[8000:], y[8000:]
    monkeypatch.setattr(labelled, "MOST_ROWS", 2000)
    options = {"random_state": 0, "l1_ratio": l1_ratio}
    clf = td.TauBoostClassifier(client=client, **options).fit(parts(X, y))
    local = tb.TauBoostClassifier(**options).fit(X, y)
    assert 1500 < int(clf.message_.split()[2]) < 2500
    assert (clf.record_.n_samples, clf.record_.data_hash) == (8000, "")

    def log_loss(clf):
        return -np.mean(clf.predict_log_proba(test_X)[np.arange(len(test_y)), (test_y > 0) * 1])

    assert log_loss(clf) < 1.1 * log_loss(local)


def test_loss_can_be_chosen(client):
    clf = td.TauBoostClassifier(client=client, loss="auto", l1_ratio="auto", random_state=0)
    clf.fit(dask_array(X), Y)
    assert clf.loss_ in {"logistic", "exponential"}
    assert {row["loss"] for row in clf.selection_} == {"logistic", "exponential"}
    assert np.mean(clf.predict(X) == Y) > 0.85


def random_cuts(most, n_cuts, seed):
    """Return where to cut rows. Not by hypothesis, which minds that threads of Dask are random."""
    return np.random.default_rng(seed).integers(0, most, n_cuts, endpoint=True).tolist()


@pytest.mark.parametrize("fraction", [1e-9, 0.1, 0.5])
@pytest.mark.parametrize(
    "cuts", [[], [0], [600], [66, 125], *(random_cuts(600, 1 + k % 4, k) for k in range(16))]
)
def test_the_sample_depends_on_content_and_has_every_class(cuts, fraction):
    y = np.where(np.arange(600) < 3, 2, Y)  # a rare class
    classes = np.array([0, 1, 2])
    edges = [0, *sorted(cuts), 600]
    found = set()
    for a, b in pairwise(edges):
        part = LoadedPart(X[a:b], y[a:b], None)
        rows, codes, weights = labelled.sample_rows(part, classes, X.shape[1], fraction, UNITS)
        assert rows.shape[0] == len(codes) == len(weights)
        assert set(codes.tolist()) == set(y[a:b].tolist())
        found |= {row.tobytes() for row in rows.toarray()}
    whole = LoadedPart(X, y, None)
    whole = labelled.sample_rows(whole, classes, X.shape[1], fraction, UNITS)[0]
    assert {row.tobytes() for row in whole.toarray()} <= found


def test_a_sample_of_rows_that_repeat_is_as_large_as_wanted():
    """Sixteen different rows, 20,000 times: the sample has a fifth of each of them."""
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.integers(0, 2, (20_000, 4)).astype(float))
    y = rng.integers(0, 2, 20_000)
    rows, codes, _ = labelled.sample_rows(LoadedPart(X, y, None), np.array([0, 1]), 4, 0.2, None)
    assert len(codes) == pytest.approx(4000, rel=0.05)
    _, counts = np.unique(rows.toarray(), axis=0, return_counts=True)
    assert len(counts) == 16
    assert counts.min() > 180


@pytest.mark.parametrize(("alpha", "n_classes"), [(1e-3, 3), ("auto", 2)])
def test_units_are_those_of_all_parts(client, alpha, n_classes):
    """The largest value is in one part; a year is far from 0 in all of them."""
    X, y = make_data(n_classes)
    X = X.toarray() * 10.0 ** np.linspace(-5, 5, X.shape[1])
    X[:, 0] = 2015 + np.round(3 * X[:, 1] / X[:, 1].std())
    X[0, 2] *= 40
    weights = np.tile([1.0, 0.0, 2.0], 200)
    options = GIVEN | {"alpha": alpha, "tol": 1e-7}
    local = tb.TauBoostClassifier(**options).fit(X, y, weights)
    chunks = [(X[k::3], y[k::3], weights[[*range(600)][k::3]]) for k in range(3)]
    spread = td.TauBoostClassifier(client=client, **options).fit(chunks)
    assert spread.alpha_ == pytest.approx(local.alpha_, rel=1e-9)
    np.testing.assert_allclose(spread.predict_proba(X), local.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(spread.objective_, local.objective_, rtol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_goes_on_from_a_checkpoint(client, tmp_path, n_classes):
    X, y = make_data(n_classes)
    file = tmp_path / "c"
    options = GIVEN | {"client": client, "checkpoint": file}
    clf = td.TauBoostClassifier(**options | {"max_iter": 2}).fit(dask_array(X), y)
    assert {path.name for path in tmp_path.iterdir()} == (
        {"c"} if n_classes == 2 else {"c.0", "c.1", "c.2"}
    )
    assert clf.n_iter_ <= 2
    again = td.TauBoostClassifier(**options).fit(dask_array(X), y)
    assert np.all(again.objective_ < clf.objective_)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}])
def test_weights_of_classes_are_those_of_one_machine(client, n_classes, class_weight):
    X, y = make_data(n_classes)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    for given in (GIVEN, {"tol": 1e-8, "l1_ratio": 0.5}):
        options = given | {"class_weight": class_weight}
        local = tb.TauBoostClassifier(**options).fit(X, y, weights)
        clf = td.TauBoostClassifier(**options, client=client)
        clf.fit([(X[k::3], y[k::3], weights[k::3]) for k in range(3)])
        assert clf.alpha_ == pytest.approx(local.alpha_)
        assert np.allclose(clf.coef_, local.coef_, atol=1e-5)
        assert np.allclose(clf.objective_, local.objective_, atol=1e-8)
    with pytest.raises(ValueError, match="leaves no samples of some classes"):
        td.TauBoostClassifier(class_weight={0: 0.0}, client=client).fit(parts(X, y))


def test_a_warm_start_keeps_the_choice_and_has_less_to_do(client):
    X, y = tb.make_w8a_like(2000, random_state=0)
    clf = td.TauBoostClassifier(client=client, warm_start=True).fit(parts(X, y))
    alpha, coef = clf.alpha_, clf.coef_
    clf.fit(parts(X, y))
    assert (clf.alpha_, clf.n_iter_) == (alpha, 0)
    assert np.allclose(clf.coef_, coef, atol=1e-10)
    with pytest.raises(ValueError, match="warm_start needs the features and classes"):
        clf.fit(parts(X[:, :200], y))


def test_refuses_bad_input(client):
    lazy = dask_array(X)
    with pytest.raises(ValueError, match="client is None and there is no current one"):
        td.TauBoostClassifier().fit(lazy, Y)
    clf = td.TauBoostClassifier(client=client)
    with pytest.raises(NotFittedError):
        clf.predict(lazy)
    with pytest.raises(NotFittedError):
        clf.to_local()
    with pytest.raises(ValueError, match="one class only, 0: at least two"):
        clf.fit(lazy, np.zeros(600, dtype=int))
    mixed = Y.astype(object)
    mixed[7] = "a"
    with pytest.raises(TypeError, match=r"labels of one type .* got int, str"):
        clf.fit(lazy, mixed)
    with pytest.raises(ValueError, match="fewer than 1000"):
        clf.fit(da.zeros((2000, 2), chunks=500), np.arange(2000))
    with pytest.raises(ValueError, match="continuous"):
        clf.fit(lazy, Y + np.linspace(0, 0.5, 600).round(2))
    with pytest.raises(ValueError, match="y contains NaN"):
        clf.fit(lazy, np.where(Y, np.nan, 1.0))
    with pytest.raises(TypeError, match="X of type ndarray"):
        clf.fit(X.toarray(), Y)
    with pytest.raises(TypeError, match="data must be a tuple"):
        clf.fit(lazy)
    with pytest.raises(ValueError, match="different numbers of columns: 15, 16"):
        clf.fit([(X[:300], Y[:300]), (X[300:, :15], Y[300:])])
    with pytest.raises(ValueError, match="loss must be one of"):
        clone(clf.set_params(client=None)).set_params(loss="hinge", client=client).fit(lazy, Y)
    with pytest.raises(ValueError, match=r"loss='auto' .* needs alpha='auto'"):
        td.TauBoostClassifier(client=client, loss="auto", alpha=1.0).fit(lazy, Y)


def test_two_billion_columns_cost_what_the_used_ones_do(client):
    """Weighted rows, of which some weigh nothing and have columns of their own."""
    X = random_csr((200, 12), 0.3, np.random.default_rng(0))
    columns = np.append(np.arange(11) * 7, 2**31 - 4)
    wide = sp.csr_array((X.data, columns[X.indices], X.indptr), shape=(200, 2**31 - 3))
    y, weights = np.arange(200) % 3, np.where(np.arange(200) % 10, 1.0, 0.0)
    wide.indices[wide.indptr[10]] = 5  # of the row 10, whose weight is 0
    options = {"alpha": 0.01, "tol": 1e-8, "max_iter": 10_000}
    pieces = [(wide[a:b], y[a:b], weights[a:b]) for a, b in ((0, 90), (90, 200))]
    with pytest.warns(tb.FitWarning, match="columns, 12 are used: is an index wrong?"):
        there = td.TauBoostClassifier(**options, client=client).fit(pieces)
    with pytest.warns(tb.FitWarning, match="columns, 12 are used: is an index wrong?"):
        here = tb.TauBoostClassifier(**options).fit(wide, y, weights)
    assert there.coef_.shape == (3, 2**31 - 3)
    assert abs(there.coef_ - here.coef_).max() < 1e-4
    assert there.n_features_in_ == there.record_.n_columns == 2**31 - 3
    np.testing.assert_array_equal(there.record_.sketch.prints, here.record_.sketch.prints)
    np.testing.assert_allclose(
        there.to_local().predict_proba(wide), here.predict_proba(wide), atol=1e-4
    )


def test_a_failed_fit_leaves_the_last_one(client):
    clf = td.TauBoostClassifier(**GIVEN, client=client).fit(dask_array(X), Y)
    before = clf.coef_
    with pytest.raises(ValueError, match="one class only"):
        clf.fit(dask_array(X), np.ones(600))
    assert clf.coef_ is before
    with pytest.raises(ValueError, match="X must have 16 columns"):
        clf.predict(dask_array(X[:, :3]))


@pytest.mark.parametrize("last", [b"", b"\n"])
@pytest.mark.parametrize(
    "cuts", [[], [0], [120], [60, 60], *(random_cuts(120, 1 + k % 5, k) for k in range(20))]
)
def test_ranges_read_every_line_once(tmp_path_factory, cuts, last):
    text = b"# a comment\n1 1:2 3:1\n\n-1 2:0.5\r\n" + b"1 4:1\n" * 12 + b"-1 1:1 # more" + last
    path = tmp_path_factory.mktemp("ranges") / "data.svm"
    path.write_bytes(text)
    there, labels = load_svmlight_file(str(path), n_features=4, zero_based=False)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [read_range(str(path), a, b, 4) for a, b in pairwise(edges)]
    assert np.array_equal(np.concatenate([y for _, y in parts]), labels)
    assert np.array_equal(sp.vstack([X for X, _ in parts]).toarray(), there.toarray())


def test_a_bad_line_is_named_with_its_range(write):
    path = write(b"1 1:1\n1 0:1\n")
    with pytest.raises(ValueError, match=r"data\.svm, bytes 6 to 12, line 1, column 3"):
        read_range(str(path), 6, 12, None)
