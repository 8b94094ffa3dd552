"""A fitted text classifier: what is counted in texts, and a linear model on it.

In its file, format version 3, numbers are stored in the narrowest type that holds every one of them
as it is, terms with what they share left out.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector, is_sparse
from ..io.model_arrays import NARROW, ArrayKind, Numbers, SortedStrings, check_array, count_rows
from ..io.model_file import Format, ModelFile
from ..io.tensors import excerpt, shared_prefixes
from ..models import Contributions, FittedModel
from ..sparse.design import coefficients_of
from ..sparse.model import Model
from ..validation import CsrArrays
from .features import TextFeatures
from .options import MOST_IN_A_TERM, MOST_LENGTHS, TextOptions
from .vocabulary import Terms

__all__ = ["OPTIONS", "TextModel", "TopTerm", "top_terms"]


TERMS, HASHES, KEPT = "terms", "hashes", "some hashes"  # what the features are
LARGEST_IDF = 1000.0  # 1 + the logarithm of a number of texts is far less
MOST_HASHES = 2**31  # fewer than these can be told apart
UNICODE = re.compile(r"\d{1,3}(\.\d{1,3}){1,3}", re.ASCII)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


def _is_share(value: Any) -> bool:
    return _is_count(value) or (type(value) is float and 0.0 <= value <= 1.0)


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, tuple) and len(value) == 2 and all(map(_is_count, value))
    if not is_pair or not value[0] <= value[1] <= MOST_IN_A_TERM:
        return False
    return bool(value[1] - value[0] < MOST_LENGTHS)


def _are_words(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(word, str) for word in value)


# What each of the options in a file may be that say what is counted.
OPTIONS: dict[str, Callable[[Any], bool]] = {
    "lowercase": _is_bool,
    "ngram_range": _is_range,
    "analyzer": lambda value: value in ("word", "char", "char_wb"),
    "token_pattern": lambda value: isinstance(value, str),
    "stop_words": _are_words,
    "min_df": _is_share,
    "max_df": _is_share,
    "max_features": lambda value: value is None or _is_count(value),
    "binary": _is_bool,
    "sublinear_tf": _is_bool,
    "use_idf": _is_bool,
    "smooth_idf": _is_bool,
    "norm": lambda value: value in (None, "l1", "l2"),
    "n_features": lambda value: value is None or (_is_count(value) and value < MOST_HASHES),
    "alternate_sign": _is_bool,
}


def _arrays(header: Mapping[str, Any]) -> dict[str, ArrayKind]:
    n = header["n_features"]
    found: dict[str, ArrayKind] = {"coef": Numbers(NARROW, (count_rows(header["n_classes"]), n))}
    if header["idf"]:
        found["idf"] = Numbers(NARROW, (n,))
    if header["features"] == KEPT:
        found["kept"] = Numbers(frozenset({"I32"}), (n,))
    elif header["features"] == TERMS:
        found["terms"] = SortedStrings(n)
    return found


def _check(file: ModelFile) -> None:
    arrays, options, n = file.arrays, file.header["options"], file.header["n_features"]
    if not isinstance(arrays["coef"], np.ndarray):
        # A sparse one could claim more features than memory holds.
        raise TypeError("coef of a text classifier must be an array")
    Model.format.check(file)
    _check_options(options)
    unicode = file.header["unicode"]
    if not isinstance(unicode, str) or not UNICODE.fullmatch(unicode):
        raise ValueError(f"unicode must be a version, got {excerpt(unicode)}")
    idf, terms, kept = (arrays.get(name) for name in ("idf", "terms", "kept"))
    _check_idf(idf, n, is_used=options["use_idf"])
    n_hashes = options["n_features"]
    if (terms is None) == (n_hashes is None) or (terms is not None and kept is not None):
        raise ValueError("a model has terms or hashes, not both")
    if terms is None:
        _check_hashes(kept, n, n_hashes)
    else:
        text, offsets = terms
        _check_terms(text, offsets, n)


def _check_options(options: dict[str, Any]) -> None:
    odd = sorted(map(str, options.keys() ^ OPTIONS.keys()))
    if odd:
        raise ValueError(f"options lacks, or should not have, {excerpt(odd)}")
    for name, accepts in OPTIONS.items():
        if not accepts(options[name]):
            raise ValueError(f"options says {excerpt(options[name])} for {name}")


def _check_idf(idf: Vector | None, n: int, *, is_used: bool) -> None:
    if (idf is not None) != is_used:
        raise ValueError("idf must be there if use_idf says so, and only then")
    if idf is None:
        return
    check_array(idf, np.float64, (n,), "idf")
    if not np.all((idf > 0) & (idf <= LARGEST_IDF)):
        raise ValueError(f"idf must be above 0 and at most {LARGEST_IDF:g}")


def _check_hashes(kept: NDArray[np.int32] | None, n: int, n_hashes: int) -> None:
    if kept is None:
        if n != n_hashes:
            raise ValueError(f"n_features must be {n_hashes}, got {n}")
        return
    check_array(kept, np.int32, (n,), "kept")
    ascends = np.all(kept[1:] > kept[:-1])  # differences might overflow
    if kept[0] < 0 or kept[-1] >= n_hashes or not ascends:
        raise ValueError(f"kept must ascend within 0..{n_hashes - 1}")


def _check_terms(text: NDArray[np.uint8], offsets: NDArray[np.int64], n: int) -> None:
    """Check text as UTF-8, in which half a pair of UTF-16 may be, and where each term begins."""
    check_array(offsets, np.int64, (n + 1,), "the offsets of terms")
    check_array(text, np.uint8, (len(text),), "the text of terms")
    if offsets[0] != 0 or offsets[-1] != len(text) or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError("the offsets of terms do not cut their text")
    try:
        text.tobytes().decode(errors="surrogatepass")
    except UnicodeDecodeError:
        raise ValueError("terms hold text that is not UTF-8") from None
    begins = offsets[:-1][offsets[:-1] < len(text)]
    if np.any(text[begins] & 0xC0 == 0x80):
        raise ValueError("the offsets of terms cut a character")
    shared, lengths = shared_prefixes(text, offsets), np.diff(offsets)
    goes_on = shared < lengths[:-1]  # else the first of two neighbours is where the second begins
    here, there = (offsets[:-2] + shared)[goes_on], (offsets[1:-1] + shared)[goes_on]
    is_shorter = shared < lengths[1:]
    if not is_shorter.all() or np.any(text[here] >= text[there]):
        raise ValueError("terms must ascend, and be different")


@dataclass(frozen=True, eq=False)
class TextModel(FittedModel):
    """Features of texts, and coefficients of them."""

    format = Format(
        3,
        Model.format.fields
        | {
            "coef": lambda value: value == "dense",
            "options": lambda value: isinstance(value, dict),
            "features": lambda value: value in (TERMS, HASHES, KEPT),
            "idf": lambda value: isinstance(value, bool),
            "unicode": lambda value: isinstance(value, str),
        },
        _arrays,
        _check,
    )
    kinds = ("TextClassifier",)

    features: TextFeatures
    model: Model

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels, in order."""
        return self.model.classes

    @property
    def loss(self) -> str:  # type: ignore[override]
        """The loss of the fit, which also says what decision values mean."""
        return self.model.loss

    @property
    def intercept(self) -> Vector:  # type: ignore[override]
        """The decision values of a text without a known word, (tasks,)."""
        return self.model.intercept

    @property
    def fit(self) -> Model:
        """The part that says how it was found."""
        return self.model

    def changed(self, **changes: Any) -> Self:
        """Return the model with other values in some fields, its own or those of the linear one."""
        features = changes.pop("features", self.features)
        return replace(self, features=features, model=replace(self.model, **changes))

    @classmethod
    def fitted(cls, features: TextFeatures, model: Model) -> TextModel:
        """Return the model of a fit; of very many hashes only those with a coefficient are kept."""
        if is_sparse(model.coef):
            used = np.unique(model.coef.indices) if model.coef.nnz else np.arange(1)
            features = features.select(used)
            model = replace(model, coef=coefficients_of(model.coef, used))
        return cls(features, model)

    def decisions(self, texts: Any, n_threads: int = 1) -> Vector:
        """Return the decision values, (texts, tasks)."""
        return self.model.decisions(self.features.rows(texts, n_threads), n_threads)

    def explain(self, rows: CsrArrays, class_: Any = None, n_threads: int = 1) -> Contributions:
        """Return what each term adds; ``rows``: those of ``features``."""
        return self.model.explain(rows, class_, n_threads)

    def to_arrays(
        self,
        params: Mapping[str, Any],
        names: Any = None,
        kind: str = "TextClassifier",
    ) -> ModelFile:
        """Return what a file holds."""
        features = self.features
        linear = self.model.to_arrays(
            {name: _plain(value) for name, value in params.items()}, names, kind
        )
        terms = features.terms
        own = {
            "terms": None if terms is None else (terms.text, terms.offsets),
            "kept": features.kept,
            "idf": features.idf,
        }
        header = {
            "version": self.format.version,
            "options": {name: _plain(value) for name, value in asdict(features.options).items()},
            "features": TERMS if terms is not None else HASHES if features.kept is None else KEPT,
            "idf": features.idf is not None,
            "unicode": unicodedata.unidata_version,
        }
        arrays = {name: array for name, array in own.items() if array is not None}
        return ModelFile(linear.header | header, linear.arrays | arrays)

    @classmethod
    def from_arrays(cls, file: ModelFile, *, trusted: bool = False) -> Self:
        """Make a model of what was read from a file; anything that does not fit is an error.

        A regular expression can be made to run for hours. Those that are not compiled are taken
        from data that is ``trusted`` only.
        """
        options = TextOptions(**file.header["options"]).checked()
        if not trusted and options.analyzer == "word" and not options.is_plain:
            raise ValueError(
                f"its token_pattern {options.token_pattern!r:.60} is a regular expression of its "
                "maker's: load_model(path, trusted=True) takes it, for a file that you trust"
            )
        terms, idf, kept = (file.arrays.get(name) for name in ("terms", "idf", "kept"))
        features = TextFeatures(options, None if terms is None else Terms(*terms), idf, kept)
        _warn_of_unicode(file.header["unicode"])
        return cls(features, Model.from_arrays(file))


