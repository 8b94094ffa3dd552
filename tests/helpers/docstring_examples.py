"""Examples in docstrings, run as they stand; numbers are compared as on the pages."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from typing import Any

import shown_output


class Checker(doctest.OutputChecker):
    """Python's own check, or that of the pages, which leaves last digits free."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        same = super().check_output(want, got, optionflags)
        return same or shown_output.difference(want, got) is None


def run(full: str, **names: Any) -> None:
    """Run the examples of a public name; at least one of them must not be skipped."""
    module, _, name = full.rpartition(".")
    text = inspect.getdoc(getattr(import_module(module), name)) or ""
    test = doctest.DocTestParser().get_doctest(text, dict(names), full, None, 0)
    assert any(not step.options.get(doctest.SKIP) for step in test.examples), f"{full}: no example"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, checker=Checker()).run(test, out=said.append)
    assert not said, "".join(said)
