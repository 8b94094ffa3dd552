"""The pictures of docs/tables.md, drawn by the code that the page shows.

The page's blocks of Python run one after the other, in the folder for results; what they draw there
is copied to docs/figures by hand, after a check by eye. --quick ends with the first picture.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import common

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tables.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Run the page, and say what it drew."""
    chosen = common.parser(__doc__).parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    os.chdir(chosen.out)
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(code, PAGE.name, "exec"), names)
        if chosen.quick and ".png" in code:
            break
    print("drawn:", *sorted(path.name for path in Path().glob("tables_*.png")))


if __name__ == "__main__":
    main()