def _plain(value: Any) -> Any:
    """Return a value as a file can hold it: a set as a list, a number of NumPy's as one."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    return value.item() if isinstance(value, np.generic) else value


def _warn_of_unicode(version: str) -> None:
    if version != unicodedata.unidata_version:
        warnings.warn(
            f"the model was made with Unicode {version}, and this Python has "
            f"{unicodedata.unidata_version}: words with letters that are new in one of them may be "
            "told apart differently",
            UserWarning,
            stacklevel=2,
        )


# The terms of a text model that speak most for each class.


class TopTerm(NamedTuple):
    """A term, or the number of a hash, and how much it contributes to a class."""

    term: str
    weight: float
    column: int


def top_terms(model: TextModel, k: int) -> list[list[TopTerm]]:
    """Return for each class the k terms with the largest weights above 0, the largest first."""
    found = []
    for code in range(len(model.classes)):
        weights = _weights(model, code)
        best = [int(i) for i in _largest(weights, k) if weights[i] > 0]
        found.append([TopTerm(_name(model, i), float(weights[i]), i) for i in best])
    return found


def _largest(values: Vector, k: int) -> NDArray[np.intp]:
    """Return the places of the k largest values, the largest first; the first of equal ones."""
    if k < len(values):
        least = np.partition(values, len(values) - k)[len(values) - k]
        places = np.flatnonzero(values >= least)  # not many more than k: all are never sorted
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")[:k]]


def _weights(model: TextModel, code: int) -> Vector:
    task, sign = (code, 1.0) if model.n_tasks > 1 else (0, 1.0 if code == 1 else -1.0)
    row = model.model.coef[[task]]
    return sign * np.asarray(row.toarray() if is_sparse(row) else row).ravel()


def _name(model: TextModel, column: int) -> str:
    features = model.features
    if features.terms is not None:
        return features.terms[column]
    return f"hash {column if features.kept is None else features.kept[column]}"
