"""What was fitted on what, how the penalty was chosen, and what is proved of the outcome."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.messages import number, shown
from ..kinds.rows import NamedModel
from ..search.record import Record
from .html import (
    Cell,
    Markup,
    Section,
    facts,
    figure,
    given,
    how_many,
    join,
    note,
    paragraph,
    percent,
    table,
    tag,
)
from .intervals import Estimate
from .quality import Quality, ReportData, are_trained_on
from .rows_section import contradictions
from .svg import Picture

if TYPE_CHECKING:
    from ..certificates.hard_core import HardCore

__all__ = [
    "collect_warnings",
    "data_hash",
    "fit_section",
    "proof_section",
    "search_section",
    "warnings_section",
]


MOST_CLASSES = 30
# Parameters that say nothing of the model.
QUIET = frozenset({"n_jobs", "verbose", "warm_start"})
KINDS = {
    "TauBoostClassifier": "a linear model of sparse or dense columns",
    "TauBoostClassifierCV": "a linear model, its strength chosen by cross-validation",
    "TableClassifier": "a sum of step functions of columns, and of pairs of them",
    "TextClassifier": "a linear model of words and runs of words",
}


def fit_section(model: NamedModel, data: ReportData | None) -> Section:
    """Return what the model is, what it was fitted on, and by what."""
    fit, record = model.fit, model.record
    rows: list[tuple[Any, Any]] = [("kind", f"{model.estimator}: {KINDS.get(model.estimator, '')}")]
    rows.append((model.kind.columns_word, f"{model.n_columns:,}"))
    if record is not None:
        rows.insert(1, ("fitted on", f"{record.n_samples:,} {model.row_word}s"))
        rows.append(("hash of the data", data_hash(record)))
    rows.append(("loss", f"{fit.loss}, alpha {number(fit.alpha)}, l1 ratio {fit.l1_ratio:g}"))
    rows.append(("sweeps", f"{fit.n_iter:,}"))
    rows += _of_the_machine(model)
    parts = [facts(rows)]
    if record is None:
        parts.append(
            note("The model does not say what it was fitted on: an older version wrote it.")
        )
    if data is not None:
        parts.append(_of_data(model, data))
    parts += [tag("h3", "Classes"), _classes(model), _parameters(model)]
    return Section("fit", "What was fitted", join(parts))


def data_hash(record: Record) -> Markup:
    """Write the hash of the data of a fit, or why there is none."""
    if record.data_hash:
        return tag("code", record.data_hash)
    return join(["not taken: the rows stayed in parts on a cluster"])


def _of_the_machine(model: NamedModel) -> list[tuple[Any, Any]]:
    record = model.record
    if record is None:
        return []
    rows: list[tuple[Any, Any]] = []
    if record.seconds is not None:
        rows.append(("time of the fit", f"{record.seconds:.2f} s"))
    if record.peak_bytes is not None:
        rows.append(("memory", f"{record.peak_bytes / 1e6:,.0f} MB at most, of the whole process"))
    if record.seconds is None:
        rows.append(("time and memory", "not kept in files: the same fit gives the same file"))
    words = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    rows.append(("versions", given(words, 200)))
    return rows


def _of_data(model: NamedModel, data: ReportData) -> Markup:
    """Return the sentence on the data of the report."""
    record = model.record
    text = [f"This report looks at {data.rows.n:,} {model.row_word}s of ", given(data.name)]
    text += [", hash ", tag("code", data.hash)] if data.hash else [", without labels"]
    if record is not None and record.is_of(data.hash):
        text.append(": the very data of the fit")
    elif data.trained is not None and are_trained_on(data.trained):
        text.append(f": the model was trained on {how_many(data.trained)}them")
    elif record is not None and record.data_hash and data.hash:
        text.append(": other data than those of the fit")
    return paragraph(*text, ".")


def _classes(model: NamedModel) -> Markup:
    labels, record = model.labels, model.record
    total = sum(record.counts) if record is not None else 0
    rows = []
    for k, label in enumerate(labels[:MOST_CLASSES]):
        n = record.counts[k] if record is not None else 0
        known = (Cell(f"{n:,}", n), percent(n / max(total, 1))) if record is not None else ("", "")
        rows.append((given(label), *known))
    heads = ["class", f"{model.row_word}s of the fit", "share"]
    box = table("Classes", heads, rows, aligns="<>>", is_sorted=len(rows) > 2)
    more = len(labels) - MOST_CLASSES
    return join([box, note(f"And {more:,} more classes.") if more > 0 else None])


def _parameters(model: NamedModel) -> Markup:
    rows = [
        (tag("code", name), given(shown(value), 120))
        for name, value in sorted(model.params.items())
        if name not in QUIET
    ]
    inner = table("Parameters of the fit", ["parameter", "value"], rows, aligns="<<")
    return tag("details", tag("summary", "Parameters of the fit"), inner)


SIZE = (400, 270)

Lines = dict[str, list[tuple[float, float]]]


def search_section(model: NamedModel) -> Section:
    """Return how alpha was chosen."""
    fit, title = model.fit, "How the strength was chosen"
    if not fit.selection:
        how = (
            f"No candidates raced for alpha {number(fit.alpha)}: it was given, or too few rows "
            "were there to hold some out, or the model is from a file of an older version."
        )
        return Section("race", title, paragraph(how))
    alphas, pairs = _lines(fit.selection)
    chosen = min((loss for line in alphas.values() for _, loss in line), default=math.nan)
    words = (
        f"alpha {number(fit.alpha)} was chosen. Candidates of different strength were fitted to "
        "some rows and judged by their log-loss on others, which they had not seen; lower is "
        "better. The ring is the choice, which was then solved on all rows."
    )
    found = [_draw(alphas, "alpha (logarithmic)", (fit.alpha, chosen))]
    if pairs:
        best = min(next(iter(pairs.values())), key=lambda point: point[1])
        is_kept = model.terms is not None and any(t.kind == "pair" for t in model.terms)
        found.append(_draw(pairs, "smoothness of pairs", best if is_kept else None))
    parts = [paragraph(words), tag("div", *found, class_="pictures races")]
    if pairs and not is_kept:
        parts.append(note("Pairs of columns did not help by more than chance, and were left out."))
    parts.append(_candidates_table(alphas | pairs))
    return Section("race", title, join(parts))


def _lines(selection: list[dict[str, float | str]]) -> tuple[Lines, Lines]:
    """Return the least loss of each candidate by its alpha, and of pairs by their smoothness."""
    least: tuple[dict[str, dict[float, float]], dict[str, dict[float, float]]] = ({}, {})
    for row in selection:
        words = [f"l1 ratio {float(row['l1_ratio']):g}"]
        if "loss" in row:
            words.insert(0, f"{row['loss']} loss")
        smoothness = float(row.get("smoothness", math.inf))
        is_pair = math.isfinite(smoothness)  # all of them at the alpha that was chosen before
        key = "with pairs" if is_pair else ", ".join(words)
        at, loss = smoothness if is_pair else float(row["alpha"]), float(row["held_out_loss"])
        known = least[is_pair].setdefault(key, {})
        known[at] = min(loss, known.get(at, math.inf))
    alphas, pairs = ({key: sorted(found.items()) for key, found in some.items()} for some in least)
    return alphas, pairs


def _draw(lines: Lines, x_name: str, chosen: tuple[float, float] | None) -> Markup:
    """Draw the losses of candidates, and ring the choice."""
    points = [point for line in lines.values() for point in line if math.isfinite(point[1])]
    losses = np.array([loss for _, loss in points] or [1.0])
    # What is far worse than the rest would press the rest together.
    worst = losses.min() + 4.0 * max(float(np.median(losses) - losses.min()), 1e-6)
    rings = [] if chosen is None or not (chosen[0] > 0 and math.isfinite(chosen[1])) else [chosen]
    x = Picture.across([at for at, _ in [*points, *rings]], width=SIZE[0], is_log=True)
    y = Picture.upwards(losses[losses <= worst], height=SIZE[1])
    picture = Picture(f"Held-out log-loss against {x_name}", x, y, size=SIZE)
    picture.axes(x_name, "held-out log-loss")
    for k, line in enumerate(lines.values()):
        inside = [(at, loss) for at, loss in line if at > 0 and math.isfinite(loss)]
        class_ = f"kind{min(k, 3)}"
        picture.line([at for at, _ in inside], [loss for _, loss in inside], f"line {class_}")
        for at, loss in inside:
            picture.dot(at, loss, f"dot {class_}", 2.5)
    for at, loss in rings:
        picture.dot(at, loss, "ring", 6.0)
    caption: list[Any] = []
    for k, key in enumerate(lines):
        caption += [tag("span", "● ", class_=f"kind{min(k, 3)}"), f"{key}  "]
    if (losses > worst).any():
        caption.append("Dots at the upper edge are worse still.")
    return figure(picture.svg(), *caption)


def _candidates_table(lines: Lines) -> Markup:
    rows = [
        (key, Cell(number(at), at), Cell(f"{loss:.5f}" if math.isfinite(loss) else "none", loss))
        for key, line in lines.items()
        for at, loss in line
    ]
    heads = ["candidates", "alpha or smoothness", "held-out log-loss"]
    inner = table("Candidates of the race", heads, rows, aligns="<>>", is_sorted=True)
    return tag("details", tag("summary", f"The {len(rows)} candidates as a table"), inner)


MOST_OF_A_GROUP = 8
FEW = 200  # rows: fewer tell little


def proof_section(model: NamedModel, data: ReportData | None, core: HardCore | None) -> Section:
    """Return how the fit ended, with its certificate."""
    fit = model.fit
    objective = [float(value) for value in fit.objective if math.isfinite(value)]
    rows: list[tuple[Any, Any]] = [("how it ended", given(fit.message, 400))]
    if objective:
        words = ", ".join(number(value, 6) for value in objective[:5])
        more = f" and {len(objective) - 5:,} more" if len(objective) > 5 else ""
        rows.append(("objective", words + more))
    rows.append(("certified gap", _gap(model)))
    parts = [facts(rows)]
    if data is not None and data.codes is not None:
        parts += [tag("h3", "What these data forbid"), _forbidden(model, data)]
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


def _gap(model: NamedModel) -> str:
    record = model.record
    if record is None or record.gap is None:
        return (
            "none: the model was not fitted to an optimum whose distance could be bounded, or an "
            "older version wrote it"
        )
    return (
        f"{number(record.gap)}: no other coefficients have an objective that is lower by more. "
        "The bound is arithmetic on the data of the fit, which anybody can repeat."
    )


def _forbidden(model: NamedModel, data: ReportData) -> Markup:
    """Say how many rows no model of these columns can get right."""
    assert data.codes is not None
    found = contradictions(data.rows.prints, data.codes)
    word = model.row_word
    if not found.n_rows:
        return paragraph(
            f"No two {word}s are the same to the model and have different labels: nothing in the "
            f"data forbids a model that gets every {word} right."
        )
    labels = model.labels
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


def collect_warnings(
    model: NamedModel, data: ReportData | None, quality: Quality | None
) -> list[str]:
    """Return what there is to warn of, in sentences."""
    record, found = model.record, list[str]()
    if record is not None and record.caution:
        found.append(f"The fit warned: {record.caution}.")
    if data is not None and data.trained is not None and are_trained_on(data.trained):
        found.append(_of_training_rows(model, data.trained))
    if quality is not None:
        found += _of_quality(model, quality)
    return found


def _of_training_rows(model: NamedModel, trained: Estimate) -> str:
    word = model.row_word
    if trained.low == 1.0:
        start = "The model was fitted on these very rows: what is measured here is what it "
    else:
        start = f"The model was trained on {how_many(trained)}these {word}s, which it "
    return (
        f"{start}remembers. Give {word}s that it has not seen; after tauboost fit --test 0.2, "
        "tauboost report --test 0.2 takes them from the same data."
    )


def _of_quality(model: NamedModel, quality: Quality) -> list[str]:
    found = []
    if quality.n < FEW:
        found.append(f"{quality.n:,} {model.row_word}s tell little: look at the bands.")
    absent = int(np.count_nonzero(quality.counts == 0))
    if absent:
        found.append(f"{absent:,} of the classes are not among these {model.row_word}s.")
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
