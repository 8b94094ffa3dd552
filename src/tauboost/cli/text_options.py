"""The options of ``tauboost fit`` and ``predict`` that are about texts."""

import re
from enum import StrEnum
from typing import Annotated, Any

import typer

__all__ = [
    "Analyzer",
    "Errors",
    "Format",
    "FormatName",
    "Hash",
    "MaxBytes",
    "MinDf",
    "Ngrams",
    "Text",
    "of_texts",
]


class Format(StrEnum):
    """The kinds of files that hold texts, by name."""

    jsonl = "jsonl"
    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arrow = "arrow"
    fasttext = "fasttext"
    lines = "lines"


Text = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="Texts: the field or column that holds them."),
]
FormatName = Annotated[
    Format | None,
    typer.Option("--format", help="Texts: what DATA is; by its name or first bytes if not given."),
]


class OnErrors(StrEnum):
    """What becomes of lines that are not UTF-8, by name."""

    end = "strict"
    mend = "replace"
    leave_out = "skip"


Errors = Annotated[
    OnErrors | None,
    typer.Option(
        help="Texts: what becomes of a line that is not UTF-8: an error (strict, if not given), "
        "bad bytes replaced, or left out (skip; of plain lines, taken for an empty text).",
    ),
]
Ngrams = Annotated[
    str | None,
    typer.Option(metavar="RANGE", help="Texts: words in a row that are a feature, as in 1-2 or 1."),
]


class AnalyzerName(StrEnum):
    """What is counted, by name."""

    word = "word"
    char_wb = "char_wb"
    char = "char"


Analyzer = Annotated[
    AnalyzerName | None,
    typer.Option(
        help="Texts: what --ngrams counts: words, or characters, within words (char_wb) or across."
    ),
]
MinDf = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Texts: leave out features that fewer texts have; below 1, a part of the texts.",
    ),
]
Hash = Annotated[
    int | None,
    typer.Option(
        "--hash",
        metavar="N",
        help="Texts: hash words to N features in place of a vocabulary; a feature is whether a "
        "word is there. Texts are read in parts, so they may be larger than the memory.",
    ),
]


MaxBytes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Texts: the largest file of the model; words that matter least are left out.",
    ),
]


def of_texts(wishes: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that the options of texts stand for."""
    found: dict[str, Any] = {}
    if wishes["--ngrams"] is not None:
        found["ngram_range"] = _range(wishes["--ngrams"])
    if wishes["--analyzer"] is not None:
        found["analyzer"] = str(wishes["--analyzer"])
    if wishes["--min-df"] is not None:
        found["min_df"] = _share(wishes["--min-df"])
    if wishes["--hash"] is not None:
        if wishes["--min-df"] is not None:
            raise ValueError("--min-df: hashed words are not counted one by one: leave it out")
        found["n_features"] = wishes["--hash"]
    return found


def _range(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d?)(?:-([1-9]\d?))?", text.strip(), re.ASCII)
    if found is None:
        raise ValueError(f"--ngrams must be as in 1-2, or 1, got {text!r}")
    return int(found[1]), int(found[2] or found[1])


def _share(text: str) -> float | str:
    if text == "auto":
        return text
    try:
        return int(text) if text.strip().isdecimal() else float(text)
    except ValueError:
        raise ValueError(f"--min-df must be a number or auto, got {text!r}") from None
