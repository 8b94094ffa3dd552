"""The made-up data of the tour hold what they are said to hold."""

from __future__ import annotations

import csv
import json

import tauboost as tb
from tauboost.cli.demo import DESKS, write_customers, write_messages, write_pages


def test_messages(tmp_path):
    path = tmp_path / "m.jsonl"
    write_messages(path, 300)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 300
    assert {row["desk"] for row in rows} == DESKS.keys()
    first = path.read_bytes()
    write_messages(path, 300)
    assert path.read_bytes() == first
    texts, desks = [row["text"] for row in rows], [row["desk"] for row in rows]
    clf = tb.TextClassifier(random_state=0).fit(texts[:200], desks[:200])
    assert 0.8 < clf.score(texts[200:], desks[200:]) < 1


def test_customers(tmp_path):
    path = tmp_path / "c.csv"
    write_customers(path, 500)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    assert 0.2 < sum(row["left"] == "yes" for row in rows) / 500 < 0.8
    assert 150 < sum(row["satisfaction"] == "" for row in rows) < 350


def test_pages(tmp_path):
    path, new = tmp_path / "p.svm", tmp_path / "new.svm"
    for _ in range(2):  # the tour may be taken twice
        write_pages(path, new, 1000)
    X, y = tb.load_svmlight(path, n_features=300)
    assert X.shape == (800, 300)
    assert 10 < (y > 0).sum() < 50
    assert tb.load_svmlight(new)[0].shape[0] == 200
