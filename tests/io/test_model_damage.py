"""Model files that are damaged, hostile, too new or something else: one clear line for each."""

from __future__ import annotations

import json
import os
import pickle
import tracemalloc

import numpy as np
import pytest

from fuzz.mutations import nested
from fuzz.sealed import put_together, take_apart
from model_files import MODELS, content_of, dense_model, refused, sparse_model
from tauboost.io import model_file as model
from tauboost.io.model_file import ModelFileError
from tauboost.models import read_model


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.tauboost"


def test_where_nothing_can_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        read_model(tmp_path / "absent")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        read_model(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe cannot be loaded: it is not a regular file"):
        read_model(tmp_path / "pipe")


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"\0" * 7, b"\xff" * 100, pickle.dumps({"a": 1}), b"PK\3\4" + b"\0" * 60],
)
def test_other_files(content, path):
    refused(path, content, "it does not begin like a model file")


def test_other_safetensors_files(path):
    text = json.dumps({"__metadata__": {"format": "pt"}}).encode()
    refused(path, len(text).to_bytes(8, "little") + text, "but not one that tauboost wrote")
    refused(path, (2).to_bytes(8, "little") + b"{}", "no '__metadata__'")


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_every_truncation_and_every_excess(make, path):
    content = content_of(make(), path)
    for length in range(len(content)):
        refused(path, content[:length], "truncated|does not begin like")
    refused(path, content + b"\0", "1 bytes too many")


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_every_flipped_bit(make, path):
    """No single damaged bit goes unnoticed, wherever it is."""
    content = content_of(make(), path)
    for position in range(len(content)):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        refused(path, bytes(flipped), "cannot be loaded")


@pytest.mark.parametrize("author", ["2.0.1", "x" * 1000, "a\nb", None, 7])
def test_a_newer_format(author, path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    fields["of the future"] = {"dtype": "F2", "layout": []}
    header = header | {"version": 4, "tauboost": author, "more": 1}
    shown = author if author == "2.0.1" else r"\(unknown\)"
    refused(
        path,
        put_together(fields, header, data),
        rf"written by tauboost {shown} in format 4 and needs a newer version than this one, \d",
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "other"}, "format is 'tauboost-model'"),
        ({"version": 0}, "format version is 0"),
        ({"version": True}, "format version is True"),
        ({"version": "1"}, "format version is '1'"),
        ({"extra": 1}, "should not have, .'extra'"),
        ({"coef": "diagonal"}, "says 'diagonal' for coef"),
        ({"coef": "sparse"}, "an array 'coef' that does not belong"),
        ({"classes": "U4"}, "an array 'classes' that does not belong"),
        ({"classes": "U0"}, "says 'U0' for classes"),
        ({"classes": []}, r"says \[\] for classes"),
        ({"feature_names": True}, "lacks the array 'feature_names.offsets'"),
        ({"feature_names": None}, "says None for feature_names"),
        ({"n_features": 4}, r"'coef' is F64 of shape \(1, 3\), expected F64 of shape \(1, 4\)"),
        ({"n_features": 10**12}, r"'coef' is F64 of shape"),
        ({"n_features": -1}, "says -1 for n_features"),
        ({"n_features": 3.0}, r"says 3\.0 for n_features"),
        ({"n_classes": 1}, "'classes' is I64"),
        ({"n_classes": 2**80}, "for n_classes"),
        ({"params": []}, "for params"),
        ({"params": {"a b": 1}}, "params has a value named 'a b'"),
        ({"params": {"a": {"$tuple": 1}}}, "unknown kind of value"),
        ({"params": {"a": {"$float": "1"}}}, "unknown kind of value"),
        ({"params": {"a": {"$tuple": [], "b": 1}}}, "unknown kind of value"),
        ({"params": {"a": {"$dict": [[1, 2], [1, 3]]}}}, "a has a key twice"),
        ({"params": {"a": {"$dict": [[[], 2]]}}}, "where a key and a value belong"),
        ({"params": {"a": nested(20)}}, "nested more than 16 levels"),
        ({"params": {"a": 10**30}}, "more than 64 bits"),
        ({"params": {"a": "\ud800"}}, "not Unicode"),
        ({"fitted": {"\ud800": 1}}, "fitted has a value named"),
        ({"kind": 3}, "says 3 for kind"),
        ({"kind": "os.system"}, "kind must be the name of a class"),
    ],
)
def test_header_fields(changes, reason, path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    refused(path, put_together(fields, header | changes, data), reason)


def test_missing_header_fields(path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    for name in header:
        rest = {key: value for key, value in header.items() if key != name}
        refused(path, put_together(fields, rest, data), "format|lacks")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "JSON is damaged"),
        ("[1, 2]", "does not say"),
        ('{"format": NaN}', "holds NaN"),
        ('{"a": 1, "a": 2}', "key twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("1" * 5000, "Exceeds the limit"),
        ('{"format": "tauboost-model", "version": 1e400}', "format version is inf"),
    ],
)
def test_json(text, reason, path):
    fields, _, data = take_apart(content_of(dense_model(), path))
    refused(path, put_together(fields, text, data), reason)


