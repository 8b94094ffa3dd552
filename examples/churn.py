"""Who will leave? A mixed table, straight from the database, and what can be done about it.

Numbers, words, booleans and holes go in as they are: no encoding, no scaling, no imputation. The
probabilities can be used as such, so that a campaign can be planned in money; pairs of columns that
act together are found by themselves. The data are made up, as of a phone company.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

import tauboost as tb

COST_OF_OFFER, WORTH_OF_STAYING = 20.0, 150.0
SHARE_PERSUADED = 0.4


def make_subscribers(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make up subscribers, and whether each of them left within three months."""
    rng = np.random.default_rng(seed)
    contract = rng.choice(["monthly", "one year", "two years"], n, p=[0.55, 0.25, 0.2])
    table = pd.DataFrame(
        {
            "months": np.minimum(rng.geometric(1 / 30, n), 72),
            "contract": pd.Categorical(contract),
            "internet": rng.choice(["fibre", "dsl", "none"], n, p=[0.45, 0.35, 0.2]),
            "monthly_bill": rng.gamma(9.0, 7.5, n).round(2),
            "calls_to_support": rng.poisson(1.1, n),
            "paperless": rng.random(n) < 0.6,
            "satisfaction": rng.integers(1, 6, n).astype(float),
        }
    )
    table["satisfaction"] = table.satisfaction.mask(rng.random(n) < 0.5)  # few answer surveys
    pull = -0.9 * np.log1p(table.months / 6) + 0.02 * (table.monthly_bill - 65)
    pull += table.contract.map({"monthly": 1.0, "one year": -0.6, "two years": -1.8}).astype(float)
    pull += 0.3 * table.calls_to_support + 0.8 * (table.satisfaction <= 2)
    # Together: fibre customers mind a high bill.
    pull += 1.5 * ((table.internet == "fibre") & (table.monthly_bill > 80))
    return table, rng.logistic(size=n) < pull - 1.2


table, left = make_subscribers(8000, seed=0)
train, test, y_train, y_test = train_test_split(
    table, left, test_size=0.3, stratify=left, random_state=0
)

clf = tb.TableClassifier(random_state=0).fit(train, y_train)
p = clf.predict_proba(test)[:, 1]
print(f"AUC {roc_auc_score(y_test, p):.3f}, log-loss {log_loss(y_test, p):.3f}\n")
print(clf.terms_)
print(f"\n{clf.terms_['months']}")

# Offer a discount to those whom it pays to ask; the probabilities are meant as they are.
is_asked = p * SHARE_PERSUADED * WORTH_OF_STAYING > COST_OF_OFFER
gain = SHARE_PERSUADED * WORTH_OF_STAYING * y_test[is_asked].sum() - COST_OF_OFFER * is_asked.sum()
everybody = SHARE_PERSUADED * WORTH_OF_STAYING * y_test.sum() - COST_OF_OFFER * len(y_test)
print(
    f"\n{is_asked.sum()} of {len(p)} get an offer; expected to leave {p[is_asked].sum():.0f}, ",
    end="",
)
print(f"did leave {y_test[is_asked].sum()}")
print(f"gain {gain:,.0f}; with an offer to everybody {everybody:,.0f}")

print("\nWhat to talk about with the one most likely to leave:")
print(clf.explain(test.iloc[[p.argmax()]]))

# Tomorrow's data may bring what was never seen: an unknown word counts as the average.
new = test.head(1).assign(internet="satellite", monthly_bill=np.nan)
print(f"\nwith satellite and an unknown bill: {clf.predict_proba(new)[0, 1]:.3f}")
