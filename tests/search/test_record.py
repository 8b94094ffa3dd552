"""What a model knows of its fit: in any order of rows, through files, and what files may say."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest

import reported
import tauboost as tb
from tauboost.models import read_model, write_model
from tauboost.search.record import Record, data_hash, read_record

X, Y = tb.make_w8a_like(400, random_state=0)


def record_of(X=X, y=Y, **options):
    return tb.TauBoostClassifier(random_state=0, alpha=0.01).fit(X, y, **options).record_


def test_it_says_what_was_fitted():
    record = record_of()
    assert (record.n_samples, record.n_columns) == (400, 300)
    assert record.counts == tuple(np.unique(Y, return_counts=True)[1])
    assert record.versions["tauboost"] == tb.__version__
    assert record.seconds > 0
    assert record.gap >= 0


def test_the_hash_is_of_the_content():
    order = np.random.default_rng(0).permutation(400)
    first = record_of().data_hash
    assert record_of(X[order], Y[order]).data_hash == first
    assert record_of(X[:-1], Y[:-1]).data_hash != first
    flipped = np.where(np.arange(400) == 7, -Y, Y)
    assert record_of(y=flipped).data_hash != first
    weights = (np.arange(400) != 3).astype(float)
    assert (
        record_of(sample_weight=weights).data_hash
        == record_of(X[weights > 0], Y[weights > 0]).data_hash
    )
    assert data_hash(np.array([1, 2], np.uint64), np.array([0, 1])) != data_hash(
        np.array([1, 2], np.uint64), np.array([1, 0])
    )


@pytest.mark.parametrize("name", list(reported.KINDS))
def test_files_hold_it_but_not_the_clock(name, tmp_path):
    clf = reported.KINDS[name]()[0]
    tb.save_model(clf, tmp_path / "m")
    loaded = tb.load_model(tmp_path / "m")
    assert loaded.record_.seconds is None
    assert loaded.record_.to_data() == clf.record_.to_data()
    assert loaded.selection_ == clf.selection_
    tb.save_model(loaded, tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_files_without_it_are_read(tmp_path):
    clf = reported.linear()[0]
    data = clf._to_file()
    del data.fitted["record"], data.fitted["selection"]
    write_model(data, tmp_path / "old")
    old = tb.load_model(tmp_path / "old")
    assert old.record_ is None
    assert old.selection_ == []
    assert "does not say what it was fitted on" in tb.report(old).html


def test_estimators_without_it_predict_and_are_saved(tmp_path):
    clf = copy(reported.linear()[0])
    clf.record_ = None
    tb.save_model(clf, tmp_path / "m")
    assert tb.load_model(tmp_path / "m").record_ is None


def test_a_model_of_little_use_keeps_its_warning():
    rng = np.random.default_rng(0)
    with pytest.warns(tb.FitWarning):
        clf = tb.TauBoostClassifier(random_state=0).fit(
            rng.normal(size=(2000, 3)), np.arange(2000) % 2
        )
    assert "no better than the shares" in clf.record_.caution
    assert any(clf.record_.caution in text for text in tb.report(clf).warnings)


GOOD = Record(3, 2, (1, 2), "ff", 0, {"tauboost": "1"}).to_data()


@pytest.mark.parametrize(
    "changes",
    [
        {"counts": [1]},
        {"counts": [1, "2"]},
        {"n_samples": -1},
        {"seed": 1.5},
        {"data_hash": 3},
        {"caution": "x" * 5000},
        {"versions": ["tauboost"]},
        {"versions": {"tauboost": 3}},
        {"gap": "small"},
        {"gap": float("inf")},
    ],
)
def test_what_a_file_may_not_say(changes, tmp_path):
    with pytest.raises(ValueError, match="its record"):
        read_record({"record": GOOD | changes}, 2)
    data = reported.linear()[0]._to_file()
    data.fitted["record"] = GOOD | changes
    write_model(data, tmp_path / "m")
    assert read_model(tmp_path / "m").kind
    with pytest.raises(ValueError, match="cannot be loaded: its record"):
        tb.load_model(tmp_path / "m")


def test_fields_of_a_newer_version_are_passed_over():
    assert read_record({"record": GOOD | {"place": "here"}}, 2) == read_record({"record": GOOD}, 2)
    with pytest.raises(ValueError, match="lacks fields"):
        read_record({"record": {"seed": 3}}, 2)
    assert read_record({}, 2) is None
