"""Which files are pages of the site, where each of them goes, and where its links lead there.

Pages are written to be read on a code host, and link to each other by their paths in the
repository. The site has shorter paths: `docs/texts.md` is `texts.html`, README.md the first page.
docs/README.md is the plan of the site: its headings are the chapters, its tables their pages.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

ROOT = Path(__file__).parents[2]
HOST = "https://github.com/tauboost/tauboost/blob/main"
PLAN = "docs/README.md"
REFERENCE = "docs/reference.md"
PATTERNS = ("*.md", "docs/*.md", "docs/decisions/*.md", "examples/*.md", "examples/*.py")
PLACES = {
    "README.md": "index.md",
    "SECURITY.md": "security-policy.md",
    PLAN: "pages.md",
    REFERENCE: "reference/index.md",
}

FENCED = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\) \|", re.MULTILINE)
NAME = re.compile(r"^\| `((?:tb|tauboost)\.[\w.]+)` \|", re.MULTILINE)


@cache
def sources() -> list[str]:
    """Return the files that become pages, as paths in the repository."""
    found = {path for pattern in PATTERNS for path in ROOT.glob(pattern)}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def place(source: str) -> str:
    """Return where a page, or a picture, goes on the site."""
    if source in PLACES:
        return PLACES[source]
    path = PurePosixPath(source.removeprefix("docs/"))
    if path.suffix == ".py":
        path = path.with_suffix(".md")
    if path.name == "README.md":
        path = path.with_name("index.md")
    return str(path).lower() if path.suffix == ".md" else str(path)


def is_on_site(source: str) -> bool:
    """Say whether a file of the repository is a page or a picture of the site."""
    return source in sources() or source.startswith("docs/figures/")


def relinked(text: str, source: str) -> str:
    """Make the links of a page those of the site; what is not there is on the code host."""

    def link(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = normpath(f"{PurePosixPath(source).parent}/{target}")
        if not is_on_site(path):
            return f"]({HOST}/{path}{anchor})"
        here = PurePosixPath(place(source)).parent
        return f"]({relpath(place(path), here)}{anchor})"

    parts = FENCED.split(text)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def chapters() -> dict[str, dict[str, str]]:
    """Return the pages of each chapter of the site by their names in the navigation."""
    _, *parts = HEADING.split((ROOT / PLAN).read_text(encoding="utf-8"))
    return {
        heading: {name: normpath(f"docs/{target}") for name, target in ROW.findall(text)}
        for heading, text in zip(parts[::2], parts[1::2], strict=True)
    }


def below(source: str) -> list[str]:
    """Return the pages that are found through another one: decisions, and example programs."""
    folder = PurePosixPath(source).parent
    if not source.endswith("/README.md") or source == PLAN:
        return []
    return [page for page in sources() if page != source and PurePosixPath(page).parent == folder]


def public_names() -> list[str]:
    """Return the names in the tables of the reference, in full."""
    text = (ROOT / REFERENCE).read_text(encoding="utf-8")
    return [re.sub(r"^tb\.", "tauboost.", name) for name in NAME.findall(text)]
