"""Files of text models: what is saved comes back, and no damaged or forged file misleads."""

from __future__ import annotations

import unicodedata
import warnings

import numpy as np
import pytest

from fuzz.sealed import put_together, take_apart
from model_files import changed, content_of, dense_model, flips_refused, refused, same_model
from model_fuzz import fuzz
from saved_texts import assert_valid_text, terms_of, text_data
from small_texts import fitted, make_texts
from tauboost.io.model_file import ModelFileError
from tauboost.models import load, model_size, read_model, write_model

BASES = [
    text_data(n=12),
    text_data(3, n=12, stop_words=["the", "of"], use_idf=False, norm=None),
    text_data(n=6, analyzer="char_wb", ngram_range=(2, 3)),
    text_data(n=12, n_features=64, min_df=1),
    text_data(3, n=12, n_features=4096, min_df=2),
]
TEXTS = [*make_texts(5)[0], "", "\ud800 \0", "日本 " * 20, "a b c d e f g"]


@pytest.mark.parametrize("data", BASES)
def test_round_trip(data, path):
    write_model(data, path)
    again = read_model(path)
    assert same_model(again, data)
    assert_valid_text(again)
    assert path.stat().st_size == model_size(data)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_are_stored_as_narrow_as_they_are(dtype, path):
    data = BASES[0]
    coef, idf = (a.astype(dtype).astype(float) for a in (data.arrays["coef"], data.arrays["idf"]))
    data = changed(data, coef=coef, idf=idf)
    fields, *_ = take_apart(content_of(data, path))
    name = f"F{8 * np.dtype(dtype).itemsize}"
    assert fields["coef"]["dtype"] == fields["idf"]["dtype"] == name
    assert same_model(read_model(path), data)


def test_numbers_that_half_precision_does_not_hold(path):
    data = BASES[0]
    data = changed(data, coef=data.arrays["coef"] * 0 + 1e6)
    write_model(data, path)
    assert same_model(read_model(path), data)


def test_long_terms_and_halves_of_pairs(path):
    texts = ["x" * 300 + " \ud800a", "x" * 70_000, "y" * 255]
    clf = fitted(analyzer="char_wb", ngram_range=(1, 2))
    clf.fit(texts * 4, [0, 1, 1] * 4)
    write_model(clf._to_file(), path)
    assert "\ud800a" in terms_of(read_model(path))
    clf = fitted().fit(texts * 4, [0, 1, 1] * 4)
    write_model(clf._to_file(), path)
    assert terms_of(read_model(path)) == clf.features_.terms.names.tolist()


def test_every_flipped_bit(path):
    flips_refused(path, content_of(BASES[0], path), every=7)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 1}, "lacks, or should not have"),
        ({"version": 2}, "lacks, or should not have"),
        ({"coef": "sparse"}, "says 'sparse' for coef"),
        ({"features": "hashes"}, "that does not belong there"),
        ({"features": "words"}, "says 'words' for features"),
        ({"features": "some hashes"}, "that does not belong there"),
        ({"idf": False}, "an array 'idf' that does not belong"),
        ({"n_features": 3}, "of shape"),
        ({"n_classes": 3}, "expected"),
        ({"unicode": "x"}, "unicode must be a version"),
        ({"unicode": None}, "says None for unicode"),
        ({"options": []}, "for options"),
        ({"options": {}}, "options lacks"),
    ],
)
def test_header_fields(changes, reason, path):
    fields, header, data = take_apart(content_of(BASES[0], path))
    refused(path, put_together(fields, header | changes, data), reason)


def test_a_linear_model_is_none_of_texts(path):
    fields, header, data = take_apart(content_of(dense_model(), path))
    refused(path, put_together(fields, header | {"version": 3}, data), "lacks, or should not have")


def test_another_unicode_is_told(path):
    write_model(changed(BASES[0], unicode="1.1.5"), path)
    message = f"made with Unicode 1.1.5, and this Python has {unicodedata.unidata_version}"
    with pytest.warns(UserWarning, match=message):
        load(path)


@pytest.mark.filterwarnings("ignore:the words that count hold only:tauboost.FitWarning")
def test_patterns_of_strangers(path):
    data = text_data(token_pattern="(?:film|plot)")
    write_model(data, path)
    with pytest.raises(ModelFileError, match=r"'\(\?:film\|plot\)' is a regular expression of its"):
        load(path)
    assert len(load(path, trusted=True).decisions(["a film"], 1)) == 1
    write_model(changed(data, options=data.header["options"] | {"token_pattern": "("}), path)
    with pytest.raises(ModelFileError, match="token_pattern is not a regular expression"):
        load(path, trusted=True)
    for pattern in (r"\w+", r"(?u)\b\w+\b"):
        write_model(
            changed(data, options=data.header["options"] | {"token_pattern": pattern}), path
        )
        load(path)


def mutations(path, count, seed):
    def use(data):
        assert_valid_text(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of another Unicode
            model = load(path)
        assert model.decisions(TEXTS, 1).shape == (len(TEXTS), model.n_tasks)

    return fuzz(path, BASES, count, seed, use, same_model)


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
def test_sample_of_mutations(path):
    outcomes = mutations(path, 600, seed=0)
    assert outcomes["refused"] > 250
    assert outcomes["loaded"] > 30  # the edits are not all so crude that nothing passes


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_mutations(path, seed):
    """Run 25,000 mutations in all."""
    assert mutations(path, 5_000, seed).total() == 5_000
