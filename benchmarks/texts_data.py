"""The texts that are compared on: public ones, JSON lines of your own, and generated ones.

The public ones come from the folder ``texts`` in the one that TAUBOOST_DATA names: for a set NAME
the files NAME_train.jsonl and NAME_test.jsonl, which may be compressed, with the fields "text" and
"label". Others are named by the path of the first of the two.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tauboost.io.texts import read_texts

__all__ = ["SETS", "Corpus", "load", "made_up", "quick_corpus", "write_jsonl", "write_made_up"]

SETS = ("imdb",)
ENDINGS = ("", ".xz", ".gz", ".bz2", ".zst")
TRAIN, TEST = "_train.jsonl", "_test.jsonl"
SYLLABLES = [consonant + vowel for vowel in "aeiou" for consonant in "bcdfghjklmnprstvwyzx"]
N_WORDS = 300_000
N_SPEAKING = 200  # words that one class uses more than the other
SAID = 0.03  # share of such words in a text
WORDS_A_TEXT = 200
TEXTS_AT_ONCE = 2000

Part = tuple[list[str], NDArray[np.str_]]


@dataclass(frozen=True)
class Corpus:
    """Texts and labels to fit on, and others to score on."""

    name: str
    train: Part
    test: Part

    @property
    def n_bytes(self) -> int:
        """Number of bytes of the texts to fit on, in UTF-8."""
        return sum(len(text.encode()) for text in self.train[0])


def load(name: str) -> Corpus:
    """Return a corpus by the name of a public one, or by the path of its training file."""
    path = Path(name) if Path(name).is_file() else _public(name)
    before, is_train, behind = path.name.partition(TRAIN)
    test = path.with_name(before + TEST + behind)
    if not is_train or not test.is_file():
        raise FileNotFoundError(f"{name}: give NAME{TRAIN}, with NAME{TEST} in the same folder")
    return Corpus(before, read(path), read(test))


def _public(name: str) -> Path:
    folder = os.environ.get("TAUBOOST_DATA")
    if folder is None:
        raise FileNotFoundError(f"texts {name!r} not found, and TAUBOOST_DATA is not set")
    for ending in ENDINGS:
        path = Path(folder, "texts", name + TRAIN + ending)
        if path.is_file():
            return path
    raise FileNotFoundError(f"texts {name!r} not found: no such file, nor in $TAUBOOST_DATA/texts")


def read(path: Path) -> Part:
    """Return the texts of a file, and their labels."""
    texts, labels = read_texts([path], "text", "label")
    assert labels is not None
    return texts, labels.astype(str)


def write_jsonl(path: Path, part: Part) -> None:
    """Write texts and labels as JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        for text, label in zip(*part, strict=True):
            file.write(json.dumps({"label": str(label), "text": text}) + "\n")


# Generated texts.


def word(rank: int) -> str:
    """Return a made-up word; those that are frequent are short."""
    found = ""
    rank += 1
    while rank > 0:
        rank, digit = divmod(rank - 1, len(SYLLABLES))
        found += SYLLABLES[digit]
    return found


def made_up(n_texts: int, seed: int, n_words: int = N_WORDS) -> Part:
    """Generate texts by Zipf's law, with a few words that one of two classes likes."""
    texts, labels = zip(*blocks(n_texts, seed, n_words), strict=True)
    return [text for block in texts for text in block], np.concatenate(labels)


def blocks(n_texts: int, seed: int, n_words: int = N_WORDS) -> Iterator[Part]:
    """Yield the same texts, some at a time."""
    rng = np.random.default_rng(seed)
    words = np.array([word(rank) for rank in range(n_words)], dtype=object)
    shares = np.cumsum(1.0 / np.arange(10, n_words + 10))
    for begin in range(0, n_texts, TEXTS_AT_ONCE):
        n = min(TEXTS_AT_ONCE, n_texts - begin)
        shape = (n, WORDS_A_TEXT)
        ranks = np.searchsorted(shares, rng.random(shape) * shares[-1])
        codes = rng.integers(2, size=n)
        speaks = rng.random(shape) < SAID
        opinions = n_words - 1 - 2 * rng.integers(N_SPEAKING, size=shape) - codes[:, None]
        rows = words[np.where(speaks, opinions, ranks)].tolist()
        yield [" ".join(row) for row in rows], np.array(["bad", "good"])[codes]


def quick_corpus(seed: int) -> Corpus:
    """Return a tiny corpus."""
    texts, labels = made_up(600, seed, 2000)
    return Corpus("small", (texts[:400], labels[:400]), (texts[400:], labels[400:]))


def write_made_up(path: Path, n_bytes: int, seed: int) -> int:
    """Write generated texts as JSON lines until the file has so many bytes; return how many."""
    n_texts = 0
    with path.open("w", encoding="utf-8") as file:
        for texts, labels in blocks(2**40, seed):
            for text, label in zip(texts, labels.tolist(), strict=True):
                file.write(f'{{"label": "{label}", "text": "{text}"}}\n')
            n_texts += len(texts)
            if file.tell() >= n_bytes:
                return n_texts
    raise AssertionError("texts never end")
