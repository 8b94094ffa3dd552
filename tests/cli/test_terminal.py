"""Names, labels and texts of strangers on a terminal: nothing that they hold can steer it."""

from __future__ import annotations

import json
import os
import pty
import random
import sys
from subprocess import Popen

import numpy as np
import pytest

import tauboost as tb
from cli_runs import run
from tauboost.cli import terminal

# Colours, the title of the window, a bell, C1 controls, the direction of writing, half a line.
RED, TITLE, CLEAR, C1, BIDI = "\x1b[31mred", "\x1b]0;owned\x07", "\x1b[2J", "\x9b1m", "\u202egnp"
HOSTILE = (RED, TITLE, CLEAR, C1, BIDI, "\x7f\x08\x0e")
FOLDER = f"f{RED}{BIDI}"


def assert_tame(text):
    odd = {c for c in text if not (c.isprintable() or c == "\n")}
    assert odd == set(), text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data of all kinds, models of them, all with hostile names."""
    folder = tmp_path_factory.mktemp("hostile") / FOLDER
    folder.mkdir()
    random.seed(0)
    labels = [f"no{CLEAR}{BIDI}", f"yes{RED}"]
    rows = []
    for k in range(200):
        x = random.random()
        label = labels[x > random.random()]
        rows.append((f"{x:.2f}", random.choice(HOSTILE[:3]), str(k % 9), label))
    table = [(f"n{TITLE}", f"c{C1}{BIDI}", f"x{RED}", f"y{CLEAR}"), *rows]
    (folder / f"t{RED}.csv").write_text("".join(",".join(row) + "\n" for row in table))
    texts = [{"t": f"{row[1]} w{row[2]}", "y": row[3]} for row in rows]
    (folder / f"t{RED}.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    lines = [f"{2 * (k % 2) - 1} {1 + k % 3}:1 {5 + k % 7}:0.5\n" for k in range(80)]
    (folder / f"d{RED}.svm").write_text("".join(lines))
    (folder / "names").write_text("\n".join(HOSTILE))
    X = np.random.default_rng(0).normal(size=(80, len(HOSTILE)))
    clf = tb.TauBoostClassifier(alpha=1e-3).fit(X, np.where(X[:, 0] > 0, *labels))
    tb.save_model(clf, folder / f"m{RED}")
    return folder


@pytest.fixture
def tauboost(folder, monkeypatch):
    """Run a command; all that it prints is tame."""
    monkeypatch.chdir(folder)

    def tame(*arguments, code=0):
        result = run(*arguments)
        assert result.exit_code == code, result.output
        assert_tame(result.stdout)
        assert_tame(result.stderr)
        assert result.output
        return result

    return tame


def test_sparse_data(tauboost):
    data, rest = f"d{RED}.svm", ("--max-epochs", "3", "--out", f"o{RED}")
    tauboost("inspect", data)
    tauboost("inspect", data, "--verdict")
    tauboost("inspect", data, "--plan")
    tauboost("convert", data, f"s{RED}")
    tauboost("inspect", f"s{RED}")
    tauboost("compare", data, "--methods", "exact", *rest)
    tauboost("fit", data, "--alpha", "1e-3", "--out", f"n{RED}", "--trace", f"c{RED}")
    tauboost("generate", "w8a", "--scale", "0.01", "--out", f"g{RED}")


def test_a_model_with_hostile_labels_and_features(tauboost):
    tauboost("inspect", f"m{RED}")
    tauboost("report", f"m{RED}", "--names", "names", "--out", f"r{RED}.html")


def test_tables(tauboost, folder):
    data, label = f"t{RED}.csv", ("--label", f"y{CLEAR}")
    shown = tauboost("inspect", data, *label).stdout
    assert r"n\x1b]0;owned\x07" in shown
    assert r"yes\x1b[31mred" in shown
    tauboost("inspect", data, *label, "--verdict")
    tauboost("fit", data, *label, "--test", "0.2", "--out", f"tm{RED}")
    tauboost("inspect", f"tm{RED}")
    tauboost("report", f"tm{RED}", data, "--out", f"r{RED}.html")
    tauboost("predict", f"tm{RED}", data, "--metrics", "--out", f"p{RED}")
    as_they_are = run("predict", f"tm{RED}", data).stdout
    assert as_they_are == (folder / f"p{RED}").read_text()
    assert RED in as_they_are


def test_texts(tauboost):
    data, names = f"t{RED}.jsonl", ("--text", "t", "--label", "y")
    tauboost("fit", data, *names, "--test", "0.2", "--out", f"xm{RED}")
    tauboost("inspect", f"xm{RED}")
    tauboost("report", f"xm{RED}", data, "--out", f"r{RED}.html")
    tauboost("predict", f"xm{RED}", data, "--explain")
    names = ("--text", f"c{C1}{BIDI}", "--label", f"y{CLEAR}")
    tauboost("fit", f"t{RED}.csv", *names, "--alpha", "0.1", "--hash", "64", "--out", f"hm{RED}")
    tauboost("inspect", f"hm{RED}")


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "absent{0}"),
        ("fit", "absent{0}"),
        ("fit", "t{0}.csv"),
        ("fit", "t{0}.csv", "--label", "z{0}"),
        ("fit", "t{0}.csv", "--label", "x{0}", "--drop", "z{0}"),
        ("fit", "t{0}.jsonl", "--text", "z{0}"),
        ("predict", "m{0}", "t{0}.csv"),
        ("predict", "d{0}.svm", "d{0}.svm"),
        ("report", "m{0}", "--positive", "z{0}"),
        ("convert", "t{0}.csv", "s{0}"),
        ("compare", "d{0}.svm", "--methods", "z{0}"),
        ("z{0}",),
        ("inspect", "--z{0}"),
    ],
)
def test_errors(tauboost, arguments):
    result = tauboost(*(word.format(RED) for word in arguments), code=2)
    assert len(result.stderr.splitlines()) == 1
    assert r"\x1b[31mred" in result.stderr


def test_predictions_on_a_terminal(folder):
    """Predictions are data, and shown as all else only where people look at them."""
    ours, theirs = pty.openpty()
    model, data = f"m{RED}", f"d{RED}.svm"
    command = [sys.executable, "-m", "tauboost", "predict", model, data]
    with Popen(command, cwd=folder, stdout=theirs, env=os.environ | {"TERM": "dumb"}) as process:
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
    os.close(ours)
    assert process.returncode == 0
    assert_tame(shown.decode().replace("\r\n", "\n"))
    assert rb"yes\x1b[31mred" in shown


def _read(descriptor):
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end is closed
        return b""


def test_warnings_and_progress_of_hostile_files(capsys):
    console = terminal.Console(stderr=True, force_terminal=False)
    console.print(f"a{RED}", soft_wrap=True)
    with console.status(f"[bold]{RED}") as status:
        shown = status.renderable.text.plain
    assert_tame(shown)
    assert shown == r"[bold]\x1b[31mred"
    assert_tame(capsys.readouterr().err)


def test_markup_and_emoji_are_text(capsys):
    terminal.Console().print("[red]:smile:[/red]")
    assert capsys.readouterr().out == "[red]:smile:[/red]\n"
