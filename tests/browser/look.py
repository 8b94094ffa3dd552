"""Look at pages in Chromium: ``python tests/browser/look.py PAGE.html ... --out FOLDER``.

Each page is opened wide and narrow, light and dark. What it logs, asks the network for, lets hang
over its edge, and what axe-core (TAUBOOST_AXE names its script) finds serious is printed; pictures
go to the folder. The exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.chromium import Browser, browser, find_axe

WIDTHS = {"wide": 1280, "narrow": 390}


def findings(one: Browser, page: str, out: Path | None, *, is_whole: bool) -> list[str]:
    """Return all that is wrong with a page."""
    found = []
    axe = find_axe()
    for (name, width), is_dark in product(WIDTHS.items(), (False, True)):
        seen = one.open(page, width=width, is_dark=is_dark)
        what = f"{Path(page).name} {name} {'dark' if is_dark else 'light'}"
        found += [f"{what}: {text}" for text in seen.complaints + seen.dialogs]
        found += [f"{what}: asks for {url}" for url in seen.requests]
        if one.overflow() > 0:
            found.append(f"{what}: {one.overflow()} pixels too wide")
        if out is not None:
            stem = f"{Path(page).stem}_{name}_{'dark' if is_dark else 'light'}"
            one.screenshot(out / f"{stem}.png", is_whole=is_whole)
        if axe is not None:
            found += [f"{what}: {text}" for text in one.serious_findings(axe)]
    return found


def main() -> int:
    """Look at all pages that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--whole", action="store_true", help="pictures of whole pages")
    chosen = parser.parse_args()
    if chosen.out is not None:
        chosen.out.mkdir(parents=True, exist_ok=True)
    found = []
    with browser() as one:
        for page in chosen.pages:
            found += findings(one, page, chosen.out, is_whole=chosen.whole)
    for text in found:
        print(text)
    print(f"{len(chosen.pages)} pages, {len(found)} findings, axe {find_axe() is not None}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
