"""``tauboost generate``: sets with the shapes of the paper's data, at any size."""

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..datasets.files import generate_url, generate_w8a
from ..io import open_store
from .arguments import AsJson, Threads
from .convert import show_store
from .terminal import Console

__all__ = ["EXAMPLES", "generate"]

EXAMPLES = """Examples:

tauboost generate url --out url.store

tauboost generate url --scale 0.01 --format svmlight --out url.svm

tauboost generate w8a --out w8a.store --seed 7"""


class Set(StrEnum):
    """What can be generated."""

    url = "url"
    w8a = "w8a"


class Format(StrEnum):
    """What can be written."""

    store = "store"
    svmlight = "svmlight"


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
FileFormat = Annotated[Format, typer.Option("--format", help="What to write.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the generator.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what has that name.")]


def generate(
    name: Name,
    out: Out,
    scale: Scale = 1.0,
    file_format: FileFormat = Format.store,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Generate a data set like one of the paper's, as a store or as svmlight text.

    The full url set takes a minute or less, 1 GiB of memory, and 1.4 GB of disk as a store or
    2.2 GB as text.
    """
    started = time.perf_counter()
    options: dict[str, Any] = {
        "scale": scale,
        "random_state": seed,
        "as_text": file_format is Format.svmlight,
        "progress": True,
        "overwrite": overwrite,
    }
    if name is Set.url:
        generate_url(out, n_threads=threads, **options)
    else:
        generate_w8a(out, **options)
    seconds = time.perf_counter() - started
    if file_format is Format.store:
        show_store(open_store(out), seconds, as_json)
        return
    size = out.stat().st_size
    if as_json:
        typer.echo(json.dumps({"path": str(out), "bytes": size, "seconds": seconds}, indent=2))
    else:
        line = f"wrote {out}: {size / 1e6:,.1f} MB in {seconds:.1f} s"
        Console().print(line, soft_wrap=True)
