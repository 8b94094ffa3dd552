"""The parameters of the classifiers: names, defaults and meaning, written once.

An estimator is one of these dataclasses: it inherits ``__init__`` from it, and where its docstring
has ``{parameters}``, help() and the reference show what is written here. Fits, Dask's estimators,
the command line and model files read the same fields. Nothing is checked before a fit, as
scikit-learn wants it; tuning/{options,table_options,text_options}.py check. docs/parameters.md has
them side by side. Light to import: the command line shows defaults without loading NumPy.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

__all__ = [
    "RENAMED",
    "CVParameters",
    "DaskLinearParameters",
    "DaskTableParameters",
    "DaskTextParameters",
    "LinearParameters",
    "Parameters",
    "TableParameters",
    "TextParameters",
    "of_old_names",
    "parameters_of",
    "refuse_on_dask",
    "with_new_names",
]


DEPRECATED = "deprecated"  # the value under an old name that is not given, as in scikit-learn
# Old names, which work for one more release, and the new ones.
RENAMED = {"categorical": "categorical_features", "monotone": "monotonic_cst"}
# What the estimators on a cluster have, so that the same code runs there, but cannot do, and why.
REFUSED_ON_DASK = {
    "bands": "the bootstrap draws rows again and again, and needs all of them on one machine",
    "calibration": "it needs decision values of rows that no part keeps back",
    "early_stopping": "it judges each sweep on validation rows, and no part keeps rows back",
}
SECTION = re.compile(r"(Parameters\n----------\n)(.*?)(?=\n\S[^\n]*\n---|\Z)", re.DOTALL)
ITEM = re.compile(r"^(?=\w)", re.MULTILINE)
P = TypeVar("P")


@dataclass(kw_only=True, eq=False, repr=False)
class Parameters:
    """What every classifier here is told.

    Parameters
    ----------
    loss : {"logistic", "exponential"}
        "exponential" is AdaBoost.
    l1_ratio : float in [0, 1]
        0 is ridge, 1 is lasso.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied with ``sample_weight``.
    penalty_factors : "auto", None or array-like of shape (n_features,)
        What alpha is multiplied by, for each feature; 0 leaves it free. None: 1. "auto" penalises
        columns less that tell the classes apart by themselves: psi acts on coefficients over the
        square root of the step that AdaBoost would take first, on that column alone.
    max_iter : int
        The most sweeps over the features; a fit that they cut short says so.
    tol : float
        A fit has converged where its objective is proved to be within this share of the optimum
        (for the exponential loss, whose objective is a logarithm: within this). Where nothing can
        be proved, as with ``alpha=0``, the largest excess edge must be below it: gradient beyond
        what psi holds in balance, in units of the column's largest value.
    n_jobs : int or None
        Threads, in scikit-learn's meaning: -1 is every core, None is 1 unless in a
        ``joblib.parallel_config``. The result does not depend on it.
    random_state : int, RandomState or None
        Kept for scikit-learn: nothing depends on it.
    verbose : int
        1 shows a live line: sweep, objective, validation loss, seconds.
    """

    loss: str = "logistic"
    l1_ratio: float | str = 0.0
    class_weight: Any = None
    penalty_factors: Any = "auto"
    max_iter: int = 1000
    tol: float = 1e-3
    n_jobs: int | None = -1
    random_state: Any = None
    verbose: int = 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "{parameters}" in (cls.__doc__ or ""):
            cls.__doc__ = _with_parameters(cls)


@dataclass(kw_only=True, eq=False, repr=False)
class SearchParameters(Parameters):
    """Those of a classifier that chooses alpha within one fit.

    Parameters
    ----------
    alpha : "auto" or float
        Strength of ``psi = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2)``, next to a loss
        that is a mean over samples; "auto" chooses it by validation loss. psi acts in each
        column's own scale, its largest absolute value (multiplying columns by constants changes
        nothing), times a factor of its own.
    time_limit : float or None
        Seconds after which the best so far is taken.
    """

    alpha: float | str = "auto"
    time_limit: float | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class LinearParameters(SearchParameters):
    """Those of ``TauBoostClassifier``.

    Parameters
    ----------
    loss : {"logistic", "exponential", "auto"}
        "exponential" is AdaBoost over the features; "auto" chooses by validation loss.
    l1_ratio : float in [0, 1] or "auto"
        0 is ridge, 1 is lasso (sparse coefficients).
    fit_intercept : bool
        The intercept is not penalised.
    early_stopping : bool
        Hold out samples, and keep the sweep that does best on them: no optimum, and no fit on all.
    validation_fraction : float
        The part of each class that is in the validation set.
    calibration : {None, "sigmoid"}
        "sigmoid" scales and shifts the decision values so that the probabilities are right on the
        validation set (Platt 1999); several classes share the scale, and are not shifted.
    warm_start : bool
        Start from the coefficients of the last fit; with ``alpha="auto"``, keep its choice too.
    random_state : int, RandomState or None
        Decides the order of the sweeps of ``early_stopping``. No other fit depends on it.
    """

    fit_intercept: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.2
    calibration: str | None = None
    warm_start: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class CVParameters(Parameters):
    """Those of ``TauBoostClassifierCV``.

    Parameters
    ----------
    loss : {"logistic", "exponential"}
        "exponential" is AdaBoost over the features.
    l1_ratio : float in [0, 1], or a list of them to choose from
    alphas, n_alphas : the path, as for ``regularization_path``
    cv : int, splitter, iterable of splits, or None
        As for ``regularization_path``. Where there are no folds, the middle of the path is taken.
    rule : {"best", "one-se"}
        "one-se" takes the strongest alpha within one standard error of the best.
    max_iter : int
        The most sweeps over the features for each alpha.
    tol : float
        As for ``TauBoostClassifier``: the certified gap of the model, as a share of its objective.
        The path is solved to ``regularization_path``'s own tolerance.
    random_state : int, RandomState or None
        Kept for scikit-learn: nothing depends on it.
    """

    alphas: Any = None
    n_alphas: int = 20
    l1_ratio: Any = 0.0
    cv: Any = 5
    rule: str = "best"
    fit_intercept: bool = LinearParameters.fit_intercept


@dataclass(kw_only=True, eq=False, repr=False)
class TableParameters(SearchParameters):
    """Those of ``TableClassifier``.

    Parameters
    ----------
    interactions : "auto", int or list of pairs
        "auto" takes pairs of columns where they help, and none where ``alpha`` is given; a number
        takes that many of the best; a list names them, such as ``[("age", "hours")]``; 0 means
        none. Constant columns are in no pair.
    monotonic_cst : dict, array-like of shape (n_features,) or None
        ``{"age": 1}``: the score may not fall as age rises; -1: it may not rise; 0: it may do
        both. Exact, in the fit; such columns are in no pair.
    alpha : "auto" or float
        Strength of ``psi = alpha (l1_ratio |lam|_1 + (1 - l1_ratio)/2 |lam|_2^2)`` over all stumps,
        times the penalty factor of each column; "auto" chooses it by validation loss.
    l1_ratio : float in [0, 1] or "auto"
        1 makes few, large steps; 0 many small ones; "auto" tries 1, 0.5 and 0.
    penalty_factors : "auto", None, dict or array-like of shape (n_features,)
        What alpha is multiplied by for each column. "auto" measures it: AdaBoost's first step on a
        column alone, the less the farther it goes. None is 1 for all: the plain penalty. A dict has
        the columns that differ from 1, such as ``{"age": 0.1}``; 0 leaves a column without penalty.
    max_bins : int
        The most bins of a column, at most 255. Below that, the most categories as well; with 255
        every category that holds 1/65,534 of the weight has a score of its own.
    categorical_features : "from_dtype", None, or array-like of names, positions or booleans
        Columns of numbers that are categories. Strings and categories always are; "from_dtype" and
        None add none. A number is a name where the table has columns named by numbers, else a
        position; so in ``interactions`` and ``monotonic_cst``.
    max_iter : int
        The most sweeps over the terms; where it cuts, ``message_`` says so.
    random_state : int, RandomState or None
        Decides the bootstrap of ``bands``. The model does not depend on it.
    bands : float or None
        The level of confidence intervals around the scores of every term, such as 0.9: how far they
        would move on other samples of rows, by a bootstrap. They are drawn with the terms, and not
        kept in files.
    categorical, monotone
        Old names of ``categorical_features`` and ``monotonic_cst``.
    """

    interactions: Any = "auto"
    monotonic_cst: Any = None
    l1_ratio: float | str = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    bands: float | None = None
    categorical: Any = DEPRECATED
    monotone: Any = DEPRECATED


@dataclass(kw_only=True, eq=False, repr=False)
class TextParameters(LinearParameters):
    r"""Those of ``TextClassifier``: what is counted has scikit-learn's names and meaning.

    Parameters
    ----------
    ngram_range : (int, int)
        The shortest and the longest n-gram, of words or characters, that is a term.
    min_df : "auto", int or float
        Terms in fewer texts are left out; a float is a part of the texts. "auto" is 1 below 1000
        texts, 2 below 10,000, and 3 from there on.
    max_df : int or float
        Terms in more texts are left out.
    max_features : int or None
        Only so many terms, those that occur most often.
    lowercase : bool
    analyzer : {"word", "char_wb", "char"} or callable
        "char_wb" counts n-grams of characters within words, "char" any; a function returns the
        terms of a text. "char" and functions are slower, and a function is in no file.
    token_pattern : str
        A regular expression for words. The default, and ``\w+``, are compiled; others are slower,
        and a file with one is loaded only by those who trust it.
    stop_words : None, "english" or list of str
        Words that are not counted. "english" is scikit-learn's list.
    binary : bool
        Whether a term is in a text, and not how often.
    sublinear_tf : bool
        1 + log(count) in place of the count.
    use_idf : bool
        Weigh terms by how rare they are.
    norm : {"l2", "l1", None}
        Scale each text to length 1.
    n_features : int or None
        Hash terms to so many features, in place of a vocabulary.
    warm_start : bool
        Start from the coefficients of the last fit, term by term; with ``alpha="auto"``, keep its
        choice too.
    """

    ngram_range: tuple[int, int] = (1, 2)
    min_df: float | str = "auto"
    max_df: float = 1.0
    max_features: int | None = None
    lowercase: bool = True
    analyzer: Any = "word"
    token_pattern: str = r"(?u)\b\w\w+\b"
    stop_words: Any = None
    binary: bool = True
    sublinear_tf: bool = False
    use_idf: bool = True
    norm: str | None = None
    n_features: int | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class DaskParameters:
    """What every classifier on a cluster is told in addition.

    Parameters
    ----------
    n_jobs : int or None
        Threads of this machine, where it chooses and predicts; workers use those that they have.
    client : distributed.Client, optional
        None takes the current one.
    n_parts : int, optional
        Into how many parts to gather the chunks, at most; None takes the number of workers.
    patience : Patience, optional
        When a worker that does not answer is given up.
    """

    client: Any = None
    n_parts: int | None = None
    patience: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DaskLinearParameters(DaskParameters, LinearParameters):
    """Those of ``tauboost.dask.TauBoostClassifier``.

    Parameters
    ----------
    penalty_factors : "auto", None or array-like of shape (n_features,)
        As on one machine; "auto" uses all rows.
    early_stopping, calibration
        Refused: they need decision values of validation rows, and no part keeps rows back.
    verbose : int
        1 shows a live line: epoch, objective, rounds, bytes, seconds.
    checkpoint : path, optional
        A file on the driver, as in :func:`tauboost.dask.solve`: a fit that was cut short goes on
        from it. With more than two classes, one file for each: ``path.0``, ``path.1``, ... alpha,
        where it is not given, is chosen again.
    """

    checkpoint: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DaskTableParameters(DaskParameters, TableParameters):
    """Those of ``tauboost.dask.TableClassifier``.

    Parameters
    ----------
    bands : None
        A level is refused: the bootstrap needs the rows on one machine.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class DaskTextParameters(TextParameters, DaskLinearParameters):
    """Those of ``tauboost.dask.TextClassifier``."""


