"""Rows of indices and values, from svmlight text or a store: a linear model of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Mask, Vector, is_sparse
from ..base.messages import number, shown_label
from ..base.progress import progress_bar
from ..io.conversion import LabelledRows, row_blocks
from ..io.store import Store, open_store
from ..io.svmlight import load_svmlight
from ..sparse.design import nonzeros_of, only_features, without_unused_features
from ..validation import CsrArrays, as_csr
from .kind import Data, Fitted, Kind, PlainTable, Watch, facts_of
from .rows import MatrixRows, NamedModel
from .source import Source, is_in_a_store, is_table, name_of, naming, open_data, rows_in

if TYPE_CHECKING:
    from ..io.checkpoint import Checkpoint
    from ..io.model_file import ModelFile
    from ..sparse.model import Model

__all__ = ["KIND", "tau_table"]


NUMBERS_AT_ONCE = 2**20  # decision values: one for each row and, of more than two, class
MOST_WEIGHTS = 10
MOST_CLASSES = 10


class SparseRows(MatrixRows):
    """Rows of numbers."""

    def column_counts(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        total = np.zeros(len(columns), dtype=np.intp)
        with self.X.reading():
            for part in only_features(self.X, columns).parts:
                total += np.bincount(part.indices, minlength=len(columns) + 1)[:-1]
        return total


class SparseKind(Kind):
    """The adapter of rows of indices and values."""

    name = "sparse"
    has_names = True

    def fit(
        self,
        source: Source,
        test: str | None,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        watch: Watch,
    ) -> Fitted:
        """Fit a linear model."""
        from ..parameters import LinearParameters
        from ..search.options import Options
        from ..sparse.fitting import fit

        state = _open_checkpoint(
            options["checkpoint"], options["checkpoint_every"], given["time_limit"]
        )
        parameters = LinearParameters(**given)
        Options.of(parameters)  # a wrong option shall not wait for the data
        with watch.timed("reading"):
            train, tested = self.split_off(self.read(source), test, source, parameters.random_state)
        with naming(source.path), watch.fitting(source.name) as report:
            model = fit(
                train.X,
                train.y,
                parameters,
                n_threads=source.n_threads,
                report=report,
                checkpoint=state,
            )
        n_tasks, n_features = model.coef.shape
        scores = self.scores(model, tested, source.n_threads)
        document = {
            "name": source.name,
            "n_samples": train.X.shape[0],
            "n_features": train.X.shape[1],
            "nnz": train.X.nnz,
            **facts_of(model),
            "nonzero_weights": sum(len(nonzeros_of(model.coef, k)[0]) for k in range(n_tasks)),
            "weights": n_tasks * n_features,
            "message": model.message,
            "seconds": watch.seconds,
            "test": scores,
            "resumed": state is not None and state.is_resumed,
            "warnings": watch.warnings,
        }
        return Fitted(document, model.to_arrays(vars(parameters)), state)

    def summary(self, document: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
        data = (
            f"{document['n_samples']:,} samples, {document['n_features']:,} features, "
            f"{document['nnz']:,} nonzeros, {len(document['classes'])} classes"
        )
        found = f"{document['nonzero_weights']:,} of {document['weights']:,}"
        return data, [("nonzero weights", found)]

    def prints(self, X: CsrArrays, seed: int, n_threads: int) -> NDArray[np.uint64]:
        """Return fingerprints by the numbers of features that a fit would use.

        They are others than those of the fit, which holds out a part of the rest by its own.
        """
        from ..search.duplicates import fingerprints
        from ..sparse.training import FEATURES_FOR_AN_ENTRY

        used, _ = without_unused_features(X, FEATURES_FOR_AN_ENTRY)
        return fingerprints(used, seed + 2**40, n_threads)

    def select(self, X: CsrArrays, is_chosen: Mask) -> CsrArrays:
        return X.select(is_chosen)

    def decisions(self, model: Model, X: CsrArrays, n_threads: int) -> Vector:
        return model.decisions(X, n_threads)

    def read(self, source: Source, n_features: int | None = None) -> Data:
        data = open_data(source.path, source.threads, source.zero_based, n_features)
        return Data(as_csr(data), np.array(data.y))

    def read_test(self, source: Source, train: Data, as_text: Sequence[str]) -> Data:
        return self.read(source, train.X.shape[1])

    def read_for(self, saved: ModelFile, model: Model, source: Source, *, is_part: bool) -> Data:
        _refuse_table(source.path)
        return self.read(source, model.coef.shape[1])

    def answers(
        self, saved: ModelFile, model: Model, source: Source, *, with_labels: bool
    ) -> Iterator[tuple[Vector, NDArray[Any]]]:
        """Yield decision values and labels, a part of the data at a time."""
        _refuse_table(source.path)
        n_tasks, n_features = model.coef.shape
        step = max(1, NUMBERS_AT_ONCE // n_tasks)
        for block in _blocks(source, n_features):
            rows, y = as_csr(block), np.array(block.y)
            with rows.reading():
                for begin in range(0, len(y), step):
                    end = min(begin + step, len(y))
                    some = rows if len(y) <= step else rows.rows(begin, end)
                    yield model.decisions(some, source.n_threads), y[begin:end]

    def facts(self, saved: Any, model: Model) -> dict[str, Any]:
        return {
            "n_features": model.coef.shape[1],
            "weights": _largest(model, saved.feature_names),
            "nonzero_weights": int(
                np.count_nonzero(model.coef.data if is_sparse(model.coef) else model.coef)
            ),
        }

    def facts_table(self, facts: dict[str, Any]) -> PlainTable:
        heads = (("feature", "fold"), ("weight", "right"), ("above 0 speaks for", "left"))
        rows = [
            (entry["feature"], f"{entry['weight']:+.4g}", shown_label(entry["class"]))
            for entry in facts["weights"]
        ]
        return PlainTable(heads, rows)

    def inspect(
        self, source: Source, status: Callable[[str], AbstractContextManager[Any]], *, verify: bool
    ) -> dict[str, Any]:
        """Return the shape and the constants of data, and Theorem 1 for them."""
        path = source.path
        with naming(path):
            if is_in_a_store(path):
                facts = _store_facts(open_store(path), verify)
            else:
                facts = _file_facts(path, source.threads, status)
        rows = tau_table(facts["n_features"], facts["omega"], facts["n_samples"])
        return {"name": source.name, **facts, "tau_table": rows}

    def inspection(self, document: dict[str, Any]) -> Iterator[str | PlainTable]:
        yield PlainTable((), _fact_rows(document), document["name"])
        yield _tau_table(document["tau_table"])
        if document["warning"]:
            yield f"warning: {document['warning']}"

    def take(self, clf: Any, X: Any) -> CsrArrays:
        from ..estimators.base import take_rows

        return as_csr(take_rows(clf, X))

    def rows(self, model: NamedModel, X: CsrArrays, n_threads: int) -> SparseRows:
        return SparseRows(model, X, n_threads)

    def n_columns(self, model: Model) -> int:
        return int(model.coef.shape[1])

    def limits(self, model: NamedModel) -> str:
        return (
            f"A weighted sum of columns (strength alpha {number(model.fit.alpha)}): nothing that "
            "takes two columns together, unless a column holds it."
        )


KIND = SparseKind()


def _refuse_table(path: Path) -> None:
    if is_table(path):
        raise ValueError(
            f"{name_of(path)} is a table, and the model was fitted on rows of indices and values"
        )


def _open_checkpoint(
    folder: Path | None, every: float | None, time_limit: float | None
) -> Checkpoint | None:
    from ..io.checkpoint import SECONDS_BETWEEN, Checkpoint

    if folder is None:
        if every is not None:
            raise ValueError("--checkpoint-every: give --checkpoint FOLDER too")
        return None
    every = SECONDS_BETWEEN if every is None else every
    # A short run has something to show as well.
    return Checkpoint(folder, every if time_limit is None else min(every, time_limit / 4))


def _blocks(source: Source, n_features: int) -> Iterator[LabelledRows | Store]:
    """Yield the data in parts that fit the memory; a store, which is not read into it, in one."""
    path = source.path
    if is_in_a_store(path):
        yield open_store(path)
        return
    file = rows_in(path)
    size = path.stat().st_size if path.is_file() else None
    title = f"predicting {source.name}"
    with progress_bar(title, size, "MB", visible=True, scale=1e6) as show:
        for rows, n_read in row_blocks(
            file,
            n_features=n_features,
            zero_based=bool(source.zero_based),
            n_threads=source.threads,
        ):
            yield rows
            show(n_read)


def _largest(model: Model, names: Any) -> list[dict[str, Any]]:
    """Return the largest weights, with their features and classes."""
    coef = model.coef.tocoo() if is_sparse(model.coef) else None
    tasks, features = np.nonzero(model.coef) if coef is None else (coef.row, coef.col)
    values = model.coef[tasks, features] if coef is None else coef.data
    classes = model.classes.tolist()
    found = []
    for k in np.argsort(-np.abs(values), kind="stable")[:MOST_WEIGHTS].tolist():
        name = f"x{features[k]}" if names is None else names[features[k]]
        towards = classes[1 if len(classes) == 2 else tasks[k]]
        found.append({"feature": name, "weight": float(values[k]), "class": towards})
    return found


def _file_facts(
    path: Path, threads: int | None, status: Callable[[str], AbstractContextManager[Any]]
) -> dict[str, Any]:
    from ..paper.comparison import describe

    X, y = load_svmlight(rows_in(path), n_threads=threads, progress=True)
    with status(f"preparing {name_of(path)}"):
        X.eliminate_zeros()
        return describe([as_csr(X)], y)


def _store_facts(store: Store, verify: bool) -> dict[str, Any]:
    from ..paper.comparison import describe

    if verify:
        with progress_bar("verifying", store.nbytes, "MB", visible=True, scale=1e6) as show:
            store.verify(show)
    with progress_bar("reading", store.nnz, "million nonzeros", visible=True, scale=1e6) as show:

        def seen(n_entries: int) -> None:
            show(n_entries)
            store.release_memory()  # else the whole store would come to count as memory in use

        facts = describe(store.parts(), store.y, seen)
    return facts | {"store_bytes": store.nbytes, "source": store.source, "verified": verify}


def tau_table(n: int, omega: int, m: int) -> list[dict[str, float]]:
    """Evaluate Theorem 1 at tau = 1, 2, 4, ... 1024, then every fourth power, and n.

    With c_l as in the theorem, and with c_l = 1 as printed.
    """
    from ..paper.eso import beta

    taus, tau, rows = list[int](), 1, []
    while tau < n:
        taus.append(tau)
        tau *= 2 if tau < 1024 else 4
    for tau in (*taus, n):
        row: dict[str, float] = {"tau": tau}
        for kind, overlaps in (("", True), ("_printed", False)):
            row[f"beta{kind}"] = beta(n, max(omega, 1), tau, m, overlap_weights=overlaps)
            row[f"speedup{kind}"] = tau / row[f"beta{kind}"]
        rows.append(row)
    return rows


def _fact_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    L, total, classes = facts["lipschitz"], facts["n_samples"], facts["classes"]
    rows = [
        ("samples × features", f"{total:,} × {facts['n_features']:,}"),
        ("nonzeros", f"{facts['nnz']:,} (density {facts['density']:.3g})"),
        ("omega (longest row)", f"{facts['omega']:,}"),
    ]
    if L["smallest"] is not None:
        rows.append(("L (largest squares)", f"{L['smallest']:.6g} to {L['largest']:.6g}"))
    roles = ("negative class", "positive class") if len(classes) == 2 else ("class",) * MOST_CLASSES
    for role, entry in zip(roles, classes, strict=False):
        share = entry["count"] / total
        rows.append((role, f"{entry['label']:g}: {entry['count']:,} ({share:.2%})"))
    if len(classes) > MOST_CLASSES:
        rows.append(("", f"and {len(classes) - MOST_CLASSES:,} more classes"))
    shards = facts["matrix_shards"]
    in_shards = f"{shards} shard{'s' if shards > 1 else ''}"
    rows += [
        ("empty rows, columns", f"{facts['empty_rows']:,}, {facts['empty_columns']:,}"),
        ("columns in one class only", f"{facts['one_class_columns']:,}"),
        (
            "columns with, without values",
            f"{facts['valued_columns']:,}, {facts['value_free_columns']:,}",
        ),
        ("matrix in memory", f"{facts['matrix_bytes'] / 2**20:,.1f} MiB in {in_shards}"),
    ]
    if "store_bytes" in facts:
        verified = ", checksums right" if facts["verified"] else ""
        rows.append(("store on disk", f"{facts['store_bytes'] / 2**20:,.1f} MiB{verified}"))
    return rows


def _tau_table(rows: list[dict[str, Any]]) -> PlainTable:
    names = ("tau", "beta", "tau / beta", "beta, c_l = 1", "tau / that")
    numbers = [
        (f"{tau:,}", *(f"{value:,.3f}" for value in values))
        for tau, *values in (row.values() for row in rows)
    ]
    return PlainTable(
        [(name, "right") for name in names],
        numbers,
        "Speed-up of moving tau coordinates at once",
        "With c_l = 1 one gets the values printed in the paper.",
    )
