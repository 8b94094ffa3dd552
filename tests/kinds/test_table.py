"""Tables for fit and predict: the label apart, a part held out, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tauboost.kinds.hold_out import check_test_labels
from tauboost.kinds.kind import Data
from tauboost.kinds.table import KIND, open_table, open_training_table


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{rng.normal():.3f},{'abc'[rng.integers(3)]},{'yes' if k % 4 else 'no'}"
        for k in range(400)
    ]
    path = tmp_path / "shop.csv"
    path.write_text("\n".join(["x,c,bought", *rows, *rows[:100]]))
    return path


def rows_of(data):
    words = data.X.column(1)
    names = [words.words[place] for place in words.places]
    return sorted(zip(data.X.column(0).tolist(), names, data.y.tolist(), strict=True))


def test_the_label_is_apart(path):
    data = open_training_table(path, "bought")
    assert data.X.names == ("x", "c")
    assert set(data.y) == {"yes", "no"}
    assert open_table(path).y is None


def test_a_label_must_be_named(path):
    with pytest.raises(ValueError, match=r"shop.csv is a table: say by --label .* x, c, bought"):
        open_training_table(path, None)


def test_a_part_is_held_out(path):
    data = open_training_table(path, "bought")
    train, tested = KIND.split(data, 0.25, 0, 1)
    assert sorted(rows_of(train) + rows_of(tested)) == rows_of(data)
    assert not set(rows_of(train)) & set(rows_of(tested))
    for label in ("yes", "no"):
        share = np.sum(tested.y == label) / np.sum(data.y == label)
        assert abs(share - 0.25) < 0.06
    assert rows_of(KIND.split(data, 0.25, 0, 2)[1]) == rows_of(tested)
    assert rows_of(KIND.split(data, 0.25, 1, 1)[1]) != rows_of(tested)
    order = np.random.default_rng(1).permutation(500)
    mixed = Data(data.X.select(order), data.y[order])
    assert rows_of(KIND.split(mixed, 0.25, 0, 1)[1]) == rows_of(tested)


def test_too_few_rows_to_hold_some_out(path):
    data = open_training_table(path, "bought")
    few = Data(KIND.select(data.X, np.arange(500) < 12), data.y[:12])
    with pytest.raises(ValueError, match="--test: too few samples"):
        KIND.split(few, 0.25, 0, 1)


def test_labels_of_the_test_data_must_be_known(path):
    data = open_training_table(path, "bought")
    check_test_labels(data.y, data.y)
    with pytest.raises(ValueError, match="the label 'no' is none of those in the data: yes"):
        check_test_labels(data.y[data.y == "yes"], data.y)
    with pytest.raises(ValueError, match=r"the label 3 is none of those in the data: -1, 1"):
        check_test_labels(np.array([1.0, -1.0]), np.array([3.0]))
