"""Model files of every kind through one door."""

from __future__ import annotations

import pytest

from model_files import dense_model
from small_texts import fitted
from table_models import make_model
from tauboost.io.model_file import ModelFileError
from tauboost.models import load, write_model
from tauboost.sparse.model import Model
from tauboost.tables.model import TableModel
from tauboost.texts.model import TextModel

FITTED = {"loss": "logistic", "alpha": 1.0, "l1_ratio": 0.0, "n_iter": 3, "message": "done"}


def linear_model(**changes):
    facts = FITTED | {"held_out_loss": [0.5], "objective": [0.1]}
    return dense_model(fitted=facts, **changes)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (linear_model(), Model),
        (make_model(2).to_arrays({}), TableModel),
        (fitted()._to_file(), TextModel),
    ],
)
def test_every_kind(data, kind, tmp_path):
    write_model(data, tmp_path / "model")
    assert isinstance(load(tmp_path / "model"), kind)


@pytest.mark.parametrize(
    "data",
    [
        linear_model(kind="TextClassifier"),
        make_model(2).to_arrays({}, kind="TextClassifier"),
        fitted().model_.to_arrays({}, kind="TableClassifier"),
        fitted().model_.to_arrays({}, kind="TauBoostClassifier"),
    ],
)
def test_a_kind_that_is_another(data, tmp_path):
    write_model(data, tmp_path / "model")
    with pytest.raises(ModelFileError, match=f"it holds a {data.kind}, which"):
        load(tmp_path / "model")
