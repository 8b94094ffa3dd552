"""From texts and labels to a text model: the entry point of estimator and command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..io.store import open_store
from ..io.store_writer import StoreWriter
from ..parameters import LinearParameters, TextParameters
from ..search.options import Options
from ..search.search import Report, Watch
from ..sparse.design import all_coefficients, coefficients_of
from ..sparse.fitting import fit
from ..sparse.model import Model
from ..validation import as_csr, check_groups, check_weights, encode_labels
from ..validation.texts import take_texts
from .features import TextFeatures, learn, warn_of_few_words
from .model import TextModel
from .options import linear_part, text_options

__all__ = ["fit_stream", "fit_texts", "for_streams", "with_time_left"]


def fit_texts(
    texts: Any,
    y: NDArray[Any],
    parameters: TextParameters,
    *,
    n_threads: int,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    report: Report | None = None,
    last: TextModel | None = None,
) -> TextModel:
    """Fit a text classifier to texts and their checked labels.

    A weight of 0 leaves a text out, its words too; other weights are those of the fit, and each
    text counts once where words are counted. ``last`` is the model to start from.
    """
    linear = Options.of(linear_part(parameters))  # whatever is wrong is said before any work
    clock = Watch(linear.time_limit)
    texts = take_texts(texts)
    if not texts:
        raise ValueError("there are no texts to fit to")
    if len(texts) != len(y):
        raise ValueError(f"y has {len(y)} labels, and there are {len(texts)} texts")
    classes, codes = encode_labels(y)
    check_groups(groups, len(y))
    weights = check_weights(sample_weight, len(y))
    present = weights > 0
    if not present.all():
        if not np.bincount(codes[present], minlength=len(classes)).all():
            raise ValueError("sample_weight leaves no texts of some classes")
        texts, y, weights = list(compress(texts, present)), y[present], weights[present]
        groups = None if groups is None else np.asarray(groups)[present]
    features, rows = learn(texts, text_options(parameters, len(texts)), n_threads)
    warning = warn_of_few_words(features, texts, n_threads)
    model = fit(
        rows,
        y,
        with_time_left(linear, clock),
        n_threads=n_threads,
        sample_weight=None if sample_weight is None else weights,
        groups=groups,
        report=report,
        last=None if last is None else carried(last, features),
        units=None,  # the weights of terms are meant
    )
    if warning and model.record is not None:
        model = replace(model, record=replace(model.record, caution=warning))
    return TextModel.fitted(features, model)


def carried(last: TextModel, features: TextFeatures) -> Model:
    """Return the last model with its coefficients where the same terms are now; new ones have 0."""
    before, now = last.features, features
    if (before.terms is None) != (now.terms is None):
        raise ValueError("warm_start needs terms or hashes as the last fit had: fit anew")
    if before.terms is not None and now.terms is not None:
        _, old, new = before.terms.merged(now.terms)
    else:
        old = np.arange(before.n_features)
        old = old if before.kept is None else before.kept.astype(np.int64)
        new = old if now.kept is None else now.kept.astype(np.int64)
    _, here, there = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    there = old if now.terms is None and now.kept is None else there
    coef = all_coefficients(coefficients_of(last.model.coef, here), there, now.n_features)
    return replace(last.model, coef=coef)


def with_time_left(parameters: LinearParameters, clock: Watch) -> LinearParameters:
    """Return the parameters with the rest of the time."""
    return parameters if clock.left is None else replace(parameters, time_limit=clock.left)


# Texts that need not fit the memory: words are hashed, and the rows go to a store on the disk.
#
# A feature is whether one of the words, or n-grams, with its hash is in a text: entries
# without values, which take 4 bytes each on the disk and little more in the matrix of the fit.


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
