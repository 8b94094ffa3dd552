"""Text as a terminal may show it: what would steer the terminal is written out."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Return a text with what is no letter, sign or plain space as in a Python string.

    That is control characters, ESC and line breaks among them, marks that turn the direction of
    writing, and halves of characters (surrogates), which no encoding takes.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
