"""What commands write replaces files of that name, and never what they read: all commands."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from cli_runs import complaint, run
from extras import needs
from tauboost.cli import outputs
from tauboost.io.checkpoint import FILE_NAME
from tauboost.io.svmlight import SvmlightWriter

OUT = "OUT"
FIT = ("fit", "in.svm", "--alpha", "1e-2")
COMPARE = ("compare", "in.svm", "--methods", "exact", "--max-epochs", "1", "--out", "results")
TEXTS = ("a.jsonl", "b.jsonl", "--text", "text", "--label", "label", "--alpha", "1e-2")
RESULTS = {
    "fit": (*FIT, "--test", "te.svm", "--out", OUT),
    "fit of a store": ("fit", "in.store", "--alpha", "1e-2", "--out", OUT),
    "fit of texts": ("fit", *TEXTS, "--out", OUT),
    "fit of a table": ("fit", "in.csv", "--label", "y", "--alpha", "1e-2", "--out", OUT),
    "trace": (*FIT, "--trace", OUT),
    "plot": (*FIT, "--plot", OUT),
    "predict": ("predict", "model", "in.svm", "--out", OUT),
    "report": ("report", "model", "in.svm", "--notes", "notes", "--names", "names", "--out", OUT),
    "inspect": ("inspect", "in.svm", "--verdict", "--plot", OUT),
    "compare": COMPARE,
}
DATA = {
    "convert": ("convert", "in.svm", OUT),
    "convert with labels": ("convert", "in.npz", OUT, "--labels", "labels.npy"),
    "generate": ("generate", "w8a", "--scale", "0.01", "--out", OUT),
    "generate svmlight": (
        *("generate", "w8a", "--scale", "0.01", "--format", "svmlight", "--out", OUT),
    ),
}
NEEDS = {"fit of a table": "pyarrow", "plot": "matplotlib", "inspect": "matplotlib"}


def cases(*groups):
    return [
        pytest.param(name, words, marks=needs(NEEDS[name]) if name in NEEDS else (), id=name)
        for group in groups
        for name, words in group.items()
    ]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    X, y = tb.make_w8a_like(300, random_state=0)
    for name in ("in.svm", "te.svm"):
        with SvmlightWriter(folder / name) as writer:
            writer.append_arrays(X.indptr, X.indices, X.data, y)
    tb.convert(folder / "in.svm", folder / "in.store")
    sp.save_npz(folder / "in.npz", sp.csr_matrix(X))
    np.save(folder / "labels.npy", y)
    clf = tb.TauBoostClassifier(alpha=1e-2).fit(X, y)
    tb.save_model(clf, folder / "model")
    (folder / "notes").write_text("For tests.\n")
    (folder / "names").write_text("\n".join(f"column {k}" for k in range(300)))
    (folder / "in.csv").write_text("x,y\n" + "".join(f"{k},{k % 3 > 0}\n" for k in range(60)))
    for name in ("a.jsonl", "b.jsonl"):
        texts = [{"text": f"word{k % 4}", "label": "yn"[k % 2]} for k in range(40)]
        (folder / name).write_text("".join(f"{json.dumps(text)}\n" for text in texts))
    return folder


@pytest.fixture
def folder(inputs, tmp_path, monkeypatch):
    """Make the current folder a copy of that with the inputs."""
    shutil.copytree(inputs, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
@pytest.mark.parametrize(("name", "words"), cases(RESULTS, {k: DATA[k] for k in list(DATA)[:2]}))
def test_an_input_is_never_replaced(folder, name, words, link):
    read = [Path(word) for word in words if Path(word).exists()]
    assert read
    Path("results").mkdir()
    for source in read:
        path = source / "y.npy" if source.is_dir() else source
        target = Path("results/trace.csv")
        if link is not None or name == "compare":
            make = link or os.symlink
            make(path.resolve(), target)
        else:
            target = path
        if source.is_dir() and link is os.link:
            continue  # to replace one of two names of a file does the store no harm
        before = contents(folder)
        arguments = [str(target) if word == OUT else word for word in words]
        line = complaint(run(*arguments, *(["--overwrite"] if name in DATA else [])))
        assert "which is read" in line
        assert contents(folder) == before
        Path("results/trace.csv").unlink(missing_ok=True)


@pytest.mark.parametrize(("name", "words"), cases(RESULTS, DATA))
def test_what_is_there_already(folder, name, words):
    if name == "compare":
        Path("results").mkdir()
        target = Path("results/trace.csv")
    else:
        target = Path("there")
    target.write_bytes(b"old")
    arguments = [str(target) if word == OUT else word for word in words]
    result = run(*arguments)
    if name in DATA:
        assert "exists already: --overwrite replaces it" in complaint(result)
        assert target.read_bytes() == b"old"
    else:
        assert result.exit_code == 0, result.output
        assert target.read_bytes() != b"old"
    target.unlink()
    for make in (os.mkdir, os.mkfifo):
        make(target)
        before = contents(folder)
        complaint(run(*arguments, *(["--overwrite"] if name in DATA else [])))
        assert contents(folder) == before
        (os.rmdir if make is os.mkdir else os.unlink)(target)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("--out", "z"), ("--trace", "z")),
        (("--out", "z"), ("--trace", "loop/z")),
        pytest.param(("--trace", "z"), ("--plot", "link"), marks=needs("matplotlib")),
        (("--out", f"c/{FILE_NAME}"), ("--checkpoint", "c")),
        (("--out", "c2"), ("--checkpoint", "c2")),
    ],
)
def test_two_outputs_are_never_one_file(folder, first, second):
    Path("loop").symlink_to(".")
    Path("link").symlink_to("z")
    Path("c").mkdir()
    before = contents(folder)
    line = complaint(run(*FIT, *first, *second))
    assert first[0] in line
    assert second[0] in line
    assert contents(folder) == before


def test_a_state_is_never_written_into_the_data(folder):
    line = complaint(run("fit", "in.store", "--alpha", "1e-2", "--checkpoint", "in.store"))
    assert "--checkpoint" in line
    assert not Path("in.store", FILE_NAME).exists()


def test_standard_input_from_a_file(folder, monkeypatch):
    with Path("in.svm").open() as file:
        monkeypatch.setattr(outputs, "STDIN", file.fileno())
        for words in (("fit", "-", "--out"), ("predict", "model", "-", "--out"), ("convert", "-")):
            assert "which is read" in complaint(run(*words, "in.svm"))


def test_the_tour_needs_a_folder_of_its_own(folder):
    before = contents(folder)
    assert "not of a tour: name a new folder" in complaint(run("demo", "--out", "."))
    assert contents(folder) == before


# What a fit was worth


@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("option", ["--trace", pytest.param("--plot", marks=needs("matplotlib"))])
def test_a_model_outlives_a_trace_that_cannot_be_written(tiny_disk, folder, option, more):
    with (tiny_disk / "filling").open("wb", buffering=0) as file:
        file.write(bytes(2**20))
    result = run(*FIT, "--out", "new", option, tiny_disk / "x", *more)
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {option}: {tiny_disk}/x: No space left on device; the model is in new\n"
    )
    assert tb.load_model("new").coef_.any()
    if more:
        assert json.loads(result.stdout)["files"] == {"model": "new"}
    else:
        assert "wrote new" in result.stdout
