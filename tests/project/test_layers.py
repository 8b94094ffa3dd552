"""The direction of imports: a module imports only from the layers before its own.

Imports inside functions count. Those under ``if TYPE_CHECKING`` do not: nothing is imported there.
"""

from __future__ import annotations

import pytest

from docs.site.architecture import (
    HEIGHT,
    OF_ALL,
    ON_TOP,
    PAGE,
    PICTURE,
    imports_of,
    modules,
    page,
    part_of,
    picture,
)


def against_the_direction(module: str, source: str) -> list[str]:
    """Return the imports of a module, such as ``io.store``, that point to a layer above its own."""
    part = part_of(module)
    if part is None:
        return []
    found = [(line, name) for line, name in imports_of(module, source) if name not in OF_ALL]
    return [
        f"{module}, line {line}: {part} imports {name}"
        for line, name in found
        if (other := part_of(name)) is None or HEIGHT[other] > HEIGHT[part]
    ]


def test_every_part_has_its_layer():
    assert {name for name in modules() if part_of(name) is None} == ON_TOP
    assert {part_of(name) for name in modules()} - {None} == HEIGHT.keys()


@pytest.mark.parametrize("part", sorted(HEIGHT))
def test_imports_point_down(part):
    own = {name: path for name, path in modules().items() if part_of(name) == part}
    wrong = [text for name in own for text in against_the_direction(name, own[name].read_text())]
    assert wrong == []


def test_the_page_shows_what_is_there():
    """``python -m docs.site.architecture`` makes it anew."""
    assert PICTURE.read_text() == picture()
    assert PAGE.read_text() == page(PAGE.read_text())


@pytest.mark.parametrize(
    "source",
    [
        "from ..solvers import solve",
        "from .. import solvers",
        "from ..solvers.exact import solve",
        "import tauboost.solvers",
        "from tauboost.solvers import solve",
        "from tauboost import TauBoostClassifier",
        "def f():\n    from ..solvers import solve",
        "try:\n    from ..cli.app import app\nexcept ImportError:\n    pass",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from .. import estimators",
    ],
)
def test_an_import_against_the_direction_is_found(source):
    assert len(against_the_direction("io.store", source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import numpy",
        "from .. import _core",
        "from . import strings",
        "from .model import Model",
        "from ..base.arrays import Vector",
        "from ..validation import as_csr",
        "if TYPE_CHECKING:\n    from ..solvers import Result",
        "def f():\n    from ..base import threads",
    ],
)
def test_others_are_not(source):
    assert against_the_direction("io.store", source) == []
