"""Files of table models: what is saved comes back, and no damaged or forged file misleads."""

from __future__ import annotations

import numpy as np
import pytest

from fuzz.sealed import put_together, take_apart
from model_files import changed, content_of, dense_model, flips_refused, refused, same_model
from model_fuzz import fuzz
from table_files import assert_valid_table, table_data
from table_models import make_model, random_codes
from tauboost.io.model_file import ModelFileError
from tauboost.models import load, read_model, write_model
from tauboost.tables.model import TableModel

BASES = [table_data(2), table_data(3), table_data(2, n_terms=1), table_data(3, n_terms=0)]


@pytest.mark.parametrize("data", BASES)
def test_round_trip(data, path):
    write_model(data, path)
    again = read_model(path)
    assert same_model(again, data)
    assert_valid_table(again)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_loaded_model_gives_the_same_bits(n_classes, path):
    model = make_model(n_classes)
    write_model(model.to_arrays({}), path)
    again = load(path)
    assert isinstance(again, TableModel)
    codes = random_codes(model, 100)
    np.testing.assert_array_equal(again.decisions(codes), model.decisions(codes))
    assert [term.columns for term in again.terms] == [term.columns for term in model.terms]
    assert [column.bin_names() for column in again.columns] == [
        column.bin_names() for column in model.columns
    ]
    assert (again.message, again.n_iter, again.loss) == ("done", 8, "exponential")


def test_thousands_of_columns_stay_small(path):
    data = make_model(2, n_terms=0).to_arrays({})
    names = np.array([f"gene {k}" for k in range(10_000)], dtype=object)
    empty = np.zeros(10_001, np.int64)
    wide = changed(
        data,
        n_columns=10_000,
        names=names,
        is_category=np.zeros(10_000, bool),
        edges=np.empty(0),
        edge_offsets=empty,
        categories=np.empty(0, dtype=object),
        category_offsets=empty,
    )
    write_model(wide, path)
    assert same_model(read_model(path), wide)


def test_every_flipped_bit(path):
    flips_refused(path, content_of(BASES[0], path), every=3)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 1}, "lacks, or should not have"),
        ({"version": 4}, "needs a newer version"),
        ({"n_columns": 4}, "is BOOL of shape|is I64 of shape"),
        ({"n_columns": 0}, "says 0 for n_columns"),
        ({"n_terms": -1}, "says -1 for n_terms"),
        ({"n_terms": 2**61}, "is I64 of shape"),
        ({"n_classes": 3}, "expected"),
        ({"feature_names": None}, "says None for feature_names"),
        ({"coef": "dense"}, "should not have, .'coef'"),
    ],
)
def test_header_fields(changes, reason, path):
    fields, header, data = take_apart(content_of(BASES[0], path))
    refused(path, put_together(fields, header | changes, data), reason)


def test_a_linear_model_is_no_table_and_the_other_way_round(path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    refused(path, put_together(fields, header | {"version": 2}, data), "lacks, or should not have")


def test_other_kinds_and_other_fits(path):
    write_model(make_model(2).to_arrays({}, kind="TauBoostClassifier"), path)
    with pytest.raises(ModelFileError, match="it holds a TauBoostClassifier, which"):
        load(path)
    for name, value, reason in (
        ("loss", "hinge", "its loss is 'hinge'"),
        ("alpha", -1.0, "alpha must be at least 0"),
        ("objective", np.zeros(3), r"objective must have shape \(1,\)"),
        ("held_out_loss", np.zeros(2), "held_out_loss must have shape"),
    ):
        data = make_model(2).to_arrays({})
        data.fitted[name] = value
        write_model(data, path)
        with pytest.raises(ModelFileError, match=reason):
            load(path)


def test_no_offsets_at_all(path):
    fields, header, data = take_apart(content_of(BASES[3], path))
    begin, end = fields["categories.offsets"]["data_offsets"]
    fields["categories.offsets"] |= {"shape": [0], "data_offsets": [begin, begin]}
    for entry in fields.values():
        if "data_offsets" in entry and entry["data_offsets"][0] >= end:
            entry["data_offsets"] = [place - (end - begin) for place in entry["data_offsets"]]
    refused(path, put_together(fields, header, data[:begin] + data[end:]), "offsets of categories")


def mutations(path, count, seed):
    def use(data):
        assert_valid_table(data)
        model = load(path)
        assert model.decisions(random_codes(model, 5)).shape == (5, model.n_tasks)

    return fuzz(path, BASES, count, seed, use, same_model)


@pytest.mark.filterwarnings("ignore:overflow encountered")  # scores near the largest float
def test_sample_of_mutations(path):
    outcomes = mutations(path, 600, seed=0)
    assert outcomes["refused"] > 280
    assert outcomes["loaded"] > 12  # the edits are not all so crude that nothing passes


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_mutations(path, seed):
    """Run 100,000 mutations in all."""
    assert mutations(path, 20_000, seed).total() == 20_000
