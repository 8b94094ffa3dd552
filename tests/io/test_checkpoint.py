"""A fit that is killed and resumed ends within its tolerance of one that never was."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from fits import Killed, Mortal, fit_watched
from tauboost.io.checkpoint import FILE_NAME, FORMAT, Checkpoint, SolveCheckpoint
from tauboost.io.tensors import read_file, write_tensors


def data(n_classes=2, valued=False, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random(400, 60, 0.15, format="csr", random_state=rng)
    X.data = rng.normal(size=X.nnz) if valued else np.ones(X.nnz)
    score = X @ rng.normal(size=(60, n_classes)) + 0.7 * rng.normal(size=(400, n_classes))
    return X, score.argmax(axis=1)


FITS = {
    "fixed": ({"alpha": 1e-3, "tol": 1e-6}, 2, False),
    "l1": ({"alpha": 3e-3, "l1_ratio": 1.0, "tol": 1e-6}, 2, True),
    "exponential": ({"alpha": 1e-3, "loss": "exponential"}, 2, False),
    "fixed, three classes": ({"alpha": 1e-3, "tol": 1e-6}, 3, False),
    "tuned": ({}, 2, True),
    "tuned, every choice": ({"loss": "auto", "l1_ratio": "auto"}, 2, False),
    "tuned, three classes": ({}, 3, False),
    "early stopping": ({"early_stopping": True}, 2, False),
    "calibrated": ({"alpha": 1e-3, "calibration": "sigmoid"}, 2, False),
    "tuned and calibrated": ({"calibration": "sigmoid"}, 2, False),
}


@pytest.mark.parametrize("fit", FITS)
def test_killed_again_and_again(tmp_path, fit):
    parameters, n_classes, valued = FITS[fit]
    X, y = data(n_classes, valued)
    expected = tb.TauBoostClassifier(**parameters, random_state=0, n_jobs=1).fit(X, y)
    rng = np.random.default_rng(1)
    deaths = 0
    while True:
        clf = tb.TauBoostClassifier(**parameters, random_state=0, n_jobs=1)
        checkpoint = Mortal(tmp_path / "fit", int(rng.integers(1, 5)))
        try:
            fit_watched(clf, X, y, checkpoint=checkpoint)
            break
        except Killed:
            deaths += 1
            assert deaths < 200
            assert not hasattr(clf, "coef_")
    assert deaths > 0 or fit == "early stopping"  # what it keeps is the choice
    check(clf, expected, clf.tol)
    checkpoint.remove()
    assert list(tmp_path.iterdir()) == []


def check(clf, expected, tol):
    """The same choice, to the bit, and an objective within the tolerance."""
    for name in ("selection_", "loss_", "alpha_", "l1_ratio_"):
        assert getattr(clf, name) == getattr(expected, name)
    np.testing.assert_equal(clf.held_out_loss_, expected.held_out_loss_)
    assert clf.record_.caution == expected.record_.caution
    assert ("Converged" in clf.message_) == ("Converged" in expected.message_)
    assert clf.n_iter_ <= clf.max_iter
    scale = tol * np.abs(expected.objective_) if expected.loss_ == "logistic" else tol
    assert np.all(np.abs(clf.objective_ - expected.objective_) <= scale)
    # Strongly convex problems have one solution.
    distance = np.abs(clf.coef_ - expected.coef_).max()
    assert distance <= 10 * np.sqrt(tol) * max(1.0, np.abs(expected.coef_).max())


@pytest.mark.parametrize("name", ["tuned", "early stopping", "calibrated"])
def test_what_was_chosen_is_not_searched_again(tmp_path, monkeypatch, name):
    parameters, n_classes, valued = FITS[name]
    parameters = parameters | {"random_state": 0}
    X, y = data(n_classes, valued)
    expected = tb.TauBoostClassifier(**parameters).fit(X, y)
    with pytest.raises(Killed):
        fit_watched(
            tb.TauBoostClassifier(**parameters), X, y, checkpoint=Mortal(tmp_path / "fit", 0)
        )
    for step in ("search", "calibrated"):
        monkeypatch.setattr(f"tauboost.sparse.fitting.{step}", lambda *_: pytest.fail("again"))
    clf = tb.TauBoostClassifier(**parameters)
    fit_watched(clf, X, y, checkpoint=Checkpoint(tmp_path / "fit"))
    check(clf, expected, clf.tol)
    if name == "early stopping":
        np.testing.assert_array_equal(clf.coef_, expected.coef_)


def test_a_resumed_fit_starts_where_it_was(tmp_path):
    """Near the optimum already; the sweeps before count."""
    X, y = data()
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    whole = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0).fit(X, y)
    mortal = Mortal(tmp_path / "fit", whole.n_iter_ - 1, always_saves=True)
    before, after = [], []
    with pytest.raises(Killed):
        fit_watched(clf, X, y, checkpoint=mortal, report=before.append)
    fit_watched(clf, X, y, checkpoint=Checkpoint(tmp_path / "fit"), report=after.append)
    first = next(event for event in after if event.phase == "fit")
    assert first.sweep >= before[-1].sweep > 0
    assert first.objective <= before[-1].objective + 1e-12
    check(clf, whole, 1e-9)


@pytest.fixture
def half(tmp_path):
    """A folder with the state of a fit that was killed."""
    X, y = data()
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(Killed):
        fit_watched(clf, X, y, checkpoint=Mortal(tmp_path / "fit", 4))
    return tmp_path / "fit"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alpha": 2e-3}, "alpha was 0.001, now 0.002"),
        ({"loss": "exponential"}, "loss was 'logistic', now 'exponential'"),
        ({"random_state": 1}, "seed was"),
        ({"fit_intercept": False}, "fit_intercept was True, now False"),
        ({"alpha": "auto"}, "now 'auto'"),
    ],
)
def test_other_options_are_refused(half, change, words):
    X, y = data()
    parameters = {"alpha": 1e-3, "tol": 1e-9, "random_state": 0} | change
    before = (half / FILE_NAME).read_bytes()
    with pytest.raises(ValueError, match=words):
        fit_watched(tb.TauBoostClassifier(**parameters), X, y, checkpoint=Checkpoint(half))
    assert (half / FILE_NAME).read_bytes() == before


def test_other_data_are_refused(half):
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    X, y = data()
    with pytest.raises(ValueError, match="samples was 400, now 399"):
        fit_watched(clf, X[1:], y[1:], checkpoint=Checkpoint(half))
    with pytest.raises(ValueError, match="rows, labels and weights was"):
        fit_watched(clf, X, np.roll(y, 1), checkpoint=Checkpoint(half))


def test_other_threads_and_time_limits_are_not(half):
    X, y = data()
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0, n_jobs=1, time_limit=1e3)
    fit_watched(clf, X, y, checkpoint=Checkpoint(half))
    expected = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0).fit(X, y)
    check(clf, expected, 1e-9)


@pytest.mark.parametrize("damage", ["cut", "bit", "junk", "other"])
def test_a_damaged_state_is_refused(half, damage):
    path = half / FILE_NAME
    content = bytearray(path.read_bytes())
    if damage == "other":
        write_tensors(path, {"x": np.zeros(1)}, {"format": "else"})
    else:
        content[-9] ^= 1
        path.write_bytes({"cut": content[:-10], "bit": content, "junk": b"junk"}[damage])
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match=r"fit\.safetensors: "):
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))


def forge(path, arrays=None, choice=None, **metadata):
    """Change arrays and the choice of a state, and seal it with a right checksum."""
    strings, tensors = read_file(path, FORMAT)
    for name, change in (arrays or {}).items():
        tensors[name] = change(tensors[name])
    found = json.loads(strings["facts"])
    found["selection"] |= choice or {}
    del strings["crc32"]
    write_tensors(path, tensors, strings | {"facts": json.dumps(found)} | metadata)


ARRAYS = {
    "points": [
        lambda old: old * np.nan,
        lambda old: old + 1e200,
        lambda old: old[:, 1:],
        lambda old: old[0],
        lambda old: old.astype(np.float32),
    ],
    "n_sweeps": [lambda old: old - 10**6, lambda old: old + 10**6, lambda old: old.astype(float)],
}


@pytest.mark.parametrize(
    ("name", "k"), [(name, k) for name in ARRAYS for k in range(len(ARRAYS[name]))]
)
def test_a_forged_state_is_refused(half, name, k):
    forge(half / FILE_NAME, {name: ARRAYS[name][k]})
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match="does not fit this problem") as caught:
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))
    message = str(caught.value)
    assert message.startswith(f"{half / FILE_NAME}: the saved state")
    assert message.endswith(f": {name} differs; remove the file to start the fit anew")


def test_a_state_elsewhere_is_a_start_and_no_more(half):
    """A point that nobody was at costs sweeps; the model is the same."""
    forge(half / FILE_NAME, {"points": lambda old: 3.0 - old})
    X, y = data()
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    fit_watched(clf, X, y, checkpoint=Checkpoint(half))
    check(clf, tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0).fit(X, y), 1e-9)


@pytest.mark.parametrize(
    "metadata",
    [
        {"identity": "[" * 10_000 + "]" * 10_000},
        {"identity": '{"loss": ' + "[" * 500 + "]" * 500 + "}"},
        {"identity": "7"},
        {"identity": "{"},
        {"facts": "{"},
        {"facts": "7"},
        {"facts": "{}"},
        {"facts": '{"selection": 7}'},
    ],
)
def test_forged_strings_are_refused(half, metadata):
    forge(half / FILE_NAME, **metadata)
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match="remove the file to start the fit anew"):
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))


CHOICES = [
    {"chosen": ["logistic", 2e-3, 0.0]},  # alpha was given
    {"chosen": ["no loss", 1e-3, 0.0]},
    {"chosen": [["logistic"], 1e-3, 0.0]},
    {"chosen": ["logistic", -1.0, 0.0]},
    {"chosen": ["logistic", 1e-3, 2.0]},
    {"chosen": ["logistic"]},
    {"chosen": 7},
    {"loss": "small"},
    {"loss": -1.0},
    {"loss": True},
    {"table": 7},
    {"table": [{"alpha": 1.0}]},
    {"caution": 7},
    {"caution": "\u001b[31m"},
    {"caution": "x" * 10_000},
    {"link": 1.0},
    {"link": [1.0, 0.0]},  # no tuple
    {"link": {"$tuple": [-1.0, 0.0]}},
    {"link": {"$tuple": [1.0, {"$float": "nan"}]}},
    {"more": 1},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_forged_choice_is_refused(half, choice):
    forge(half / FILE_NAME, choice=choice)
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match=r"does not fit .* remove the file to start the fit anew"):
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(NotADirectoryError, match="a checkpoint is a folder"):
        Checkpoint(tmp_path / "x")
    with pytest.raises(FileNotFoundError):
        Checkpoint(tmp_path / "a" / "b")


def test_where_a_solve_cannot_keep_its_state(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder, and must be a file"):
        SolveCheckpoint(tmp_path, {})
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        SolveCheckpoint(tmp_path / "a" / "b", {})


def test_other_files_in_the_folder_stay(half):
    (half / "mine.txt").write_text("")
    Checkpoint(half).remove()
    assert [path.name for path in half.iterdir()] == ["mine.txt"]


def test_saving_waits_its_time(tmp_path):
    checkpoint = Checkpoint(tmp_path / "fit", every=1e6)
    checkpoint.open({"x": 1})
    checkpoint.save(lambda: pytest.fail("too early"))
