"""Data of Dask are refused where one machine would have to fetch all of them."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

ROWS = np.random.default_rng(0).random((60, 3))
LABELS = np.arange(60) % 2
ARRAY = da.from_array(ROWS, chunks=(20, 3))
TABLE = dd.from_pandas(pd.DataFrame(ROWS, columns=list("abc")), npartitions=2)


@pytest.mark.parametrize("X", [ARRAY, TABLE], ids=["array", "table"])
@pytest.mark.parametrize(
    "use",
    [
        tb.Problem,
        tb.TableProblem,
        lambda X, y: tb.plan((X, y)),
        lambda X, y: tb.TauBoostClassifier().fit(X, y),
        lambda X, y: tb.TauBoostClassifierCV().fit(X, y),
        lambda X, y: tb.TableClassifier().fit(X, y),
        lambda X, y: tb.PAdaBoostClassifier().fit(X, y),
        lambda X, y: tb.TauBoostClassifier().fit(ROWS, y).predict(X),
    ],
)
def test_rows_are_refused(use, X):
    with pytest.raises(TypeError, match=r"^(X|the table) is not in memory.* use tauboost\.dask"):
        use(X, LABELS)


@pytest.mark.parametrize(
    "use",
    [
        tb.Problem,
        lambda X, y: tb.plan((X, y)),
        lambda X, y: tb.TauBoostClassifier().fit(X, y),
        lambda X, y: tb.TableClassifier().fit(X, y),
    ],
)
def test_labels_are_refused(use):
    with pytest.raises(TypeError, match=r"^y is not in memory, it is a dask Array: use tauboost"):
        use(ROWS, da.from_array(LABELS))


def test_weights_and_texts_are_refused():
    with pytest.raises(TypeError, match=r"^sample_weight is not in memory"):
        tb.Problem(ROWS, LABELS, da.ones(60))
    with pytest.raises(TypeError, match=r"^the column of texts is not in memory"):
        tb.TextClassifier().fit(TABLE["a"].astype(str), LABELS)
