"""``tauboost convert``: files, larger than memory if need be, to a store."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import io
from ..io.table_files import NO_TEXT, kind_by_name
from .arguments import AsJson, Threads
from .data import rows_in, source_of
from .outputs import check_apart
from .terminal import Console

__all__ = ["EXAMPLES", "convert"]

EXAMPLES = """Examples:

tauboost convert w8a.xz w8a.store

tauboost convert day*.svm days.store --threads 2

tauboost convert words.npz words.store --labels labels.npy

zstdcat data.svm.zst | tauboost convert - data.store"""

# One list: two arguments would take the only path given for the store, and miss the data.
Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA... STORE",
        help="Data: svmlight text (plain, gz, bz2, xz or zst), sparse .npz, Parquet or Arrow; "
        "several files become one store; - is standard input. Last, the store to make: a folder.",
        show_default=False,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A .npy file of labels, in place of those in DATA."),
]
Features = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Number of features; the largest index if not given."),
]
ZeroBased = Annotated[
    bool | None,
    typer.Option(
        "--zero-based/--one-based",
        help="What indices count from; found out if not given.",
        show_default=False,
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a store of that name.")]


def convert(
    paths: Paths,
    labels: Labels = None,
    n_features: Features = None,
    zero_based: ZeroBased = None,
    threads: Threads = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Convert data files to a store, which opens in milliseconds.

    Works through files larger than the memory. Nothing is found under the name of the store before
    it is complete.
    """
    started = time.perf_counter()
    *data, store = paths
    if not data:
        raise ValueError(
            f"Missing argument 'STORE': after {store}, give the store to make "
            "(see tauboost convert --help)"
        )
    check_apart([("STORE", store)], [*data, labels])
    try:
        made = io.convert(
            [_source(path) for path in data],
            store,
            labels=labels,
            n_features=n_features,
            zero_based="auto" if zero_based is None else zero_based,
            n_threads=threads,
            progress=True,
            overwrite=overwrite,
        )
    except ImportError as error:  # an optional package is missing: the message says which
        raise ValueError(str(error)) from None
    show_store(made, time.perf_counter() - started, as_json)


def _source(path: Path) -> Any:
    """Return a file to convert: rows, or matrices in formats of columns."""
    return rows_in(path) if kind_by_name(path) not in NO_TEXT else source_of(path)


def show_store(store: io.Store, seconds: float, as_json: bool) -> None:
    """Say what was made."""
    n_samples, n_features = store.shape
    if as_json:
        document: dict[str, Any] = {
            "path": str(store.path),
            "n_samples": n_samples,
            "n_features": n_features,
            "nnz": store.nnz,
            "labels": store.labels,
            "bytes": store.nbytes,
            "seconds": seconds,
        }
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
        return
    Console().print(
        f"wrote {store.path}: {n_samples:,} samples, {n_features:,} features, {store.nnz:,} "
        f"nonzeros, {store.nbytes / 1e6:,.1f} MB in {seconds:.1f} s",
        soft_wrap=True,
    )
