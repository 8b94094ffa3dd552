"""What is recorded, by section: by public names alone, so that it runs before and after a move."""

from __future__ import annotations

import bz2
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import tauboost as tb

from . import data
from .records import Records, numbers

FITTED = """coef_ intercept_ alpha_ l1_ratio_ loss_ n_iter_ objective_ held_out_loss_ message_
classes_ selection_ importances_ scores_ estimator_weights_ parallel_scale_""".split()  # noqa: SIM905
PATH = """alphas coefs intercepts objective n_nonzero n_sweeps cv_log_loss cv_accuracy gap
best_alpha""".split()  # noqa: SIM905
# Which keys of JSON depend on the machine or on the clock.
PASSING = re.compile(r"second|environment|^(path|out|how|ranges|files|plan|available)|_time$")
MEASURED = re.compile(r"second|sweep|fit_|read|build|peak|bytes$|tau$|threads|place|dominated|how")
METHODS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("exact", "exact-async", "pcdm", "pcdm-async", "accelerated", "lbfgs")},
    "pcdm, tau of 4": {"tau": 4},
    **{name: {} for name in ("fully-parallel", "greedy")},
    **{f"{name}, lipschitz": {"step": "lipschitz"} for name in ("fully-parallel", "greedy")},
}
KINDS = {"F64": "<f8", "I64": "<i8", "U64": "<u8", "I32": "<i4"}
ONE: dict[str, Any] = {"n_jobs": 1, "random_state": 0}
RUN: dict[str, Any] = {"n_threads": 1, "random_state": 0}


def solved(result: tb.Result) -> dict[str, Any]:
    """Return what a run of `solve` has to keep."""
    names = "lam intercept value objective gap n_epochs n_updates message"
    found = {name: getattr(result, name) for name in names.split()}
    return found | {"status": str(result.status), "trace": result.trace.objective}


def fitted(clf: Any, rows: Any) -> dict[str, Any]:
    """Return what a classifier learned, and what it makes of the first rows."""
    found = {name: getattr(clf, name) for name in FITTED if hasattr(clf, name)}
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(clf, method):
            found[method] = getattr(clf, method)(rows[:40])
    for k, term in enumerate(getattr(clf, "terms_", ())):
        found[f"term {k}"] = {n: getattr(term, n) for n in ("name", "scores", "weights", "band")}
    if hasattr(clf, "explain"):
        found["explain"] = explained(clf.explain(rows[0] if isinstance(rows, list) else rows[:1]))
    return found


def fits(records: Records, kind: Any, rows: Any, y: Any, variants: Mapping[str, Any]) -> None:
    """Record one fit for each set of options, of which some are those of `fit`."""
    for name, options in variants.items():
        with records.under(name):
            given = {k: v for k, v in options.items() if k in ("sample_weight", "groups")}
            kept = {k: v for k, v in options.items() if k not in given}
            records.add(fitted(kind(**ONE, **kept).fit(rows, y, **given), rows))


def explained(explanation: Any) -> dict[str, Any]:
    """Return the numbers of an explanation, in an order of their own: those that are not zero."""
    parts = getattr(explanation, "contributions", explanation)
    parts = parts.toarray() if sp.issparse(parts) else np.asarray(parts)
    found = {"contributions": np.sort(parts[parts != 0])}
    names = ("decisions", "probabilities", "intercepts")
    return found | {n: getattr(explanation, n) for n in names if hasattr(explanation, n)}


def same(make: Callable[[int], Any], *attributes: str) -> bool:
    """Return whether one thread and three give the same bits."""
    one, three = make(1), make(3)
    return all(
        np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(three, name)).tobytes()
        for name in attributes
    )


def solve(records: Records) -> None:
    for name, (X, y, options) in data.problems().items():
        with records.under(name):
            problem = tb.Problem(X, y, n_threads=1, **options)
            lam = np.cos(np.arange(problem.n_features))
            records.add(omega=problem.omega, lipschitz=problem.lipschitz, F=problem.value(lam))
            records.add(gradient=problem.gradient(lam))
            for method in METHODS:
                _methods(records, problem, method)
    X, y, options = data.problems()["real"]
    _sharded(records)
    for method in ("exact", "pcdm", "accelerated"):

        def run(k: int, method: str = method) -> tb.Result:
            problem = tb.Problem(X, y, n_threads=k, **options)
            return tb.solve(problem, method, alpha=1e-3, n_threads=k, random_state=0)

        with records.under(method):
            records.add({"on 1 and 3 threads": same(run, "lam", "objective")})


