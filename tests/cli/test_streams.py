"""Standard streams that are closed, full or of another encoding, and names that are not UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli_runs import complaint, run
from extras import needs

ODD = os.fsdecode(b"n\xff")  # a name that is not UTF-8
ROWS = "".join(f"{2 * (k % 2) - 1} {1 + k % 3}:1 {5 + k % 7}:0.5\n" for k in range(80))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    (folder / "d.svm").write_text(ROWS)
    fit = run("fit", folder / "d.svm", "--alpha", "1e-3", "--out", folder / "m")
    assert fit.exit_code == 0
    return folder


def shell(folder, command, **environment):
    """Run a command line of a shell."""
    script = f'"{sys.executable}" -m tauboost {command}'
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | environment
    return subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("fit - <&-", b"standard input is closed: name a file in place of -"),
        ("convert - s.store <&-", b"standard input is closed: name a file in place of -"),
        ("predict m d.svm >&-", b"standard output is closed: give --out FILE"),
        ("predict m d.svm >/dev/full", b"standard output: No space left on device"),
        ("inspect m >/dev/full", b"standard output: No space left on device"),
        ("inspect m --json >/dev/full", b"standard output: No space left on device"),
        ("--help >/dev/full", b"standard output: No space left on device"),
        ("predict m absent 2>/dev/full", b""),
        ("absent 2>&-", b""),
    ],
)
def test_closed_and_full_streams(folder, command, words):
    done = shell(folder, command)
    assert done.returncode == 2
    assert done.stderr == (b"error: " + words + b"\n" if words else b"")


def test_what_is_not_needed_may_be_closed(folder):
    done = shell(folder, "fit d.svm --alpha 1e-3 --out closed <&- >&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (folder / "closed").read_bytes() == (folder / "m").read_bytes()


def test_letters_that_the_terminal_does_not_have(folder):
    (folder / "ü ☃.svm").write_text(ROWS)
    done = shell(folder, "inspect 'ü ☃.svm'", PYTHONIOENCODING="ascii", LC_ALL="C.UTF-8")
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\xfc \u2603.svm" in done.stdout
    done = shell(folder, "inspect ☃", PYTHONIOENCODING="ascii", LC_ALL="C.UTF-8")
    assert done.returncode == 2
    assert done.stderr.endswith(b": No such file or directory\n")


@needs("matplotlib")
def test_names_that_are_not_utf_8(folder, monkeypatch):
    monkeypatch.chdir(folder)
    Path(f"{ODD}.svm").write_text(ROWS)
    for command in (
        ("fit", f"{ODD}.svm", "--alpha", "1e-3", "--out", f"{ODD}.m", "--trace", f"{ODD}.csv"),
        ("fit", f"{ODD}.svm", "--alpha", "1e-3", "--plot", f"{ODD}.png"),
        ("fit", f"{ODD}.svm", "--alpha", "1e-3", "--checkpoint", f"{ODD}.c", "--json"),
        ("inspect", f"{ODD}.svm", "--verdict", "--plot", f"{ODD}.png"),
        ("inspect", f"{ODD}.m"),
        ("predict", f"{ODD}.m", f"{ODD}.svm", "--out", f"{ODD}.txt"),
        ("report", f"{ODD}.m", f"{ODD}.svm", "--out", f"{ODD}.html"),
        ("convert", f"{ODD}.svm", f"{ODD}.store"),
        ("inspect", f"{ODD}.store", "--json"),
        ("compare", f"{ODD}.svm", "--methods", "exact", "--max-epochs", "2", "--out", f"{ODD}.o"),
    ):
        result = run(*command)
        assert result.exit_code == 0, (command, result.output, result.exception)
    assert complaint(run("inspect", f"{ODD}.absent")).startswith(r"n\udcff.absent: No such file")


def test_half_a_character_in_labels(folder, monkeypatch):
    monkeypatch.chdir(folder)
    line = '{{"t": "w{} a", "y": "{}"}}\n'
    text = "".join(line.format(k % 5, ("a", r"b\ud800")[k % 2]) for k in range(80))
    Path("half.jsonl").write_text(text)
    names = ("--text", "t", "--label", "y")
    assert r"\ud800" in complaint(run("fit", "half.jsonl", *names))


def test_a_warning_is_one_line(folder):
    code = "import warnings, tauboost.cli.app as e; e.prepare_streams()"
    command = [sys.executable, "-c", f"{code}; warnings.warn('a\\x1b\\nb')"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert done.stderr == b"warning: a\\x1b b\n"
