"""The arrays of model files: each kind of them comes back as it was packed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from fuzz.sealed import put_together, take_apart
from model_files import content_of, dense_model, refused, same_array
from tauboost.io.model_arrays import NARROW, Csr, Numbers, SortedStrings, Strings
from tauboost.io.model_file import is_size
from tauboost.models import read_model

TEXT = (np.frombuffer(b"ababcb", np.uint8), np.array([0, 2, 5, 6]))


@pytest.mark.parametrize(
    ("kind", "array"),
    [
        (Numbers(frozenset({"I64"}), (3,)), np.arange(3)),
        (Numbers(NARROW, (2,)), np.array([0.1, 1e9])),
        (Strings(3), np.array(["a", "", "ß"], dtype=object)),
        (Csr((2, 3)), sp.csr_array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.5]])),
    ],
)
def test_arrays_come_back(kind, array):
    tensors = kind.pack(array, "a")
    assert tensors.keys() == kind.tensors("a").keys()
    assert same_array(kind.unpack(tensors, "a"), array)


def test_sorted_strings_come_back():
    kind = SortedStrings(3)
    tensors = kind.pack(TEXT, "terms")
    assert tensors.keys() == kind.tensors("terms").keys()
    assert tensors["terms.text"].tobytes() == b"abcb"
    for found, given in zip(kind.unpack(tensors, "terms"), TEXT, strict=True):
        np.testing.assert_array_equal(found, given)


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        (np.array([-1, 1]), "numbers"),
        (np.array([False, True]), "numbers"),
        (np.array(["ham", "späm"]), "U4"),
        (np.array(["a", "b\0"], dtype=object), "object"),
    ],
)
def test_labels_come_back(classes, kind, path):
    content = content_of(dense_model(classes=classes), path)
    assert take_apart(content)[1]["classes"] == kind
    assert same_array(read_model(path).arrays["classes"], classes)


def test_labels_that_do_not_fit_their_width(path):
    content = content_of(dense_model(classes=np.array(["ham", "späm"])), path)
    fields, header, data = take_apart(content)
    narrow = put_together(fields, header | {"classes": "U3"}, data)
    refused(path, narrow, "not text of at most 3 characters")
    # An array of this width would be far larger than the file.
    path.write_bytes(put_together(fields, header | {"classes": "U900000"}, data))
    assert read_model(path).arrays["classes"].dtype == object


def test_sizes():
    assert is_size(1)
    assert not any(map(is_size, (0, -1, True, 1.0, "1", None, 2**62)))
