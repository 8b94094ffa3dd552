"""``tauboost predict``: one prediction a line, for data of any size."""

from pathlib import Path
from typing import Annotated

import typer

from .arguments import AsJson, DataPaths, Threads
from .text_options import Errors, FormatName, Text

__all__ = ["EXAMPLES", "predict"]

EXAMPLES = """Examples:

tauboost predict spam.tauboost mails.svm > labels.txt

tauboost predict reviews.tauboost new.jsonl --proba > probabilities.txt

tail -f chat.log | tauboost predict reviews.tauboost -

tauboost predict adult.tauboost new.csv --proba --out probabilities.txt

tauboost predict spam.tauboost test.svm.xz --proba --metrics --out probabilities.txt

zcat mails.svm.gz | tauboost predict spam.tauboost - --decision | sort -g | tail"""

ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that fit wrote.", show_default=False)
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where to write; standard output if not given."),
]
Proba = Annotated[
    bool,
    typer.Option(
        "--proba",
        help="Probabilities in place of labels: that of the larger label, or, of more than two "
        "labels, one of each in ascending order.",
    ),
]
Decision = Annotated[
    bool, typer.Option("--decision", help="Decision values in place of labels, in the same way.")
]
Metrics = Annotated[
    bool,
    typer.Option("--metrics", help="Compare with the labels in DATA: AUC, accuracy, log-loss."),
]
# Not found out from the data: predictions begin before all of a stream has been read.
ZeroBased = Annotated[
    bool,
    typer.Option("--zero-based/--one-based", help="What the indices of files count from."),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="Texts, tables: what to compare with, if not that of the fit; needs --metrics.",
    ),
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Texts: what each word adds to the decision value, per text."),
]
KINDS = {
    "--proba": "predict_proba",
    "--decision": "decision_function",
    "--explain": "explain",
}


def predict(
    model: ModelPath,
    data: DataPaths,
    *,
    out: Out = None,
    proba: Proba = False,
    decision: Decision = False,
    with_metrics: Metrics = False,
    explain: Explain = False,
    text: Text = None,
    label: Label = None,
    kind: FormatName = None,
    errors: Errors = None,
    threads: Threads = None,
    zero_based: ZeroBased = False,
    as_json: AsJson = False,
) -> None:
    """Predict the label of every sample, one a line.

    Files are read in parts, so they may be larger than the memory. Indices count from 1 unless
    --zero-based says otherwise. Features that the model does not know are passed over.

    Columns of a table are found by their names; those that the model does not know, and the label,
    are passed over.

    Texts are looked for where the fit found them, unless --text says otherwise. A file without
    names is a text a line. So is standard input, unless its first line is a JSON object with
    the field of the fit: then it is JSON lines. Every line is answered at once.
    """
    wanted = {"--proba": proba, "--decision": decision, "--explain": explain}
    chosen = [option for option, is_given in wanted.items() if is_given]
    if len(chosen) > 1:
        raise ValueError(f"{' and '.join(chosen)}: choose one")
    what = KINDS[chosen[0]] if chosen else "predict"
    from .outputs import check_outputs  # noqa: PLC0415
    from .predict_data import Question, predict_data  # noqa: PLC0415

    check_outputs([("--out", out)], [model, *data])

    question = Question(data, text, label, kind, errors, what, with_metrics, threads, zero_based)
    predict_data(model, question, out, as_json)
