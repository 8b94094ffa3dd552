"""What the tests of stores share: small data, and a way to forge a header."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from tauboost import StoreWriter, convert
from tauboost.io.store_format import _checksum

TEXT = "+1 1:1 2:1\n-1 2:1 3:0.5\n+1 1:1 3:2\n-1\n+1 5:1\n"


def small() -> tuple[sp.csr_array, np.ndarray]:
    """Ones and other values, an empty row, an empty column."""
    X = sp.csr_array(
        np.array([[1, 0, 0.5, 0], [0, 0, 0, 0], [0, 0, 1, -1], [2, 0, 1, 1e-30], [1, 0, 1, 0]])
    )
    return X, np.array([1.0, -1.0, 1.0, -1.0, -1.0])


def write(path: Path, X=None, y=None, **options) -> Path:
    if X is None:
        X, y = small()
    with StoreWriter(path, **options) as writer:
        writer.append(X, y)
    return path


def assert_same(X, Y) -> None:
    assert X.shape == Y.shape
    X, Y = (sp.csr_array(matrix, copy=True) for matrix in (X, Y))
    for matrix in (X, Y):
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(X, name), getattr(Y, name))


def assert_nothing_left(folder: Path, *expected: str) -> None:
    """Nothing but the expected names, hidden ones included."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(expected)


def forge(store: Path, change) -> None:
    """Change the header and make its checksum fit again, as one who means harm would."""
    path = store / "store.json"
    document = json.loads(path.read_text())
    del document["crc32"]
    change(document)
    path.write_text(json.dumps(document | {"crc32": _checksum(document)}))


def refusal(folder, inputs, error=ValueError, **options):
    """Return the message, having seen that nothing was left behind."""
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(error, match=r".") as caught:
        convert(inputs, folder / "new.store", **options)
    assert_nothing_left(folder, *before)
    assert "\n" not in str(caught.value)
    return str(caught.value)
