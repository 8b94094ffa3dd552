"""Reports in Chromium: quiet, within their width, and nothing in them runs; skipped without it."""

from __future__ import annotations

import pytest

import hostile_reports
import tauboost as tb
from browser.chromium import browser, find_axe, find_chromium

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, make in hostile_reports.KINDS.items():
        clf, X, y = make()
        page = tb.report(clf, X, y, name=hostile_reports.HOSTILE[1], notes=hostile_reports.LONG)
        page.save(folder / f"{name}.html")
    return folder


@pytest.fixture(scope="module")
def window():
    with browser() as one:
        yield one


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", hostile_reports.KINDS)
def test_nothing_runs_leaves_or_hangs_over(pages, window, name, width, is_dark):
    seen = window.open(pages / f"{name}.html", width=width, is_dark=is_dark)
    assert seen.dialogs == []
    assert seen.complaints == []
    assert seen.requests == []
    assert window.overflow() == 0
    elements = "script, style, img, iframe, link, object, embed, a[href^=javascript]"
    assert window.evaluate(f"document.querySelectorAll({elements!r}).length") == 2  # its own
    assert window.evaluate("document.querySelectorAll('[onerror],[onload],[onfocus]').length") == 0


@pytest.mark.parametrize("name", hostile_reports.KINDS)
def test_nothing_serious_for_those_who_cannot_see_or_point(pages, window, name):
    axe = find_axe()
    if axe is None:
        pytest.skip("TAUBOOST_AXE does not name the script of axe-core")
    for is_dark in (False, True):
        window.open(pages / f"{name}.html", is_dark=is_dark)
        assert window.serious_findings(axe) == []


def test_hostile_names_are_shown_as_text(pages, window):
    window.open(pages / "linear.html")
    text = window.evaluate("document.body.innerText")
    assert "<script>alert('ran')</script>" in text
    assert "<img src=x onerror=alert('ran')>" in text
    assert "1,048,57" in text  # how long the long one is


def test_sorting_filtering_and_the_threshold(pages, window):
    window.open(pages / "linear.html")
    first = "document.querySelector('#weights tbody tr').cells[1].textContent"
    button = "document.querySelectorAll('#weights th button')[1]"
    window.evaluate(f"{button}.click()")
    most = window.evaluate(first)
    window.evaluate(f"{button}.click()")
    least = window.evaluate(first)
    assert most.startswith("+")
    assert least.startswith("−")
    search = "document.querySelector('[data-filter]')"
    window.evaluate(f"{search}.value = 'iframe'; {search}.dispatchEvent(new Event('input'))")
    shown = "[...document.querySelectorAll('#weights tbody tr')].filter(r => !r.hidden).length"
    assert window.evaluate(shown) == 1
    slider = "document.querySelector('[data-slider]')"
    window.evaluate(f"{slider}.value = 0; {slider}.dispatchEvent(new Event('input'))")
    assert window.evaluate("document.querySelector('[data-out=recall]').textContent") == "100.0%"
    assert window.evaluate("document.querySelector('[data-out=tn]').textContent") == "0"


def test_without_script_it_can_be_read(pages, window):
    seen = window.open(pages / "linear.html", has_script=False)
    assert seen.complaints == []
    window.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert window.evaluate("document.querySelector('.threshold').hidden")
    assert window.evaluate("document.querySelector('.filter').hidden")
    assert "False alarms".lower() in window.evaluate("document.body.innerText").lower()
