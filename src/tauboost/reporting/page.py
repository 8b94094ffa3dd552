"""The page around the sections: style and script within, and a policy that lets nothing else in.

The policy names the style and the script by their hashes: were a string of the data ever taken for
a script, a style or a link to something outside, the browser would refuse it.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from .elements import Section
from .markup import Markup, safe, tag

__all__ = ["page"]


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _policy() -> str:
    style, script = _hash(_asset("page.css")), _hash(_asset("page.js"))
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


def page(title: str, head: Markup, sections: list[Section], foot: Markup) -> str:
    """Return the whole file."""
    links = [tag("li", tag("a", one.title, href=f"#{one.id}")) for one in sections]
    contents = tag("nav", tag("ol", *links), aria_label="Contents")
    main = tag("main", head, *[one.html() for one in sections], id="top")
    skip = tag("a", "Skip to the report", href="#top", class_="skip")
    body = tag("body", skip, tag("div", contents, main, class_="page"), foot, _script())
    parts = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", safe(title, 120)),
        Markup(f"<style>{_asset('page.css')}</style>"),
    ]
    html = tag("html", tag("head", *parts), body, lang="en")
    return f"<!doctype html>\n{html}\n"


def _script() -> Markup:
    return Markup(f"<script>{_asset('page.js')}</script>")
