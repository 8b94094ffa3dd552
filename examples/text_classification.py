"""From raw strings to a classifier: fitted, tested, read, explained, and made small.

The reviews are made up, unless a file of JSON lines with "text" and "label" is named:
``python examples/text_classification.py reviews.jsonl``. Nothing is cleaned, vectorized or tuned.
"""

import json
import sys
from pathlib import Path

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import tauboost as tb
from made_up_reviews import make_reviews

if len(sys.argv) > 1:
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
else:
    texts, labels = make_reviews(4000)
train, test, y_train, y_test = train_test_split(texts, labels, stratify=labels, random_state=0)

# Pairs of words carry what single words do not: "not dull" praises.
models = {
    "words": tb.TextClassifier(ngram_range=(1, 1), random_state=0),
    "words and pairs": tb.TextClassifier(random_state=0),
    # No list of words is kept: at most 2**18 weights, whatever the texts.
    "hashed": tb.TextClassifier(n_features=2**18, random_state=0),
    # The counting alone goes in front of any other classifier.
    "scikit-learn's": make_pipeline(
        tb.TextVectorizer(use_idf=True, ngram_range=(1, 2)), LogisticRegression()
    ),
}
for name, model in models.items():
    model.fit(train, y_train)
    print(f"{name:15s}  accuracy {model.score(test, y_test):.3f}")

clf = models["words and pairs"]
print("\nThe words that decide:")
print(clf.top_features(5))
print("\nWhy?")
print(clf.explain("The plot was not dull. The cast was superb."))

small = clf.shrink(5_000, test, y_test)
print(f"\nAs a small file: {small.shrinkage_}")
