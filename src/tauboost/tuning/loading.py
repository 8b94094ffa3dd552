"""From a model file to the model in it, whichever of our classifiers it is."""

from __future__ import annotations

import os

from ..io.model import AnyData, ModelData, TableData, TextData, read_model
from ..tables.model import KIND as TABLE_KIND
from ..tables.model import TableModel
from .model import KINDS as LINEAR_KINDS
from .model import Model, loading, unknown_kind
from .text_model import KIND as TEXT_KIND
from .text_model import TextModel

__all__ = ["load", "model_of"]


def load(path: str | os.PathLike[str], trusted: bool = False) -> Model | TableModel | TextModel:
    """Load a model file; of texts, see `TextModel.from_data` for ``trusted``."""
    return model_of(read_model(path), path, trusted)


def model_of(
    data: AnyData, path: str | os.PathLike[str], trusted: bool = False
) -> Model | TableModel | TextModel:
    """Return the model that was read from a file."""
    with loading(path):
        if isinstance(data, TableData) and data.kind == TABLE_KIND:
            return TableModel.from_data(data)
        if isinstance(data, TextData) and data.kind == TEXT_KIND:
            return TextModel.from_data(data, trusted)
        if isinstance(data, ModelData) and data.kind in LINEAR_KINDS:
            return Model.from_data(data)
        raise ValueError(unknown_kind(data.kind))
