"""What ``tb.report`` returns: a page that can be saved, and the numbers that stand on it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import Any

from ..io.atomic import new_file

__all__ = ["Report"]


@dataclass(frozen=True, repr=False, eq=False)
class Report:
    """A report on a model: one HTML file that needs nothing else. Notebooks show it.

    Attributes
    ----------
    html : str
        The page. The same model and data give the same text.
    verdict : str
        The first sentence of it.
    warnings : list of str
    metrics : dict
        Numbers of quality, each with the ends of its band; empty where no labels were given.
        ``trained_on`` is the share of the rows that the model was trained on, where it can be told.

    Examples
    --------
    >>> import tauboost as tb
    >>> texts = ["a good film", "good fun", "a bad film", "bad, just bad"] * 10
    >>> clf = tb.TextClassifier(random_state=0).fit(texts, ["pos", "pos", "neg", "neg"] * 10)
    >>> page = tb.report(clf, ["so good", "how bad"] * 9, ["pos", "neg"] * 9)
    >>> page.save("report.html")
    >>> page.html.startswith("<!doctype html>")
    True
    """

    html: str
    verdict: str
    warnings: list[str]
    metrics: dict[str, Any]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which appears at once and complete."""
        with new_file(path, overwrite=True) as file:
            file.write(self.html.encode())

    def __repr__(self) -> str:
        lines = [self.verdict, *(f"warning: {text}" for text in self.warnings)]
        size = len(self.html.encode())
        return "\n".join([*lines, f"{size:,} bytes of HTML: .save('report.html')"])

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, so that its style stays within."""
        frame = 'style="width:100%;height:40em;border:0" sandbox="allow-scripts"'
        return f'<iframe srcdoc="{escape(self.html, quote=True)}" {frame}></iframe>'
