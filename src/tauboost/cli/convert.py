"""``tauboost convert``: files, larger than memory if need be, to a store.

``tauboost generate`` makes sets with the shapes of the paper's data, at any size.
"""

from __future__ import annotations

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import io
from ..io.tables import NO_TEXT, kind_by_name
from ..kinds.source import opened, rows_in
from .options import AsJson, Threads, ZeroBased
from .outputs import check_apart
from .terminal import Console

__all__ = ["EXAMPLES", "convert", "generate"]


EXAMPLES = {
    "convert": """Examples:

tauboost convert w8a.xz w8a.store

tauboost convert day*.svm days.store --threads 2

tauboost convert words.npz words.store --labels labels.npy

zstdcat data.svm.zst | tauboost convert - data.store""",
    "generate": """Examples:

tauboost generate url --out url.store

tauboost generate url --scale 0.01 --format svmlight --out url.svm

tauboost generate w8a --out w8a.store --seed 7""",
}

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
    return rows_in(path) if kind_by_name(path) not in NO_TEXT else opened(path)


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


Set = StrEnum("Set", ["url", "w8a"])
FileKind = StrEnum("FileKind", ["store", "svmlight"])
Name = Annotated[
    Set,
    typer.Argument(
        metavar="url|w8a",
        help="url: like the URL reputation data, 2,396,130 × 3,231,961 with 277 million nonzeros. "
        "w8a: like w8a, 49,749 × 300.",
        show_default=False,
    ),
]
Out = Annotated[Path, typer.Option(metavar="PATH", help="The store, or text file, to make.")]
Scale = Annotated[
    float, typer.Option(metavar="X", help="Multiplies the samples and, of url, the features.")
]
FileFormat = Annotated[FileKind, typer.Option("--format", help="What to write.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the generator.")]
ReplaceAny = Annotated[bool, typer.Option("--overwrite", help="Replace what has that name.")]


def generate(
    name: Name,
    out: Out,
    scale: Scale = 1.0,
    file_format: FileFormat = FileKind.store,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: ReplaceAny = False,
    as_json: AsJson = False,
) -> None:
    """Generate a data set like one of the paper's, as a store or as svmlight text.

    The full url set takes a minute or less, 1 GiB of memory, and 1.4 GB of disk as a store or
    2.2 GB as text.
    """
    from ..datasets.files import generate_url, generate_w8a  # noqa: PLC0415

    started = time.perf_counter()
    options: dict[str, Any] = {
        "scale": scale,
        "random_state": seed,
        "as_text": file_format is FileKind.svmlight,
        "progress": True,
        "overwrite": overwrite,
    }
    if name is Set.url:
        generate_url(out, n_threads=threads, **options)
    else:
        generate_w8a(out, **options)
    seconds = time.perf_counter() - started
    if file_format is FileKind.store:
        show_store(io.open_store(out), seconds, as_json)
        return
    size = out.stat().st_size
    if as_json:
        typer.echo(json.dumps({"path": str(out), "bytes": size, "seconds": seconds}, indent=2))
    else:
        line = f"wrote {out}: {size / 1e6:,.1f} MB in {seconds:.1f} s"
        Console().print(line, soft_wrap=True)
