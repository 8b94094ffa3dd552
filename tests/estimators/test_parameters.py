"""Parameters of all classifiers: one default each, here, on Dask, in the shell, and in the docs."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import tauboost as tb
from extras import needs
from tauboost.cli import options as fit_options
from tauboost.cli.fit import fit as fit_command
from tauboost.estimators.persistence import ESTIMATORS
from tauboost.parameters import (
    REFUSED_ON_DASK,
    RENAMED,
    CVParameters,
    DaskLinearParameters,
    DaskTableParameters,
    DaskTextParameters,
    LinearParameters,
    TableParameters,
    TextParameters,
)

PAGE = Path(__file__).parents[2] / "docs" / "parameters.md"
KINDS = {
    "TauBoostClassifier": LinearParameters,
    "TauBoostClassifierCV": CVParameters,
    "TableClassifier": TableParameters,
    "TextClassifier": TextParameters,
}
ON_DASK = {
    "TauBoostClassifier": DaskLinearParameters,
    "TableClassifier": DaskTableParameters,
    "TextClassifier": DaskTextParameters,
}
# The options of `tauboost fit`, and their names there.
OPTIONS = {
    **{name: name for name in ("loss", "alpha", "l1_ratio", "max_iter", "tol", "time_limit")},
    "n_jobs": "threads",
    "random_state": "seed",
    "ngram_range": "ngrams",
    "analyzer": "analyzer",
    "min_df": "min_df",
    "n_features": "n_hashes",
    "categorical_features": "categorical",
    "monotonic_cst": "monotone",
    "interactions": "interactions",
    "max_bins": "max_bins",
}


def defaults(kind) -> dict:
    return {known.name: known.default for known in fields(kind) if known.name not in RENAMED}


def table() -> str:
    """Return the table of docs/parameters.md."""
    heads = ["parameter", *(f"`{name}`" for name in KINDS), "on Dask", "`tauboost fit`"]
    rows = [heads, ["---"] * len(heads)]
    names = dict.fromkeys(
        name for kind in (*KINDS.values(), *ON_DASK.values()) for name in defaults(kind)
    )
    for name in names:
        cells = [
            shown(defaults(kind)[name]) if name in defaults(kind) else "" for kind in KINDS.values()
        ]
        is_there = any(name in defaults(kind) for kind in ON_DASK.values())
        there = "refused" if name in REFUSED_ON_DASK else "yes" if is_there else ""
        option = OPTIONS.get(name, "")
        option = "--hash" if option == "n_hashes" else f"--{option.replace('_', '-')}"
        rows.append([f"`{name}`", *cells, there, f"`{option}`" if name in OPTIONS else ""])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def shown(value) -> str:
    return "`" + (f'"{value}"' if isinstance(value, str) else repr(value)) + "`"


def test_the_table_in_the_docs():
    expected = table()
    assert expected in PAGE.read_text(), f"put this into {PAGE.name}:\n\n{expected}"


@pytest.mark.parametrize("name", ["TauBoostClassifierCV", "TableClassifier"])
def test_the_docs_say_why_a_parameter_is_not_there(name):
    missing = defaults(LinearParameters).keys() - defaults(KINDS[name]).keys()
    reasons = PAGE.read_text().partition("## What is not there, and why")[2]
    said = [row for row in reasons.splitlines() if row.startswith("|") and f"`{name}`" in row]
    for parameter in missing:
        assert any(f"`{parameter}`" in row for row in said), f"{name}: why is there no {parameter}?"


@pytest.mark.parametrize("name", KINDS)
def test_an_estimator_has_them_all_and_says_what_they_are(name):
    estimator = ESTIMATORS[name]
    assert estimator().get_params() == vars(KINDS[name]())
    assert list(inspect.signature(estimator).parameters) == [f.name for f in fields(KINDS[name])]
    assert repr(estimator()) == f"{name}()"
    assert clone(estimator(tol=0.5)).tol == 0.5
    section = estimator.__doc__.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    said = re.findall(r"^(\w[\w, ]*?)(?: : |$)", section, re.MULTILINE)
    assert [name for names in said for name in names.split(", ")] == [
        *(f.name for f in fields(KINDS[name]))
    ]
    assert "{parameters}" not in estimator.__doc__


@needs("distributed")
@pytest.mark.parametrize("name", ON_DASK)
def test_an_estimator_on_dask_is_told_the_same(name):
    import tauboost.dask as td  # noqa: PLC0415

    there = getattr(td, name)
    assert there().get_params() == vars(ON_DASK[name]())
    local = defaults(KINDS[name])
    assert {key: there().get_params()[key] for key in local} == local
    assert there().get_params().keys() - local.keys() <= {
        *("client", "n_parts", "patience", "checkpoint"),
        *RENAMED,
    }
    assert "{parameters}" not in there.__doc__
    for parameter, value in (("early_stopping", True), ("calibration", "sigmoid"), ("bands", 0.9)):
        if parameter in local:
            with pytest.raises(ValueError, match=rf"{parameter}: .*; fit tauboost\.{name}") as said:
                there(**{parameter: value}).fit([], None)
            assert "\n" not in str(said.value)


def test_the_command_line_has_the_same_defaults():
    found = {
        name: known.default for name, known in inspect.signature(fit_command).parameters.items()
    }
    assert set(OPTIONS.values()) <= found.keys()
    here = defaults(LinearParameters) | defaults(TextParameters) | defaults(TableParameters)
    for parameter, option in OPTIONS.items():
        if found[option] is not None and parameter != "random_state":
            assert found[option] == here[parameter]
    assert found["seed"] == 0  # the same command gives the same file
    texts = {
        name: hint.__metadata__[0].help
        for name, hint in vars(fit_options).items()
        if hasattr(hint, "__metadata__")
    }
    assert f"{LinearParameters.tol:g} if not given" in texts["Tol"]
    ridge, lasso = LinearParameters.l1_ratio, TableParameters.l1_ratio
    assert f"If not given: {ridge:g}, and {lasso:g} for tables" in texts["L1Ratio"]
    assert f"if not given {TableParameters.max_bins}" in texts["MaxBins"]


TABLE = {"age": [20.0, 30.0, 40.0, 50.0] * 20, "zip": [1.0, 2.0, 3.0] * 26 + [1.0, 2.0]}
Y = np.array([0, 1, 1, 0] * 20)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"monotone": {"age": 1}}, {"monotonic_cst": {"age": 1}}),
        ({"categorical": ["zip"]}, {"categorical_features": ["zip"]}),
    ],
)
def test_old_names_work_with_a_warning(old, new, tmp_path):
    options = {"alpha": 1e-2, "interactions": 0}
    with pytest.warns(FutureWarning, match=f"{next(iter(old))} is now {next(iter(new))}"):
        before = tb.TableClassifier(**old, **options).fit(TABLE, Y)
    now = tb.TableClassifier(**new, **options).fit(TABLE, Y)
    np.testing.assert_array_equal(before.decision_function(TABLE), now.decision_function(TABLE))
    tb.save_model(before, tmp_path / "model")
    again = tb.load_model(tmp_path / "model")
    assert again.get_params()[next(iter(new))] == next(iter(new.values()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"monotonic_cst": [1, 0]}, {"monotonic_cst": {"age": 1}}),
        ({"monotonic_cst": np.array([0, -1])}, {"monotonic_cst": {1: -1}}),
        ({"categorical_features": [False, True]}, {"categorical_features": ["zip"]}),
        ({"categorical_features": None}, {"categorical_features": "from_dtype"}),
        ({"categorical_features": "auto"}, {}),
    ],
    ids=str,
)
def test_columns_are_named_as_in_scikit_learn(one, other):
    found = [
        tb.TableClassifier(**options, alpha=1e-2, interactions=0).fit(TABLE, Y)
        for options in (one, other)
    ]
    np.testing.assert_array_equal(*(clf.decision_function(TABLE) for clf in found))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"monotonic_cst": [1]}, "monotonic_cst must be a dict of columns"),
        ({"monotonic_cst": "age"}, "monotonic_cst must be a dict of columns"),
        ({"categorical_features": [True]}, "categorical_features has 1 booleans"),
    ],
)
def test_columns_named_wrongly(options, reason):
    with pytest.raises((TypeError, ValueError), match=reason):
        tb.TableClassifier(**options, alpha=1e-2).fit(TABLE, Y)


def test_importances_of_columns():
    table = TABLE | {"flat": [1.0] * 80}
    clf = tb.TableClassifier(alpha=1e-3, interactions=[("age", "zip")]).fit(table, Y)
    shares = clf.feature_importances_
    assert shares.shape == (3,)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[2] == 0.0
    assert shares[0] == shares.max()
    stumps = tb.AdaBoostPLClassifier(5, n_parts=1, random_state=0).fit(
        np.transpose([*TABLE.values()]), Y
    )
    assert stumps.feature_importances_.sum() == pytest.approx(1.0)
    assert len(stumps.feature_importances_) == 2


@pytest.mark.parametrize("hashed", [{}, {"n_features": 2**8}])
def test_a_warm_start_of_texts_keeps_terms_that_are_still_there(hashed):
    texts, y = ["good film", "bad film", "good day", "bad day"] * 20, [1, 0, 1, 0] * 20
    clf = tb.TextClassifier(warm_start=True, random_state=0, **hashed).fit(texts, y)
    n_sweeps, alpha, first = clf.n_iter_, clf.alpha_, clf.decision_function(texts)
    clf.fit(texts, y)
    assert (clf.alpha_, clf.n_iter_ <= n_sweeps) == (alpha, True)
    np.testing.assert_allclose(clf.decision_function(texts), first, atol=0.1)
    more = [*texts, "a new word"]
    again = clf.fit(more, [*y, 1]).decision_function(more)
    fresh = tb.TextClassifier(alpha=alpha, random_state=0, **hashed).fit(more, [*y, 1])
    np.testing.assert_allclose(again, fresh.decision_function(more), atol=0.1)
