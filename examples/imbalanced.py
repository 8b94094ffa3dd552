"""One positive in thirty: what to measure, and how to move the balance.

Accuracy says little here: "never positive" is right 97 % of the time. AUC and average precision
judge the ranking; a threshold, or class weights, decide how many positives are found and at what
price. Choose the threshold on data that the model has not seen, and judge it on data that neither
has seen.
"""

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split

import tauboost as tb

X, y = tb.make_w8a_like(12_000, random_state=0)  # web pages and keywords, 3 % positive
X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
X_tune, X_test, y_tune, y_test = train_test_split(
    X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0
)


def show(name: str, predicted: np.ndarray) -> None:
    """Print how many of the positives are found, and how many of the found are positives."""
    precision = precision_score(y_test, predicted, zero_division=0)
    found, accuracy = recall_score(y_test, predicted), np.mean(predicted == y_test)
    print(f"{name:24s}{found:7.3f}{precision:11.3f}{accuracy:10.3f}")


plain = tb.TauBoostClassifier(random_state=0).fit(X_train, y_train)
balanced = tb.TauBoostClassifier(class_weight="balanced", random_state=0).fit(X_train, y_train)

for name, model in (("plain", plain), ("balanced", balanced)):
    H = model.decision_function(X_test)
    auc, precision = roc_auc_score(y_test, H), average_precision_score(y_test, H)
    print(f"{name:9s} AUC {auc:.3f}, average precision {precision:.3f}")

# The threshold with the best F1 (the balance of both) on the part set aside for that.
precision, recall, thresholds = precision_recall_curve(y_tune, plain.predict_proba(X_tune)[:, 1])
f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
threshold = thresholds[f1[:-1].argmax()]
chosen = np.where(plain.predict_proba(X_test)[:, 1] >= threshold, 1.0, -1.0)

print(f"\n{'':24s}{'recall':>7s}{'precision':>11s}{'accuracy':>10s}")
show("never positive", np.full(len(y_test), -1.0))
show("plain, p >= 0.5", plain.predict(X_test))
show(f"plain, p >= {threshold:.2f}", chosen)
show('class_weight="balanced"', balanced.predict(X_test))
