"""Table models to write, and what every loaded one must satisfy."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from model_files import same_group, same_value
from table_models import make_model
from tauboost.io.table_data import TableData

PARAMS = {
    "alpha": "auto",
    "max_bins": 64,
    "monotone": {"age": 1},
    "interactions": [("age", "city")],
}


def table_data(n_classes: int = 2, **options) -> TableData:
    """Return numbers, categories and a pair, for a file."""
    return make_model(n_classes, **options).to_data(PARAMS)


def same_table(a: TableData, b: TableData) -> bool:
    """Whether two are the same in every bit."""
    for field in fields(TableData):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if field.name in ("params", "fitted"):
            same = same_group(x, y)
        elif isinstance(x, np.ndarray) and x.dtype == object:
            same = x.tolist() == y.tolist()
        else:
            same = same_value(x, y)
        if not same:
            return False
    return True


def assert_valid_table(data: TableData) -> None:
    """Check a loaded table model by other means than the code under test."""
    n_columns, tasks = len(data.names), 1 if len(data.classes) == 2 else len(data.classes)
    assert len(set(data.names)) == n_columns >= 1
    assert len(set(data.classes.tolist())) == len(data.classes) >= 2
    n_bins = []
    for k in range(n_columns):
        edges = data.edges[data.edge_offsets[k] : data.edge_offsets[k + 1]].tolist()
        words = data.categories[data.category_offsets[k] : data.category_offsets[k + 1]].tolist()
        assert edges == sorted(set(edges))
        assert np.isfinite(edges).all()
        assert len(set(words)) == len(words)
        assert not (words if not data.is_category[k] else edges)
        n_bins.append(len(edges) + len(words) + 2)
        assert n_bins[-1] <= 256
    map_at = cell_at = 0
    seen = set()
    for (a, b), (rows, columns) in zip(data.term_columns, data.term_cells, strict=True):
        assert frozenset((a, b)) not in seen
        seen.add(frozenset((a, b)))
        for column, n_cells in ((a, rows), (b, columns)):
            if column == -1:
                assert n_cells == 1
                continue
            cells = data.maps[map_at : map_at + n_bins[column]]
            map_at += n_bins[column]
            assert set(cells.tolist()) == set(range(n_cells))
            if b == -1:
                assert cells.tolist() == list(range(n_cells))
        weights = data.weights[cell_at : cell_at + rows * columns]
        assert weights.min() >= 0
        assert abs(weights.sum() - 1) < 1e-5
        cell_at += rows * columns
    assert len(data.maps) == map_at
    assert data.scores.shape == (cell_at, tasks)
    assert data.weights.shape == (cell_at,)
    assert np.isfinite(data.scores).all()
    assert np.isfinite(data.intercept).all()
    assert data.intercept.shape == (tasks,)
