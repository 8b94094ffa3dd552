"""Everything that writes, on a disk that is full and in a folder that may not be written to.

It ends in one line and with nothing under the name: not half a file, and none in the making.
"""

from __future__ import annotations

import errno

import numpy as np
import pytest

import tauboost as tb
from cli_runs import complaint, run
from extras import needs
from sparse_data import random_csr
from tauboost.io.checkpoint import Checkpoint, SolveCheckpoint
from tauboost.io.svmlight import SvmlightWriter
from tauboost.paper.comparison import MethodSetting, compare
from tauboost.paper.figures import plot_comparison

WIDE = 40_000  # features: a model, or the state of a fit, is larger than the disk


@pytest.fixture(scope="module")
def clf():
    X = random_csr((40, WIDE), 0.05, np.random.default_rng(0))
    return tb.TauBoostClassifier(alpha=1e-3, max_iter=1).fit(X, np.arange(40) % 2)


@pytest.fixture(scope="module")
def comparison():
    X, y = tb.make_w8a_like(200, random_state=0)
    limits = {"max_epochs": 3.0, "time_limit": 10.0}
    return compare(tb.Problem(X, y), [MethodSetting("exact", "exact", {})], name="x", **limits)


def write_svmlight(folder, clf, comparison):
    X, y = tb.make_w8a_like(5000, random_state=0)
    with SvmlightWriter(folder / "x.svm") as writer:
        writer.append_arrays(X.indptr, X.indices, X.data, y)


def write_store(folder, clf, comparison):
    with tb.StoreWriter(folder / "x.store") as writer:
        writer.append(*tb.make_w8a_like(5000, random_state=0))


def save_state(folder, clf, comparison):
    (folder / "c").mkdir()
    checkpoint = Checkpoint(folder / "c", every=0.0)
    checkpoint.open({"a": 1})
    checkpoint.save(lambda: ({"points": np.zeros(WIDE)}, {}))
    checkpoint.save(lambda: ({"points": np.zeros(WIDE)}, {}))  # without another word
    checkpoint.remove()


NEEDS = {"onnx": "onnx", "figure": "matplotlib", "plot": "matplotlib"}


def skipped_without(names):
    """Return cases, those that need an extra skipped without it."""
    return [pytest.param(n, marks=needs(NEEDS[n])) if n in NEEDS else n for n in names]


WRITERS = {
    "model": lambda folder, clf, comparison: tb.save_model(clf, folder / "model"),
    "onnx": lambda folder, clf, comparison: tb.to_onnx(clf, folder / "x.onnx"),
    "svmlight": write_svmlight,
    "store": write_store,
    "state": save_state,
    "state of a solve": lambda folder, clf, comparison: SolveCheckpoint(
        folder / "c", {"n_features": WIDE}
    ).save(np.zeros(WIDE), 0.0, 1.0),
    "traces": lambda folder, clf, comparison: comparison.write_csv(folder / "x.csv"),
    "metadata": lambda folder, clf, comparison: comparison.write_json(folder / "x.json"),
    "figure": lambda folder, clf, comparison: plot_comparison(comparison, folder / "x.png"),
    "generated": lambda folder, clf, comparison: tb.generate_w8a(folder / "s", scale=0.1),
}


STATES = {"state", "state of a solve"}


def expected(name, words):
    """Return what to expect: a warning of a run that goes on without its state, or an error."""
    if name in STATES:
        return pytest.warns(tb.FitWarning, match=words)
    return pytest.raises(OSError, match=words)


def fill(disk, leave=0):
    """Fill a disk up to a few bytes."""
    content = bytes(4096)
    with (disk / "filling").open("wb", buffering=0) as file:
        try:
            while file.write(content) == len(content):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017
        file.truncate(max(0, file.tell() - leave))


@pytest.mark.parametrize("name", skipped_without(WRITERS))
@pytest.mark.parametrize("leave", [0, 12_288])
def test_a_full_disk(tiny_disk, clf, comparison, name, leave):
    if leave and name in ("traces", "metadata"):
        pytest.skip("they are shorter than that")
    fill(tiny_disk, leave)
    with expected(name, "No space left") as caught:
        WRITERS[name](tiny_disk, clf, comparison)
    [said] = caught if name in STATES else [caught.value]
    assert "\n" not in str(said)
    assert [path.name for path in tiny_disk.iterdir()] == ["filling"]


@pytest.mark.parametrize("name", skipped_without(sorted(WRITERS.keys() - {"state"})))
def test_a_read_only_folder(read_only, clf, comparison, name):
    with expected(name, "Read-only file system"):
        WRITERS[name](read_only, clf, comparison)
    assert list(read_only.iterdir()) == []


COMMANDS = {
    "fit": ("fit", "x.svm", "--alpha", "1e-3", "--out", "{}/model"),
    "trace": ("fit", "x.svm", "--alpha", "1e-3", "--trace", "{}/x.csv"),
    "plot": ("fit", "x.svm", "--alpha", "1e-3", "--plot", "{}/x.png"),
    "checkpoint": ("fit", "x.svm", "--checkpoint", "{}/c", "--checkpoint-every", "0"),
    "convert": ("convert", "x.svm", "{}/s"),
    "generate": ("generate", "w8a", "--scale", "0.1", "--out", "{}/s"),
    "generate svmlight": ("generate", "w8a", "--format", "svmlight", "--out", "{}/x"),
    "compare": ("compare", "x.svm", "--methods", "exact", "--max-epochs", "3", "--out", "{}/o"),
    "predict": ("predict", "model", "x.svm", "--out", "{}/labels"),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    with SvmlightWriter(folder / "x.svm") as writer:
        X, y = tb.make_w8a_like(2000, random_state=0)
        writer.append_arrays(X.indptr, X.indices, X.data, y)
    tb.save_model(tb.TauBoostClassifier(alpha=1e-3).fit(X, y), folder / "model")
    return folder


@pytest.mark.parametrize("name", skipped_without(COMMANDS))
def test_commands_on_a_full_disk(tiny_disk, inputs, name, monkeypatch):
    monkeypatch.chdir(inputs)
    fill(tiny_disk)
    result = run(*(word.format(tiny_disk) for word in COMMANDS[name]))
    assert "No space left on device" in " ".join(result.output.split())
    if name == "checkpoint":  # a warning: the fit is worth more than its state
        assert (result.exit_code, result.stderr) == (0, "")
    elif name in ("trace", "plot"):  # after the summary: test_outputs.py has more on it
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    else:
        complaint(result)
    assert {path.name for path in tiny_disk.iterdir()} <= {"filling", "c", "o"}
    assert not [path for folder in ("c", "o") for path in (tiny_disk / folder).glob("*")]


@pytest.mark.parametrize("name", skipped_without(COMMANDS))
def test_commands_in_a_read_only_folder(read_only, inputs, name, monkeypatch):
    monkeypatch.chdir(inputs)
    line = complaint(run(*(word.format(read_only) for word in COMMANDS[name])))
    assert "Read-only file system" in line or "not allowed to write into the folder" in line
    assert ".partial" not in line
    assert list(read_only.iterdir()) == []
