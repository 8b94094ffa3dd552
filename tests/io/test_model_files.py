"""Model files: what is written comes back, and what cannot be stored is refused by name."""

from __future__ import annotations

import json
import os
import stat
import tracemalloc
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from safetensors import safe_open

from fuzz.mutations import nested
from fuzz.sealed import put_together, take_apart
from model_files import (
    MODELS,
    assert_valid,
    content_of,
    dense_model,
    linear_file,
    models,
    same_model,
    sparse_model,
)
from tauboost.models import read_model, write_model


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.tauboost"


# What is written comes back


@given(data=models())
def test_round_trip(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("round") / "model"
    write_model(data, path)
    loaded = read_model(path)
    assert_valid(loaded)
    assert same_model(data, loaded)
    write_model(loaded, path.with_name("again"))
    assert same_model(loaded, read_model(path.with_name("again")))


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_the_same_model_gives_the_same_bytes(make, path):
    content = content_of(make(), path)
    assert content_of(make(), path) == content
    assert content_of(read_model(path), path) == content


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_other_programs_can_read_the_file(make, path):
    data = make()
    write_model(data, path)
    with safe_open(path, "np") as file:
        header = json.loads(file.metadata()["tauboost"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    assert (header["format"], header["version"]) == ("tauboost-model", 1)
    np.testing.assert_array_equal(tensors["intercept"], data.arrays["intercept"])
    coef = data.arrays["coef"]
    found = tensors["coef.data"] if sp.issparse(coef) else tensors["coef"]
    np.testing.assert_array_equal(found, coef.data if sp.issparse(coef) else coef)


def test_a_file_of_another_writer_is_read(path):
    content = content_of(sparse_model(), path)
    path.write_bytes(put_together(*take_apart(content)))
    assert same_model(read_model(path), sparse_model())


def test_large_indices_and_many_columns(path):
    n = 2**53
    indices = np.array([0, 2**40, n - 1])
    coef = sp.csr_array((np.ones(3), indices, np.array([0, 3])), shape=(1, n))
    write_model(dense_model(coef=coef, n_features=n), path)
    np.testing.assert_array_equal(read_model(path).arrays["coef"].indices, indices)


def test_what_scikit_learn_and_numpy_hand_over_can_be_stored(path):
    params = {
        "random_state": np.random.RandomState(0),
        "generator": np.random.default_rng(0),
        "alpha": np.float32(0.5),
        "n": np.int64(3),
        "flag": np.True_,
        "bounds": (-np.inf, np.inf),
        "class_weight": {np.int64(0): 1.0, np.str_("x"): 2},
        "alphas": np.logspace(-3, 0, 4),
    }
    write_model(dense_model(params=params), path)
    loaded = read_model(path).params
    assert loaded["random_state"] is None
    assert loaded["generator"] is None
    assert type(loaded["alpha"]) is float
    assert type(loaded["n"]) is int
    assert loaded["flag"] is True
    assert loaded["bounds"] == (-np.inf, np.inf)
    assert loaded["class_weight"] == {0: 1.0, "x": 2}
    np.testing.assert_array_equal(loaded["alphas"], params["alphas"])


def test_arrays_in_any_memory_layout(path):
    coef = np.asfortranarray(np.arange(12.0).reshape(3, 4))[:, ::2]
    data = dense_model(
        coef=coef,
        intercept=np.arange(6.0)[::2],
        classes=np.array([3, 1, 2], dtype=">i4"),
        n_features=2,
    )
    write_model(data, path)
    loaded = read_model(path)
    np.testing.assert_array_equal(loaded.arrays["coef"], coef)
    np.testing.assert_array_equal(loaded.arrays["classes"], data.arrays["classes"])
    assert loaded.arrays["coef"].flags.writeable
    assert loaded.arrays["coef"].flags.aligned


def test_one_long_label_among_many_does_not_fill_the_memory(path):
    """As fixed-width text these 2,000 labels would take 8 GB; so they come back as objects."""
    count, long = 2_000, "x" * 1_000_000
    values = [str(i) for i in range(count - 1)] + [long]
    classes = np.array(values, dtype=object)
    data = dense_model(
        coef=sp.csr_array((count, 3)), intercept=np.zeros(count), classes=classes, params={}
    )
    content = content_of(data, path)
    fields, header, tensors = take_apart(content)
    path.write_bytes(put_together(fields, header | {"classes": f"U{len(long)}"}, tensors))
    tracemalloc.start()
    loaded = read_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert loaded.arrays["classes"].tolist() == values
    assert peak < 8 * len(content)


def test_memory_stays_near_the_size_of_the_file(path):
    n = 200_000
    coef = sp.csr_array(np.ones((3, n)))
    data = linear_file(coef, np.zeros(3), np.arange(3), None, n, {}, {})
    size = len(content_of(data, path))
    tracemalloc.start()
    read_model(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * size


def test_the_checksum_is_the_documented_one(path):
    """Over the JSON of [metadata, entries] with sorted keys, then over all bytes of data."""
    content = content_of(dense_model(), path)
    fields, _, data = take_apart(content)
    metadata = fields.pop("__metadata__")
    checksum = metadata.pop("crc32")
    meaning = json.dumps([metadata, fields], sort_keys=True).encode()
    assert checksum == f"{zlib.crc32(meaning + data):08x}"


# What cannot be a model, or cannot be stored


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"coef": np.ones((1, 3), np.float32)}, ValueError, "coef must be float64 of shape"),
        ({"coef": np.ones((2, 3))}, ValueError, r"coef must be float64 of shape \(1, 3\)"),
        ({"coef": [[1.0, 2.0, 3.0]]}, TypeError, "coef must be an array"),
        ({"coef": sp.csc_array(np.ones((1, 3)))}, TypeError, "coef must be an array"),
        ({"coef": np.array([[1.0, np.nan, 0.0]])}, ValueError, "coef contains NaN"),
        ({"coef": sp.csr_array([[1.0, np.inf, 0.0]])}, ValueError, "coef contains NaN"),
        ({"intercept": np.array([np.nan])}, ValueError, "intercept contains NaN"),
        ({"intercept": np.zeros(2)}, ValueError, "intercept must be float64 of shape"),
        ({"intercept": sp.csr_array([[1.0]])}, TypeError, "intercept must be an array"),
        ({"classes": np.array([1])}, ValueError, "two labels or more"),
        ({"classes": [0, 1]}, ValueError, "classes must be an array"),
        ({"classes": np.array([1, 1])}, ValueError, "label twice"),
        ({"classes": np.array([0.0, -0.0])}, ValueError, "label twice"),
        ({"classes": np.array([0.0, np.nan])}, ValueError, "classes contains NaN"),
        ({"classes": np.array([1, "a"], dtype=object)}, TypeError, "all strings"),
        ({"classes": np.array([b"a", b"b"])}, TypeError, "all strings"),
        ({"classes": np.array([1j, 2j])}, TypeError, "all strings"),
        ({"n_features": 0}, ValueError, "n_features must be an integer"),
        ({"n_features": 3.0}, ValueError, "n_features must be an integer"),
        ({"feature_names": ["a", "b", "c"]}, TypeError, "feature_names must be an object array"),
        ({"feature_names": np.array(["a", 1, "c"], object)}, TypeError, "feature_names must be"),
        ({"feature_names": np.array(["a", "b"], object)}, ValueError, "feature_names must have"),
        ({"params": {"no name": 1}}, ValueError, "params has a value named 'no name'"),
        ({"fitted": {"__class__": 1}}, ValueError, "fitted has a value named"),
        ({"fitted": {1: 1}}, ValueError, "fitted has a value named 1"),
        ({"kind": "os.system"}, ValueError, "kind must be the name of a class"),
    ],
)
def test_inconsistent_models_cannot_be_made(changes, error, message):
    with pytest.raises(error, match=message):
        dense_model(**changes)


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 2, 1, 3], [0, 1, 2], "never decrease"),
        ([1, 2, 2, 3], [0, 1, 2], "begin with 0"),
        ([0, 1, 2, 2], [0, 1, 2], "ends at 2"),
        ([0, 1, 2, 3], [0, 1, 3], r"within 0\.\.2"),
        ([0, 1, 2, 3], [0, -1, 2], r"within 0\.\.2"),
        ([0, 2, 2, 3], [1, 1, 2], "increase within each row"),
        ([0, 0, 2, 3], [2, 1, 0], "increase within each row"),
    ],
)
def test_sparse_structure(indptr, indices, message):
    coef = sp.csr_array((3, 3))
    coef.indptr, coef.indices = np.array(indptr, np.int32), np.array(indices, np.int32)
    coef.data = np.ones(len(indices))
    with pytest.raises(ValueError, match=message):
        dense_model(coef=coef, intercept=np.zeros(3), classes=np.arange(3))


