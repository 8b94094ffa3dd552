"""Check a built site: links that lead nowhere, files from other hosts, words that nobody finds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What people will search for, as the index has it: cut to the stem.
SEARCHES = {"total variation": ("total", "variat"), "certificate": ("certif",)}
FROM_ELSEWHERE = re.compile(r"""@import|url\(\s*["']?(?:https?:)?//""")
# Attributes that make a browser fetch something, unlike a link that people follow.
FETCHED = {
    ("img", "src"), ("script", "src"), ("iframe", "src"), ("link", "href"), ("source", "srcset"),
    ("video", "src"), ("audio", "src"), ("object", "data"), ("embed", "src"),
}  # fmt: skip


class Page(HTMLParser):
    """What a page holds that can be wrong: names of places, links, files to fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places, self.links, self.fetched = {""}, list[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag holds."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id":
                self.places.add(value)
            if (tag, name) in FETCHED:
                self.fetched.append(value)
            elif name == "href":
                self.links.append(value)


def checked(site: Path) -> str:
    """Return a sentence about a site, or end with what is wrong about it."""
    found = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    faults = [*dead_links(found), *from_elsewhere(site, found), *not_found(site)]
    if faults:
        raise SystemExit("\n".join(["docs: the site has faults", *faults]))
    n_links = sum(len(page.links) for page in found.values())
    return (
        f"{len(found)} pages, {n_links:,} links, none of them dead; nothing from other hosts; "
        f"search finds {' and '.join(map(repr, SEARCHES))}"
    )


def dead_links(found: dict[Path, Page]) -> Iterator[str]:
    """Yield the links to files or places that do not exist."""
    for path, page in found.items():
        for link in [*page.links, *page.fetched]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.name}: {link} leads nowhere"
            elif target in found and unquote(parts.fragment) not in found[target].places:
                yield f"{path.name}: {link} names no place of that page"


def from_elsewhere(site: Path, found: dict[Path, Page]) -> Iterator[str]:
    """Yield the files that a browser would fetch from other hosts."""
    for path, page in found.items():
        for link in page.fetched:
            if urlsplit(link).netloc:
                yield f"{path.name}: {link} is fetched from another host"
    for path in site.rglob("*.css"):
        if FROM_ELSEWHERE.search(path.read_text(encoding="utf-8")):
            yield f"{path.name}: takes something from another host, or by @import"


def not_found(site: Path) -> Iterator[str]:
    """Yield what a search does not find: no page has all of its words."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    terms = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    for words, stems in SEARCHES.items():
        having = [terms.get(stem, []) for stem in stems]
        pages = [set(numbers if isinstance(numbers, list) else [numbers]) for numbers in having]
        if not set.intersection(*pages):
            yield f"the search for {words!r} finds no page"
