"""The tour runs, shows what it does, and writes what it promises."""

from __future__ import annotations

import pytest

from cli_runs import run
from tauboost.cli import demo

pytest.importorskip("matplotlib")


def test_the_tour_in_small(tmp_path):
    result = run("demo", "--out", tmp_path / "my tour", "--scale", "0.02")
    assert result.exit_code == 0, result.output
    written = {path.name for path in (tmp_path / "my tour").iterdir()}
    for name in ("messages", "customers", "pages"):
        assert {f"{name}.tauboost", f"{name}.html"} <= written
        assert f"{name}.html" in result.output.split("Open in a browser:")[1]
    assert "trace.png" in written
    assert result.output.count("\n$ tauboost fit ") == 3
    assert "4 of 4: what is underneath" in result.output
    assert "tauboost predict YOUR.tauboost NEW.csv --proba" in result.output


def test_a_command_that_fails_ends_the_tour(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "write_messages", lambda path, *_: path.write_text("no JSON\n"))
    result = run("demo", "--out", tmp_path, "--scale", "0.02")
    assert result.exit_code == 2
    assert "2 of 4" not in result.output
