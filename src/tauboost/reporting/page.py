"""``tb.report``: a model, and how good it is on some rows, as one page that can be saved."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import shown
from ..base.threads import resolve_threads
from ..base.version import VERSION
from ..io.atomic import new_file
from ..kinds import kind_of_estimator
from ..kinds.rows import GivenRows, NamedModel
from ..search.diagnosis import codes_of
from ..search.record import data_hash
from ..validation import is_store
from .fit_section import (
    collect_warnings,
    fit_section,
    proof_section,
    search_section,
    warnings_section,
)
from .html import Markup, page, tag
from .intervals import Estimate
from .model_section import model_section
from .quality import Quality, ReportData, measure, share_trained_on
from .quality_section import quality_section
from .rows_section import rows_section
from .summary import card_section, headline, plain_headline, summary

if TYPE_CHECKING:
    from ..certificates.hard_core import HardCore

__all__ = ["Report", "build", "checked_names", "labelled", "report"]


@dataclass(frozen=True, repr=False, eq=False)
class Report:
    """A report on a model: one HTML file that needs nothing else. Notebooks show it.

    Attributes
    ----------
    html : str
        The page. The same model and data give the same text.
    verdict : str
        The first sentence of it.
    warnings : list of str
    metrics : dict
        Numbers of quality, each with the ends of its confidence interval; empty where no labels
        were given. ``trained_on`` is the share of the rows that the model was trained on, if known.

    Examples
    --------
    >>> import tauboost as tb
    >>> texts = ["a good film", "good fun", "a bad film", "bad, just bad"] * 10
    >>> clf = tb.TextClassifier(random_state=0).fit(texts, ["pos", "pos", "neg", "neg"] * 10)
    >>> page = tb.report(clf, ["so good", "how bad"] * 9, ["pos", "neg"] * 9)
    >>> page.save("report.html")
    >>> page.html.startswith("<!doctype html>")
    True
    """

    html: str
    verdict: str
    warnings: list[str]
    metrics: dict[str, Any]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which appears at once and complete."""
        with new_file(path, overwrite=True) as file:
            file.write(self.html.encode())

    def __repr__(self) -> str:
        lines = [self.verdict, *(f"warning: {text}" for text in self.warnings)]
        size = len(self.html.encode())
        return "\n".join([*lines, f"{size:,} bytes of HTML: .save('report.html')"])

    def _repr_html_(self) -> str:
        """Show the page in a separate frame, so that its style stays within."""
        frame = 'style="width:100%;height:40em;border:0" sandbox="allow-scripts"'
        return f'<iframe srcdoc="{escape(self.html, quote=True)}" {frame}></iframe>'


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

    It begins with a summary, and shows how good the model is on the given rows, with confidence
    intervals, its terms, single rows with their explanations, what it was fitted on, how alpha was
    chosen, what is proved, warnings, and a model card. The same model and data give the same bytes.

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
        ``save(path)`` writes it to a file.

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
    named = _named(model, called, names)
    if positive is not None:
        named = named.with_positive(positive)
    data = None
    if X is not None:
        if y is None and is_store(X):
            y = X.y
        rows = named.kind.rows(named, named.kind.take(model, X), n_threads)
        data = labelled(named, rows, y, name)
    elif y is not None:
        raise ValueError("y was given without X: give the rows too")
    return build(named, data, title, notes, core)


def _check_core(core: Any) -> None:
    from ..certificates.hard_core import HardCore  # noqa: PLC0415

    if not isinstance(core, HardCore):
        raise TypeError(f"core must be what tb.hard_core returns, got {shown(core)}")


def _named(clf: Any, name: str | None, names: Any) -> NamedModel:
    """Return the model of a fitted estimator."""
    from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415

    kind = kind_of_estimator(clf)
    check_is_fitted(clf, "classes_")
    estimator, model = type(clf).__name__, clf.model_
    if names is not None and not kind.has_names:
        raise TypeError(f"names are for a TauBoostClassifier, got a {estimator}")
    own = getattr(clf, "feature_names_in_", None) if kind.has_names else None
    columns = own if names is None else checked_names(names, kind.n_columns(model))
    params, terms = clf.get_params(deep=False), getattr(clf, "terms_", None)
    return NamedModel(estimator, kind, model, params, columns, name or estimator, terms)


def checked_names(names: Any, n_columns: int) -> NDArray[Any]:
    """Return names of columns, if they are as many."""
    found = np.asarray(names, dtype=object)
    if found.shape != (n_columns,):
        raise ValueError(
            f"names must have shape ({n_columns},), one for each column, got {found.shape}"
        )
    return found


def labelled(model: NamedModel, rows: GivenRows, y: Any, name: str, first: int = 0) -> ReportData:
    """Return rows with the numbers of their classes, if there are labels."""
    if rows.n == 0:
        raise ValueError(f"X has no {model.row_word}s to report on")
    if y is None:
        found = share_trained_on(model.record, rows.prints, "")
        return ReportData(name, rows, None, first=first, trained=found)
    labels: NDArray[Any] = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (rows.n,):
        raise ValueError(f"y must have {rows.n} labels, one for each row of X, got {labels.shape}")
    codes = codes_of(model.model.classes, labels)
    known_as = data_hash(rows.prints, codes)
    found = share_trained_on(model.record, rows.prints, known_as)
    return ReportData(name, rows, codes, known_as, first, found)


def build(
    model: NamedModel,
    data: ReportData | None,
    title: str | None = None,
    notes: str | None = None,
    core: HardCore | None = None,
) -> Report:
    """Measure once, ask every section, and put them together."""
    quality, probabilities = None, None
    if data is not None:
        probabilities = model.model.probabilities(data.rows.decisions)
        if data.codes is not None:
            quality = measure(data.rows.decisions, probabilities, data.codes, model.positive)
    said = headline(model, data, quality)
    warned = collect_warnings(model, data, quality)
    sections = [
        quality_section(model, data, quality),
        model_section(model, data),
        rows_section(model, data, probabilities),
        fit_section(model, data),
        search_section(model),
        proof_section(model, data, core),
        warnings_section(warned),
        card_section(model, data, quality, notes, warned),
    ]
    title = f"Report on {model.name}" if title is None else title
    html = page(title, summary(model, said, quality, warned, title), sections, _foot())
    numbers = _metrics(model, quality)
    if numbers and data is not None and data.trained is not None:
        numbers["trained_on"] = data.trained._asdict()
    return Report(html, plain_headline(said), warned, numbers)


def _foot() -> Markup:
    return tag("footer", f"Made by tauboost {VERSION}. This page needs no network and no script.")


def _metrics(model: NamedModel, quality: Quality | None) -> dict[str, Any]:
    """Return the numbers for machines."""
    if quality is None:
        return {}
    found: dict[str, Estimate | None] = {
        "accuracy": quality.accuracy,
        "log_loss": quality.log_loss,
        "brier": quality.brier,
    }
    facts: dict[str, Any] = {"n_samples": quality.n}
    if quality.is_binary:
        facts["positive"] = model.labels[model.positive]
        one = quality.classes[0]
        found["auc"] = one.auc
        found["average_precision"] = None if one.curves is None else one.curves.average_precision
    else:
        found["balanced_accuracy"] = quality.balanced
    numbers = {
        name: None if one is None or np.isnan(one.value) else one._asdict()
        for name, one in found.items()
    }
    return {**facts, **numbers, "confusion": quality.confusion.tolist()}
