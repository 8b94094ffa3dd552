"""One wrong index makes a file two billion columns wide: memory goes by entries all the same."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from cli_runs import run

NOTE = "of 2,147,483,646 columns, 12 are used: is an index wrong?"
MOST = 6 * 2**30  # bytes of addresses: less than one number for each column, many for threads

pytestmark = pytest.mark.skipif(
    "TAUBOOST_SANITIZED" in os.environ, reason="sanitizers reserve terabytes of addresses"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("wide")
    rows = [f"{1 if k % 3 else -1} {k % 3 + 1}:{k} {k % 8 + 4}:1" for k in range(1, 60)]
    (path / "narrow.svm").write_text("\n".join(rows))
    (path / "wide.svm").write_text("\n".join([*rows, "1 2147483646:1"]))
    return path


@pytest.fixture(autouse=True)
def little_memory():
    """Leave too little for an array with a number for every column."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def done(*arguments: object) -> str:
    """Run a command, and return what it prints."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_command_in_little_memory(folder, monkeypatch):
    monkeypatch.chdir(folder)
    fitted = json.loads(done("fit", "wide.svm", "--alpha", "0.01", "--out", "m.tb", "--json"))
    assert fitted["warnings"] == [NOTE]
    assert fitted["weights"] == 2**31 - 2
    assert Path("m.tb").stat().st_size < 10_000
    assert NOTE in done("inspect", "wide.svm")
    found = json.loads(done("inspect", "wide.svm", "--json"))
    assert (found["n_features"], found["empty_columns"]) == (2**31 - 2, 2**31 - 14)
    assert found["warning"] == NOTE
    assert json.loads(done("inspect", "narrow.svm", "--json"))["warning"] == ""
    planned = json.loads(done("inspect", "wide.svm", "--plan", "--json"))
    assert planned["n_features"] == 2**31 - 2
    assert planned["peak_bytes"] < 2**20
    done("inspect", "wide.svm", "--verdict")
    done("inspect", "m.tb")
    done("convert", "wide.svm", "wide.store")
    done("predict", "m.tb", "wide.store", "--proba", "--metrics")
    done("report", "m.tb", "wide.svm", "--verdict", "--out", "r.html")
    assert "of 2,147,483,646 weights are not 0" in Path("r.html").read_text()
    compared = done("compare", "wide.svm", "--methods", "exact", "--max-epochs", "2")
    assert "2,147,483,646 features" in compared


def test_it_predicts_what_a_narrow_one_does(folder, monkeypatch):
    """Both have the same bits: products leave out only terms that are 0."""
    monkeypatch.chdir(folder)
    X, y = tb.load_svmlight("wide.svm")
    used, numbers = np.unique(X.indices, return_inverse=True)
    few = sp.csr_array((X.data, numbers, X.indptr), shape=(len(y), len(used)))
    with pytest.warns(tb.FitWarning, match="is an index wrong"):
        wide = tb.TauBoostClassifier(alpha=0.01).fit(X, y)
    narrow = tb.TauBoostClassifier(alpha=0.01).fit(few, y)
    np.testing.assert_array_equal(wide.coef_.data, narrow.coef_[0][narrow.coef_[0] != 0])
    np.testing.assert_array_equal(wide.predict_proba(X), narrow.predict_proba(few))
    assert wide.coef_.shape == (1, 2**31 - 2)
    best = wide.top_features(3)
    np.testing.assert_array_equal(best.weights, narrow.top_features(3).weights)
    found = (clf.explain(rows).contributions for clf, rows in ((wide, X), (narrow, few)))
    np.testing.assert_array_equal(*(part.data for part in found))
    with pytest.warns(tb.FitWarning):
        again = wide.set_params(warm_start=True).fit(X, y)
    assert again.coef_.nnz == wide.coef_.nnz


def test_sparse_coefficients_predict_the_same_bits_from_a_store(folder, monkeypatch):
    monkeypatch.chdir(folder)
    X, y = tb.load_svmlight("narrow.svm")
    tb.convert("narrow.svm", "narrow.store")
    clf = tb.TauBoostClassifier(alpha=0.01, l1_ratio=1.0).fit(X, y)
    store = tb.open_store("narrow.store")
    expected = clf.decision_function(X)
    np.testing.assert_array_equal(clf.decision_function(store), expected)
    clf.sparsify()
    np.testing.assert_array_equal(clf.decision_function(X), expected)
    np.testing.assert_array_equal(clf.decision_function(store), expected)


def test_hashed_words_that_do_not_occur_are_left_out():
    texts = ["a good film", "good fun", "a bad film", "bad, just bad"] * 10
    options = {"use_idf": False, "ngram_range": (1, 1), "alpha": 0.1, "tol": 1e-9}
    clf = tb.TextClassifier(n_features=2**30, **options).fit(texts, [1, 1, 0, 0] * 10)
    few = tb.TextClassifier(n_features=2**20, **options).fit(texts, [1, 1, 0, 0] * 10)
    assert clf.coef_.shape == (1, 5)
    np.testing.assert_allclose(clf.predict_proba(texts), few.predict_proba(texts), atol=1e-5)
