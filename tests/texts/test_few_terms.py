"""Texts in which hardly a word counts are named, and real ones are not."""

from __future__ import annotations

import json
import lzma
import os
import random
import warnings
from pathlib import Path

import pytest

import tauboost as tb
from cli_runs import run

RNG = random.Random(0)
SIGNS = [chr(code) for code in range(0x4E00, 0x4E00 + 300)]
LABELS = [k % 2 for k in range(400)]


def chinese(k):
    own = ("好看", "难看")[k % 2] if RNG.random() < 0.8 else ""
    rest = RNG.choices(SIGNS, k=20)
    rest.insert(RNG.randrange(20), own)
    return "".join(rest) + RNG.choice(["。", "。很好", "！不错"])


def emoji(k):
    return " ".join([*RNG.choices("😀😂👍👎", k=5), "😍😡"[k % 2], *RNG.choices(["ok", ""], k=1)])


def letters(k):
    return " ".join([*RNG.choices("abcdef", k=8), "xy"[k % 2], *RNG.choices(["ok", ""], k=1)])


ODD = {"chinese": chinese, "emoji": emoji, "letters": letters}
WORDS = r"words that count hold only \d+% of the characters .* analyzer='char_wb' and ngram_range"


@pytest.mark.filterwarnings("ignore:the model is nearly constant")
@pytest.mark.parametrize("name", ODD)
def test_texts_that_are_no_words(name):
    texts = [ODD[name](k) for k in range(400)]
    with pytest.warns(tb.FitWarning, match=WORDS):
        tb.TextVectorizer(min_df=2).fit(texts)
    with pytest.warns(tb.FitWarning, match=WORDS):
        clf = tb.TextClassifier(min_df=2, alpha=0.01, random_state=0).fit(texts, LABELS)
    assert "words that count" in clf.record_.caution
    with warnings.catch_warnings():  # and what it says helps
        warnings.simplefilter("error")
        options = {"analyzer": "char_wb", "ngram_range": (1, 3)}
        clf = tb.TextClassifier(random_state=0, **options).fit(texts[:300], LABELS[:300])
    assert clf.score(texts[300:], LABELS[300:]) > 0.7


def test_the_command_line_says_it_and_counts_characters(tmp_path):
    lines = [json.dumps({"t": chinese(k), "y": LABELS[k]}) for k in range(400)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    fit = ("fit", tmp_path / "a.jsonl", "--text", "t", "--label", "y", "--alpha", 0.01)
    assert "analyzer='char_wb'" in run(*fit, "--min-df", 2).stdout
    said = run(*fit, "--analyzer", "char_wb", "--ngrams", "1-3").stdout
    assert "runs of 1 to 3 characters" in " ".join(said.split())
    assert "warning" not in said


SHORT = {"words": ("ok thanks a lot", "see you at 5", "no", "Call me now! Free prize", "lol :)")}


@pytest.mark.parametrize("n", [50, 60, 500])
def test_short_messages_are_words(n):
    vocabulary = [f"word{k}" for k in range(300)]
    texts = [" ".join(RNG.choices(vocabulary, k=RNG.randint(1, 4))) for _ in range(n)]
    tb.TextVectorizer(min_df=2).fit([*texts, *SHORT["words"] * 10])  # warnings are errors
    tb.TextVectorizer(max_features=1).fit([chinese(k) for k in range(n)])
    tb.TextVectorizer().fit([""] * n + ["some words"])


@pytest.mark.skipif("TAUBOOST_DATA" not in os.environ, reason="needs TAUBOOST_DATA")
def test_real_texts_are_words():
    path = Path(os.environ["TAUBOOST_DATA"]) / "texts" / "imdb_train.jsonl.xz"
    with lzma.open(path, "rt", encoding="utf-8") as file:
        texts = [json.loads(next(file))["text"] for _ in range(3000)]
    parts = [" ".join(text.split()[:k]) for text in texts for k in (1, 4)]
    for some in (texts, texts[:60], parts, parts[:200]):
        for options in ({}, {"min_df": 3}, {"ngram_range": (2, 2)}, {"stop_words": "english"}):
            if not (some[0] is parts[0] and options.get("ngram_range")):
                tb.TextVectorizer(**options).fit(some)  # warnings are errors
