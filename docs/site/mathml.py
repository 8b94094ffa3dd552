"""Formulas as MathML, made when the site is built: browsers draw it, and nothing has to be fetched.

Sphinx's own ways need LaTeX on the machine, or a script from another host in every page.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

TAG = re.compile(r"\\tag\{([^}]*)\}")
# Sizes of brackets, which MathML finds by itself, and a name that the converter does not know.
SIZES = re.compile(r"\\(?:big|Big|bigg|Bigg)[lrm]?(?![a-zA-Z])")


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    writer.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def write_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula that stands by itself, with its number; wide ones can be scrolled."""
    text = node.astext()
    tag = TAG.search(text)
    number = f'<span class="formula-number">({escape(tag[1])})</span>' if tag else ""
    formula = mathml(TAG.sub("", text), "block")
    attributes = 'class="formula" tabindex="0" role="group" aria-label="Formula"'
    writer.body.append(f"<div {attributes}>{formula}{number}</div>\n")
    raise nodes.SkipNode


def mathml(text: str, display: str) -> str:
    """Turn LaTeX into MathML."""
    return str(convert(SIZES.sub("", text), display=display))
