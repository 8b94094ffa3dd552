"""The command line as a newcomer meets it: help, wrong input, files, JSON, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_runs import complaint, run
from extras import needs
from tauboost import beta
from tauboost.kinds import sparse

TEXT = "+1 1:1 2:1\n-1 2:1 3:0.5\n+1 1:1 3:2\n-1\n+1 5:1\n"
QUICK = ("--n-samples", "300", "--time-limit", "5", "--max-epochs", "5")


@pytest.fixture
def tauboost(tmp_path, monkeypatch):
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return run


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "tiny.svm"
    path.write_text(TEXT)
    return path


# Help and version


def test_version(tauboost):
    result = tauboost("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("tauboost ")


@pytest.mark.parametrize("command", [[], ["compare"], ["inspect"]])
def test_help_has_an_example(tauboost, command):
    result = tauboost(*command, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"tauboost {' '.join(command)}".strip() in result.stdout


def test_nothing_asked_shows_the_help(tauboost):
    assert tauboost().stdout == tauboost("--help").stdout


@pytest.mark.parametrize("command", [[], ["fit"], ["predict"], ["convert"], ["inspect"]])
def test_help_shows_no_type_for_flags(tauboost, command):
    result = tauboost(*command, "--help", COLUMNS="200")
    assert "--help" in result.stdout
    assert "bool" not in result.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [("tauboost pr", "predict"), ("tauboost fit --alp", "--alpha")],
)
def test_shell_completion(words, expected):
    found = {"_TAUBOOST_COMPLETE": "complete_bash", "COMP_WORDS": words}
    found["COMP_CWORD"] = str(words.count(" "))
    process = run_module(env=os.environ | found)
    assert expected in process.communicate(timeout=60)[0].decode().split()


# Wrong input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inspect"], "Missing argument 'DATA'. (see tauboost inspect --help)"),
        (["inspect", "absent.svm"], "absent.svm: No such file"),
        (["inspect", "."], "directory"),
        (["compare", "absent.svm"], "absent.svm: No such file"),
        (["compar"], "No such command 'compar'"),
        (["compare", "--nope"], "No such option"),
        (["compare", "--tau", "many"], "--tau"),
        (["compare", "--tau", "0"], "--tau"),
        (["compare", "--time-limit", "-1"], "--time-limit"),
        (["compare", "--time-limit", "inf", "--n-samples", "9"], "must be finite"),
        (["compare", "--threads", "0", "--n-samples", "9"], "n_threads"),
        (["compare", "--methods", "magic"], "unknown method 'magic'; known are exact"),
        (["compare", "--methods", "pcdm,"], "unknown method ''"),
        (["compare", "--methods", "greedy:collins"], "it takes exact or lipschitz"),
        (["compare", "--methods", "greedy:tau=3"], "greedy has no option 'tau=3'"),
        (["compare", "--methods", "pcdm:tau=x"], "it takes tau=N"),
        (["compare", "--methods", "lbfgs:fast"], "it takes none"),
        (["compare", "--methods", "pcdm,pcdm:tau=16", "--n-samples", "9"], "listed twice"),
        (["compare", "--methods", "lbfgs", "--tau", "4"], "none of the methods"),
        (["compare", "--tau", "301", "--n-samples", "9"], "between 1 and the 300 coordinates"),
        (["compare", "tiny.svm", "--n-samples", "9"], "--n-samples is for generated data"),
        (["compare", "--n-samples", "9", "--out", "tiny.svm"], "tiny.svm is a file"),
    ],
)
def test_wrong_input_gets_one_line(tauboost, data, arguments, words):
    assert words in complaint(tauboost(*arguments))


@pytest.mark.parametrize("command", ["inspect", "compare", "fit"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no samples"),
        ("hello\n", "line 1"),
        ("1 1:1\n1 2:1\n", "bad.svm: y has one class only, 1.0: "),
        ("1 1:1 qid:3\n2 1:1\n", "qid, the query of a ranking, may stand only right behind the"),
        ("1 1:nan\n2 1:1\n", "line 1, column 5: the value must be a finite number"),
    ],
)
def test_wrong_data_get_one_line(tauboost, tmp_path, command, text, words):
    (tmp_path / "bad.svm").write_text(text)
    assert words in complaint(tauboost(command, "bad.svm"))
    assert not (tmp_path / "compare_out").exists()


def test_data_of_wrong_labels_are_named(tauboost, tmp_path):
    (tmp_path / "bad.svm").write_text("1 1:1\n2 1:1\n3 1:1\n")
    line = complaint(tauboost("compare", "bad.svm"))
    assert line == "bad.svm: y must have exactly two classes, got 3"
    (tmp_path / "bad.svm").write_text("1 1:1\n2.5 1:1\n3 1:1\n")
    line = complaint(tauboost("fit", "bad.svm"))
    assert line.startswith("bad.svm: Unknown label type: y holds 2.5, and classes are whole")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (MemoryError("Unable to allocate 9 TiB"), "not enough memory (Unable to allocate 9 TiB)"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (ValueError("two\nlines"), "two lines"),
        (TypeError(), "TypeError"),
    ],
)
def test_every_error_is_one_line(tauboost, monkeypatch, error, words):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(sparse, "load_svmlight", fail)
    assert complaint(tauboost("inspect", "x")) == words


def test_faults_of_ours_are_not_hidden(tauboost, monkeypatch):
    def fail(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr(sparse, "load_svmlight", fail)
    assert isinstance(tauboost("inspect", "x").exception, ZeroDivisionError)


def test_interrupt(tauboost, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(sparse, "load_svmlight", interrupt)
    result = tauboost("inspect", "x")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "interrupted\n")


# inspect


def test_inspect_json(tauboost, data):
    result = tauboost("inspect", data, "--json")
    document = json.loads(result.stdout)
    assert result.stderr == ""
    rows = document.pop("tau_table")
    assert document.pop("matrix_bytes") > 0
    assert document == {
        "name": "tiny.svm",
        "n_samples": 5,
        "n_features": 5,
        "nnz": 7,
        "density": 7 / 25,
        "omega": 2,
        "lipschitz": {"smallest": 1.0, "largest": 4.0},
        "classes": [{"label": -1.0, "count": 2}, {"label": 1.0, "count": 3}],
        "empty_rows": 1,
        "empty_columns": 1,
        "one_class_columns": 2,
        "valued_columns": 1,
        "value_free_columns": 3,
        "matrix_shards": 1,
        "warning": "",
    }
    assert [row["tau"] for row in rows] == [1, 2, 4, 5]
    for row in rows:
        assert row["beta"] == beta(5, 2, row["tau"], 5)
        assert row["speedup"] == row["tau"] / row["beta"]
        assert row["beta_printed"] == beta(5, 2, row["tau"], 5, overlap_weights=False)


def test_inspect_counts_explicit_zeros_as_absent(tauboost, tmp_path):
    (tmp_path / "zeros.svm").write_text("1 1:1 2:0\n-1 2:1\n-1 1:0\n")
    document = json.loads(tauboost("inspect", "zeros.svm", "--json").stdout)
    assert (document["nnz"], document["empty_rows"], document["one_class_columns"]) == (2, 1, 2)


def test_inspect_counts_every_class(tauboost, tmp_path):
    lines = [f"{k % 12} {1 + k % 2}:1 {3 + k % 12}:2 20:1\n" for k in range(36)]
    (tmp_path / "many.svm").write_text("".join(lines))
    document = json.loads(tauboost("inspect", "many.svm", "--json").stdout)
    assert document["classes"] == [{"label": float(k), "count": 3} for k in range(12)]
    assert document["one_class_columns"] == 12
    shown = tauboost("inspect", "many.svm").stdout
    assert "9: 3 (8.33%)" in shown
    assert "and 2 more classes" in shown


def test_inspect_without_any_nonzero(tauboost, tmp_path):
    (tmp_path / "none.svm").write_text("1\n-1\n")
    assert tauboost("inspect", "none.svm").exit_code == 0
    document = json.loads(tauboost("inspect", "none.svm", "--json").stdout)
    assert document["lipschitz"] == {"smallest": None, "largest": None}


@pytest.mark.parametrize("columns", ["40", "60", "200"])
def test_inspect_table(tauboost, data, columns):
    result = tauboost("inspect", data, COLUMNS=columns)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "tiny.svm" in result.stdout
    assert "omega" in result.stdout


def test_taus_reach_n_with_few_steps():
    def taus_to(n):
        return [row["tau"] for row in sparse.tau_table(n, 1, 10)]

    assert taus_to(1) == [1]
    assert taus_to(8) == [1, 2, 4, 8]
    taus = taus_to(3_231_961)
    assert taus[9:13] == [512, 1024, 4096, 16384]
    assert taus[-1] == 3_231_961
    assert len(taus) == 17


# compare


@needs("matplotlib")
def test_compare_writes_files_and_shows_a_table(tauboost, tmp_path):
    result = tauboost("compare", *QUICK)
    assert result.exit_code == 0
    assert result.stderr == ""
    for label in ("pcdm-async", "fully-parallel", "accelerated", "greedy", "pcdm tau=16", "lbfgs"):
        assert label in result.stdout
    for name in ("trace.csv", "trace.json", "trace.png"):
        path = Path("compare_out", name)
        assert f"wrote {path}" in result.stdout
        assert (tmp_path / path).stat().st_size > 0


@needs("matplotlib")
def test_compare_json_is_one_document(tauboost, data, tmp_path):
    result = tauboost(
        "compare", data, "--json", "--out", "a/b", "--max-epochs", 3,
        "--methods", "pcdm, greedy:lipschitz,pcdm:tau=2,fully-parallel:step=collins", "--seed", 7,
    )  # fmt: skip
    assert result.stderr == ""
    document = json.loads(result.stdout)
    methods = document["methods"]
    # The paper's 16 does not fit 5 features.
    assert [method["label"] for method in methods] == [
        "pcdm tau=5",
        "greedy lipschitz",
        "pcdm tau=2",
        "fully-parallel",
    ]
    assert methods[3]["options"] == {"step": "collins"}
    assert document["random_state"] == 7
    assert document["data"]["name"] == "tiny.svm"
    files = document.pop("files")
    assert set(files) == {"csv", "json", "png"}
    assert json.loads(Path(files["json"]).read_text()) == document


def test_compare_tau_is_for_the_methods_that_have_one(tauboost):
    options = ("--methods", "pcdm,pcdm-async:tau=3,greedy", "--tau", 8)
    document = json.loads(tauboost("compare", *QUICK, *options, "--json").stdout)
    labels = [method["label"] for method in document["methods"]]
    assert labels == ["pcdm tau=8", "pcdm-async tau=3", "greedy"]


def test_compare_without_matplotlib_skips_the_figure(tauboost, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = tauboost("compare", *QUICK, "--json")
    assert result.exit_code == 0
    assert result.stderr == ("no figure: plotting needs matplotlib: pip install 'tauboost[plot]'\n")
    assert set(json.loads(result.stdout)["files"]) == {"csv", "json"}
    assert not (tmp_path / "compare_out" / "trace.png").exists()


def test_compare_on_a_terminal_shows_bars_on_stderr_only(tauboost):
    result = tauboost("compare", *QUICK, "--json", FORCE_COLOR="1")
    json.loads(result.stdout)
    assert "1/7 exact" in result.stderr
    assert "7/7 lbfgs" in result.stderr


@needs("matplotlib")
def test_compare_says_when_data_are_separable(tauboost, tmp_path):
    (tmp_path / "separable.svm").write_text("1 1:1\n-1 1:-1\n" * 20)
    limits = ("--max-epochs", 50, "--methods", "lbfgs,fully-parallel")
    assert "separable" in tauboost("compare", "separable.svm", *limits).stdout.splitlines()[-5]


@pytest.mark.parametrize("columns", ["30", "60"])
def test_compare_on_a_narrow_terminal_loses_nothing(tauboost, columns):
    result = tauboost("compare", *QUICK, "--methods", "pcdm,fully-parallel", COLUMNS=columns)
    assert "fully-parallel" in result.stdout
    assert "…" not in result.stdout


def test_names_with_brackets_are_no_markup(tauboost, tmp_path):
    (tmp_path / "[red]$x_1$").write_text(TEXT)
    assert "[red]$x_1$" in tauboost("inspect", "[red]$x_1$").stdout
    limits = ("--max-epochs", 2, "--methods", "greedy")
    assert "[red]$x_1$" in tauboost("compare", "[red]$x_1$", *limits).stdout


# As a process


def run_module(*arguments, **options):
    command = [sys.executable, "-m", "tauboost", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_python_m_tauboost(data):
    process = run_module("inspect", str(data), "--json")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["n_samples"] == 5


def test_installed_script_refuses_with_code_2():
    script = Path(sys.executable).with_name("tauboost")
    if not script.exists():
        pytest.skip("the tauboost script is not installed beside this Python")
    command = [script, "inspect", "absent"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"error: absent: No such file or directory\n"


def test_ctrl_c_ends_a_comparison_at_once(tmp_path):
    limits = ("--time-limit", "60", "--n-samples", "3000", "--methods", "greedy,pcdm")
    process = run_module("compare", *limits, cwd=tmp_path)
    deadline = time.monotonic() + 30
    while not (tmp_path / "compare_out").exists():  # made just before the runs
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 5  # well under a second on a machine with nothing else to do
    assert (process.returncode, out, err) == (130, b"", b"interrupted\n")


@pytest.mark.skipif(
    not Path(os.environ.get("TAUBOOST_DATA", ""), "w8a.xz").is_file(),
    reason="needs w8a.xz in the folder that TAUBOOST_DATA names",
)
def test_inspect_w8a(tauboost):
    path = Path(os.environ["TAUBOOST_DATA"], "w8a.xz").resolve()
    document = json.loads(tauboost("inspect", path, "--json").stdout)
    assert (document["n_samples"], document["n_features"], document["nnz"]) == (49749, 300, 579586)
    assert (document["omega"], document["empty_rows"]) == (114, 4203)
    assert (document["one_class_columns"], document["valued_columns"]) == (54, 0)
    by_tau = {row["tau"]: row for row in document["tau_table"]}
    assert by_tau[16]["beta"] == pytest.approx(14.372, abs=5e-4)
    assert by_tau[16]["beta_printed"] == pytest.approx(15.088, abs=5e-4)
