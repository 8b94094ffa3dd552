"""How Sphinx makes the site of the pages that build.py has written."""

from typing import Any

from tauboost.base.version import VERSION

project = "tauboost"
copyright = "the tauboost developers"
release = version = VERSION
html_title = f"tauboost {VERSION}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "docs.site.mathml"]
html_theme = "furo"
pygments_dark_style = "github-dark"
html_static_path = ["static"]
html_favicon = "static/tau.svg"
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
templates_path: list[str] = []

myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
highlight_language = "none"  # a block that does not name its language is a formula
nitpicky = True  # a name that leads nowhere is an error
nitpick_ignore = [("py:exc", "sklearn.exceptions.NotFittedError")]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc has them
numpydoc_class_members_toctree = False


def setup(app: Any) -> None:
    """Tell Sphinx what to do besides."""
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("html-page-context", mend, priority=900)  # after the theme


def is_foreign(_app: Any, _what: str, _name: str, member: Any, *_: Any) -> bool | None:
    """Leave out what classes have from scikit-learn and Python; None leaves that to Sphinx."""
    return None if str(getattr(member, "__module__", "tauboost")).startswith("tauboost") else True


def mend(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Say what screen readers need: the level of captions; and let keys scroll wide blocks."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )
    body = context.get("body", "").replace("<pre>", '<pre tabindex="0">')
    wide = 'class="table-wrapper'
    context["body"] = body.replace(wide, f'tabindex="0" role="group" aria-label="Table" {wide}')
