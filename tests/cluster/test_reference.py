"""The examples in the docstrings of tauboost.dask run and print what is shown."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")
pytest.importorskip("pandas")

from distributed import Client

import docstring_examples
from docs.site import pages

NAMES = [name for name in pages.public_names() if name.startswith("tauboost.dask.")]


@pytest.fixture(scope="module")
def client():
    """One worker, in this process: what it computes is tested elsewhere."""
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with Client(processes=False, set_as_default=False, **options) as client:
        yield client


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name, client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    docstring_examples.run(name, client=client)
