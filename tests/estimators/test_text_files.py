"""Files of text classifiers: the same answers, safe by default, as small as asked for."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from model_files import changed
from small_texts import fitted, make_texts
from tauboost.io.model_file import ModelFileError
from tauboost.models import write_model

TEXTS, _ = make_texts(50, 3, seed=4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stop_words": "english", "ngram_range": [1, 3]},
        {"stop_words": {"the", "of"}, "analyzer": "char_wb", "ngram_range": (2, 3)},
        {"analyzer": "char"},
        {"n_features": 300},
        {"n_features": 5000, "min_df": 2},
        {"binary": True, "use_idf": False, "sublinear_tf": False, "norm": None},
    ],
)
def test_the_same_bits(n_classes, options, path):
    clf = fitted(n_classes, **options)
    assert tb.save_model(clf, path) is None
    again = tb.load_model(path)
    assert type(again) is tb.TextClassifier
    np.testing.assert_array_equal(again.decision_function(TEXTS), clf.decision_function(TEXTS))
    np.testing.assert_array_equal(again.predict(TEXTS), clf.predict(TEXTS))
    assert repr(again.explain(TEXTS[0])) == repr(clf.explain(TEXTS[0]))
    assert again.top_features(3).names.tolist() == clf.top_features(3).names.tolist()
    assert again.message_ == clf.message_
    again.fit(*make_texts())


def test_labels_and_parameters_come_back(path):
    clf = fitted(class_weight={"good": 2.0}, min_df=2, random_state=np.random.RandomState(0))
    tb.save_model(clf, path)
    again = tb.load_model(path)
    assert again.get_params() == clf.get_params() | {"random_state": None}
    assert again.classes_.tolist() == ["bad", "good"]


def test_patterns_of_strangers(path):
    clf = fitted(token_pattern="[a-z]+")
    tb.save_model(clf, path)
    with pytest.raises(
        ModelFileError, match=r"load_model\(path, trusted=True\) takes it"
    ) as caught:
        tb.load_model(path)
    assert "\n" not in str(caught.value)
    again = tb.load_model(path, trusted=True)
    np.testing.assert_array_equal(again.predict_proba(TEXTS), clf.predict_proba(TEXTS))


def test_functions_are_in_no_file(path):
    with pytest.raises((TypeError, ValueError), match="analyzer"):
        tb.save_model(fitted(analyzer=str.split), path)
    assert not path.exists()


def test_another_unicode_is_told(path):
    write_model(changed(fitted()._to_file(), unicode="9.0.0"), path)
    with pytest.warns(UserWarning, match="the model was made with Unicode 9.0.0"):
        tb.load_model(path)


def test_max_bytes(path):
    clf = fitted(n=400)
    lost = tb.save_model(clf, path, max_bytes=6_000)
    assert path.stat().st_size == lost.n_bytes <= 6_000
    assert "no texts were given" in str(lost)
    small = clf.shrink(6_000)
    again = tb.load_model(path)
    np.testing.assert_array_equal(again.decision_function(TEXTS), small.decision_function(TEXTS))
    with pytest.raises(ValueError, match="max_bytes must be at least"):
        tb.save_model(clf, path, max_bytes=10)


def test_max_bytes_of_other_models(path):
    X, y = tb.make_w8a_like(50, random_state=0)
    with pytest.raises(TypeError, match="max_bytes is for a TextClassifier, got TauBoostClassifi"):
        tb.save_model(tb.TauBoostClassifier(alpha=1e-3).fit(X, y), path, max_bytes=10)


def test_onnx_is_refused(path):
    with pytest.raises(TypeError, match="to_onnx takes no TextClassifier") as caught:
        tb.to_onnx(fitted(), path)
    assert "\n" not in str(caught.value)
    assert not path.exists()
