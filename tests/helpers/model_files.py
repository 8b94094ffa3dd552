"""Models to write, and what every loaded model must satisfy; the forger is in fuzz/sealed.py."""

from __future__ import annotations

import string
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tauboost.base.arrays import is_sparse
from tauboost.io.model_file import ModelFile, ModelFileError, check_file
from tauboost.models import format_of, read_model, write_model

UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | UNICODE
KEYS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FINITE | UNICODE
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=6,
)
ARRAYS = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int64, np.bool_]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
NAMES = st.text(string.ascii_letters, min_size=1, max_size=8)
VALUES = st.dictionaries(NAMES, PLAIN | ARRAYS, max_size=4)


@st.composite
def labels(draw, n_classes: int):
    """Different labels of one kind, in any order."""
    kind = draw(st.sampled_from(["bool", "i8", "i2", "u8", "f8", "f4", "U", "object"]))
    if kind == "bool" and n_classes == 2:
        return np.array(draw(st.sampled_from([[False, True], [True, False]])))
    if kind in ("U", "object", "bool"):
        text = UNICODE if kind == "object" else UNICODE.map(lambda s: s.rstrip("\0"))
        values = draw(st.lists(text, min_size=n_classes, max_size=n_classes, unique=True))
        array = np.array(values, dtype=object)
        width = draw(st.integers(max(1, *map(len, values)), 20))
        return array if kind == "object" else array.astype(f"U{width}")
    dtype = np.dtype(kind)
    elements = hnp.from_dtype(dtype, allow_nan=False, allow_infinity=False)
    return draw(hnp.arrays(dtype, n_classes, elements=elements, unique=True))


@st.composite
def models(draw):
    n_classes = draw(st.integers(2, 5))
    n_features = draw(st.integers(1, 6))
    rows = 1 if n_classes == 2 else n_classes
    coef = draw(hnp.arrays(np.float64, (rows, n_features), elements=FINITE | st.just(0.0)))
    names = st.lists(UNICODE, min_size=n_features, max_size=n_features)
    names = draw(st.none() | names.map(lambda values: np.array(values, dtype=object)))
    return linear_file(
        coef=sp.csr_array(coef) if draw(st.booleans()) else coef,
        intercept=draw(hnp.arrays(np.float64, rows, elements=FINITE)),
        classes=draw(labels(n_classes)),
        feature_names=names,
        n_features=n_features,
        params=draw(VALUES),
        fitted=draw(VALUES),
        kind=draw(st.sampled_from(["TauBoostClassifier", "TauBoostClassifierCV"])),
    )


def linear_file(
    coef,
    intercept,
    classes,
    feature_names,
    n_features,
    params,
    fitted,
    kind="TauBoostClassifier",
) -> ModelFile:
    """Return the checked file of a linear model."""
    arrays = {"classes": classes, "intercept": intercept, "coef": coef}
    if feature_names is not None:
        arrays["feature_names"] = feature_names
    header = {
        "version": 1,
        "kind": kind,
        "n_features": n_features,
        "coef": "sparse" if is_sparse(coef) else "dense",
        "feature_names": feature_names is not None,
        "params": params,
        "fitted": fitted,
    }
    return checked(ModelFile(header, arrays))


def checked(file: ModelFile) -> ModelFile:
    """Return the file, if everything in it fits together."""
    check_file(file, format_of)
    return file


def changed(file: ModelFile, **changes) -> ModelFile:
    """Return the checked file with other fields, or other arrays; None: without the array."""
    header, arrays = dict(file.header), dict(file.arrays)
    for name, value in changes.items():
        if value is None:
            arrays.pop(name, None)
        elif isinstance(value, np.ndarray | tuple) or is_sparse(value):
            arrays[name] = value
        else:
            header[name] = value
    if "n_features" in header:
        header["coef"] = "sparse" if is_sparse(arrays["coef"]) else "dense"
        header["feature_names"] = "feature_names" in arrays
    return checked(ModelFile(header, arrays))


PARAMS = {"alpha": "auto", "time_limit": float("inf"), "class_weight": {1: 2.0}, "tol": 1e-4}