def parameters_of(kind: type[P], estimator: Any) -> P:
    """Return those of an estimator, or of any object that has attributes of their names."""
    return kind(**{known.name: getattr(estimator, known.name) for known in fields(kind)})  # type: ignore[arg-type]


def of_old_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by their new names, without old names that are not given."""
    found = dict(given)
    for old, new in RENAMED.items():
        if _is_given(value := found.pop(old, DEPRECATED)):
            found[new] = value
    return found


def with_new_names(estimator: TableParameters) -> TableParameters:
    """Return parameters in which what was given under an old name stands under the new one."""
    given = vars(parameters_of(TableParameters, estimator))
    for old in (name for name in RENAMED if _is_given(given[name])):
        message = f"{old} is now {RENAMED[old]}, as in scikit-learn; 0.5 will not know the old name"
        warnings.warn(message, FutureWarning, stacklevel=5)
    return TableParameters(**of_old_names(given))


def _is_given(value: Any) -> bool:
    return not (isinstance(value, str) and value == DEPRECATED)


def refuse_on_dask(parameters: Parameters) -> None:
    """Refuse what cannot be done where rows are in parts."""
    for name, reason in REFUSED_ON_DASK.items():
        if getattr(parameters, name, None) not in (None, False):
            kind = type(parameters).__name__
            raise ValueError(f"{name}: {reason}; fit tauboost.{kind}")


def _with_parameters(cls: type) -> str:
    """Return the docstring of a class with its parameters in place of ``{parameters}``.

    What a class or a base nearer to it says of a parameter goes before what its other bases say.
    """
    names = [known.name for known in fields(cls)]
    doc = inspect.cleandoc(cls.__doc__ or "")
    items: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__dataclass_fields__" in vars(base):
            items |= _items(inspect.cleandoc(base.__doc__ or ""))
    items |= _items(doc)
    shown = [items[name] for name in names if name in items]
    body = "\n".join(dict.fromkeys(shown)) + "\n"
    return SECTION.sub(lambda found: found[1] + body, doc, count=1)


def _items(doc: str) -> dict[str, str]:
    """Return what the section of parameters of a docstring says of each."""
    found = SECTION.search(doc)
    items = {}
    for item in ITEM.split(found[2]) if found else ():
        text = item.rstrip()
        for name in re.split(r" *, *", text.split("\n", 1)[0].split(" : ")[0]):
            items[name] = text
    return items
