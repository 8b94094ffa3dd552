"""convert, generate and inspect on stores, from the command line; and processes that die."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import tauboost as tb
from cli_runs import complaint, run
from stores import TEXT, assert_nothing_left, assert_same, write


@pytest.fixture
def tauboost(tmp_path, monkeypatch):
    """Run a command in a folder with one small file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "tiny.svm").write_text(TEXT)
    return run


@pytest.mark.parametrize("command", ["convert", "generate"])
def test_help_has_an_example(tauboost, command):
    result = tauboost(command, "--help")
    assert result.exit_code == 0
    assert f"tauboost {command}" in result.stdout.split("Examples")[1]


# convert


def test_convert(tauboost, tmp_path):
    result = tauboost("convert", "tiny.svm", "tiny.store")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "wrote tiny.store: 5 samples, 5 features, 7 nonzeros" in result.stdout
    assert_same(tb.open_store("tiny.store").to_csr(), tb.load_svmlight("tiny.svm")[0])


def test_convert_json_with_every_option(tauboost, tmp_path):
    np.save("y.npy", np.arange(10))
    result = tauboost(
        "convert", "tiny.svm", "tiny.svm", "two.store", "--json", "--labels", "y.npy",
        "--n-features", 9, "--zero-based", "--threads", 1, "--overwrite",
    )  # fmt: skip
    assert result.stderr == ""
    document = json.loads(result.stdout)
    assert (document["n_samples"], document["n_features"], document["nnz"]) == (10, 9, 14)
    assert document["path"] == "two.store"
    assert document["bytes"] == tb.open_store("two.store").nbytes
    assert document["seconds"] > 0


def test_convert_standard_input(tauboost):
    assert tauboost("convert", "-", "s", stdin=TEXT).exit_code == 0
    assert tb.open_store("s").shape == (5, 5)


def test_convert_on_a_terminal_shows_a_bar_on_stderr_only(tauboost, monkeypatch):
    monkeypatch.setattr("tauboost.base.progress.PATIENCE", 0.0)
    result = tauboost("convert", "tiny.svm", "s", "--json", FORCE_COLOR="1")
    json.loads(result.stdout)
    assert "converting" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["convert"], "Missing argument"),
        (["convert", "tiny.svm"], "Missing argument 'STORE': after tiny.svm, give the store"),
        (["convert", "absent", "s"], "absent: No such file"),
        (["convert", ".", "s"], ". is a folder: name the files in it"),
        (["convert", "tiny.svm", "tiny.svm"], "would change tiny.svm, which is read"),
        (["convert", "tiny.svm", "a/b"], "there is no folder"),
        (["convert", "tiny.svm", "s", "--n-features", 3], "has 5 features, more than"),
        (["convert", "tiny.svm", "s", "--n-features", 0], "--n-features"),
        (["convert", "tiny.svm", "s", "--labels", "absent.npy"], "absent.npy: No such file"),
        (["convert", "tiny.svm", "s", "--threads", 0], "n_threads"),
        (["generate", "url"], "Missing option '--out'"),
        (["generate", "moon", "--out", "s"], "moon"),
        (["generate", "w8a", "--out", "tiny.svm"], "exists already: --overwrite replaces it"),
        (["generate", "w8a", "--out", "s", "--scale", 0], "scale must be above 0"),
        (["generate", "w8a", "--out", "s", "--scale", "nan"], "scale"),
        (["generate", "w8a", "--out", "s", "--format", "csv"], "csv"),
        (["inspect", "tiny.svm", "--verify"], "--verify compares the checksums of a store"),
        (["inspect", "."], "this directory is no store"),
    ],
)
def test_wrong_input_gets_one_line(tauboost, tmp_path, arguments, words):
    assert words in complaint(tauboost(*arguments))
    assert_nothing_left(tmp_path, "tiny.svm")


