"""``tb.report``: what it takes, checked by the gates of the estimators, and what it returns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from ..base.threads import resolve_threads
from ..tuning.metrics import codes_of
from ..tuning.record import data_hash
from ..validation import CsrArrays, as_csr, is_store
from ..validation.frames import take_frame
from ..validation.texts import take_texts
from .builder import Wishes, build
from .result import Report
from .rows import Data, GivenRows, LinearRows, TableRows, TextRows
from .subject import Subject, subject_of
from .trained_rows import share_trained_on

if TYPE_CHECKING:
    from ..proofs import HardCore

__all__ = ["labelled", "report"]


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    name: str = "the data",
    title: str | None = None,
    notes: str | None = None,
    names: Any = None,
    core: HardCore | None = None,
    positive: Any = None,
    n_threads: int | None = None,
) -> Report:
    """Write a report on a model: one HTML page that people can send, read offline, and print.

    It begins with a verdict, and shows how good the model is on the given rows, with bands, what it
    says, single rows with their explanations, what it was fitted on, how its strength was chosen,
    what is proved, warnings, and a model card. The same model and data give the same bytes.

    Parameters
    ----------
    model : TauBoostClassifier, TableClassifier, TextClassifier, or path of a model file
        Fitted.
    X : rows as the model predicts them, optional
        Better rows that it was not fitted on. Without them the page says what needs them.
    y : array-like of shape (n_samples,), optional
        Their labels. Of a Store, None takes those in it.
    name : str
        What the rows are called on the page.
    title : str, optional
    notes : str, optional
        The author's words on intended use, for the model card; empty lines part paragraphs.
    names : array-like of shape (n_features,), optional
        Of the columns of a TauBoostClassifier, such as ``vectorizer.get_feature_names_out()``.
    core : HardCore, optional
        From ``tb.hard_core``, to be shown with its proof.
    positive : label, optional
        Of two classes, the one that AUC, curves and thresholds are about; None means the second.
    n_threads : int, optional
        None means every core this process may use. The page does not depend on it.

    Returns
    -------
    Report
        ``save(path)`` writes it; ``html``, ``verdict``, ``warnings``, ``metrics``.

    Examples
    --------
    >>> import tauboost as tb
    >>> X, y = tb.make_w8a_like(2000, random_state=0)
    >>> clf = tb.TauBoostClassifier(random_state=0).fit(X[:1500], y[:1500])
    >>> page = tb.report(clf, X[1500:], y[1500:], name="the last 500 pages")
    >>> page.verdict.split(",")[0]
    'On 500 rows of the last 500 pages'
    """
    if core is not None:
        _check_core(core)
    n_threads, called = resolve_threads(n_threads), None
    if isinstance(model, str | os.PathLike):
        from ..estimators import load_model  # noqa: PLC0415

        called = os.path.basename(os.fspath(model))  # noqa: PTH119
        model = load_model(model)
    subject = subject_of(model, called, names)
    if positive is not None:
        subject = subject.with_positive(positive)
    data = None
    if X is not None:
        if y is None and is_store(X):
            y = X.y
        rows = _rows(subject, model, X, n_threads)
        data = labelled(subject, rows, y, name)
    elif y is not None:
        raise ValueError("y was given without X: give the rows too")
    return build(subject, data, Wishes(title, notes, core))


def _check_core(core: Any) -> None:
    from ..proofs import HardCore  # noqa: PLC0415

    if not isinstance(core, HardCore):
        raise TypeError(f"core must be what tb.hard_core returns, got {shown(core)}")


def _rows(subject: Subject, clf: Any, X: Any, n_threads: int) -> GivenRows:
    """Return rows of the kind that a model takes."""
    from ..estimators.inputs import take_rows  # noqa: PLC0415

    if subject.terms is not None:
        frame = take_frame(X)
        clf._codes(frame.select(np.arange(1)))  # which says what is wrong with the columns
        return TableRows(subject, frame, n_threads)
    if subject.row_word == "text":
        return TextRows(subject, take_texts(X), n_threads)
    rows = take_rows(clf, X)
    arrays = rows if isinstance(rows, CsrArrays) else as_csr(rows)
    return LinearRows(subject, arrays, n_threads)


def labelled(subject: Subject, rows: GivenRows, y: Any, name: str, first: int = 0) -> Data:
    """Return rows with the numbers of their classes, if there are labels."""
    if rows.n == 0:
        raise ValueError(f"X has no {subject.row_word}s to report on")
    if y is None:
        found = share_trained_on(subject.record, rows.prints, "")
        return Data(name, rows, None, first=first, trained=found)
    labels: NDArray[Any] = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (rows.n,):
        raise ValueError(f"y must have {rows.n} labels, one for each row of X, got {labels.shape}")
    codes = codes_of(subject.model.classes, labels)
    known_as = data_hash(rows.prints, codes)
    found = share_trained_on(subject.record, rows.prints, known_as)
    return Data(name, rows, codes, known_as, first, found)