@pytest.mark.parametrize("indptr", [[0, 0, 0, 3], [0, 3, 3, 3], [0, 1, 3, 3], [0, 0, 2, 3]])
def test_rows_may_be_empty_and_restart_anywhere(indptr, path):
    indices = {3: [0, 1, 2]}.get(max(np.diff(indptr)), [2, 0, 1] if indptr[1] else [0, 2, 1])
    coef = sp.csr_array((np.ones(3), np.array(indices), np.array(indptr)), shape=(3, 3))
    data = dense_model(coef=coef, intercept=np.zeros(3), classes=np.arange(3))
    write_model(data, path)
    assert same_model(read_model(path), data)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (print, TypeError, "bad holds <built-in function print>, which a model file cannot store"),
        ([object()], TypeError, "bad holds <object"),
        ({(1, 2): 3}, TypeError, "a key of bad holds"),
        ({float("nan"): 3}, TypeError, "a key of bad holds"),
        (1j, TypeError, "bad holds 1j"),
        (b"raw", TypeError, "bad holds b'raw'"),
        (2**63, ValueError, "more than 64 bits"),
        ("\ud800", ValueError, "not Unicode"),
        (nested(20), ValueError, "nested more than 16 levels"),
        (np.array(["a"]), TypeError, r"params\.bad has values of type <U1"),
        (np.zeros(2, np.longdouble), TypeError, "which a model file cannot store"),
        (np.zeros((1,) * 9), ValueError, r"params\.bad has 9 dimensions, more than 8"),
        ("x" * 2**20, ValueError, "the header takes .* bytes"),
    ],
)
def test_what_cannot_be_stored_is_named_and_nothing_is_written(value, error, message, path):
    with pytest.raises(error, match=message):
        write_model(dense_model(params={"bad": value}), path)
    assert list(path.parent.iterdir()) == []


