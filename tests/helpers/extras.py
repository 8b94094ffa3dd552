"""What only the extras bring: cases that need one are skipped without it, and all others run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

HAS_ARROW = find_spec("pyarrow") is not None


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(module) is None, reason=f"needs {module}")


def arrow_case(make: Callable[[Any], Any], *expected: Any) -> Any:
    """Return a case of a test: what `make` makes of PyArrow, and what is expected of it."""
    made = make(import_module("pyarrow")) if HAS_ARROW else None
    return pytest.param(made, *expected, marks=needs("pyarrow"))
