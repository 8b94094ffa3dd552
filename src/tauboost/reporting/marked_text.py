"""A text with its words marked by what they say: the part of it that says most."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from .markup import Markup, safe, tag
from .rows import Story

__all__ = ["marked"]

LONGEST = 700  # characters that are shown
STEP = 50  # where the part that is shown may begin
LEVELS = 5  # of strength


def marked(story: Story) -> Markup:
    """Return the text of a story, or its most telling part, with marks."""
    text = story.text
    begin = _begin(story)
    end = min(begin + LONGEST, len(text))
    pieces = _pieces(story, begin, end)
    strongest = max((abs(score) for *_, score in pieces), default=0.0) or 1.0
    parts = [_piece(text[a:b], score / strongest) for a, b, score in pieces]
    before = "… " if begin > 0 else None
    after = f" … ({len(text):,} characters)" if end < len(text) else None
    return tag("p", before, tag("bdi", *parts, dir="auto"), after, class_="marked")


def _begin(story: Story) -> int:
    """Return where the most telling part begins; the first of equal ones."""
    length = len(story.text)
    if length <= LONGEST:
        return 0
    weights = np.zeros(length + 1)
    for added, spans in story.spans:
        for first, _ in spans:
            weights[first] += abs(added) / len(spans)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    begins = np.arange(0, length - LONGEST + STEP, STEP)
    begins = np.minimum(begins, length - LONGEST)
    told = sums[begins + LONGEST] - sums[begins]
    return int(begins[np.argmax(np.round(told, 9))])


def _pieces(story: Story, begin: int, end: int) -> list[tuple[int, int, float]]:
    """Cut a part of a text where terms begin and end, and say what they add at each place."""
    edges: dict[int, Counter[int]] = {begin: Counter(), end: Counter()}
    for k, (_, spans) in enumerate(story.spans):
        for first, last in spans:
            if last > begin and first < end:
                edges.setdefault(max(first, begin), Counter())[k] += 1
                edges.setdefault(min(last, end), Counter())[k] -= 1
    shares = [added / max(len(spans), 1) for added, spans in story.spans]
    active: Counter[int] = Counter()
    found = []
    for a, b in pairwise(sorted(edges)):
        active.update(edges[a])
        found.append((a, b, sum(shares[k] * n for k, n in active.items() if n > 0)))
    return found


def _piece(text: str, strength: float) -> Markup:
    level = round(LEVELS * abs(strength))
    if level == 0:
        return safe(text)
    side = "for" if strength > 0 else "against"
    return tag("mark", text, class_=f"{side}{level}")
