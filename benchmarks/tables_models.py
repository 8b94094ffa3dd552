"""The classifiers that ``tables.py`` compares: tauboost, and what people fit tables with.

Each has the table as it likes it best: those that know categories have them, the others columns of
0 and 1 for them and medians for what is missing. What that costs counts as part of the fit.
"""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from peers_models import Peer

__all__ = ["ADABOOST", "EBM", "EBM_MAINS", "OURS", "OURS_MAINS", "PEERS", "QUICK_PEERS", "numbers"]

OURS, OURS_MAINS = "tauboost", "tauboost, no pairs"
EBM, EBM_MAINS = "EBM", "EBM, no pairs"
ADABOOST = "AdaBoost, 200 stumps"
N_STUMPS = 200


def numbers(*, scaled: bool = False) -> Any:
    """Return what turns a table into numbers: 0 and 1 for each category, medians for holes."""
    median = SimpleImputer(strategy="median")
    is_number = make_column_selector(dtype_include="number")
    is_word = make_column_selector(dtype_exclude="number")
    return make_column_transformer(
        (make_pipeline(median, StandardScaler()) if scaled else median, is_number),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), is_word),
    )


def adaboost(**options: Any) -> Pipeline:
    """Return AdaBoost with stumps, on numbers."""
    return make_pipeline(numbers(), AdaBoostClassifier(**options))


def logistic(**options: Any) -> Pipeline:
    """Return logistic regression on numbers of one scale."""
    return make_pipeline(numbers(scaled=True), LogisticRegression(max_iter=1000, **options))


PEERS = [
    Peer(OURS, "tauboost", "tauboost", "TableClassifier", threads="n_jobs"),
    Peer(OURS_MAINS, "tauboost", "tauboost", "TableClassifier", {"interactions": 0},
         threads="n_jobs"),
    Peer(ADABOOST, "AdaBoost", __name__, "adaboost", {"n_estimators": N_STUMPS}),
    Peer("HistGradientBoosting", "HistGradientBoosting", "sklearn.ensemble",
         "HistGradientBoostingClassifier", {"categorical_features": "from_dtype"}),
    Peer("LightGBM", "LightGBM", "lightgbm", "LGBMClassifier", {"verbose": -1}, threads="n_jobs"),
    Peer("LogisticRegression", "lbfgs", __name__, "logistic"),
    Peer(EBM_MAINS, "EBM", "interpret.glassbox", "ExplainableBoostingClassifier",
         {"interactions": 0}, threads="n_jobs"),
    Peer(EBM, "EBM", "interpret.glassbox", "ExplainableBoostingClassifier", threads="n_jobs"),
]  # fmt: skip
QUICK_PEERS = (OURS, OURS_MAINS, "LogisticRegression")
