"""Ten classes, from grey values: one coefficient image for each digit.

Classes are fitted one-vs-rest, all of them on one shared matrix. Dense arrays are
fine, labels can be anything that can be ordered, and probabilities sum to 1.
"""

from sklearn.datasets import load_digits
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split

import tauboost as tb

X, y = load_digits(return_X_y=True)  # 8 x 8 grey values from 0 to 16
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, test_size=0.3, stratify=y, random_state=0
)
clf = tb.TauBoostClassifier(random_state=0).fit(X_train, y_train)

print(clf.message_)
print(classification_report(y_test, clf.predict(X_test), digits=3))

p = clf.predict_proba(X_test)
doubtful = p.max(axis=1).argmin()
first, second = p[doubtful].argsort()[:-3:-1]
print(
    f"most doubtful: a {y_test[doubtful]}, taken for a {first} ({p[doubtful, first]:.0%}) "
    f"or a {second} ({p[doubtful, second]:.0%})"
)
print(f"what speaks for (+) and against (-) a {first}:")
for line in clf.coef_[first].reshape(8, 8):
    print("   ", " ".join("+" if c > 1 else "-" if c < -1 else "." for c in line))
