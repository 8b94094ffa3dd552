"""A credit scorecard: a model on paper, which a committee can read line by line and change.

Who will not pay back? The model is a sum of one step function for each column, so it can be written
down as points: find each column's, add the integers. Nobody loses points for a higher income or
for being on time, whatever the few data at the end of a scale say, and a customer who is refused
is told why. The data are made up, as of a bank: amounts in money, words, and holes.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import tauboost as tb


def make_customers(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make up customers, and whether each of them failed to pay back."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(19, 76, n),
            "income": rng.lognormal(7.8, 0.5, n).round(-1),
            "share_of_limit_used": rng.beta(0.8, 1.4, n).round(2),
            "times_late": rng.poisson(0.4, n),
            "job": rng.choice(
                ["salaried", "self-employed", "retired", "none"], n, p=[0.6, 0.2, 0.15, 0.05]
            ),
        }
    )
    risk = 2.2 * table.share_of_limit_used**2 + 0.9 * np.minimum(table.times_late, 3)
    risk += 0.8 * (table.age < 26) - 0.6 * np.log(table.income / 2400)
    risk += table.job.map({"salaried": 0.0, "retired": -0.3, "self-employed": 0.3, "none": 1.0})
    failed = rng.logistic(size=n) < risk - 3.0
    is_unknown = rng.random(n) < np.where(failed, 0.2, 0.1)  # that nobody asked says something too
    table["income"] = table.income.mask(is_unknown)
    return table, np.where(failed, "failed", "paid")


table, outcome = make_customers(8000, seed=0)
train, test, y_train, y_test = train_test_split(
    table, outcome, test_size=0.3, stratify=outcome, random_state=0
)

# Scores count for classes_[1], here "paid": 1 means that they may not fall as the column rises.
rises = {"age": 1, "income": 1, "share_of_limit_used": -1, "times_late": -1}
clf = tb.TableClassifier(interactions=0, monotonic_cst=rises, random_state=0).fit(train, y_train)
print(f"AUC {roc_auc_score(y_test == 'paid', clf.decision_function(test)):.3f}\n")
print(clf.terms_)

income = [step.score for step in clf.terms_["income"].steps() if "missing" not in step.label]
assert income == sorted(income)  # more income never costs points

# 600 points mean that 20 pay for one who fails; 40 points more, and it is twice as many.
card = clf.to_scorecard(points=600, odds=20, pdo=40, positive="paid")
print(f"\n{card}")

score = card.score(test)
band = pd.cut(score, [0, 520, 560, 600, 640, 1000], right=False)
failed = pd.Series(y_test == "failed").groupby(band, observed=True).agg(["size", "mean"])
print(f"\n{'points':12s}{'customers':>10s}{'failed':>8s}")
for points, (size, share) in failed.iterrows():
    print(f"{points!s:12s}{size:10.0f}{share:8.1%}")

print("\nThe customer with the fewest points, and why:")
print(clf.explain(test.iloc[[score.argmin()]], class_="failed"))

# The committee will not have people judged by their age: that column's term is taken out.
fair = clf.edit_term("age", remove=True)
print(f"\nAUC without the age {roc_auc_score(y_test == 'paid', fair.decision_function(test)):.3f}")
