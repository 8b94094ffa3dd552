"""From raw strings to a classifier: two pipelines, and the words that decide.

CountVectorizer remembers its words, so the model can be explained. HashingVectorizer remembers
nothing: it works on streams and on any vocabulary, and its columns have no names. Nothing has to be
scaled or tuned.
"""

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import tauboost as tb
from made_up_reviews import make_reviews

texts, labels = make_reviews(4000)
train, test, y_train, y_test = train_test_split(texts, labels, stratify=labels, random_state=0)

pipelines = {
    "words": make_pipeline(CountVectorizer(binary=True), tb.TauBoostClassifier(random_state=0)),
    "words and pairs": make_pipeline(
        CountVectorizer(binary=True, ngram_range=(1, 2)), tb.TauBoostClassifier(random_state=0)
    ),
    # 2**18 columns, nearly all of them empty: these cost nothing.
    "hashed pairs": make_pipeline(
        HashingVectorizer(ngram_range=(1, 2), n_features=2**18, alternate_sign=False),
        tb.TauBoostClassifier(random_state=0),
    ),
}
for name, pipeline in pipelines.items():
    pipeline.fit(train, y_train)
    print(f"{name:15s}  accuracy {pipeline.score(test, y_test):.3f}")

vectorizer, classifier = pipelines["words and pairs"]
names = vectorizer.get_feature_names_out()
order = classifier.coef_[0].argsort()
first, second = classifier.classes_  # a positive coefficient speaks for the second class
print(f"for {second}: ", ", ".join(names[order[:-8:-1]]))
print(f"for {first}:  ", ", ".join(names[order[:7]]))

review = "The plot was not dull. The cast was superb."
p = pipelines["hashed pairs"].predict_proba([review])[0]
print(f"{review!r} is {second} with probability {p[1]:.2f}")
