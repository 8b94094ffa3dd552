"""The documentation site: what it is made of is complete, and its check sees what is wrong.

Building it takes a minute and tools of its own: `make docs`.
"""

from __future__ import annotations

import json
import re

import pytest

import tauboost as tb
from docs.site import check, pages
from tauboost import io, paper, plots

DOCUMENTED_OF_IO = {"ModelFileError", "svmlight_blocks"}
# What `compare` returns has these inside, and `plot_path` is `PathResult.plot`.
INSIDE = {"Level", "Row", "Run", "describe", "plot_path"}


def test_every_page_is_in_the_navigation():
    planned = [page for found in pages.chapters().values() for page in found.values()]
    reached = [*planned, *(page for above in planned for page in pages.below(above))]
    assert len(reached) == len(set(reached))
    assert {*reached, "README.md", pages.PLAN} == set(pages.sources())


def test_chapters_are_what_people_have():
    names = list(pages.chapters())
    assert names.index("Texts") < names.index("Tables") < names.index("Sparse data")
    assert all(pages.chapters().values())


def test_every_public_name_is_in_the_reference():
    named = pages.public_names()
    assert len(named) == len(set(named))
    dask = pytest.importorskip("tauboost.dask")
    public = {f"tauboost.{name}" for name in tb.__all__}
    public |= {f"tauboost.dask.{name}" for name in dask.__all__}
    public |= {f"tauboost.paper.{name}" for name in set(paper.__all__) - INSIDE}
    public |= {f"tauboost.plots.{name}" for name in plots.__all__}
    public |= {f"tauboost.io.{name}" for name in DOCUMENTED_OF_IO & set(io.__all__)}
    assert set(named) == public


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("README.md", "index.md"),
        ("docs/texts.md", "texts.md"),
        ("docs/decisions/README.md", "decisions/index.md"),
        ("CHANGELOG.md", "changelog.md"),
        ("examples/README.md", "examples/index.md"),
        ("examples/churn.py", "examples/churn.md"),
        ("docs/figures/figure1.png", "figures/figure1.png"),
    ],
)
def test_places(source, place):
    assert pages.place(source) == place


def test_no_two_pages_have_one_place():
    assert len({pages.place(source) for source in pages.sources()}) == len(pages.sources())


@pytest.mark.parametrize(
    ("source", "link", "there"),
    [
        ("README.md", "docs/theory.md#tables", "theory.md#tables"),
        ("docs/texts.md", "../examples/churn.py", "examples/churn.md"),
        ("docs/decisions/0001-dependencies.md", "../README.md", "../pages.md"),
        ("examples/README.md", "../docs/texts.md", "../texts.md"),
        ("README.md", "LICENSE", f"{pages.HOST}/LICENSE"),
        ("docs/tables.md", "figures/tables_pair.png", "figures/tables_pair.png"),
        ("docs/tables.md", "#limits", "#limits"),
        ("docs/dask.md", "https://docs.dask.org", "https://docs.dask.org"),
    ],
)
def test_links_are_those_of_the_site(source, link, there):
    assert pages.relinked(f"see [it]({link}).", source) == f"see [it]({there})."
    code = f"```python\na[0]({link})\n```"
    assert pages.relinked(code, source) == code


def test_pictures_of_the_gallery_stand_below_the_code_that_makes_them():
    text = (pages.ROOT / "docs/gallery.md").read_text()
    made = re.findall(r'"(gallery_\w+\.png)"', text)
    assert made == re.findall(r"\]\(figures/(gallery_\w+\.png)\)", text)
    assert all((pages.ROOT / "docs/figures" / name).exists() for name in made)


INDEX = {"terms": {"total": [0, 1], "variat": 1, "certif": [0]}}


def site(folder, body='<a href="#top">up</a>', style="", index=INDEX):
    (folder / "index.html").write_text(f'<h1 id="top">Site</h1>{body}')
    (folder / "site.css").write_text(style)
    (folder / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})")
    return folder


def test_a_good_site_passes(tmp_path):
    body = '<a href="#top">up</a> <a href="https://example.org/x">elsewhere</a>'
    assert "2 links, none of them dead" in check.checked(site(tmp_path, body))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"body": '<a href="no.html">x</a>'}, "no.html leads nowhere"),
        ({"body": '<img src="no.png">'}, "no.png leads nowhere"),
        ({"body": '<a href="#no">x</a>'}, "names no place"),
        ({"body": '<script src="https://cdn.example/x.js">'}, "fetched from another host"),
        ({"body": '<link href="//fonts.example/x.css">'}, "fetched from another host"),
        ({"style": 'a { background: url("https://example.org/x.png") }'}, "site.css"),
        ({"index": {"terms": {"total": 0, "variat": 1, "certif": 0}}}, "'total variation'"),
        ({"index": {"terms": {"total": 0, "variat": 0}}}, "'certificate'"),
    ],
)
def test_faults_are_found(tmp_path, options, words):
    with pytest.raises(SystemExit, match=re.escape(words)):
        check.checked(site(tmp_path, **options))
