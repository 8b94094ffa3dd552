"""`make benchmarks`: the parts and the driver that runs them, and the page that is made of it."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import benchmark_results
from benchmark_runs import BENCHMARKS, is_gone

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
sys.path.insert(0, str(BENCHMARKS))

import machine
import page
import parts
import run

WRITES = (
    "from pathlib import Path; import sys; Path(sys.argv[-1], 'a.csv').write_text('x\\n1\\n')\n"
)


# The parts.


class ParsedError(Exception):
    """Raised as soon as the options have been read."""


@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize("part", parts.PARTS, ids=lambda part: part.name)
def test_parts_are_commands_that_their_scripts_take(part, is_quick, monkeypatch, capsys):
    parse = argparse.ArgumentParser.parse_args

    def only_parse(self, *given):
        parse(self, *given)
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_parse)
    monkeypatch.setattr(sys, "argv", [part.script, *part.options(is_quick=is_quick), "--out", "x"])
    with pytest.raises(ParsedError):
        importlib.import_module(Path(part.script).stem).main()
    assert ("--quick" in part.options(is_quick=is_quick)) == is_quick


def test_the_run_takes_little_more_than_an_hour():
    assert sum(part.minutes for part in parts.PARTS) <= 70
    assert len({part.name for part in parts.PARTS}) == len(parts.PARTS)


def test_an_unknown_part_is_refused():
    with pytest.raises(SystemExit, match="error: no part nothing; there are peers, tables"):
        parts.named(["nothing"])


# The driver.


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Run made-up parts: their code by name, each of which should leave a.csv."""
    out = tmp_path / "out"
    (out / run.LOGS).mkdir(parents=True)
    state = {"commit": "1234567"}
    monkeypatch.setattr(run, "commit", lambda: state["commit"])

    def go(codes, **given):
        for name, code in codes.items():
            (tmp_path / f"{name}.py").write_text(code)
        chosen = argparse.Namespace(quick=False, again=False, out=out, scripts=tmp_path)
        chosen.adopts = False  # of the tests' own processes
        vars(chosen).update(given)
        record = run.read_record(out) | {"quick": False, "machine": dict(state)}
        made = [parts.Part(name, f"{name}.py", (), 0.1, ("a.csv",)) for name in codes]
        return run.run(made, record, chosen)

    return go, out, state


def test_a_part_that_fails_does_not_stop_the_others(driver, capsys):
    go, out, _ = driver
    failing = "import sys; print('so it is'); sys.exit('error: no such data')\n"
    assert go({"bad": failing, "idle": "", "good": WRITES}) == ["bad", "idle"]
    said = capsys.readouterr().err
    assert "part 1 of 3: bad, about 0.1 min" in said
    assert "bad: FAILED after 0.0 min, ended with code 1: error: no such data" in said
    assert "left no a.csv" in said
    assert (out / "logs" / "bad.log").read_text() == "so it is\nerror: no such data\n"
    record = json.loads((out / run.RECORD).read_text())
    assert record["parts"]["good"]["files"] == ["a.csv"]
    assert record["parts"]["good"]["other_cores_busy"] >= 0
    assert record["parts"]["idle"]["code"] == 1


def test_what_this_commit_has_finished_is_skipped(driver, capsys):
    go, out, state = driver

    def runs(**given):
        capsys.readouterr()
        assert go({"good": WRITES}, **given) == []
        said = capsys.readouterr().err
        return "good: finished before, skipped (--again repeats it)" not in said

    assert runs()
    assert not runs()
    assert runs(again=True)
    state["commit"] = "7654321"
    assert runs()
    (out / "a.csv").unlink()
    assert runs()
    state["commit"] = "7654321+dirty"
    assert runs()
    assert runs()  # who knows what has changed since


def test_an_interruption_ends_the_part_with_its_children(tmp_path):
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}} ')\n"
        "time.sleep(60)\n"
    )

    def tick():
        if (tmp_path / "pids").is_file() and (tmp_path / "pids").read_text().endswith(" "):
            raise KeyboardInterrupt

    with (tmp_path / "log").open("wb") as log, pytest.raises(KeyboardInterrupt):
        run.watch([sys.executable, "-c", code], log, tick)
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        assert is_gone(pid)


