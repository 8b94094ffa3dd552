"""Every public name has an example in its docstring, which runs and prints what is shown.

Those of a cluster are in tests/cluster/test_reference.py. METHODS is a dictionary, and has its
example on the page of the reference.
"""

from __future__ import annotations

import pytest

import docstring_examples
from docs.site import pages

NEEDS = {"tauboost.to_onnx": "onnx", "tauboost.paper": "matplotlib"}
NAMES = [
    name
    for name in pages.public_names()
    if not name.startswith("tauboost.dask.") and name != "tauboost.METHODS"
]


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name, tmp_path, monkeypatch):
    for prefix, package in NEEDS.items():
        if name.startswith(prefix):
            pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    docstring_examples.run(name)
