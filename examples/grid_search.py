"""Pipelines, cross-validation and GridSearchCV, as with any scikit-learn classifier.

``alpha="auto"`` already chooses the regularization strength within a single fit. So search over
what the classifier cannot see: how the text is turned into features.
"""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

import tauboost as tb
from made_up_reviews import make_reviews

texts, labels = make_reviews(1500)
train, test, y_train, y_test = train_test_split(texts, labels, stratify=labels, random_state=0)

pipeline = Pipeline(
    [
        ("features", TfidfVectorizer(sublinear_tf=True)),
        # One thread each: the search itself runs as many fits at a time as there are cores.
        ("classifier", tb.TauBoostClassifier(n_jobs=1, random_state=0)),
    ]
)
grid = {
    "features__ngram_range": [(1, 1), (1, 2)],
    "features__min_df": [1, 3],
    "classifier__loss": ["logistic", "exponential"],
}
search = GridSearchCV(pipeline, grid, scoring="roc_auc", cv=3, n_jobs=2)
search.fit(train, y_train)

print("best:", {name.partition("__")[2]: value for name, value in search.best_params_.items()})
print(f"AUC in cross-validation {search.best_score_:.3f}, on new data", end=" ")
print(f"{search.score(test, y_test):.3f}")
print(search.best_estimator_["classifier"].message_)