def test_too_many_arrays(path):
    with pytest.raises(ValueError, match="arrays are more than a file can hold"):
        write_model(dense_model(fitted={f"a{i}": np.zeros(1) for i in range(300)}), path)


def test_names_that_are_not_unicode(path):
    data = dense_model(feature_names=np.array(["a", "\udc80", "c"], dtype=object))
    with pytest.raises(
        ValueError, match=r"feature_names holds text that is not Unicode: '\\udc80'"
    ):
        write_model(data, path)


# Writing: all or nothing


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_failed_write_leaves_the_old_file(error, path, monkeypatch):
    content = content_of(dense_model(), path)

    def fail(*_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error) if isinstance(error, OSError) else error) as caught:
        write_model(sparse_model(), path)
    if isinstance(error, OSError):
        assert caught.value.filename == str(path)
    assert path.read_bytes() == content
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_where_nothing_can_be_written(tmp_path):
    data = dense_model()
    with pytest.raises(FileNotFoundError, match="nowhere/model"):
        write_model(data, tmp_path / "nowhere" / "model")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        write_model(data, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe: is not a regular file"):
        write_model(data, tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_links_are_followed_and_the_mode_is_that_of_any_new_file(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    write_model(dense_model(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert same_model(read_model(str(tmp_path / "target")), dense_model())
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "plain").stat().st_mode
    longest = "n" * 255
    write_model(dense_model(), tmp_path / longest)
