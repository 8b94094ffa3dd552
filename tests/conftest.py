"""Fixtures shared by the tests: real data, where TAUBOOST_DATA says they are."""

from __future__ import annotations

import lzma
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sklearn.datasets import load_svmlight_file

import tauboost as tb

# A shell starts background jobs with Ctrl-C ignored, and so would be the programs that tests start
# to interrupt them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["believed_cores"]

settings.register_profile("tauboost", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("tauboost")


def real_data(name: str, **options: Any) -> tuple[Any, Any]:
    folder = os.environ.get("TAUBOOST_DATA")
    if not folder:
        pytest.skip("needs real data: set TAUBOOST_DATA to the folder that holds it")
    path = Path(folder) / name
    if not path.exists():
        pytest.skip(f"needs {name} in the folder TAUBOOST_DATA names")
    with lzma.open(path) as file:
        return load_svmlight_file(file, **options)


@pytest.fixture(scope="session")
def w8a() -> tb.Problem:
    return tb.Problem(*real_data("w8a.xz", n_features=300))


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.svm"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.fixture
def path(tmp_path):
    """Where a model may be saved."""
    return tmp_path / "model"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Four worker processes of one thread, for tests that do them no harm.

    It ends with its file: threads of a scheduler draw from the generator of `random`, which
    Hypothesis takes for a strategy that is not reproducible, in whatever test runs beside them.
    """
    pytest.importorskip("distributed")
    from clusters import local_cluster  # noqa: PLC0415

    with local_cluster(4) as client:
        yield client


def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """Mount something at a folder as long as a test lasts; skip where that is not allowed."""
    folder.mkdir(exist_ok=True)
    if not shutil.which("mount") or subprocess.call(
        ["mount", *options, str(folder)], stderr=subprocess.DEVNULL
    ):
        pytest.skip("not allowed to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def tiny_disk(tmp_path):
    """A disk of 256 kB."""
    yield from mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=256k", "tmpfs")


@pytest.fixture
def read_only(tmp_path):
    """A folder that nobody can write to, not even root."""
    options = ("-t", "tmpfs", "-o", "ro,size=256k", "tmpfs")
    yield from mounted(tmp_path / "disk", *options)