def _sharded(records: Records) -> None:
    """Record a problem that the core cuts into several shards, on one thread and on three."""
    X, y = data.sharded()
    for loss, method, k in product(
        ("exponential", "logistic"), ("exact", "fully-parallel"), (1, 3)
    ):
        with records.under(f"sharded/{loss}/{method}/{k} threads"):
            problem = tb.Problem(X, y, loss=loss, n_threads=k)
            alpha = 1e-5 if method == "exact" else 0.0
            options = {"alpha": alpha, "n_threads": k, "random_state": 0}
            records.add(solved(tb.solve(problem, method, max_epochs=6, **options)))


def _methods(records: Records, problem: tb.Problem, method: str) -> None:
    name = method.partition(",")[0]
    for penalty, options in data.PENALTIES.items():
        with records.under(f"{method}/{penalty}"):
            run = options | METHODS[method] | RUN
            records.add(solved(tb.solve(problem, name, max_epochs=25, **run)))
    if method not in ("exact", "pcdm"):
        return
    with records.under(f"{method}/gap and factors"):
        factors = np.linspace(0.5, 2, problem.n_features)
        more = {"alpha": 0.02, "penalty_factors": factors, "gap": 1e-6}
        records.add(solved(tb.solve(problem, method, max_epochs=500, **more, **RUN)))


def tables_solved(records: Records) -> None:
    frame, y = data.table()
    for loss in ("exponential", "logistic"):
        problem = tb.TableProblem(frame, y, loss=loss, n_threads=1)
        for method in ("exact", "greedy"):
            for alpha in (0.0, 0.01):
                with records.under(f"{loss}/{method}/{alpha}"):
                    found = tb.solve(problem, method, alpha=alpha, max_epochs=40, **RUN)
                    records.add(solved(found))


def theory(records: Records) -> None:
    for tau in (1, 2, 16, 100):
        n, omega, m = 100, 20, 500
        with records.under(str(tau)):
            records.add(beta=tb.beta(n, omega, tau, m), speedup=tb.speedup(n, omega, tau, m))
            records.add(first_beta=tb.beta(n, omega, tau, m, overlap_weights=False))
    for name, (X, y, options) in data.problems().items():
        with records.under(f"hard core/{name}"):
            core = tb.hard_core(tb.Problem(X, y, n_threads=1, **options), n_threads=1)
            records.add(verdict=str(core.verdict), core=core.core, lam=core.lam, w=core.w)
            records.add(margin=core.margin, contradictions=core.contradictions)


