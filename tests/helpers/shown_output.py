"""What a page of the documentation shows as output, held against what its code prints.

An output is a block fenced as "text" right below the block of code that prints it. Words must be
the same. A number may differ by 1 %, and one with decimals by a unit of the last digit shown, as
rounding differs between processors; a time (a number before "s" or "ms", or in a line that begins
with "seconds") may be any. In a block fenced as "text times" all figures depend on the clock, and
only the words are compared. White space and the length of ruled lines are layout, and free.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import NamedTuple

RELATIVE = 0.01
NUMBER = re.compile(r"(?<!\w)[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
FENCED = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
UNITS = {"s", "ms"}


class Block(NamedTuple):
    """A block of code, and the output shown right below it, if there is one."""

    kind: str
    code: str
    shown: str | None
    any_figures: bool


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page that are not outputs, in order."""
    found = list(FENCED.finditer(page))
    result = []
    for block, below in zip_longest(found, found[1:]):
        kind = block["kind"].split()[:1]
        if kind == ["text"]:
            continue
        adjacent = below is not None and not page[block.end() : below.start()].strip()
        words = below["kind"].split() if adjacent else []
        shown = below["text"] if words[:1] == ["text"] else None
        result.append(Block("".join(kind), block["text"], shown, words[1:] == ["times"]))
    return result


def difference(shown: str, printed: str, *, any_figures: bool = False) -> str | None:
    """Return the first word that is shown but not printed, as a sentence, or None."""
    expected, got = _words(shown), _words(printed)
    units = [*got[1:], ""]
    for number, (old, new) in enumerate(zip_longest(expected, got, fillvalue="nothing")):
        is_time = number < len(units) and _unit(units[number]) in UNITS
        if not _same(old, new, any_figures or is_time):
            return f"shown {old!r}, printed {new!r}, in\n{printed}"
    return None


def _words(text: str) -> list[str]:
    lines = re.sub("─+", "─", text).splitlines()
    return " ".join(
        NUMBER.sub("some", line) if line.startswith("seconds") else line for line in lines
    ).split()


def _unit(word: str) -> str:
    return word.rstrip(".,;:)")


def _same(old: str, new: str, any_figures: bool) -> bool:
    """Compare two words: what stands around their numbers, then the numbers."""
    if old == new:
        return True
    if any_figures:
        old, new = ("0" if word == "-" else word for word in (old, new))
    if NUMBER.split(old) != NUMBER.split(new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return any_figures or all(_close(*pair) for pair in pairs)


def _close(old: str, new: str) -> bool:
    mantissa, _, exponent = old.replace(",", "").partition("e")
    decimals = len(mantissa.partition(".")[2])
    last_digit = 10.0 ** (int(exponent or 0) - decimals) if decimals else 0.0
    value, other = (float(number.replace(",", "")) for number in (old, new))
    return abs(value - other) <= max(1.001 * last_digit, RELATIVE * abs(value))
