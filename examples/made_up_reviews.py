"""Film reviews put together at random, so that the text examples need no download."""

from __future__ import annotations

import random

SUBJECTS = (
    "plot", "acting", "ending", "soundtrack", "dialogue", "pacing",
    "cast", "script", "camera", "humour", "story", "lead",
)  # fmt: skip
GOOD = (
    "superb", "moving", "clever", "gripping", "charming",
    "witty", "honest", "stunning", "warm", "fresh",
)  # fmt: skip
BAD = (
    "dull", "clumsy", "hollow", "tedious", "lazy",
    "wooden", "silly", "predictable", "cold", "messy",
)  # fmt: skip
FILLERS = (
    "i saw it on a {day} with {who}",
    "the {thing} next to us was loud",
    "it runs for {number} minutes",
    "my {who} liked the {subject} more than i did",
)
WORDS = {
    "day": ["monday", "tuesday", "friday", "sunday", "holiday"],
    "who": ["friends", "brother", "neighbour", "parents", "class"],
    "thing": ["family", "popcorn", "phone", "couple", "crowd"],
    "number": [str(number) for number in range(80, 180)],
    "subject": SUBJECTS,
}


def make_reviews(n: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts and their labels, "good" or "bad".

    Most opinions in a review agree with its label, some do not, and many sentences say nothing.
    """
    rng = random.Random(seed)
    texts, labels = [], []
    for _ in range(n):
        label = rng.choice(["good", "bad"])
        sentences = [sentence(label, rng) for _ in range(rng.randint(2, 7))]
        texts.append(". ".join(sentences) + ".")
        labels.append(label)
    return texts, labels


def sentence(label: str, rng: random.Random) -> str:
    """Return an opinion, or small talk."""
    if rng.random() < 0.4:
        words = {name: rng.choice(choices) for name, choices in WORDS.items()}
        return rng.choice(FILLERS).format(**words)
    is_good = (label == "good") == (rng.random() < 0.75)
    # "not dull" praises: pairs of words carry what single words do not.
    negated = rng.random() < 0.3
    adjective = rng.choice(GOOD if is_good != negated else BAD)
    return f"the {rng.choice(SUBJECTS)} was {'not ' * negated}{adjective}"


if __name__ == "__main__":
    for text, label in zip(*make_reviews(3), strict=True):
        print(f"{label:4s}  {text}")