def test_convert_without_pyarrow(tauboost, tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1" + bytes(100))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'tauboost[arrow]'" in complaint(tauboost("convert", "x.parquet", "s"))


def test_convert_names_with_brackets_are_no_markup(tauboost, tmp_path):
    assert "wrote [red]x:" in tauboost("convert", "tiny.svm", "[red]x").stdout


# generate


def test_generate(tauboost, tmp_path):
    result = tauboost("generate", "w8a", "--out", "w.store", "--scale", 0.01, "--seed", 3)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "wrote w.store: 497 samples, 300 features" in result.stdout
    assert_same(tb.open_store("w.store").to_csr(), tb.make_w8a_like(497, random_state=3)[0])


def test_generate_json_and_text(tauboost, tmp_path):
    common = ("generate", "url", "--scale", 1e-4, "--json", "--threads", 1)
    document = json.loads(tauboost(*common, "--out", "u.store").stdout)
    assert (document["n_samples"], document["n_features"]) == (240, 324)
    document = json.loads(tauboost(*common, "--out", "u.svm", "--format", "svmlight").stdout)
    assert document["bytes"] == (tmp_path / "u.svm").stat().st_size
    result = tauboost("generate", "w8a", "--out", "u.svm", "--format", "svmlight", "--overwrite")
    assert "wrote u.svm" in result.stdout


# inspect


def test_inspect_a_store_says_the_same_as_inspect_a_file(tauboost, tmp_path):
    tb.generate_url("url.svm", scale=2e-4, as_text=True)
    tb.convert("url.svm", "url.store")
    of_file, of_store = (
        json.loads(tauboost("inspect", f"url.{end}", "--json").stdout) for end in ("svm", "store")
    )
    assert of_store.pop("store_bytes") == tb.open_store("url.store").nbytes
    assert of_store.pop("verified") is False
    assert of_store.pop("source")["files"] == ["url.svm"]
    assert (of_file.pop("name"), of_store.pop("name")) == ("url.svm", "url.store")
    assert of_store.pop("matrix_bytes") == pytest.approx(of_file.pop("matrix_bytes"), rel=0.01)
    assert of_store == of_file


@pytest.mark.parametrize("X", [tb.make_w8a_like(500)[0], sp.csr_array((500, 3))])
def test_inspect_other_stores(tauboost, X):
    write("s", X, np.arange(500) % 2)
    document = json.loads(tauboost("inspect", "s", "--json").stdout)
    assert document["nnz"] == X.nnz
    matrix = tb.Problem(X, np.arange(500) % 2).matrix
    assert document["matrix_bytes"] == pytest.approx(matrix.nbytes, rel=0.01)


def test_inspect_verify(tauboost, tmp_path):
    tauboost("convert", "tiny.svm", "s")
    result = tauboost("inspect", "s", "--verify")
    assert "checksums right" in result.stdout
    path = tmp_path / "s" / "y.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert "the checksum of y.npy does not fit" in complaint(tauboost("inspect", "s", "--verify"))


def test_inspect_a_store_of_one_class(tauboost):
    write("s", np.eye(2), [1, 1])
    assert "one class only" in complaint(tauboost("inspect", "s"))


# Processes that die


@pytest.fixture
def half_way(tmp_path):
    """A process in the middle of a convert: it waits for more input."""
    command = [sys.executable, "-m", "tauboost", "convert", "-", str(tmp_path / "s")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(TEXT.encode() * 1000)
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".s.*.partial/y.npy")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield process
        process.kill()


def test_ctrl_c_leaves_nothing(tmp_path, half_way):
    time.sleep(0.2)
    half_way.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = half_way.communicate(timeout=30)
    assert time.monotonic() - began < 5
    assert (half_way.returncode, out, err) == (130, b"", b"interrupted\n")
    assert_nothing_left(tmp_path)


def test_a_killed_process_leaves_nothing_under_the_name(tmp_path, half_way):
    half_way.kill()
    half_way.wait(timeout=30)
    assert not (tmp_path / "s").exists()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".s.")
    (tmp_path / "tiny.svm").write_text(TEXT)
    tb.convert(tmp_path / "tiny.svm", tmp_path / "s")
    assert_nothing_left(tmp_path, "s", "tiny.svm")


def test_a_process_is_killed_at_any_moment(tmp_path):
    """Whenever it is killed, there is a sound store of that name, or none."""
    rng = np.random.default_rng(0)
    code = (
        "import sys, tauboost as tb; print('ready', flush=True)\n"
        "for k in range(10**6):\n"
        "    tb.generate_w8a(sys.argv[1], scale=0.001, random_state=k, overwrite=True)\n"
    )
    for _ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "s")], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(rng.uniform(0.05, 0.3))
            process.kill()
        if (tmp_path / "s").exists():
            tb.open_store(tmp_path / "s", verify=True)


# compare, and standard input


def test_compare_and_inspect_take_every_kind_of_input(tauboost, tmp_path):
    tauboost("convert", "tiny.svm", "tiny.store")
    limits = ("--methods", "exact", "--max-epochs", 3, "--json")
    inputs = [("tiny.svm", None), ("tiny.store", None), ("-", TEXT)]
    compared = [
        json.loads(tauboost("compare", path, *limits, stdin=t).stdout) for path, t in inputs
    ]
    assert [d["data"]["name"] for d in compared] == ["tiny.svm", "tiny.store", "standard input"]
    assert len({d["best"] for d in compared}) == 1
    found = [json.loads(tauboost("inspect", path, "--json", stdin=t).stdout) for path, t in inputs]
    assert [d["nnz"] for d in found] == [7, 7, 7]