def sparse(records: Records) -> None:
    X, y = data.classes(2)
    variants: dict[str, Any] = {
        "default": {},
        "given": {"alpha": 1e-2},
        "exponential": {"loss": "exponential"},
        "auto": {"loss": "auto", "l1_ratio": "auto"},
        "lasso": {"l1_ratio": 1.0},
        "early stopping": {"early_stopping": True},
        "calibration": {"calibration": "sigmoid"},
        "unscaled": {"penalty_factors": None},
        "balanced": {"class_weight": "balanced", "fit_intercept": False},
        "weights": {"sample_weight": 1.0 + np.arange(len(y)) % 3},
        "groups": {"groups": np.arange(len(y)) // 10},
    }
    fits(records, tb.TauBoostClassifier, X, y, variants)
    Z, z = data.classes(3)
    variants = {"3 classes": {}, "3 classes, exponential": {"loss": "exponential"}}
    fits(records, tb.TauBoostClassifier, Z, z, variants)
    grid = {"cv": 3, "n_alphas": 6, "l1_ratio": [0, 0.5]}
    variants = {f"CV, {rule}": grid | {"rule": rule} for rule in ("best", "one-se")}
    fits(records, tb.TauBoostClassifierCV, X, y, variants)
    fits(records, tb.AdaBoostPLClassifier, X, y, {"AdaBoost.PL": {"n_estimators": 20}})
    fits(records, tb.PAdaBoostClassifier, X, y, {"P-AdaBoost": {"n_estimators": 20}})
    grid = {"cv": 3, "certify": True, "n_alphas": 8}
    for ratio in (0.0, 1.0):
        with records.under(f"path/{ratio:g}"):
            path = tb.regularization_path(X, y, l1_ratio=ratio, **grid, **ONE)
            records.add({name: getattr(path, name) for name in PATH})

    def fit(k: int) -> Any:
        return tb.TauBoostClassifier(n_jobs=k, random_state=0).fit(Z, z)

    records.add({"on 1 and 3 threads": same(fit, "coef_", "intercept_", "alpha_")})


def tables(records: Records) -> None:
    frame, y = data.table()
    variants: dict[str, Any] = {
        "default": {},
        "pairs": {"interactions": [("x2", "town")], "alpha": 1e-3},
        "monotone": {"monotone": {"x0": 1}, "max_bins": 16},
        "exponential": {"loss": "exponential", "interactions": 1},
        "elastic": {"l1_ratio": 0.5, "class_weight": "balanced", "penalty_factors": {"x0": 0.1}},
        "bands": {"bands": 0.9, "interactions": 0},
    }
    fits(records, tb.TableClassifier, frame, y, variants)
    fits(records, tb.TableClassifier, frame.iloc[:, :4], y, {"numbers": {"interactions": 0}})
    fits(records, tb.TableClassifier, frame, data.table(3)[1], {"3 classes": {}})

    def fit(k: int) -> Any:
        return tb.TableClassifier(n_jobs=k, random_state=0).fit(frame, y)

    records.add({"on 1 and 3 threads": same(fit, "intercept_", "importances_", "alpha_")})
    card = fit(1).to_scorecard()
    records.add(scorecard={"factor": card.factor, "points": card.score(frame[:40])})


def texts(records: Records) -> None:
    given, y = data.texts()
    variants: dict[str, Any] = {
        "default": {},
        "characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
        "hashed": {"n_features": 1024, "norm": None},
        "lasso": {"l1_ratio": 1.0, "min_df": 3, "calibration": "sigmoid"},
    }
    fits(records, tb.TextClassifier, given, y, variants)
    fits(records, tb.TextClassifier, *data.texts(3), {"3 classes": {}})
    variants = {
        "words": {},
        "idf": {"use_idf": True, "sublinear_tf": True, "stop_words": "english"},
        "pairs": {"ngram_range": (1, 2), "min_df": 2},
        "hashed": {"n_features": 512},
        "characters": {"analyzer": "char"},
    }
    for name, options in variants.items():
        with records.under(f"vectorizer/{name}"):
            vectorizer = tb.TextVectorizer(n_jobs=1, **options)
            X = vectorizer.fit_transform(given).sorted_indices()
            records.add(data=X.data.astype(float), indices=X.indices, indptr=X.indptr)
            if "n_features" not in options:
                records.add(terms=vectorizer.get_feature_names_out())


def files(records: Records) -> None:
    X, y = data.classes(2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump_svmlight_file(X, y, str(folder / "a.svm"), zero_based=False)
        (folder / "a.svm.bz2").write_bytes(bz2.compress((folder / "a.svm").read_bytes()))
        for file in ("a.svm", "a.svm.bz2"):
            read, labels = tb.load_svmlight(folder / file)
            records.add({file: {"indices": read.indices, "data": read.data, "y": labels}})
        sp.save_npz(folder / "a.npz", X)
        np.save(folder / "y.npy", y)
        tb.convert(folder / "a.svm", folder / "a.store")
        tb.convert(folder / "a.npz", folder / "b.store", labels=folder / "y.npy")
        for path in sorted(folder.glob("*.store/*.npy")):
            records.add({f"{path.parent.name}/{path.name}": np.load(path)})
        frame, codes = data.table()
        given, labels = data.texts()
        for model, rows in (
            (tb.TauBoostClassifier(alpha=1e-2, **ONE).fit(X, y), X[:40]),
            (tb.TableClassifier(alpha=1e-2, **ONE).fit(frame, codes), frame[:40]),
            (tb.TextClassifier(alpha=1e-2, **ONE).fit(given, labels), given[:40]),
        ):
            with records.under(type(model).__name__):
                _model(records, model, rows, folder / "a.model")


def _model(records: Records, model: Any, rows: Any, path: Path) -> None:
    """Record a model file: its bytes, its arrays (it is a file of safetensors), what it answers."""
    tb.save_model(model, path)
    records.add(file=path.read_bytes(), proba=tb.load_model(path).predict_proba(rows))
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    for name, entry in json.loads(content[8:start]).items():
        if name != "__metadata__":
            kind = KINDS.get(entry["dtype"], "u1")
            first, last = (start + offset for offset in entry["data_offsets"])
            records.add({f"array {name}": np.frombuffer(content[first:last], kind)})
    html = tb.report(tb.load_model(path), rows, model.predict(rows)).html
    records.add({"report": html.encode(), "numbers of the report": numbers(html)})


def command_line(records: Records) -> None:
    X, y = data.classes(2)
    frame, labels = data.table()
    given, opinions = data.texts()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump_svmlight_file(X, y, str(folder / "a.svm"), zero_based=False)
        frame.assign(label=labels).to_csv(folder / "t.csv", index=False)
        lines = [json.dumps({"text": t, "label": o}) for t, o in zip(given, opinions, strict=True)]
        (folder / "w.jsonl").write_text("\n".join(lines))
        kinds = {
            "a.svm": (),
            "t.csv": ("--label", "label"),
            "w.jsonl": ("--text", "text", "--label", "label"),
        }
        for file, fields in kinds.items():
            with records.under(file):
                model = f"{file}.model"
                run = [("fit", file, *fields, "--test", "0.25", "--out", model, "--threads", "1")]
                run += [("predict", model, file, "--proba", "--out", "p.txt", "--metrics")]
                run += [("inspect", model), ("report", model, file, "--out", "r.html")]
                for arguments in run:
                    records.add({arguments[0]: tauboost(folder, *arguments)})
                page = (folder / "r.html").read_text()
                records.add(proba=np.loadtxt(folder / "p.txt"), page=page.encode())
                records.add({"numbers of the page": numbers(page)})
        records.add(inspect=tauboost(folder, "inspect", "a.svm"))
        records.add(convert=tauboost(folder, "convert", "a.svm", "s"))
        records.add(columns=tauboost(folder, "inspect", "t.csv", "--label", "label"))
        records.add(verdict=tauboost(folder, "inspect", "a.svm", "--verdict"))
        records.add(plan=_kept(tauboost(folder, "inspect", "a.svm", "--plan"), MEASURED))
        methods = ("--methods", "exact,pcdm,greedy,lbfgs", "--max-epochs", "5", "--threads", "1")
        records.add(compare=tauboost(folder, "compare", "a.svm", *methods, "--time-limit", "60"))


def tauboost(folder: Path, *arguments: str) -> Any:
    """Return the JSON that the command prints, without what depends on machine and clock."""
    command = [sys.executable, "-m", "tauboost", *arguments, "--json"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        return {"exit code": ran.returncode, "error": ran.stderr}
    return _kept(json.loads(ran.stdout), PASSING)


def _kept(value: Any, passing: re.Pattern[str]) -> Any:
    if isinstance(value, Mapping):
        return {k: _kept(v, passing) for k, v in value.items() if not passing.search(k)}
    return [_kept(entry, passing) for entry in value] if isinstance(value, list) else value


def dask(records: Records) -> None:
    """A cluster of two workers in this process, beside the same fits here."""
    from distributed import Client

    import tauboost.dask as td

    given = {"alpha": 1e-2, "tol": 1e-8, "random_state": 0}
    X, y = data.classes(2)
    frame, labels = data.table()
    words, opinions = data.texts()
    pairs = (
        ("sparse", tb.TauBoostClassifier, td.TauBoostClassifier, X, y),
        ("table", tb.TableClassifier, td.TableClassifier, frame, labels),
        ("text", tb.TextClassifier, td.TextClassifier, words, opinions),
    )
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with Client(**options, dashboard_address=None, set_as_default=False) as client:
        for name, here, there, rows, target in pairs:
            for kind, choice in (("given", given), ("chosen", {"random_state": 0})):
                with records.under(f"{name}/{kind}"):
                    local = here(n_jobs=1, **choice).fit(rows, target)
                    parts = [(rows[a:b], target[a:b]) for a, b in ((0, 200), (200, len(target)))]
                    far = there(client=client, n_parts=2, **choice).fit(parts).to_local()
                    one, other = (clf.decision_function(rows[:40]) for clf in (local, far))
                    records.add(here=one, there=other, alpha=far.alpha_, message=far.message_)
                    records.add(near=bool(np.abs(one - other).max() < 1e-3))
        with records.under("solve"):
            parts = [(X[:300], y[:300]), (X[300:], y[300:])]
            records.add(solved(td.solve(client, parts, alpha=0.01, random_state=0)))


def real(records: Records) -> None:
    """Default fits of real data, where TAUBOOST_DATA has them."""
    import pandas as pd

    for name in ("sms_spam.svm.xz", "a9a.xz"):
        if path := data.real(name):
            fits(records, tb.TauBoostClassifier, *tb.load_svmlight(path), {name: {}})
    if path := data.real("tables/telco.csv.xz"):
        frame = pd.read_csv(path)
        fits(records, tb.TableClassifier, frame, frame.pop("target"), {path.name: {}})
    if path := data.real("texts/imdb_train.jsonl.xz"):
        frame = pd.read_json(path, lines=True, nrows=2000)
        fits(records, tb.TextClassifier, frame.text.tolist(), frame.label, {path.name: {}})


SECTIONS: dict[str, Callable[[Records], None]] = {
    "solve": solve,
    "table problems": tables_solved,
    **{f.__name__: f for f in (theory, sparse, tables, texts, files)},
    "command line": command_line,
    **{f.__name__: f for f in (dask, real)},
}


def record(names: list[str] | None = None) -> dict[str, Any]:
    """Return the records of some sections, all by default, with one line each on the way."""
    records = Records()
    for name in names or SECTIONS:
        before = len(records.found)
        with records.under(name):
            SECTIONS[name](records)
        print(f"{name}: {len(records.found) - before} records", file=sys.stderr, flush=True)
    return records.found
