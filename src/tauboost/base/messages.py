"""How a value is shown in a message."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

__all__ = [
    "FitWarning",
    "listed",
    "number",
    "printable",
    "shown",
    "shown_label",
    "unknown",
    "warn_of",
]


LONGEST = 60  # characters
MOST_NAMES = 10
# How NumPy shows its numbers and strings, in lists too.
OF_NUMPY = re.compile(r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)")


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and short."""
    numpy = sys.modules.get("numpy")  # whoever has a number of NumPy has loaded it
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    try:
        text = OF_NUMPY.sub(r"\1\2", " ".join(repr(value).split()))
    except Exception:
        return f"an object of type {type(value).__name__}"
    if " at 0x" in text:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def shown_label(label: Any) -> str:
    """Return a label as people read it, quoted where it could be taken for another or for none."""
    text = str(label)
    return text if text.isprintable() and text == text.strip() != "" else repr(text)


def listed(names: Sequence[Any]) -> str:
    """Return the first names, and how many more there are."""
    if not names:
        return "none"
    more = "" if len(names) <= MOST_NAMES else f" and {len(names) - MOST_NAMES:,} more"
    return f"{', '.join(map(_name, names[:MOST_NAMES]))}{more}"


def unknown(noun: str, name: str, names: Sequence[Any]) -> str:
    """Return the error message for a name that is none of these, with the nearest of them."""
    from difflib import get_close_matches  # noqa: PLC0415

    folded = {str(other).casefold(): other for other in names}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.7)
    meant = f"; did you mean {shown(folded[near[0]])}?" if near else ";"
    return f"there is no {noun} {shown(name)}{meant} there are {listed(names)}"


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: 0.0312, 1,234, 2.8e-05, with a minus that is one."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else "∞" if value > 0 else "−∞"
    size = abs(value)
    if size >= 1000:
        text = f"{value:,.0f}" if size < 1e12 else f"{value:.{digits - 1}e}"
    elif 0 < size < 1e-3:
        text = f"{value:.{digits}g}"
    else:
        text = f"{value:.{digits}g}"
    return text.replace("-", "−", 1) if value < 0 else text


def _name(name: Any) -> str:
    text = str(name)
    return text if text.isprintable() and 0 < len(text) <= LONGEST else shown(text)


# Text as a terminal may show it: what would steer the terminal is written out.


def printable(text: str) -> str:
    """Return a text with what is no letter, sign or plain space as in a Python string.

    That is control characters, ESC and line breaks among them, marks that turn the direction of
    writing, and halves of characters (surrogates), which no encoding takes.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


# The warning of a fit: its model is of little use, or its state is not kept.


class FitWarning(UserWarning):
    """A model was fitted, and is of little use, or could not be resumed; the message says more.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np, tauboost as tb
    >>> X, _ = tb.make_w8a_like(2000, random_state=0)
    >>> coins = np.random.default_rng(0).integers(0, 2, 2000)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", tb.FitWarning)
    ...     try:
    ...         tb.TauBoostClassifier(random_state=0).fit(X, coins)
    ...     except tb.FitWarning as warning:
    ...         print(str(warning)[:53])
    the model is no better than the shares of the classes
    """


def warn_of(message: str) -> None:
    """Warn the user about a fit, if there is a message."""
    if message:
        warnings.warn(message, FitWarning, stacklevel=3)
