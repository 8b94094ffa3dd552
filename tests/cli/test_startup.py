"""What is imported by what: a person waits for every module that nobody uses."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from types import ModuleType

import numpy as np
import pytest

import tauboost as tb
from tauboost import io
from tauboost.cli.app import SUMMARIES, loaded

SLOW = {"sklearn", "pandas", "scipy.stats", "scipy.special", "scipy.sparse", "joblib", "numpy"}
SLOW |= {"matplotlib", "pydantic", "pyarrow"}
COMMAND = """
import sys
from tauboost.cli import main
try:
    main()
except SystemExit:
    pass
"""
LINALG = "import scipy.linalg"  # brings scipy.sparse along in SciPy 1.13 to 1.15
SHOW = f"import sys; print('loaded:', *[name for name in {SLOW} if sys.modules.get(name)])"


def loaded_by(code, *arguments, cwd=None):
    """Return which of the slow modules a process has loaded in the end."""
    command = [sys.executable, "-c", f"{code}\n{SHOW}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=cwd)
    assert done.stderr == ""
    return set(done.stdout.splitlines()[-1].removeprefix("loaded:").split())


def test_the_package():
    assert loaded_by("import tauboost") == set()
    assert loaded_by("import tauboost; tauboost.__version__; dir(tauboost)") == set()


@pytest.mark.parametrize("code", ["tauboost.load_svmlight", "tauboost.open_store"])
def test_reading(code):
    assert loaded_by(f"import tauboost; {code}") == {"numpy"}


def test_solving_needs_no_estimator():
    assert loaded_by("import tauboost; tauboost.Problem, tauboost.solve") == {"numpy"}


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"], ["nonsense"]])
def test_the_command_alone(arguments):
    both = COMMAND.replace("main()", "sys.stderr = sys.stdout; main()")
    assert loaded_by(both, *arguments) == set()


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{rng.choice([-1, 1])} {k % 7 + 1}:1 {k % 11 + 8}:0.5\n" for k in range(300)]
    (tmp_path / "d.svm").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--test", "0.2", "--json"], ["--alpha", "1e-3"]])
def test_fit_and_predict(folder, options):
    fit = ["fit", "d.svm", "--out", "m", *options]
    assert loaded_by(COMMAND, *fit, cwd=folder) <= {"numpy", *loaded_by(LINALG)}
    for kind in ([], ["--proba", "--metrics", "--json"]):
        assert loaded_by(COMMAND, "predict", "m", "d.svm", *kind, cwd=folder) == {"numpy"}


@pytest.mark.parametrize("options", [[], ["--test", "0.2", "--json"]])
def test_tables_of_text_need_numpy_and_nothing_else(folder, options):
    rows = [f"{k % 17},{'abc'[k % 3]},{'yes' if k % 5 else 'no'}\n" for k in range(300)]
    (folder / "d.csv").write_text("".join(["x,c,y\n", *rows]))
    needed = {"numpy"}
    fit = ["fit", "d.csv", "--label", "y", "--out", "m", *options]
    assert loaded_by(COMMAND, *fit, cwd=folder) == needed
    predict = ["predict", "m", "d.csv", "--proba", "--metrics", "--json"]
    assert loaded_by(COMMAND, *predict, cwd=folder) == needed
    assert loaded_by(COMMAND, "inspect", "d.csv", cwd=folder) == needed
    assert loaded_by(COMMAND, "inspect", "m", cwd=folder) == {"numpy"}


@pytest.mark.parametrize("name", ["fit", "predict"])
def test_the_help_of_what_people_use_most(name):
    assert loaded_by(COMMAND, name, "--help") == set()


@pytest.mark.parametrize("options", [[], ["--test", "0.2", "--json"], ["--hash", "100"]])
def test_texts_need_what_reads_them(folder, options):
    rows = [f'{{"t": "a{k % 17} b{k % 3}", "y": "{"yn"[k % 3 == 0]}"}}\n' for k in range(300)]
    (folder / "d.jsonl").write_text("".join(rows))
    fit = ["fit", "d.jsonl", "--text", "t", "--label", "y", "--out", "m", *options]
    # Typer has Pydantic read whole numbers.
    assert loaded_by(COMMAND, *fit, cwd=folder) - {"pydantic"} == {"numpy"}
    kinds = [[], ["--proba", "--metrics", "--json"]]
    for kind in kinds if "--hash" in options else [*kinds, ["--explain"]]:
        assert loaded_by(COMMAND, "predict", "m", "d.jsonl", *kind, cwd=folder) == {"numpy"}
    assert loaded_by(COMMAND, "inspect", "m", cwd=folder) == {"numpy"}


def test_convert_and_inspect(folder):
    assert loaded_by(COMMAND, "convert", "d.svm", "d.store", cwd=folder) == {"numpy"}
    assert loaded_by(COMMAND, "inspect", "d.store", cwd=folder) == {"numpy"}
    assert loaded_by(COMMAND, "inspect", "d.svm", "--plan", cwd=folder) <= {
        "numpy",
        *loaded_by(LINALG),
    }


def test_every_public_name_is_there():
    for package in (tb, io):
        assert set(package.__all__) <= set(dir(package))
        for name in package.__all__:
            assert not isinstance(getattr(package, name), ModuleType)
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            _ = package.nonsense


def test_the_version_is_the_installed_one():
    assert tb.__version__ == version("tauboost")


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries_are_those_of_the_commands(name):
    assert loaded(name).help.split("\n\n")[0] == SUMMARIES[name]
