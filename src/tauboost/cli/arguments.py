"""Arguments and options that several commands have; loading them takes no time."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "DataPaths", "Threads", "ZeroBased"]

DataPaths = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="svmlight file, a store, a table (CSV, TSV, Parquet, Arrow), texts (JSON lines, CSV, "
        "TSV, Parquet, Arrow, fastText's lines; several files), or - for standard input. Text may "
        "be compressed (gz, bz2, xz, zst).",
        show_default=False,
    ),
]
ZeroBased = Annotated[
    bool | None,
    typer.Option(
        "--zero-based/--one-based",
        help="What the indices of files count from; found out if not given.",
        show_default=False,
    ),
]
Threads = Annotated[int | None, typer.Option(metavar="N", help="Threads; all cores if not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