@pytest.mark.parametrize(
    ("name", "entry", "reason"),
    [
        ("coef", {"dtype": "F32"}, "24 bytes, which do not fit F32"),
        ("coef", {"dtype": "Q7"}, "unknown type 'Q7'"),
        ("coef", {"dtype": ["F64"]}, "unknown type"),
        ("coef", {"shape": [3]}, "'coef' is F64 of shape"),
        ("coef", {"shape": [1, 10**12]}, "24 bytes, which do not fit"),
        ("coef", {"shape": [2**32, 2**32]}, "24 bytes, which do not fit"),
        ("coef", {"shape": [-1, -3]}, "impossible shape"),
        ("coef", {"shape": [True, 3]}, "impossible shape"),
        ("coef", {"shape": [1.0, 3]}, "impossible shape"),
        ("coef", {"shape": [1] * 9}, "impossible shape"),
        ("coef", {"shape": 3}, "impossible shape"),
        ("coef", {"data_offsets": [0]}, "impossible offsets"),
        ("coef", {"data_offsets": [24, 0]}, "-24 bytes"),
        (
            "coef",
            {"data_offsets": [0, 8 * 10**12], "shape": [1, 10**12]},
            "do not follow|truncated",
        ),
        ("coef", {"data_offsets": [0, 24]}, "do not follow those before"),
        ("coef", {"data_offsets": [17, 41]}, "do not follow those before"),
        ("coef", {"more": 1}, "the header says"),
        ("classes", {"dtype": "F64"}, "classes contains NaN"),
        ("intercept", {"dtype": "I64"}, "'intercept' is I64"),
    ],
)
def test_entries(name, entry, reason, path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    fields[name] = fields[name] | entry
    refused(path, put_together(fields, header, data), reason)


def test_arrays_that_do_not_belong(path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    extra = {"dtype": "U8", "shape": [1], "data_offsets": [len(data), len(data) + 1]}
    for name in ("extra", "coef.data", "params", "params.", "params.alpha", "", "params.a b"):
        content = put_together(fields | {name: extra}, header, data + b"\1")
        refused(path, content, "does not belong|has a value named")
    many = {f"params.a{i}": extra | {"data_offsets": [len(data)] * 2} for i in range(300)}
    refused(path, put_together(fields | many, header, data), "at most 256 arrays")


def altered(content, name, values):
    """Return the file with the bytes of one array replaced."""
    fields, header, data = take_apart(content)
    begin, end = fields[name]["data_offsets"]
    raw = np.asarray(values).tobytes()
    assert len(raw) == end - begin
    return put_together(fields, header, data[:begin] + raw + data[end:])


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("coef.indptr", np.array([0, 3, 2, 3, 4], np.int32), "never decrease"),
        ("coef.indptr", np.array([0, -1, 2, 3, 4], np.int32), "never decrease"),
        ("coef.indptr", np.array([0, 2, 2, 3, 2**31 - 1], np.int32), "run from 0 to 2147483647"),
        ("coef.indptr", np.array([0, 2, 2, 3, -4], np.int32), "run from 0 to -4"),
        ("coef.indptr", np.array([0, 2, 2, 3, 3], np.int32), "run from 0 to 3"),
        ("coef.indptr", np.array([1, 2, 2, 3, 4], np.int32), "run from 1 to 4"),
        ("coef.indices", np.array([1, 5, 0, 3], np.int32), r"within 0\.\.4"),
        ("coef.indices", np.array([1, -1, 0, 3], np.int32), r"within 0\.\.4"),
        ("coef.indices", np.array([4, 1, 0, 3], np.int32), "increase within each row"),
        ("coef.indices", np.array([1, 1, 0, 3], np.int32), "increase within each row"),
        ("coef.data", np.array([1, np.nan, 1, 1]), "coef contains NaN"),
        ("intercept", np.array([1, np.inf, 1, 1]), "intercept contains NaN"),
        ("classes.offsets", np.array([0, 3, 8, 8, 99]), "offsets of classes do not cut"),
        ("classes.offsets", np.array([0, 9, 8, 8, 14]), "offsets of classes do not cut"),
        ("classes.offsets", np.array([0, -3, 8, 8, 14]), "offsets of classes do not cut"),
        ("classes.offsets", np.array([1, 3, 8, 8, 14]), "offsets of classes do not cut"),
        ("classes.offsets", np.array([0, 6, 8, 8, 14]), "not UTF-8"),
        ("classes.offsets", np.array([0, 0, 0, 8, 14]), "not text of at most 4 char"),
        ("classes.text", np.full(14, 0xFF, np.uint8), "classes holds text that is not UTF-8"),
        ("feature_names.text", np.full(13, 0xC3, np.uint8), "feature_names holds text"),
        ("feature_names.offsets", np.full(6, 2**62), "offsets of feature_names do not cut"),
    ],
)
def test_damaged_values_with_a_right_checksum(name, values, reason, path):
    content = content_of(sparse_model(), path)
    refused(path, altered(content, name, values), reason)


