"""The direction of imports: a module imports only from the layers before its own.

Imports inside functions count. Those under ``if TYPE_CHECKING`` do not: nothing is imported there.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tauboost

SOURCE = Path(tauboost.__file__).parent
# From the ground up. Modules of one group may import each other.
LAYERS = [
    {"base"},
    {"parameters"},
    {"plots"},
    {"validation"},
    {"io"},
    {"datasets"},
    {"design"},
    {"problem", "rows", "losses", "penalty", "eso"},
    {"solvers"},
    {"paper"},
    {"search"},
    {"tuning", "tables", "models"},
    {"proofs"},
    {"estimators"},
    {"planning"},
    {"comparing", "dask", "kinds"},
    {"reporting"},
    {"cli"},
]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
OF_ALL = {"_core", "_interrupted"}
ON_TOP = {"__init__", "__main__"}  # the package itself, and its command


def against_the_direction(module: str, source: str) -> list[str]:
    """Return the imports of a module, such as ``io.store``, that point to a layer above its own."""
    part = module.split(".", maxsplit=1)[0]
    if part in ON_TOP:
        return []
    return [
        f"{module}, line {line}: {part} imports {other}"
        for line, other in imported_parts(module, source)
        if other not in OF_ALL and (other not in HEIGHT or HEIGHT[other] > HEIGHT[part])
    ]


def imported_parts(module: str, source: str) -> list[tuple[int, str]]:
    """Return the parts of tauboost that a module imports, with the lines where it does."""
    package = ["tauboost", *module.split(".")[:-1]]
    found = []
    for node in run_nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        parts = [name.split(".") for name in names]
        found += [(node.lineno, p[1]) for p in parts if p[0] == "tauboost" and len(p) > 1]
    return found


def run_nodes(node: ast.AST) -> list[ast.AST]:
    """Return every node below one, but for what stands under ``if TYPE_CHECKING``."""
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            found += [below for part in child.orelse for below in [part, *run_nodes(part)]]
        else:
            found += [child, *run_nodes(child)]
    return found


def modules():
    """Return the names of all modules, those of packages with ``__init__``."""
    return {".".join(p.relative_to(SOURCE).with_suffix("").parts): p for p in SOURCE.rglob("*.py")}


def test_every_part_has_its_layer():
    parts = {name.split(".")[0] for name in modules()}
    assert parts == HEIGHT.keys() | ON_TOP


@pytest.mark.parametrize("part", sorted(HEIGHT))
def test_imports_point_down(part):
    own = {name: path for name, path in modules().items() if name.split(".")[0] == part}
    wrong = [text for name in own for text in against_the_direction(name, own[name].read_text())]
    assert wrong == []


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
