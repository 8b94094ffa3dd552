"""What tauboost.dask says to bad input: which argument, what was given, what is accepted."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import subprocess
import sys

import dask.array as da
import numpy as np
import pandas as pd
from dask import dataframe as dd
from distributed import Client

import tauboost as tb
import tauboost.dask as td

X = np.eye(6)
Y = np.array([1, -1, 1, -1, 1, -1])
FRAME = pd.DataFrame(X, columns=list("abcdef"))


def test_importing_tauboost_does_not_import_dask():
    script = "import sys, tauboost; assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_no_client():
    with pytest.raises(ValueError, match="client is None and there is no current one"):
        td.solve(None, [(X, Y)])
    with pytest.raises(TypeError, match=r"client must be a dask\.distributed\.Client, got str"):
        td.solve("tcp://here", [(X, Y)])


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (None, TypeError, "data must be a tuple"),
        (X, TypeError, "data must be a tuple"),
        ([], ValueError, "empty list"),
        ([3], TypeError, "a part of type int"),
        ((X, Y), TypeError, "X of type ndarray"),
        ((da.zeros(6), Y), ValueError, "two dimensions"),
        ((da.zeros((6, 2)), Y[:5]), ValueError, r"y has shape \(5,\), but X has 6 samples"),
        ((da.zeros((6, 2)), da.ones(5)), ValueError, r"y has shape \(5,\), but X has 6 samples"),
        ((da.zeros((6, 2)), Y, np.ones(2)), ValueError, "sample_weight has shape"),
        ((dd.from_pandas(FRAME, npartitions=2), Y), TypeError, "y must be cut like X"),
        ([(X, Y), (X[:, :5], Y)], ValueError, "different numbers of columns: 5, 6"),
        ([(X, Y), (X, Y[:3])], ValueError, "but X has 6 samples"),
        ([(X[:0], Y[:0])], ValueError, "no part has a sample"),
        ([(X[:1], Y[:1]), (X[2:3], Y[2:3])], ValueError, "one class only, 1"),
        ([(X, Y), (X, Y + 5)], ValueError, "exactly two classes, got 4"),
        ([(X, Y), (X, Y.astype(str))], TypeError, "labels of one type .* got int, str"),
        ([(X, Y.astype(float) * np.nan)], ValueError, "y contains NaN"),
        ([(X * np.nan, Y), (X, Y)], ValueError, "X contains NaN"),
        ([(X, Y, -np.ones(6))], ValueError, "sample_weight must not be negative"),
        ([(X, Y, np.zeros(6))], ValueError, "sample_weight is zero for every sample"),
        ([("a", "b")], TypeError, "'b' names a column, but X is no data frame: it is a str"),
        ((dd.from_pandas(FRAME, npartitions=2), "z"), ValueError, "no column 'z'"),
        ([(X.astype(str), Y)], TypeError, "X must hold real numbers"),
        (["nowhere.svm"], FileNotFoundError, "nowhere"),
    ],
    ids=str,
)
def test_bad_data(client, data, error, message):
    with pytest.raises(error, match=message):
        td.solve(client, data)


def test_bad_options(client):
    data = [(X, Y)]
    with pytest.raises(ValueError, match="loss must be one of"):
        td.solve(client, data, loss="hinge")
    with pytest.raises(TypeError, match="fit_intercept must be True or False, got 'no'"):
        td.solve(client, data, fit_intercept="no")
    with pytest.raises(ValueError, match="'pcdm-async' needs all rows on one machine; 'ex"):
        td.solve(client, data, "pcdm-async")
    with pytest.raises(ValueError, match="n_parts must be at least 1, got 0"):
        td.solve(client, data, n_parts=0)
    with pytest.raises(ValueError, match="more than n_features=2"):
        td.DaskProblem(data, client=client, n_features=2)
    with pytest.raises(ValueError, match="alpha must be at least 0"):
        td.solve(client, data, alpha=-1)
    for kind in (td.TauBoostClassifier, td.TextClassifier):
        with pytest.raises(TypeError, match="verbose must be an integer, got 'x'"):
            kind(client=client, alpha=0.1, verbose="x").fit(data)
    assert td.solve(client, data, max_epochs=1).status in tb.Status


def test_an_asynchronous_client(client):
    async def solve():
        async with Client(client.scheduler.address, asynchronous=True) as waiting:
            with pytest.raises(TypeError, match="must not be asynchronous"):
                td.solve(waiting, [(X, Y)])

    client.sync(solve)
