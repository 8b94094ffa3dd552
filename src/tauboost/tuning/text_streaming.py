"""Texts that need not fit the memory: words are hashed, and the rows go to a store on the disk.

A feature is whether one of the words, or runs of words, with its hash is in a text: entries without
values, which take 4 bytes each on the disk and little more in the matrix of the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..design.texts import TextFeatures
from ..io.store import open_store
from ..io.store_writer import StoreWriter
from ..parameters import TextParameters
from ..search.watch import Report, Watch
from ..validation import as_csr
from .fitting import fit
from .options import Options
from .text_fitting import with_time_left
from .text_model import TextModel
from .text_options import linear_part, text_options

__all__ = ["fit_stream", "for_streams"]


def for_streams(parameters: TextParameters) -> TextParameters:
    """Return the parameters by which texts are read once, and not kept."""
    if parameters.n_features is None:
        raise ValueError("n_features must be given: a stream of texts is hashed")
    return replace(parameters, binary=True, min_df=1, norm=None, sublinear_tf=False, use_idf=False)


def fit_stream(
    blocks: Iterable[list[str]],
    labels: Callable[[], NDArray[Any]],
    parameters: TextParameters,
    *,
    n_threads: int,
    report: Report | None = None,
) -> TextModel:
    """Fit to texts that come in blocks; their labels are asked for when all have come."""
    parameters = for_streams(parameters)
    linear = Options.of(linear_part(parameters))
    clock = Watch(linear.time_limit)
    features = TextFeatures(text_options(parameters, None), None)
    with TemporaryDirectory(prefix="tauboost-") as folder:
        path = Path(folder) / "rows"
        with StoreWriter(path, n_features=features.n_features) as writer:
            for texts in blocks:
                rows = features.rows(texts, n_threads)
                writer.append_arrays(rows.indptr, rows.indices, None, np.zeros(len(texts)))
        rows = as_csr(open_store(path))
        y = labels()
        model = fit(rows, y, with_time_left(linear, clock), n_threads=n_threads, report=report)
    return TextModel.fitted(features, model)
