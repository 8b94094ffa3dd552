"""Table models in ONNX: onnxruntime computes what the model does, on mixed columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

ort = pytest.importorskip("onnxruntime")

from table_models import glass_box, make_model, make_table
from tauboost.io.onnx import table_graph
from tauboost.tables.columns import CategoryColumn, NumericColumn


def run(model, table, dtype=np.float64):
    """Return labels and probabilities of a table."""
    session = ort.InferenceSession(table_graph(model, dtype).SerializeToString())
    feed = {}
    for of in model.columns:
        column = table[[of.name]]
        feed[of.name] = (
            column.to_numpy(dtype=dtype)
            if of.is_ordered
            else column.astype(object).where(column.notna(), "").to_numpy(dtype=object)
        )
    return session.run(None, feed)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_terms", [None, 1, 0])
def test_the_same_as_in_python(n_classes, n_terms, loss):
    clf = glass_box(n_classes, n_terms=n_terms, loss=loss)
    table = make_table(300)
    assert table.isna().any().all()
    assert "Rome" in set(table.city)  # never seen
    labels, probabilities = run(clf.model_, table)
    np.testing.assert_allclose(probabilities, clf.predict_proba(table), atol=1e-15)
    expected = clf.model_.labels(clf.model_.decisions(clf._codes(table)))
    np.testing.assert_array_equal(labels, expected)


def test_values_at_the_edges_keep_their_codes():
    edges = np.sort(np.random.default_rng(0).normal(size=254))
    values = np.concatenate(
        [edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [0.0]]
    )
    column = NumericColumn("x", edges)
    model = make_model(2, n_terms=1)
    scores = np.linspace(-1, 1, 256)[:, None]
    term = replace(
        model.terms[0],
        maps=(np.arange(256, dtype=np.uint8),),
        scores=scores,
        weights=np.full(256, 1 / 256),
    )
    model = replace(model, columns=(column,), terms=(term,))
    session = ort.InferenceSession(table_graph(model).SerializeToString())
    found = session.run(None, {"x": values[:, None]})[1]
    expected = model.probabilities(model.decisions(column.codes(values)[None, :]))
    np.testing.assert_allclose(found, expected, atol=1e-15)
    # In float32 a value at an edge is in the bin below it too.
    single = ort.InferenceSession(table_graph(model, np.float32).SerializeToString())
    found = single.run(None, {"x": edges[:, None].astype(np.float32)})[1]
    np.testing.assert_allclose(found, expected[:254], atol=1e-6)


def test_float32_and_edges_beyond_it():
    model = make_model(2, n_terms=1)
    column = NumericColumn("age", np.array([1.0, 2.0, 3.0, 4.0, 1e300]))
    model = replace(model, columns=(column, *model.columns[1:]))
    table = make_table(50)
    labels, probabilities = run(model, table, np.float32)
    assert probabilities.dtype == np.float32
    assert len(labels) == 50
    with pytest.raises(ValueError, match="dtype must be float32 or float64"):
        table_graph(model, "int8")


def test_names_of_columns_do_not_clash_with_those_of_the_graph():
    model = make_model(2)
    age, city, hours = model.columns
    columns = (
        replace(age, name="_classes"),
        CategoryColumn("gather_1", city.categories),
        replace(hours, name="slope"),
    )
    clf = glass_box()
    clf.model_ = replace(model, columns=columns)
    table = make_table().set_axis([column.name for column in columns], axis=1)
    labels, _ = run(clf.model_, table)
    assert len(labels) == len(table)
    for name in ("label", "probabilities", ""):
        odd = replace(model, columns=(replace(age, name=name), city, hours))
        with pytest.raises(ValueError, match=f"a column is named '{name}', which no input"):
            table_graph(odd)


def test_an_empty_string_can_be_a_category():
    model = make_model(2, n_terms=2)
    city = CategoryColumn("city", np.array(["", "Oslo", "Rome"], dtype=object))
    model = replace(model, columns=(model.columns[0], city, model.columns[2]))
    clf = glass_box()
    clf.model_ = model
    table = make_table(40)
    table["city"] = table["city"].fillna("")
    _, probabilities = run(model, table)
    np.testing.assert_allclose(probabilities, clf.predict_proba(table), atol=1e-15)


def test_a_constant_column():
    model = make_model(2, n_terms=0)
    model = replace(model, columns=(NumericColumn("k", np.empty(0)),))
    session = ort.InferenceSession(table_graph(model).SerializeToString())
    labels, _ = session.run(None, {"k": np.array([[1.0], [np.nan]])})
    assert labels.tolist() == ["yes", "yes"]


def test_too_large(monkeypatch):
    monkeypatch.setattr("tauboost.io.onnx.MAX_BYTES", 100)
    with pytest.raises(ValueError, match="at most 100: fit with fewer pairs of columns"):
        table_graph(make_model(2))
