"""A fit that is killed and gone on with gives the same bits as one that never was."""

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
    "fixed, few sweeps": ({"alpha": 1e-3, "max_iter": 3}, 2, True),
    "l1": ({"alpha": 3e-3, "l1_ratio": 1.0, "tol": 1e-6}, 2, True),
    "exponential": ({"alpha": 1e-3, "loss": "exponential"}, 2, False),
    "fixed, three classes": ({"alpha": 1e-3, "max_iter": 12}, 3, False),
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
    assert deaths > 0 or "calibrated" in fit
    np.testing.assert_array_equal(clf.coef_, expected.coef_)
    np.testing.assert_array_equal(clf.intercept_, expected.intercept_)
    np.testing.assert_array_equal(clf.objective_, expected.objective_)
    assert clf.n_iter_ == expected.n_iter_
    assert clf.selection_ == expected.selection_
    assert clf.message_ == expected.message_
    checkpoint.remove()
    assert list(tmp_path.iterdir()) == []


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
    np.testing.assert_array_equal(clf.coef_, expected.coef_)


@pytest.mark.parametrize("damage", ["cut", "bit", "junk", "other", "columns"])
def test_a_damaged_state_is_refused(half, damage):
    path = half / FILE_NAME
    content = bytearray(path.read_bytes())
    if damage == "other":
        write_tensors(path, {"x": np.zeros(1)}, {"format": "else"})
    elif damage == "columns":
        forge(path)
    else:
        content[-9] ^= 1
        path.write_bytes({"cut": content[:-10], "bit": content, "junk": b"junk"}[damage])
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match=r"fit\.safetensors: |does not fit this problem"):
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))


def forge(path, changes=None, **metadata):
    """Change arrays and strings of a state, and seal it with a right checksum.

    By default columns that are not there: no file may make compiled code read elsewhere.
    """
    strings, tensors = read_file(path, FORMAT)
    for name, change in (changes or {"fit.plan.columns": lambda old: old + 10**6}).items():
        tensors[name] = np.asarray(change(tensors[name]), dtype=tensors[name].dtype)
    del strings["crc32"]
    write_tensors(path, tensors, strings | metadata)


FORGERIES = {
    "fit.bundles.tau": lambda _: 0,
    "fit.plan.position": lambda _: -(2**63),
    "fit.plan.columns": lambda old: np.repeat(old[:1], len(old)),
    "fit.plan.gain": lambda old: old * np.nan,
    "fit.plan.random": lambda old: np.full_like(old, 2**64 - 1),
    "fit.plan.partial_sweeps": lambda _: -1,
    "fit.lam": lambda old: old + 1.0,
    "fit.total": lambda _: 0.0,
    "fit.value": lambda old: old + 1.0,
    "fit.updates": lambda _: -1,
    "fit.refreshed_at": lambda _: 1e300,
    "fit.rows.w": lambda old: 2.0 * old,
    "fit.rows.E": lambda old: np.full_like(old, np.inf),
    "fit.newton.wait": lambda _: -1,
    "fit.newton.iterations": lambda _: 2**40,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_state_is_refused(half, name):
    forge(half / FILE_NAME, {name: FORGERIES[name]})
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match="does not fit this problem") as caught:
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))
    message = str(caught.value)
    assert message.startswith(f"{half / FILE_NAME}: the saved state")
    assert message.endswith(" differs; remove the file to start the fit anew")
    assert name.split(".")[-1] in message or name == "fit.lam"  # then its weights differ


def test_what_follows_from_the_columns_is_not_believed(half):
    """A stride of 0 would never get anywhere."""
    strings, tensors = read_file(half / FILE_NAME, FORMAT)
    del strings["crc32"]
    write_tensors(half / FILE_NAME, tensors | {"fit.plan.stride": np.array(0)}, strings)
    X, y = data()
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    fit_watched(clf, X, y, checkpoint=Checkpoint(half))
    expected = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.coef_, expected.coef_)


@pytest.mark.parametrize(
    "metadata",
    [
        {"identity": "[" * 10_000 + "]" * 10_000},
        {"identity": '{"loss": ' + "[" * 500 + "]" * 500 + "}"},
        {"identity": "7"},
        {"identity": "{"},
        {"phase": "search 0"},
        {"phase": "nonsense"},
    ],
)
def test_forged_strings_are_refused(half, metadata):
    forge(half / FILE_NAME, {"fit.lam": lambda old: old}, **metadata)
    clf = tb.TauBoostClassifier(alpha=1e-3, tol=1e-9, random_state=0)
    with pytest.raises(ValueError, match="remove the file to start the fit anew"):
        fit_watched(clf, *data(), checkpoint=Checkpoint(half))


SEARCHES = {
    "best.facts": lambda old: old[:-1],
    "best.points": lambda old: old * np.inf,
    "best.codes": lambda old: old + 2,
    "best.weights": lambda old: -old,
    "counts": lambda old: -old - 1,
    "numbers": lambda old: old * np.nan,
    "path.n_sweeps": lambda old: -old - 1,
    "path.0.tau": lambda _: 0,
    "path.0.n_sweeps": lambda _: -1,
    "path.0.w": lambda old: -old,
    "path.0.lam": lambda old: old + 1.0,
    "path.0.random": lambda old: old + np.uint64(5),
    "path.subspace0.point": lambda old: old + np.inf,
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_forged_state_of_a_search_is_refused(tmp_path, name):
    X, y = data()
    with pytest.raises(Killed):
        fit_watched(
            tb.TauBoostClassifier(random_state=0), X, y, checkpoint=Mortal(tmp_path / "c", 2)
        )
    forge(tmp_path / "c" / FILE_NAME, {name: SEARCHES[name]})
    with pytest.raises(ValueError, match="remove the file to start the fit anew"):
        fit_watched(
            tb.TauBoostClassifier(random_state=0), X, y, checkpoint=Checkpoint(tmp_path / "c")
        )


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
    checkpoint.save("solve", lambda: pytest.fail("too early"))


# solve


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_solve_goes_on_from_a_saved_state(loss):
    X, y = data(valued=True)
    problem = tb.Problem(X, y, loss=loss)
    options = {"alpha": 1e-3, "l1_ratio": 0.5, "random_state": 0, "tol": 1e-8}
    states = []
    expected = tb.solve(problem, **options, callback=lambda s: states.append(copied(s.saved())))
    assert len(states) > 5
    for state in states[:: len(states) // 5]:
        result = tb.solve(problem, **options, resume=state)
        np.testing.assert_array_equal(result.lam, expected.lam)
        assert result.objective == expected.objective
        assert result.n_updates == expected.n_updates


def copied(state):
    assert all(json.dumps(array.tolist()) for array in state.values())  # plain numbers only
    return {name: array.copy() for name, array in state.items()}


def test_solve_refuses_what_it_cannot_resume():
    problem = tb.Problem(*data())
    with pytest.raises(ValueError, match="resume: method 'pcdm' cannot"):
        tb.solve(problem, "pcdm", resume={})
    with pytest.raises(ValueError, match="does not fit this problem"):
        tb.solve(problem, resume={})
