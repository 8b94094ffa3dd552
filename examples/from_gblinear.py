"""Migrating from XGBoost's linear booster, which XGBoost has deprecated.

Both fit logistic regression with an elastic net by coordinate steps. What is called what:

| XGBClassifier(booster="gblinear", ...)   | TauBoostClassifier(...)                               |
|------------------------------------------|-------------------------------------------------------|
| objective="binary:logistic"              | loss="logistic" (the default)                         |
| objective="multi:softprob"               | nothing to set: one against the rest                  |
| reg_lambda=L, reg_alpha=A                | alpha=L + A, l1_ratio=A / (L + A); both libraries     |
|                                          | set them against the mean of the loss over samples    |
| n_estimators (passes over the features)  | max_iter                                              |
| learning_rate (its steps are damped)     | not needed: steps are exact                           |
| updater="shotgun" or "coord_descent"     | not needed: parallel, and bit-identical each time     |
| feature_selector                         | not needed                                            |
| early_stopping_rounds, eval_set          | alpha="auto", or early_stopping=True                  |
| scale_pos_weight=w                       | class_weight={1: w}                                   |
| base_score                               | fit_intercept=True (the default): fitted, not a start |
| DMatrix                                  | not needed: CSR, arrays and tables as they are        |
| missing=nan                              | refused: impute first. Absent entries of CSR are 0    |

Runs without XGBoost; with it, the two are put side by side.
"""

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import tauboost as tb

RIDGE, LASSO = 1e-3, 1e-4
PASSES = 50

X, y = tb.make_w8a_like(10_000, random_state=0)
y = (y > 0).astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

same = tb.TauBoostClassifier(
    alpha=RIDGE + LASSO, l1_ratio=LASSO / (RIDGE + LASSO), tol=1e-5, random_state=0
).fit(X_train, y_train)
tuned = tb.TauBoostClassifier(random_state=0).fit(X_train, y_train)
for name, model in (("the same penalty", same), ('alpha="auto"', tuned)):
    loss = log_loss(y_test, model.predict_proba(X_test))
    print(f"tauboost, {name:17s}  log-loss {loss:.4f} after {model.n_iter_} sweeps")

try:
    from xgboost import XGBClassifier
except ImportError:
    print("(XGBoost is not installed, so there is nothing to compare with)")
else:
    booster = XGBClassifier(
        booster="gblinear", reg_lambda=RIDGE, reg_alpha=LASSO, n_estimators=PASSES,
        updater="coord_descent", n_jobs=1,
    ).fit(X_train, y_train)  # fmt: skip
    loss = log_loss(y_test, booster.predict_proba(X_test))
    print(f"XGBoost,  the same penalty   log-loss {loss:.4f} after {PASSES} passes")
    print(f"largest difference of coefficients {np.abs(same.coef_ - booster.coef_).max():.3f}")
