"""TextClassifier on a cluster: the terms, weights and answers of one machine."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import json
from importlib import import_module
from itertools import pairwise

import dask
import dask.array as da
import dask.bag as db
import numpy as np
import pandas as pd
from dask import dataframe as dd
from sklearn.exceptions import NotFittedError

import tauboost as tb
import tauboost.dask as td
from clusters import local_cluster
from dask_parts import kill_before, texts_or_die
from odd_texts import fuzzed
from tauboost.dask import labels as labelled
from tauboost.dask import texts as text_part

# Nearer to the optimum than any gap can tell.
GIVEN = {"alpha": 0.1, "min_df": 4, "tol": 0.0, "max_iter": 30, "random_state": 0}
# What is counted needs no fit.
BRIEF = {"alpha": 0.1, "min_df": 4, "max_iter": 1, "random_state": 0}
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def make_texts(n_classes=2, n=300):
    """Texts whose words lean to one class or another, and some that are odd."""
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(0, n_classes, n)
    texts = [
        " ".join(f"w{k}" for k in (rng.zipf(1.3, 12) + 7 * code * (rng.random(12) < 0.4)) % 97)
        for code in codes
    ]
    texts[5] = ""
    texts[::9] = [text.encode(errors="replace").decode() for text in fuzzed(len(texts[::9]), 11)]
    return texts, np.array(["no", "yes", "maybe"])[codes]


TEXTS, Y = make_texts()
FRAME = pd.DataFrame({"text": TEXTS, "label": Y})


def same_features(there, local):
    """Terms, hashes and weights are equal to the last bit."""
    one, other = there.features_, local.features_
    assert one.options == other.options
    arrays = [(one.idf, other.idf), (one.kept, other.kept)]
    if other.terms is not None:
        arrays += [(one.terms.text, other.terms.text), (one.terms.offsets, other.terms.offsets)]
    for found, expected in arrays:
        assert (found is None) is (expected is None)
        assert found is None or found.tobytes() == expected.tobytes()
    assert there.classes_.tolist() == local.classes_.tolist()


def same_model(there, local, texts=TEXTS, atol=1e-8):
    """Answers are equal, too, but for the tolerance of the fit."""
    same_features(there, local)
    np.testing.assert_allclose(there.objective_, local.objective_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        there.decision_function(texts), local.decision_function(texts), rtol=0, atol=atol
    )
    assert there.predict(texts).tolist() == local.predict(texts).tolist()


@pytest.fixture(scope="module")
def counted():
    return tb.TextClassifier(**BRIEF).fit(TEXTS, Y)


@pytest.fixture(scope="module")
def fitted(client):
    """On the cluster, to the end."""
    return td.TextClassifier(**GIVEN, client=client, n_parts=3).fit([(TEXTS, Y)])


def data_like(kind, folder):
    frame, cuts = dd.from_pandas(FRAME, npartitions=5), (0, 7, 150, 300)
    pieces = [(TEXTS[a:b], Y[a:b]) for a, b in pairwise(cuts)]
    return {
        "series": lambda: (frame["text"], frame["label"]),
        "frame": lambda: (frame, "label"),
        "bags": lambda: tuple(db.from_sequence(x, npartitions=4) for x in (TEXTS, Y.tolist())),
        "lazy bags": lambda: (
            db.from_sequence(TEXTS, npartitions=3).map(str),
            db.from_sequence(Y.tolist(), npartitions=3),
        ),
        "arrays": lambda: (da.from_array(np.array(TEXTS, dtype=object), chunks=70), Y),
        "parts": lambda: (pieces,),
        "delayed": lambda: ([([], []), *(dask.delayed(piece) for piece in pieces)],),
        "files": lambda: (write_files(folder, pieces),),
    }[kind]()


def write_files(folder, pieces):
    paths = []
    for k, (texts, labels) in enumerate(pieces):
        lines = [json.dumps({"t": t, "l": y}) for t, y in zip(texts, labels, strict=True)]
        paths.append(folder / f"{k}.jsonl")
        paths[-1].write_text("\n".join(lines))
    return td.text_files(paths, text="t", label="l")


@pytest.mark.parametrize(
    "kind", ["series", "frame", "bags", "lazy bags", "arrays", "parts", "delayed", "files"]
)
def test_whatever_dask_holds_gives_the_terms_of_one_machine(client, counted, tmp_path, kind):
    data = data_like(kind, tmp_path)
    same_features(td.TextClassifier(**BRIEF, client=client, n_parts=3).fit(*data), counted)


@pytest.mark.parametrize(
    "options",
    [
        {"min_df": 2, "max_df": 0.5, "ngram_range": (1, 3)},
        {"max_features": 50, "binary": True, "norm": None, "sublinear_tf": False},
        {"use_idf": False, "norm": "l1", "stop_words": ["w1", "w2"], "loss": "exponential"},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 0.02},
        {"token_pattern": r"\w", "max_features": 9, "alpha": 1e-3},
        {"n_features": 64, "use_idf": False, "min_df": 1},
    ],
    ids=str,
)
def test_options_of_what_is_counted(client, options):
    frame = dd.from_pandas(FRAME, npartitions=4)
    there = td.TextClassifier(**BRIEF | options, client=client)
    there.fit(frame["text"], frame["label"])
    same_features(there, tb.TextClassifier(**BRIEF | options).fit(TEXTS, Y))


@pytest.mark.parametrize("options", [{}, {"n_features": 32, "norm": "l2"}], ids=str)
def test_answers_are_those_of_one_machine(client, options):
    frame = dd.from_pandas(FRAME, npartitions=4)
    there = td.TextClassifier(**GIVEN | options, client=client).fit(frame, "label")
    same_model(there, tb.TextClassifier(**GIVEN | options).fit(TEXTS, Y))


def test_weights_of_classes_and_a_warm_start(client):
    options = GIVEN | {"class_weight": "balanced", "warm_start": True}
    there = td.TextClassifier(**options, client=client).fit([(TEXTS, Y)])
    same_model(there, tb.TextClassifier(**options).fit(TEXTS, Y))
    there.set_params(tol=1e-6).fit([(TEXTS, Y)])
    assert there.n_iter_ <= 1
    same_model(there, tb.TextClassifier(**options).fit(TEXTS, Y), atol=1e-3)


def test_several_classes_and_weights_of_0_leave_words_out(client):
    texts, y = make_texts(3, 150)
    options = GIVEN | {"min_df": 8}
    texts[7:25] = [f"{text} leftout" for text in texts[7:25]]
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weights[7:25] = 0.0
    frame = dd.from_pandas(pd.DataFrame({"t": texts, "y": y, "w": weights}), npartitions=4)
    there = td.TextClassifier(**options, client=client).fit(frame, "y", "w")
    same_model(there, tb.TextClassifier(**options).fit(texts, y, weights), texts, atol=1e-7)
    assert there.features_.terms.find("leftout") == -1


def test_the_texts_of_the_fit_are_recognised(client):
    there = td.TextClassifier(alpha=1e-2, random_state=0, client=client)
    there.fit(dd.from_pandas(FRAME, npartitions=3), "label")
    local = tb.TextClassifier(alpha=1e-2, random_state=0).fit(TEXTS, Y)
    assert np.array_equal(there.record_.sketch.prints, local.record_.sketch.prints)
    assert np.array_equal(there.record_.sketch.counts, local.record_.sketch.counts)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_choice_on_all_texts_is_that_of_one_machine(client, n_classes):
    texts, y = make_texts(n_classes)
    frame = dd.from_pandas(pd.DataFrame({"text": texts, "label": y}), npartitions=3)
    there = td.TextClassifier(random_state=0, client=client).fit(frame, "label")
    local = tb.TextClassifier(random_state=0).fit(texts, y)
    same_model(there, local, texts, atol=1e-6)
    np.testing.assert_allclose(there.coef_, local.coef_, rtol=0, atol=1e-6)
    assert (there.alpha_, there.held_out_loss_) == pytest.approx(
        (local.alpha_, local.held_out_loss_)
    )
    assert there.n_iter_ == local.n_iter_
    assert "Chosen on 300 rows" in there.message_
    assert "Converged: certified gap" in there.message_
    assert there.record_.gap <= there.tol * there.objective_.max()
    assert there.record_.data_hash == local.record_.data_hash
    assert there.record_.counts == local.record_.counts
    assert there.record_.n_columns == local.record_.n_columns


def test_a_choice_on_some_texts_is_solved_on_all(client, monkeypatch):
    texts, y = make_texts(n=900)
    monkeypatch.setattr(labelled, "MOST_ROWS", 400)
    frame = dd.from_pandas(pd.DataFrame({"text": texts, "label": y}), npartitions=3)
    there = td.TextClassifier(random_state=0, client=client).fit(frame, "label")
    assert 300 < int(there.message_.split()[2]) < 500
    assert "Converged: certified gap" in there.message_
    best = tb.TextClassifier(alpha=there.alpha_, tol=1e-9).fit(texts, y).objective_
    assert np.all(there.objective_ - best <= there.tol * best)


def test_answers_are_lazy(fitted):
    series = dd.from_pandas(FRAME["text"], npartitions=3)
    empty = series[series == "no such text"]  # partitions without rows
    bag = db.from_sequence(TEXTS, npartitions=3)
    array = da.from_array(np.array(TEXTS, dtype=object), chunks=128)
    for method in METHODS:
        expected = getattr(fitted.to_local(), method)(TEXTS)
        for X in (series, dd.concat([series, empty]), bag, bag.map(str), array):
            answer = getattr(fitted, method)(X)
            assert isinstance(answer, da.Array)
            found = answer.compute(scheduler="sync")
            assert found.shape == expected.shape
            assert (found == expected).all()
        assert (getattr(fitted, method)(TEXTS) == expected).all()
    with pytest.raises(ValueError, match=r"choose it, as in frame\['text'\]"):
        fitted.predict(dd.from_pandas(FRAME, npartitions=2))


def test_the_model_leaves_the_cluster(client, fitted, tmp_path):
    with pytest.raises(NotFittedError):
        td.TextClassifier(client=client).to_local()
    local = fitted.to_local()
    assert type(local) is tb.TextClassifier
    assert local.get_params()["alpha"] == GIVEN["alpha"]
    tb.save_model(local, tmp_path / "model.tauboost")
    loaded = tb.load_model(tmp_path / "model.tauboost")
    assert (loaded.predict_proba(TEXTS) == fitted.predict_proba(TEXTS)).all()
    assert str(fitted.explain(TEXTS[1])) == str(loaded.explain(TEXTS[1]))


GOOD = (["a word", "other words"], ["x", "y"])


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ([GOOD, (["a", None], ["x", "y"])], {}, TypeError, "that of row 1 is None: it is missing"),
        ([([b"a"], ["x"]), GOOD], {}, TypeError, r"row 0 is b'a': decode it"),
        ([("text", ["x"])], {}, TypeError, "got one string: put it in a list"),
        ([(["a"], ["x", "y"])], {}, ValueError, r"y has shape \(2,\), but X has 1 samples"),
        ([(["ab", "cd"], ["x", "x"])], {}, ValueError, "one class only, 'x'"),
        ([(["", "."], ["x", "y"])], {}, ValueError, "the texts have no words that could be"),
        ([GOOD], {"min_df": 2}, ValueError, "no words are left: take a lower min_df"),
        ([GOOD], {"ngram_range": 3}, ValueError, "ngram_range must be two numbers"),
        ([GOOD], {"alpha": -1}, ValueError, "alpha must be"),
        (["a.jsonl"], {}, TypeError, r"tauboost\.dask\.text_files\(paths, text="),
        ([], {}, ValueError, "empty list"),
        ([([], [])], {}, ValueError, "no part has a sample"),
        ([(*GOOD, [0.0, 0.0])], {}, ValueError, "sample_weight is zero for every sample"),
        ([(*GOOD, [-1.0, 0.0])], {}, ValueError, "sample_weight must not be negative"),
        ([(pd.DataFrame({"a": ["x"], "b": ["y"]}), [0])], {}, ValueError, "one column of strings"),
        ((dd.from_pandas(FRAME, 2), "word"), {}, ValueError, "has no column 'word'"),
        ((da.zeros((3, 2)), [0, 1, 0]), {}, ValueError, "X must have one dimension, got 2"),
        ((TEXTS, Y), {}, TypeError, "got X of type list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input(client, data, options, error, message):
    clf = td.TextClassifier(client=client, **BRIEF | {"min_df": 1} | options)
    with pytest.raises(error, match=message):
        clf.fit(*data) if isinstance(data, tuple) else clf.fit(data)
    assert not hasattr(clf, "features_")


@pytest.mark.slow
def test_texts_of_killed_workers_are_counted_again(tmp_path, monkeypatch):
    """One dies while it loads, one while a part of the fit is there."""
    deadly = dask.delayed(texts_or_die)(str(tmp_path), TEXTS[:99], Y[:99].tolist())
    with local_cluster(2) as client:
        client.run(import_module, "tauboost.dask")  # a worker that imports answers late
        left = kill_before(monkeypatch, ["round"])
        there = td.TextClassifier(**GIVEN, client=client).fit([deadly, (TEXTS[99:], Y[99:])])
    assert left == []
    same_model(there, tb.TextClassifier(**GIVEN).fit(TEXTS, Y))


def test_parts_have_what_their_rows_have():
    part = text_part.load_texts([(FRAME[:4], "label"), (FRAME[4:6], "label")], False)
    assert part.texts == TEXTS[:6]
    assert part.y.tolist() == Y[:6].tolist()
    assert part.present() is part