def dense_model(**changes) -> ModelFile:
    """Two integer classes, three features without names."""
    fields = {
        "coef": np.array([[0.5, 0.0, -2.0]]),
        "intercept": np.array([0.25]),
        "classes": np.array([-1, 1]),
        "feature_names": None,
        "n_features": 3,
        "params": PARAMS,
        "fitted": {"slope": 2.0, "offset": 0.0},
    }
    return linear_file(**(fields | changes))


def sparse_model(**changes) -> ModelFile:
    """Four string classes, one with an empty row, five named features."""
    dense = np.zeros((4, 5))
    dense[0, 1], dense[0, 4], dense[2, 0], dense[3, 3] = 1.0, -1.0, 3.5, 1e-9
    fields = {
        "coef": sp.csr_array(dense),
        "intercept": np.arange(4.0),
        "classes": np.array(["ham", "späm", "", "日本"]),
        "feature_names": np.array(["a", "ß", "", "long name", "\0"], dtype=object),
        "n_features": 5,
        "params": PARAMS,
        "fitted": {"slope": np.full(4, 2.0), "offset": np.zeros(4), "n_iter_": [3, 1, 2, 5]},
    }
    return linear_file(**(fields | changes))


MODELS = {"dense": dense_model, "sparse": sparse_model}


def content_of(data: ModelFile, path: Path) -> bytes:
    write_model(data, path)
    return path.read_bytes()


def assert_valid(data: ModelFile) -> None:
    """Check a loaded model by other means than the code under test."""
    coef, intercept, classes = (data.arrays[name] for name in ("coef", "intercept", "classes"))
    n_features = data.header["n_features"]
    rows = 1 if len(classes) == 2 else len(classes)
    assert coef.shape == (rows, n_features)
    assert coef.dtype == intercept.dtype == np.float64
    assert intercept.shape == (rows,)
    if sp.issparse(coef):
        coef.check_format(full_check=True)
        for begin, end in pairwise(coef.indptr):
            assert np.all(np.diff(coef.indices[begin:end]) > 0)
        assert np.isfinite(coef.data).all()
    else:
        assert np.isfinite(coef).all()
    assert np.isfinite(intercept).all()
    assert len({*classes.tolist()}) == len(classes) >= 2
    assert len({type(label) for label in classes.tolist()}) == 1
    if data.feature_names is not None:
        assert len(data.feature_names) == n_features
        assert {type(name) for name in data.feature_names} == {str}
        "".join(data.feature_names).encode()


def same_value(a: object, b: object) -> bool:
    """Whether two values are of the same type and equal, with NaN equal to NaN."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict):
        return same_value(list(a.items()), list(b.items()))
    return a == b or a != a  # noqa: PLR0124 - NaN


def same_model(a: ModelFile, b: ModelFile) -> bool:
    """Whether two files hold the same, in every bit."""
    groups = ("params", "fitted")
    plain = [{k: v for k, v in f.header.items() if k not in groups} for f in (a, b)]
    return (
        same_group(*plain)
        and all(same_group(a.header[group], b.header[group]) for group in groups)
        and a.arrays.keys() == b.arrays.keys()
        and all(same_array(array, b.arrays[name]) for name, array in a.arrays.items())
    )


def same_array(a: object, b: object) -> bool:
    """Whether two arrays of a file are the same in every bit, whatever they are made of."""
    if sp.issparse(a) and sp.issparse(b):
        parts = ("data", "indices", "indptr")
        return same_value([getattr(a, p) for p in parts], [getattr(b, p) for p in parts])
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype.kind in "OU":
        return a.dtype == b.dtype and a.tolist() == b.tolist()
    return same_value(a, b)


def same_group(a: dict, b: dict) -> bool:
    """Whether two dicts of values agree; arrays come back behind the other values."""
    return a.keys() == b.keys() and all(same_value(value, b[name]) for name, value in a.items())


def flips_refused(path: Path, content: bytes, every: int) -> None:
    """Check that the content is refused with a bit flipped in every so many bytes, one by one."""
    for position in range(0, len(content), every):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        refused(path, bytes(flipped), "cannot be loaded")


def refused(path: Path, content: bytes, reason: str) -> None:
    """Check that the content is refused in one line that names the file and the reason."""
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=reason) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path} cannot be loaded: ")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 250
