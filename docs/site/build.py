"""Build the documentation site: `make docs`, or `python -m docs.site.build`.

The pages are copied to a separate folder, with the links and the navigation of the site, and
with a page for each public name and each example program. Sphinx makes HTML of them, and a warning
is an error. The result is checked (check.py) before it is called a site.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from . import check, pages

CODE = "```python\n{}```\n"
TOCTREE = "\n```{{toctree}}\n:hidden:\n{}\n{}\n```\n"
DIRECTIVES = """
```{{eval-rst}}
.. currentmodule:: {module}

.. auto{kind}:: {name}
{options}
```
"""
OF_CLASSES = "   :members:\n   :inherited-members:\n"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=pages.ROOT / "build/docs")
    out = parser.parse_args().out
    for name in ("pages", "html"):
        shutil.rmtree(out / name, ignore_errors=True)
    write_pages(out / "pages")
    here = str(Path(__file__).parent)
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    done = subprocess.run(
        [*command, "-c", here, "-d", str(out / "cache"), str(out / "pages"), str(out / "html")],
        check=False,
        cwd=pages.ROOT,
    )
    if done.returncode:
        sys.exit("docs: Sphinx found what is shown above")
    print(check.checked(out / "html"))
    print(f"open {out / 'html' / 'index.html'}")


def write_pages(folder: Path) -> None:
    """Write what Sphinx reads."""
    shutil.copytree(pages.ROOT / "docs/figures", folder / "figures")
    for source in pages.sources():
        new = folder / pages.place(source)
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(page(source), encoding="utf-8")
    for name in pages.public_names():
        (folder / "reference" / f"{name}.md").write_text(reference_page(name), encoding="utf-8")


def page(source: str) -> str:
    """Return a page of the site."""
    text = (pages.ROOT / source).read_text(encoding="utf-8")
    if source.endswith(".py"):
        return program_page(source, text)
    text = pages.relinked(text, source)
    if source == "README.md":
        text += toctree([pages.place(pages.PLAN)])
        for name, found in pages.chapters().items():
            entries = [f"{title} <{pages.place(page)}>" for title, page in found.items()]
            text += toctree(entries, f":caption: {name}")
    if source == pages.REFERENCE:
        text = pages.NAME.sub(with_link, text) + toctree(pages.public_names())
    here = PurePosixPath(pages.place(source)).parent
    lower = [PurePosixPath(pages.place(name)).relative_to(here) for name in pages.below(source)]
    return text + toctree(list(map(str, lower))) if lower else text


def toctree(found: list[str], option: str = "") -> str:
    """Return the part of a page that says which pages come below it in the navigation."""
    return TOCTREE.format(option, "\n".join(found))


def with_link(row: Any) -> str:
    """Let the name in a row of the reference lead to its own page."""
    full = row[1].replace("tb.", "tauboost.", 1) if row[1].startswith("tb.") else row[1]
    return f"| [`{row[1]}`]({full}.md) |"


def program_page(source: str, code: str) -> str:
    """Return the page of an example program: its docstring, then itself."""
    tree = ast.parse(code)
    words = ast.get_docstring(tree) or ""
    rest = "".join(code.splitlines(keepends=True)[tree.body[0].end_lineno :]).lstrip()
    run = f"Run it from a clone: `python {source}`."
    return f"# {PurePosixPath(source).stem}\n\n{words}\n\n{run}\n\n" + CODE.format(rest)


def reference_page(full: str) -> str:
    """Return the page of a public name, from its docstring."""
    module, _, name = full.rpartition(".")
    found = getattr(import_module(module), name)
    if inspect.isclass(found):
        kind = "exception" if issubclass(found, BaseException) else "class"
        options = "" if kind == "exception" else OF_CLASSES
    else:
        kind, options = ("function" if callable(found) else "data"), ""
    body = DIRECTIVES.format(module=module, kind=kind, name=full, options=options)
    return f"# {full.removeprefix('tauboost.')}\n{body}"


if __name__ == "__main__":
    main()
