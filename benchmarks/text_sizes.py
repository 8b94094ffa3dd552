"""How small the file of a text classifier can be, and what that costs: film reviews, by bytes.

Needs the reviews in TAUBOOST_DATA (texts/imdb_train.jsonl.xz and imdb_test.jsonl.xz); the quick
form makes its own.
"""

from __future__ import annotations

import common
import tauboost as tb
from texts_data import load, quick_corpus

SIZES = (10**9, 2_000_000, 1_000_000, 500_000, 200_000, 50_000)
QUICK_SIZES = (10**9, 20_000, 5_000)


def main() -> None:
    """Fit once, and make smaller copies."""
    chosen = common.parser(__doc__).parse_args()
    corpus = quick_corpus(chosen.seed) if chosen.quick else load("imdb")
    clf = tb.TextClassifier(random_state=chosen.seed, n_jobs=chosen.threads).fit(*corpus.train)
    rows = []
    for size in QUICK_SIZES if chosen.quick else SIZES:
        lost = clf.shrink(size, *corpus.test).shrinkage_
        rows.append(
            {
                "data": corpus.name,
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
        f"A text classifier in so many bytes, {len(corpus.test[0]):,} texts to measure on",
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
