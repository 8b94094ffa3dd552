"""From a model and rows to a page: measures once, asks every section, puts them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.version import VERSION
from .bands import Estimate
from .card_section import card_section
from .fit_section import fit_section
from .markup import Markup, tag
from .page import page
from .proof_section import cautions, proof_section, warnings_section
from .quality import Quality, measure
from .quality_section import quality_section
from .race_section import race_section
from .result import Report
from .rows import Data
from .rows_section import rows_section
from .subject import Subject
from .summary import plain_verdict, summary, verdict
from .terms_section import terms_section
from .weights_section import weights_section

if TYPE_CHECKING:
    from ..proofs import HardCore

__all__ = ["Wishes", "build"]


@dataclass(frozen=True)
class Wishes:
    """What the author of a report may say."""

    title: str | None = None
    notes: str | None = None
    core: HardCore | None = None


def build(subject: Subject, data: Data | None, wishes: Wishes) -> Report:
    """Return the report."""
    quality, probabilities = None, None
    if data is not None:
        probabilities = subject.model.probabilities(data.rows.decisions)
        if data.codes is not None:
            decisions = data.rows.decisions
            quality = measure(decisions, probabilities, data.codes, subject.positive)
    said = verdict(subject, data, quality)
    warned = cautions(subject, data, quality)
    title = f"Report on {subject.name}" if wishes.title is None else wishes.title
    sections = [
        quality_section(subject, data, quality),
        weights_section(subject, data) if subject.terms is None else terms_section(subject),
        rows_section(subject, data, probabilities),
        fit_section(subject, data),
        race_section(subject),
        proof_section(subject, data, wishes.core),
        warnings_section(warned),
        card_section(subject, data, quality, wishes.notes, warned),
    ]
    head = summary(subject, said, quality, warned, title)
    html = page(title, head, sections, _foot())
    numbers = _metrics(subject, quality)
    if numbers and data is not None and data.trained is not None:
        numbers["trained_on"] = data.trained._asdict()
    return Report(html, plain_verdict(said), warned, numbers)


def _foot() -> Markup:
    return tag("footer", f"Made by tauboost {VERSION}. This page needs no network and no script.")


def _metrics(subject: Subject, quality: Quality | None) -> dict[str, Any]:
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
        facts["positive"] = subject.labels[subject.positive]
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