def test_booleans_are_0_or_1(path):
    content = content_of(dense_model(classes=np.array([False, True])), path)
    refused(path, altered(content, "classes", np.array([0, 2], np.uint8)), "neither true nor false")
    refused(path, altered(content, "classes", np.array([1, 1], np.uint8)), "label twice")


def test_sparse_arrays_of_different_lengths(path):
    fields, header, data = take_apart(content_of(sparse_model(), path))
    begin, end = fields["coef.indices"]["data_offsets"]
    # The last index becomes an array of its own, so that the file is filled as before.
    fields["coef.indices"] = fields["coef.indices"] | {
        "shape": [3],
        "data_offsets": [begin, end - 4],
    }
    fields["params.x"] = {"dtype": "I32", "shape": [1], "data_offsets": [end - 4, end]}
    refused(path, put_together(fields, header, data), "coef has 4 values")


def test_a_number_too_large_for_a_float(path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    text = json.dumps(header | {"params": {"a": "@"}}).replace('"@"', "1e400")
    refused(path, put_together(fields, text, data), "a holds inf, which is no number")


def test_a_file_that_is_cut_short_while_it_is_read(path, monkeypatch):
    content = content_of(dense_model(), path)
    original = model._check_schema

    def cut_short(*arguments):
        original(*arguments)
        os.truncate(path, len(content) - 1)

    monkeypatch.setattr(model, "_check_schema", cut_short)
    with pytest.raises(ModelFileError, match="it became shorter while it was read"):
        read_model(path)


def test_a_small_file_that_claims_to_be_huge_allocates_nothing(path):
    base = {"dtype": "F64", "shape": [1, 10**12], "data_offsets": [0, 8 * 10**12]}
    fields, header, data = take_apart(content_of(dense_model(), path))
    claims = [
        put_together({**fields, "coef": base}, header | {"n_features": 10**12}, data),
        (2**63).to_bytes(8, "little") + b"{" * 100,
        (2**20).to_bytes(8, "little") + b"{" * 100,
        put_together(fields, header | {"n_features": 10**12, "n_classes": 10**12}, data),
    ]
    for content in claims:
        path.write_bytes(content)
        tracemalloc.start()
        with pytest.raises(ModelFileError):
            read_model(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200_000
