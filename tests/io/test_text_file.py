"""Files of text models: what is saved comes back, and no damaged or forged file misleads."""

from __future__ import annotations

import random
import tracemalloc
import unicodedata
import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from fuzz.sealed import edit_file, put_together, take_apart
from model_files import content_of, dense_model, refused
from saved_texts import assert_valid_text, same_text, terms_of, text_data
from small_texts import fitted, make_texts
from tauboost.io.model import ModelFileError, TextData, model_size, read_model, write_model
from tauboost.tuning.loading import load

BASES = [
    text_data(),
    text_data(3, stop_words=["the", "of"], use_idf=False, norm=None),
    text_data(analyzer="char_wb", ngram_range=(2, 3), n=20),
    text_data(n_features=64),
    text_data(3, n_features=4096, min_df=2),
]
TEXTS = [*make_texts(5)[0], "", "\ud800 \0", "日本 " * 20, "a b c d e f g"]
MEMORY = 10 * 2**20


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


@pytest.mark.parametrize("data", BASES)
def test_round_trip(data, path):
    write_model(data, path)
    again = read_model(path)
    assert isinstance(again, TextData)
    assert same_text(again, data)
    assert_valid_text(again)
    assert path.stat().st_size == model_size(data)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_are_stored_as_narrow_as_they_are(dtype, path):
    data = BASES[0]
    coef, idf = (a.astype(dtype).astype(float) for a in (data.linear.coef, data.idf))
    data = replace(data, linear=replace(data.linear, coef=coef), idf=idf)
    fields, *_ = take_apart(content_of(data, path))
    name = f"F{8 * np.dtype(dtype).itemsize}"
    assert fields["coef"]["dtype"] == fields["idf"]["dtype"] == name
    assert same_text(read_model(path), data)


def test_numbers_that_half_precision_does_not_hold(path):
    data = BASES[0]
    data = replace(data, linear=replace(data.linear, coef=data.linear.coef * 0 + 1e6))
    write_model(data, path)
    assert same_text(read_model(path), data)


def test_long_terms_and_halves_of_pairs(path):
    texts = ["x" * 300 + " \ud800a", "x" * 70_000, "y" * 255]
    clf = fitted(analyzer="char_wb", ngram_range=(1, 2))
    clf.fit(texts * 4, [0, 1, 1] * 4)
    write_model(clf._to_model(), path)
    assert "\ud800a" in terms_of(read_model(path))
    clf = fitted().fit(texts * 4, [0, 1, 1] * 4)
    write_model(clf._to_model(), path)
    assert terms_of(read_model(path)) == clf.features_.terms.names.tolist()


def test_every_flipped_bit(path):
    content = content_of(BASES[0], path)
    for position in range(0, len(content), 7):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        refused(path, bytes(flipped), "cannot be loaded")


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
    write_model(replace(BASES[0], unicode="1.1.5"), path)
    message = f"made with Unicode 1.1.5, and this Python has {unicodedata.unidata_version}"
    with pytest.warns(UserWarning, match=message):
        load(path)


def test_patterns_of_strangers(path):
    data = text_data(token_pattern="(?:film|plot)")
    write_model(data, path)
    with pytest.raises(ModelFileError, match=r"'\(\?:film\|plot\)' is a regular expression of its"):
        load(path)
    assert len(load(path, trusted=True).decisions(["a film"], 1)) == 1
    write_model(replace(data, options=data.options | {"token_pattern": "("}), path)
    with pytest.raises(ModelFileError, match="token_pattern is not a regular expression"):
        load(path, trusted=True)
    for pattern in (r"\w+", r"(?u)\b\w+\b"):
        write_model(replace(data, options=data.options | {"token_pattern": pattern}), path)
        load(path)


def fuzz(tmp_path, count, seed):
    """Load ``count`` mutated files; return how often each outcome was seen."""
    rng = random.Random(seed)
    path = tmp_path / "model"
    contents = [content_of(data, path) for data in BASES]
    outcomes: Counter[str] = Counter()
    tracemalloc.start()
    for step in range(count):
        content = edit_file(rng, contents[step % len(contents)], rng.choice(contents))
        path.write_bytes(content)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        outcomes[outcome_of(path)] += 1
        peak = tracemalloc.get_traced_memory()[1] - before
        assert peak < MEMORY, f"{peak} bytes for a file of {len(content)}"
    tracemalloc.stop()
    return outcomes


def outcome_of(path):
    try:
        data = read_model(path)
    except ModelFileError as error:
        message = str(error)
        assert message.startswith(f"{path} cannot")
        assert "\n" not in message
        return "refused"
    assert isinstance(data, TextData)
    assert_valid_text(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of another Unicode
            model = load(path)
    except ModelFileError:
        return "no model"
    assert model.decisions(TEXTS, 1).shape == (len(TEXTS), model.n_tasks)
    write_model(data, path)
    assert same_text(read_model(path), data)
    return "loaded"


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
def test_sample_of_mutations(tmp_path):
    outcomes = fuzz(tmp_path, 1_500, seed=0)
    assert outcomes["refused"] > 700
    assert outcomes["loaded"] > 30  # the edits are not all so crude that nothing passes


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_mutations(tmp_path, seed):
    """Run 100,000 mutations in all."""
    assert fuzz(tmp_path, 20_000, seed).total() == 20_000
