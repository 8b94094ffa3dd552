"""What is proved of the model, what the data forbid, and what there is to warn of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .bands import Estimate
from .chosen_rows import contradictions
from .elements import Section, facts, note, paragraph, percent
from .markup import Markup, given, join, tag
from .quality import Quality
from .rows import Data
from .scales import number
from .subject import Subject
from .trained_rows import are_trained_on, how_many

if TYPE_CHECKING:
    from ..proofs import HardCore

__all__ = ["cautions", "proof_section", "warnings_section"]

MOST_OF_A_GROUP = 8
FEW = 200  # rows: fewer tell little


def proof_section(subject: Subject, data: Data | None, core: HardCore | None) -> Section:
    """Return the verdict of the fit with its certificate."""
    fit = subject.fit
    objective = [float(value) for value in fit.objective if math.isfinite(value)]
    rows: list[tuple[Any, Any]] = [("how it ended", given(fit.message, 400))]
    if objective:
        words = ", ".join(number(value, 6) for value in objective[:5])
        more = f" and {len(objective) - 5:,} more" if len(objective) > 5 else ""
        rows.append(("objective", words + more))
    rows.append(("certified gap", _gap(subject)))
    parts = [facts(rows)]
    if data is not None and data.codes is not None:
        parts += [tag("h3", "What these data forbid"), _forbidden(subject, data)]
    if core is not None:
        parts += [tag("h3", "The hard core"), _core(core)]
    else:
        parts.append(
            note(
                tag("code", "tauboost inspect DATA --verdict"),
                " and ",
                tag("code", "tb.hard_core"),
                " say of two classes whether an optimum without penalty exists, and which rows "
                "contradict each other, with a proof that anybody can check.",
            )
        )
    return Section("proof", "Verdict and certificate", join(parts))


def _gap(subject: Subject) -> str:
    record = subject.record
    if record is None or record.gap is None:
        return (
            "none: the model was not fitted to an optimum whose distance could be bounded, or an "
            "older version wrote it"
        )
    return (
        f"{number(record.gap)}: no other coefficients have an objective that is lower by more. "
        "The bound is arithmetic on the data of the fit, which anybody can repeat."
    )


def _forbidden(subject: Subject, data: Data) -> Markup:
    """Say how many rows no model of these columns can get right."""
    assert data.codes is not None
    found = contradictions(data.rows.prints, data.codes)
    word = subject.row_word
    if not found.n_rows:
        return paragraph(
            f"No two {word}s are the same to the model and have different labels: nothing in the "
            f"data forbids a model that gets every {word} right."
        )
    labels = subject.labels
    said = paragraph(
        f"{found.n_rows:,} {word}s are the same to the model as others with another label. "
        f"Whatever its weights, a model of these columns gets at least {found.n_errors:,} of "
        f"{data.rows.n:,} wrong ({percent(found.n_errors / data.rows.n, 2)})."
    )
    lines = []
    for group in found.groups:
        counts = np.bincount(data.codes[group], minlength=len(labels))
        who = ", ".join(f"{k + data.first:,}" for k in group[:MOST_OF_A_GROUP])
        more = f" and {len(group) - MOST_OF_A_GROUP:,} more" if len(group) > MOST_OF_A_GROUP else ""
        kinds = [
            part
            for code in np.flatnonzero(counts)
            for part in (f"{counts[code]:,} × ", given(labels[code], 30), "  ")
        ]
        lines.append(tag("li", f"{word}s {who}{more}: ", *kinds))
    return join([said, tag("ul", *lines)])


def _core(core: HardCore) -> Markup:
    return facts(
        [
            ("verdict", given(core.message, 400)),
            ("proof", given(str(core.verify()), 400)),
            ("hard core", f"{int(np.count_nonzero(core.core)):,} rows"),
            ("separated", f"{int(np.count_nonzero(core.separated)):,} rows"),
        ]
    )


def cautions(subject: Subject, data: Data | None, quality: Quality | None) -> list[str]:
    """Return what there is to warn of, in sentences."""
    record, found = subject.record, list[str]()
    if record is not None and record.caution:
        found.append(f"The fit warned: {record.caution}.")
    if data is not None and data.trained is not None and are_trained_on(data.trained):
        found.append(_of_training_rows(subject, data.trained))
    if quality is not None:
        found += _of_quality(subject, quality)
    return found


def _of_training_rows(subject: Subject, trained: Estimate) -> str:
    word = subject.row_word
    if trained.low == 1.0:
        start = "The model was fitted on these very rows: what is measured here is what it "
    else:
        start = f"The model was trained on {how_many(trained)}these {word}s, which it "
    return (
        f"{start}remembers. Give {word}s that it has not seen; after tauboost fit --test 0.2, "
        "tauboost report --test 0.2 takes them from the same data."
    )


def _of_quality(subject: Subject, quality: Quality) -> list[str]:
    found = []
    if quality.n < FEW:
        found.append(f"{quality.n:,} {subject.row_word}s tell little: look at the bands.")
    absent = int(np.count_nonzero(quality.counts == 0))
    if absent:
        found.append(f"{absent:,} of the classes are not among these {subject.row_word}s.")
    if quality.log_loss.low > quality.guess_loss:
        found.append("Its probabilities are worse than always saying the shares of the classes.")
    off = [
        b for one in quality.classes for b in one.bins if _is_off(b.said, b.true.low, b.true.high)
    ]
    total = sum(len(one.bins) for one in quality.classes)
    if quality.n >= FEW and total and len(off) > 0.4 * total:
        found.append(
            "Its probabilities are off: in many bins of the calibration curve what is said does "
            "not come true as often. calibration='sigmoid' may help, where the classifier has it."
        )
    return found


def _is_off(said: float, low: float, high: float) -> bool:
    return not low - 0.01 <= said <= high + 0.01


def warnings_section(found: list[str]) -> Section:
    """Return the warnings, or that there are none."""
    if not found:
        return Section("warnings", "Warnings", paragraph("None."))
    return Section("warnings", "Warnings", tag("ul", *[tag("li", text) for text in found]))
