"""How small the file of a text classifier can be, and what that costs: film reviews, by bytes.

Needs the reviews in TAUBOOST_DATA (texts/imdb_train.jsonl.xz and imdb_test.jsonl.xz); the quick
form makes its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

import common
import tauboost as tb
from tauboost.io.text_files import read_texts

SIZES = (10**9, 2_000_000, 1_000_000, 500_000, 200_000, 50_000)
QUICK_SIZES = (10**9, 20_000, 5_000)

Texts = tuple[list[str], Any]


def reviews() -> tuple[Texts, Texts]:
    """Return the texts to fit to, and those to measure on, with their labels."""
    folder = Path(os.environ["TAUBOOST_DATA"]) / "texts"
    parts = [
        read_texts([folder / f"imdb_{part}.jsonl.xz"], "text", "label")
        for part in ("train", "test")
    ]
    return parts[0], parts[1]


def generated(seed: int) -> tuple[Texts, Texts]:
    """Return texts of words that follow Zipf's law, some of which depend on the label."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=1000)
    words = [rng.zipf(1.4, 40) % 5000 * 2 for _ in y]
    texts = [
        " ".join(f"w{w + (w % 3 > 0) * label}" for w in row)
        for row, label in zip(words, y, strict=True)
    ]
    return (texts[:700], y[:700]), (texts[700:], y[700:])


def main() -> None:
    """Fit once, and make smaller copies."""
    chosen = common.parser(__doc__).parse_args()
    train, test = generated(chosen.seed) if chosen.quick else reviews()
    clf = tb.TextClassifier(random_state=chosen.seed, n_jobs=chosen.threads).fit(*train)
    rows = []
    for size in QUICK_SIZES if chosen.quick else SIZES:
        lost = clf.shrink(size, *test).shrinkage_
        rows.append(
            {
                "data": "generated" if chosen.quick else "imdb",
                "max_bytes": size,
                "bytes": lost.n_bytes,
                "terms": lost.n_terms,
                "weight_kept": lost.kept,
                "changed": lost.changed,
                "accuracy": lost.score,
                "accuracy_before": lost.score_before,
            }
        )
    common.print_table(
        f"A text classifier in so many bytes, {len(test[0]):,} texts to measure on",
        ("bytes", "terms", "predictions changed", "accuracy"),
        [
            (f"{r['bytes']:,}", f"{r['terms']:,}", f"{r['changed']:.2%}", f"{r['accuracy']:.2%}")
            for r in rows
        ],
        n_words=0,
    )
    common.write_csv(chosen.out / "text_sizes.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
