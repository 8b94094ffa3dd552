"""The model a fit chooses where rows repeat, against the best fixed alpha, on independent rows.

Categories, surveys, clicks, thin files, dominant patterns, oversampling, weights: what the split
into folds (search/folds.py) has to cope with. The excess is the log-loss of the self-chosen model
on 30,000 new rows of the same kind above that of the best alpha of a fine grid, which saw the new
rows. In `templates` rows repeat because they are observed again, always with the same label:
nobody can tell them from copies, and the split takes the safe side.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import log_loss, roc_auc_score

import common
import tauboost as tb

ALPHAS = 10.0 ** np.arange(-8.0, 0.6, 0.5)
N_NEW = 30_000
Rows = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, int], Rows]


def labels(rng: np.random.Generator, odds: np.ndarray) -> np.ndarray:
    """Draw labels with these log-odds."""
    return (rng.random(len(odds)) < 1 / (1 + np.exp(-odds))).astype(int)


def levels(
    counts: list[int], *, base: float = -0.3, spread: float = 1.0, skew: float = 0.0
) -> Draw:
    """Draw from categories, each level with an effect of its own."""
    fixed = np.random.default_rng(sum(counts) + len(counts))
    effects = [fixed.normal(size=k) * spread for k in counts]
    shares = [np.exp(-skew * np.arange(k)) for k in counts]

    def draw(rng: np.random.Generator, n: int) -> Rows:
        X = np.column_stack(
            [rng.choice(k, n, p=p / p.sum()) for k, p in zip(counts, shares, strict=True)]
        )
        odds = base + sum(effect[x] for effect, x in zip(effects, X.T, strict=True))
        return X.astype(float), labels(rng, odds)

    return draw


def thin(draw: Draw, share: float, odds: float) -> Draw:
    """Have a share of the rows all missing, with odds of their own."""

    def thinned(rng: np.random.Generator, n: int) -> Rows:
        X, y = draw(rng, n)
        is_thin = rng.random(n) < share
        X[is_thin] = np.nan
        y[is_thin] = labels(rng, np.full(is_thin.sum(), odds))
        return X, y

    return thinned


def dominated(draw: Draw, share: float, odds: float) -> Draw:
    """Have a share of the rows all alike, with odds of their own."""

    def dominant(rng: np.random.Generator, n: int) -> Rows:
        X, y = draw(rng, n)
        is_alike = rng.random(n) < share
        X[is_alike] = 0.0
        y[is_alike] = labels(rng, np.full(is_alike.sum(), odds))
        return X, y

    return dominant


def counts_of_late_payments(rng: np.random.Generator, n: int) -> Rows:
    """Draw small counts, most of them 0, and a rare class."""
    risk = rng.gamma(0.3, 2.0, n)
    X = np.minimum(rng.poisson(risk[:, None] * [0.5, 0.3, 0.2]), 12)
    return X.astype(float), labels(rng, -3.4 + 0.8 * np.log1p(risk))


def numbers(rng: np.random.Generator, n: int) -> Rows:
    """Draw rows that hardly repeat."""
    X = rng.normal(size=(n, 6)).round(2)
    return X, labels(rng, X[:, 0] - 0.7 * X[:, 1] + 0.5 * np.abs(X[:, 2]))


def templates(rng: np.random.Generator, n: int) -> Rows:
    """Rows of 200 patterns, each of which always has the same label."""
    fixed = np.random.default_rng(7)
    patterns = fixed.integers(0, 5, (200, 8))
    answers = labels(fixed, (patterns - 2.0) @ fixed.normal(size=8))
    which = rng.integers(0, 200, n)
    return patterns[which].astype(float), answers[which]


@dataclass(frozen=True)
class Set:
    """One kind of data: rows to learn from, and what new rows weigh."""

    draw: Draw
    n: int
    copies: Callable[[np.random.Generator, np.ndarray], np.ndarray] | None = None  # of each row
    as_weights: float = 0.0  # the copies are given as weights, times this
    positive_weight: float = 1.0  # of new rows
    is_ambiguous: bool = False

    def learning(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Any]:
        """Return rows, labels and weights to learn from."""
        X, y = self.draw(rng, self.n)
        if self.copies is None:
            return X, y, None
        times = self.copies(rng, y)
        if self.as_weights:
            return X, y, times * self.as_weights
        rows = np.repeat(np.arange(len(y)), times)
        return X[rows], y[rows], None


def at_random(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    """Copy rows drawn at random, four for each row there is."""
    return np.bincount(rng.integers(0, len(y), 4 * len(y)), minlength=len(y))


def six_of_the_minority(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:  # noqa: ARG001
    """Copy rows of the rarer class."""
    return np.where(y == 1, 6, 1)


def ages_and_towns(rng: np.random.Generator, n: int) -> Rows:
    """Draw from 124 patterns: sixteen rows of each in two thousand."""
    age, town = rng.integers(18, 80, n), rng.integers(0, 2, n)
    share = 0.1 + 0.5 * ((age > 30) & (age <= 50)) + 0.3 * town
    return np.column_stack([age, town]).astype(float), (rng.random(n) < share).astype(int)


SEGMENTS = levels([10])
SETS = {
    "segments": Set(SEGMENTS, 6000),
    "two categories": Set(levels([6, 6]), 4000),
    "three flags": Set(levels([2, 2, 2]), 5000),
    "clicks": Set(levels([2] * 8, skew=1.5), 5000),
    "survey, 6 questions": Set(levels([5] * 6, spread=0.5, skew=0.6), 3000),
    "survey, 12 questions": Set(levels([5] * 12, spread=0.3, skew=0.6), 3000),
    "thin files, 10 %": Set(thin(numbers, 0.1, 1.0), 4000),
    "thin files, 20 %": Set(thin(levels([6, 6, 6]), 0.2, -2.0), 4000),
    "one level at 90 %": Set(levels([12, 4], skew=2.3), 6000),
    "dominant pattern": Set(dominated(numbers, 0.5, -2.5), 6000),
    "repeats of two or three": Set(levels([8] * 4, spread=0.4), 3000),
    "ages and towns": Set(ages_and_towns, 2000),
    "late payments": Set(counts_of_late_payments, 10_000),
    "rare class": Set(levels([10, 3], base=-4.0), 10_000),
    "no repeats": Set(numbers, 3000),
    "copied at random": Set(numbers, 1000, at_random),
    "minority six times": Set(
        levels([8] * 4, base=-3.0, spread=0.5), 2000, six_of_the_minority, positive_weight=6.0
    ),
    "minority of numbers": Set(
        dominated(numbers, 0.2, -2.0), 1500, six_of_the_minority, positive_weight=6.0
    ),
    "weights are copies": Set(levels([4, 4, 4]), 2000, at_random, 1.0),
    "relative weights": Set(levels([10]), 6000, at_random, 0.37),
    "templates": Set(templates, 4000, is_ambiguous=True),
}


def one_hot(X: np.ndarray, known: list[np.ndarray]) -> Any:
    """Return a column for each value of each column; missing values have none."""
    blocks = [sp.csr_matrix(x[:, None] == values) for x, values in zip(X.T, known, strict=True)]
    return sp.hstack(blocks, format="csr", dtype=np.float64)


def binned(X: np.ndarray) -> np.ndarray:
    """Return tenths of the spread for columns of many values, so that they can be written out."""
    return X if len(np.unique(X[~np.isnan(X)])) < 50 else np.clip(np.round(X * 2) / 2, -2.5, 2.5)


def texts(X: np.ndarray) -> list[str]:
    """Return a word for each value."""
    rows = ([f"w{k}v{x:g}".replace("-", "m") for k, x in enumerate(row)] for row in binned(X))
    return [" ".join(row) for row in rows]


def forms(X: np.ndarray, new: np.ndarray) -> dict[str, tuple[Any, Any, Any]]:
    """Return for each kind of classifier how it is made, and the rows as it takes them."""
    coarse, coarse_new = binned(X), binned(new)
    known = [np.unique(x[~np.isnan(x)]) for x in coarse.T]
    sparse = one_hot(coarse, known), one_hot(coarse_new, known)
    return {
        "table": (lambda **o: tb.TableClassifier(interactions=0, random_state=0, **o), X, new),
        "sparse": (lambda **o: tb.TauBoostClassifier(random_state=0, **o), *sparse),
        "text": (lambda **o: tb.TextClassifier(random_state=0, **o), texts(X), texts(new)),
        "cross-validated": (_cross_validated, *sparse),
    }


def _cross_validated(alpha: float | None = None) -> Any:
    if alpha is None:
        return tb.TauBoostClassifierCV(random_state=0)
    return tb.TauBoostClassifier(alpha=alpha, random_state=0)


def excess(name: str, seed: int) -> list[dict[str, Any]]:
    """Fit every kind of classifier to one set, with the alpha it chooses and with fixed ones."""
    chosen = SETS[name]
    rng = np.random.default_rng([seed, *name.encode()])
    X, y, weights = chosen.learning(rng)
    new, answers = chosen.draw(rng, N_NEW)
    importance = np.where(answers == 1, chosen.positive_weight, 1.0)
    rows = []
    for kind, (make, given, unseen) in forms(X, new).items():

        def score(model: Any, given: Any = given, unseen: Any = unseen) -> tuple[float, float, str]:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                p = model.fit(given, y, weights).predict_proba(unseen)[:, 1]
            said = [str(w.message) for w in warned if issubclass(w.category, tb.FitWarning)]
            auc = roc_auc_score(answers, p, sample_weight=importance)
            return log_loss(answers, p, sample_weight=importance), auc, " ".join(said)

        auto = make()
        own, auc, said = score(auto)
        fixed = {alpha: score(make(alpha=float(alpha)))[0] for alpha in ALPHAS}
        best = min(fixed, key=lambda alpha: fixed[alpha])
        rows.append(
            {
                "set": name,
                "kind": kind,
                "log-loss": own,
                "best fixed": fixed[best],
                "excess": own - fixed[best],
                "auc": auc,
                "alpha": float(auto.alpha_),
                "best alpha": float(best),
                "warning": said,
            }
        )
    return rows


def main() -> None:
    """Print and save a row for each set and kind of classifier."""
    options = common.parser(__doc__)
    options.add_argument("--sets", nargs="*", help="some of the sets only", choices=list(SETS))
    chosen = options.parse_args()
    names = chosen.sets or (list(SETS)[:3] if chosen.quick else list(SETS))
    rows = [row for name in names for row in excess(name, chosen.seed)]
    cells = [[v if isinstance(v, str) else f"{v:.4g}" for v in row.values()] for row in rows]
    common.print_table("Repeated rows", list(rows[0]), cells)
    sure = [row["excess"] for row in rows if not SETS[row["set"]].is_ambiguous]
    print(f"excess: {np.mean(sure):+.4f} on average, {max(sure):+.4f} at most, {len(sure)} fits")
    common.write_csv(chosen.out / "repeated_rows.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
