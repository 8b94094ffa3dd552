"""``tb.report`` of every kind of model: what it takes, what it returns, the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import reported
import tauboost as tb
from html_reading import read
from tauboost.kinds.rows import label_text

SECTIONS = ["quality", "says", "rows", "fit", "race", "proof", "warnings", "card"]
NAMES = list(reported.KINDS)


def case(name):
    return reported.KINDS[name]()


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_has_every_section(name):
    clf, X, y = case(name)
    page = tb.report(clf, X, y, name="new rows")
    found = read(page.html)
    assert [a["id"] for t, a in found.tags if t == "section"] == SECTIONS
    assert page.verdict in found.text
    assert page.verdict.startswith(f"On {len(y):,} ")
    assert page.metrics["n_samples"] == len(y)
    assert page.metrics["accuracy"]["value"] == pytest.approx(clf.score(X, y))
    for label in clf.classes_:
        assert label_text(label.item()) in found.text
    assert len(page.html) < 500_000


@pytest.mark.parametrize("name", NAMES)
def test_the_same_model_and_data_give_the_same_bytes(name, tmp_path):
    clf, X, y = case(name)
    first = tb.report(clf, X, y).html
    assert tb.report(clf, X, y, n_threads=1).html == first
    tb.save_model(clf, tmp_path / "m.tauboost")
    pages = [tb.report(tmp_path / "m.tauboost", X, y).html for _ in range(2)]
    assert pages[0] == pages[1]
    assert "m.tauboost" in pages[0]


def test_the_bytes_do_not_depend_on_the_process(tmp_path):
    clf, X, y = case("table")
    tb.save_model(clf, tmp_path / "m.tauboost")
    X.assign(y=y).to_csv(tmp_path / "new.csv", index=False)
    command = [sys.executable, "-m", "tauboost", "report", "m.tauboost", "new.csv", "--label", "y"]
    for name, seed in (("a", "1"), ("b", "2")):
        env = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([*command, "--out", name], cwd=tmp_path, env=env, check=True, timeout=60)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", ["linear", "table_classes", "texts"])
def test_without_data_or_labels_it_says_what_needs_them(name):
    clf, X, _ = case(name)
    alone = tb.report(clf)
    assert "No data were given" in alone.html
    assert alone.metrics == {}
    unlabelled = tb.report(clf, X)
    assert "were given without labels" in unlabelled.html
    assert "Hardest: nearly even" in unlabelled.html


@pytest.mark.parametrize("name", ["linear", "table", "texts"])
def test_the_data_of_the_fit_are_recognised(name):
    clf, X, y = case(name)
    fitted = type(clf)(random_state=0).fit(X, y)
    assert "fitted on these very rows" in tb.report(fitted, X, y).warnings[0]
    assert not any("very rows" in text for text in tb.report(clf, X, y).warnings)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (lambda clf, X, y: (3,), TypeError, "model must be"),
        (lambda clf, X, y: (tb.TauBoostClassifier(),), ValueError, "not fitted"),
        (lambda clf, X, y: (clf, None, y), ValueError, "without X"),
        (lambda clf, X, y: (clf, X, y[:-1]), ValueError, "one for each row"),
        (lambda clf, X, y: (clf, X, np.full(len(y), 7)), ValueError, "the label 7 is none of"),
        (lambda clf, X, y: (clf, X[:, :3], y), ValueError, "3 features"),
        (lambda clf, X, y: (clf, X[:0], y[:0]), ValueError, "sample|rows"),
    ],
)
def test_what_it_refuses(arguments, error, words):
    with pytest.raises(error, match=words):
        tb.report(*arguments(*case("linear")))


@pytest.mark.parametrize("name", ["linear", "table", "texts"])
def test_the_positive_class_can_be_chosen(name):
    clf, X, y = case(name)
    labels = [label_text(label) for label in clf.classes_.tolist()]
    pages = [tb.report(clf, X, y, positive=label) for label in clf.classes_]
    assert pages[1].html == tb.report(clf, X, y).html
    for page, positive, other in zip(pages, labels, labels[::-1], strict=True):
        assert f"tells {positive} from {other} " in page.verdict
        assert page.metrics["positive"] == positive
        assert f"ROC of {positive}" in read(page.html).text
    aucs = [page.metrics["auc"]["value"] for page in pages]
    assert aucs[0] == pytest.approx(aucs[1])
    assert tb.report(clf, positive=clf.classes_[0]).verdict.startswith(
        f"This model tells {labels[0]}"
    )


def test_a_positive_class_that_is_none():
    words = "positive must be one of the model's labels, 'buys' or 'leaves', got 'asks'"
    with pytest.raises(ValueError, match=words):
        tb.report(case("table")[0], positive="asks")
    with pytest.raises(ValueError, match=r"-1.0 or 1.0, got \[1\]"):
        tb.report(case("linear")[0], positive=[1])
    with pytest.raises(ValueError, match="two classes, and this one has 3"):
        tb.report(case("table_classes")[0], positive="asks")


def test_a_classifier_by_cross_validation(tmp_path):
    X, y = tb.make_w8a_like(600, random_state=0)
    clf = tb.TauBoostClassifierCV(cv=3, n_alphas=5, random_state=0).fit(X, y)
    tb.save_model(clf, tmp_path / "m")
    for model in (clf, tmp_path / "m"):
        page = tb.report(model, X, y)
        assert "The 5 candidates as a table" in page.html
        assert "very rows" in page.warnings[0]


def test_addresses_of_objects_are_not_on_the_page():
    texts, labels = reported.reviews()
    clf = tb.TextClassifier(random_state=0, analyzer=lambda text: text.split()).fit(texts, labels)
    assert " at 0x" not in tb.report(clf, texts, labels).html


def test_names_and_a_proof():
    X, y = np.eye(4)[[0, 0, 1, 1, 2, 3] * 10], np.array([1, 0, 1, 1, 0, 0] * 10)
    clf = tb.TauBoostClassifier(alpha=0.01).fit(X, y)
    core = tb.hard_core(tb.Problem(X, y, fit_intercept=True))
    page = tb.report(clf, sp.csr_array(X), y, names=["north", "east", "south", "west"], core=core)
    text = read(page.html).text
    assert "north" in text
    assert core.message in text
    assert "gets at least 10 of 60 wrong" in text
    with pytest.raises(ValueError, match="one for each column"):
        tb.report(clf, names=["north"])
    with pytest.raises(TypeError, match="hard_core"):
        tb.report(clf, core="mixed")
    with pytest.raises(TypeError, match="names are for"):
        tb.report(case("texts")[0], names=["a"])


@pytest.mark.slow
def test_ten_thousand_columns_are_at_most_three_megabytes():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (120, 10_000)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    columns = [f"a column with a long name, number {k}" for k in range(10_000)]
    frame = pd.DataFrame(X, columns=columns)
    wide = tb.TableClassifier(alpha=1e-3, l1_ratio=0.0, interactions=0, max_iter=2).fit(frame, y)
    assert len(tb.report(wide, frame, y).html) < 3e6
    linear = tb.TauBoostClassifier(alpha=0.1).fit(frame, y)
    assert len(tb.report(linear, frame, y).html) < 1e6


def test_it_saves_and_shows_itself(tmp_path):
    clf, X, y = case("linear")
    page = tb.report(clf, X, y, title="Pages <b>", notes="For tests.\n\nNot for people.")
    page.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page.html
    assert repr(page).startswith(page.verdict)
    found = read(page._repr_html_())
    assert [name for name, _ in found.tags] == ["iframe"]
    assert found.tags[0][1]["srcdoc"] == page.html
    assert "Pages <b>" in read(page.html).text
    assert "Not for people." in page.html
