"""The parts of the package and their imports, read from the code, for docs/architecture.md.

``python -m docs.site.architecture`` writes the picture and the table of that page again; a test
fails where they are not those of the code. ``LAYERS`` is the direction in which data flow, and
tests/project/test_layers.py holds every import against it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/tauboost"
PAGE = ROOT / "docs/architecture.md"
PICTURE = ROOT / "docs/figures/architecture.svg"

# From the ground up; a module imports from its own layer and those below it. The longest name that
# a module begins with says where it belongs: `paper.eso` is lower than the rest of `paper`.
LAYERS: list[tuple[str, list[str]]] = [
    ("ground", ["base"]),
    ("parameters of estimators", ["parameters"]),
    ("pictures", ["plots"]),
    ("the gate for input", ["validation"]),
    ("files", ["io"]),
    ("data sets", ["datasets"]),
    (
        "weak hypotheses",
        ["sparse.scaling", "sparse.design", "tables.columns", "tables.binning", "tables.design"],
    ),
    ("the problem", ["losses", "models", "rows", "penalty", "problem"]),
    ("the engine", ["solvers"]),
    ("the paper's methods", ["paper"]),
    ("solve", ["methods"]),
    (
        "search and kinds of data",
        ["search", "sparse", "tables", "texts", "explanation", "estimators.base"],
    ),
    ("proofs", ["certificates"]),
    ("estimators", ["estimators"]),
    ("on top of them", ["paper.stumps", "paper.adaboost_pl", "paper.p_adaboost", "planning"]),
    ("comparisons, adapters", ["paper.comparison", "paper.figures", "kinds", "dask"]),
    ("reports", ["reporting"]),
    ("the command", ["cli"]),
]
HEIGHT = {name: height for height, (_, names) in enumerate(LAYERS) for name in names}
OF_ALL = {"_core", "_interrupted"}
ON_TOP = {"__init__", "__main__", "comparing"}  # the package, its command, an old name
BEGIN, END = "<!-- made by docs/site/architecture.py -->", "<!-- end -->"


class Import(NamedTuple):
    """One import of a module of the package."""

    line: int
    module: str


def modules() -> dict[str, Path]:
    """Return the files of all modules by name, those of packages with ``__init__``."""
    return {".".join(p.relative_to(SOURCE).with_suffix("").parts): p for p in SOURCE.rglob("*.py")}


def part_of(module: str) -> str | None:
    """Return the longest name in ``LAYERS`` that a module begins with; None: it has none."""
    words = module.split(".")
    names = (".".join(words[:k]) for k in range(len(words), 0, -1))
    return next((name for name in names if name in HEIGHT), None)


def imports_of(module: str, source: str) -> list[Import]:
    """Return what a module imports from the package when it runs, in functions too.

    What stands under ``if TYPE_CHECKING`` is never imported.
    """
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
        own = [name.removeprefix("tauboost.") for name in names if name.startswith("tauboost.")]
        found += [Import(node.lineno, name) for name in own]
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


def graph() -> dict[str, set[str]]:
    """Return which parts each part imports."""
    edges: dict[str, set[str]] = defaultdict(set)
    for module, path in modules().items():
        part = part_of(module)
        if part is None:
            continue
        used = {part_of(found.module) for found in imports_of(module, path.read_text())}
        edges[part] |= {name for name in used if name is not None and name != part}
    return edges


def reduced(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out the imports within a layer, and every import that others imply."""
    down = {
        name: {other for other in targets if HEIGHT[other] < HEIGHT[name]}
        for name, targets in edges.items()
    }
    below: dict[str, set[str]] = {}
    for name in sorted(down, key=lambda part: HEIGHT[part]):
        below[name] = set().union(*({other} | below.get(other, set()) for other in down[name]))
    return {
        name: targets - set().union(*(below.get(other, set()) for other in targets))
        for name, targets in down.items()
    }


def purpose(part: str) -> str:
    """Return the first sentence of what a part says it is for."""
    path = SOURCE / part.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]


def n_files(part: str) -> int:
    """Return the number of files of a part."""
    return sum(part_of(module) == part for module in modules())


STYLE = (
    'font-family="sans-serif" font-size="12" role="img" '
    'aria-label="The parts of tauboost, from the command line down to the base"'
)
BOX, GAP, ROW, LEFT = (128, 30), 16, 62, 190


def picture() -> str:
    """Return the parts, layer by layer, and the imports that no others imply, as SVG."""
    step = BOX[0] + GAP
    most = max(len(names) for _, names in LAYERS)
    width, places = LEFT + most * step, {}
    for height, (_, names) in enumerate(reversed(LAYERS)):
        left = LEFT + (most - len(names)) * step // 2  # in the middle
        for k, name in enumerate(names):
            places[name] = (left + k * step, 12 + height * ROW)
    tall = 12 + len(LAYERS) * ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" {STYLE}>',
        f'<rect width="{width}" height="{tall}" fill="#ffffff"/>',
    ]
    for name, targets in sorted(reduced(graph()).items()):
        for target in sorted(targets, key=lambda part: (HEIGHT[part], part)):
            (x, y), (u, v) = places[name], places[target]
            x, u = x + BOX[0] // 2, u + BOX[0] // 2
            y, bend = y + BOX[1], (v - y - BOX[1]) // 2
            lines.append(
                f'<path d="M{x} {y}C{x} {y + bend} {u} {v - bend} {u} {v}" '
                'fill="none" stroke="#8a9bb0" stroke-width="1.2"/>'
            )
    for height, (title, names) in enumerate(reversed(LAYERS)):
        y = 12 + height * ROW
        lines.append(f'<text x="8" y="{y + 20}" fill="#555555">{escape(title)}</text>')
        for name in names:
            x = places[name][0]
            lines.append(
                f'<rect x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="5" '
                'fill="#eaf1fa" stroke="#3b6ea5"/>'
                f'<text x="{x + BOX[0] // 2}" y="{y + 20}" text-anchor="middle" '
                f'fill="#1b2a3a">{escape(name)}</text>'
            )
    return "\n".join([*lines, "</svg>"]) + "\n"


def table() -> str:
    """Return the parts from the top down, and what each is for."""
    rows = ["| part | what it is for | files |", "|---|---|---|"]
    names = [name for _, layer in reversed(LAYERS) for name in layer]
    rows += [f"| `{name}` | {purpose(name)} | {n_files(name)} |" for name in names]
    return "\n".join(rows)


def page(text: str) -> str:
    """Return the page with the table of today's code."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PICTURE.write_text(picture())
    PAGE.write_text(page(PAGE.read_text()))
