"""Table models to write, and what every loaded one must satisfy."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from table_models import make_model
from tauboost.io.model_file import ModelFile

PARAMS = {
    "alpha": "auto",
    "max_bins": 64,
    "monotone": {"age": 1},
    "interactions": [("age", "city")],
}


def table_data(n_classes: int = 2, **options) -> ModelFile:
    """Return numbers, categories and a pair, for a file."""
    return make_model(n_classes, **options).to_arrays(PARAMS)


def assert_valid_table(data: ModelFile) -> None:
    """Check a loaded table model by other means than the code under test."""
    assert data.header["version"] == 2
    data = SimpleNamespace(**data.arrays)
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
