"""Check that a tag is what the files say, and print what the changelog has of that version.

python3 tests/packing/version.py v0.3.0

The release does this before it builds, and takes what is printed for its page. Python alone is
needed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def named_versions(root: Path) -> dict[str, str]:
    """Return the version that each file names; the changelog's is its first one."""
    patterns = {
        "src/tauboost/base/version.py": r'^VERSION = "(.+)"$',
        "CITATION.cff": r"^version: (\S+)$",
        "CHANGELOG.md": r"^## \[(\d[^]]*)\] - \d{4}-\d\d-\d\d$",
    }
    found = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else "none"
    return found


def notes(changelog: str, version: str) -> str:
    """Return the section of a version, without its heading."""
    parts = re.split(r"^## ", changelog, flags=re.MULTILINE)
    section = next(part for part in parts if part.startswith(f"[{version}]"))
    return section.partition("\n")[2].strip()


def main(tag: str, root: Path = ROOT) -> None:
    version = tag.removeprefix("v")
    wrong = {name: other for name, other in named_versions(root).items() if other != version}
    if wrong:
        said = ", ".join(f"{name} says {other}" for name, other in wrong.items())
        raise SystemExit(f"the tag is {tag}, but {said}.")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    sys.stdout.write(notes(changelog, version) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