@pytest.mark.parametrize(
    ("work", "patience", "spent"),
    [
        ("import time\nwhile time.process_time() < 0.3: pass", 30.0, 0.3),
        ("import time; time.sleep(60)", 0.1, 0.0),
    ],
)
def test_what_a_part_leaves_behind_counts_as_its_own_and_ends(work, patience, spent):
    leave = (
        "import subprocess, sys\n"
        f"command = [sys.executable, '-c', {work!r}]\n"
        "print(subprocess.Popen(command, stdout=subprocess.DEVNULL).pid)\n"
    )
    code = (
        f"import os, subprocess, sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
        f"import machine; machine.PATIENCE = {patience}; machine.adopt()\n"
        f"done = subprocess.run([sys.executable, '-c', {leave!r}], stdout=-1, text=True)\n"
        "machine.reap(); print(done.stdout, sum(os.times()[2:4]))\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    pid, found = done.stdout.split()
    assert is_gone(int(pid))
    assert float(found) >= spent


def test_a_record_that_cannot_be_read_is_no_record(tmp_path):
    assert run.read_record(tmp_path) == {"parts": {}}
    for text in ("{", "[]", '{"parts": 3}'):
        (tmp_path / run.RECORD).write_text(text)
        assert run.read_record(tmp_path) == {"parts": {}}


def test_the_machine_says_what_a_reader_needs_and_no_names():
    found = machine.describe()
    assert found["cores"] >= 1
    assert found["memory_gb"] > 0
    assert {"tauboost", "numpy", "scipy", "scikit-learn"} <= found["packages"].keys()
    text = json.dumps(found)
    assert os.uname().nodename not in text.split()
    assert str(Path.home()) not in text


# The page.


@pytest.fixture
def results(tmp_path):
    return benchmark_results.write_results(tmp_path / "results")


def written(results):
    """What the page says, made of these results."""
    target = results.parent / "page.md"
    assert page.main([str(results), "--page", str(target)]) == 0
    return target.read_text()


def test_every_table_has_its_place_and_every_place_its_table():
    found = page.markers(page.PAGE.read_text())
    assert sorted(found) == sorted(page.GENERATORS)


def test_every_picture_is_shown():
    text = page.PAGE.read_text()
    assert all(f"(figures/{name})" in text for name in page.PICTURES)


def test_the_page_has_the_figures_of_the_run(results, capsys):
    text = written(results)
    assert "written: page.md and 7 pictures" in capsys.readouterr().out
    assert "Commit 1234567, 2026-11-18 03:00 UTC: A processor, 2 cores" in " ".join(text.split())
    assert "at most 0.40, in the part `plan`" in " ".join(text.split())
    assert "| sparse | imdb_unigram | AUC | **0.9623, 0.180 s** | Snap ML: 0.9400, 0.0900 s" in text
    assert "| EBM | stopped after 150 s | stopped after 150 s |" in text
    assert "| LIBLINEAR | 0.9586, 2.00 s | 0.9586, 2.00 s |" in text
    assert "30 times as fast as the fastest LIBLINEAR" in " ".join(text.split())
    assert "| w8a | 16 | 8.00 | 2.00 | 2.20 |" in text
    assert "within 10 % of it" in text
    assert "1 are within 30 %, 0 within 15 %" in text
    assert (results.parent / "figures" / "tables_peers.png").read_bytes() == b"tables"


def test_it_says_where_others_are_ahead(results):
    text = written(results)
    faster = "Faster: 1 of 3 peers, most of all Snap ML (2.0 times as fast, AUC 0.9400 against"
    assert f"- **imdb_unigram** (sparse). {faster} 0.9623)." in text
    both = "Higher AUC: 1 of 1 peers, most of all LightGBM (0.8525 against 0.8524, in 0.110 s"
    assert f"{both} against 0.130 s). Ahead in both: LightGBM." in text
    ranks = "most of all tf-idf of pairs + SGD (0.9671 against 0.9096, in 20.2 s against 1.50 s)."
    assert f"- **imdb** (texts). Higher AUC: 1 of 1 peers, {ranks}\n" in text
    assert "**`exact` is behind at 1e-1, 1e-2, 1e-3" in text


def test_a_page_that_was_made_can_be_made_again(results):
    text = written(results)
    assert page.filled(text, page.Results(results)) == text


def refusal(results, capsys):
    target = results.parent / "page.md"
    assert page.main([str(results), "--page", str(target)]) == 1
    assert not target.exists()
    return capsys.readouterr().err


def test_results_of_several_commits_are_refused(results, capsys):
    benchmark_results.write_rows(results / "gaps.csv", [{"data": "w8a"}], "7654321")
    said = refusal(results, capsys)
    assert "error: the results are of several commits (1234567, 7654321): run" in said


def test_a_missing_file_is_named_with_its_command(results, capsys):
    (results / "gaps.csv").unlink()
    said = "error: gaps.csv is missing: make it with `python benchmarks/run.py --only certified`.\n"
    assert refusal(results, capsys) == said


@pytest.mark.parametrize(("code", "state"), [(1, "failed"), (None, "has not run")])
def test_a_part_that_is_not_there_is_named(results, capsys, code, state):
    record = json.loads((results / "machine.json").read_text())
    if code is None:
        del record["parts"]["plan"]
    else:
        record["parts"]["plan"]["code"] = code
    (results / "machine.json").write_text(json.dumps(record))
    assert f"plan.csv is missing, as the part plan {state}: make it" in refusal(results, capsys)


def test_a_missing_picture_is_named(results, capsys):
    (results / "tables.png").unlink()
    assert "error: tables.png is missing" in refusal(results, capsys)


def test_a_folder_without_results_is_refused(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert "empty has no machine.json that can be read" in refusal(tmp_path / "empty", capsys)


def test_a_quick_run_leaves_the_page_alone(results):
    record = json.loads((results / "machine.json").read_text()) | {"quick": True}
    (results / "machine.json").write_text(json.dumps(record))
    before = page.PAGE.read_text()
    assert page.main([str(results)]) == 0
    assert page.PAGE.read_text() == before
    assert (results / "benchmarks.md").is_file()


@pytest.mark.parametrize(
    ("value", "written"),
    [(136.2, "136"), (12.34, "12.3"), (1.5, "1.50"), (0.0456, "0.0456"), (float("nan"), "-")],
)
def test_figures_have_three_digits(value, written):
    assert page.page_data.seconds(value) == written
