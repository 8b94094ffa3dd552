"""Values as they are recorded, and how two records of one value are compared.

Numbers are kept to the last bit: those of small arrays all, of large ones a hash, the norm and some
projections, which tell a change from rounding just as well. Whole numbers must be equal. Words (of
messages, say) and bytes (of files) are listed where they changed, and fail nothing: numbers do.
"""

from __future__ import annotations

import hashlib
import json
import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

SMALL = 200
PROJECTIONS = 12
TOLERANCE = 1e-12
NUMBER = re.compile(r"(?<![\w.#-])[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _array(a: np.ndarray) -> dict[str, Any]:
    a = np.ascontiguousarray(a)
    found: dict[str, Any] = {"shape": list(a.shape)}
    if a.dtype.kind in "biu":
        return found | {"whole": a.ravel().tolist() if a.size <= SMALL else _hash(a.astype("<i8"))}
    if a.dtype.kind != "f":
        return found | {"words": _hash("\n".join(map(str, a.ravel())).encode())}
    flat = a.astype("<f8").ravel()
    if flat.size <= SMALL:
        return found | {"values": [value.hex() for value in flat.tolist()]}
    clean = np.nan_to_num(flat, nan=12345.678)
    waves = np.cos(np.outer(np.arange(1, PROJECTIONS + 1) * 0.7, np.arange(flat.size)))
    return found | {
        "hash": _hash(flat.tobytes()),
        "norm": float(np.linalg.norm(clean)).hex(),
        "values": [value.hex() for value in (waves @ clean).tolist()],
    }


def encode(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, (str, float)):
        return {"words": value} if isinstance(value, str) else _array(np.array(value))
    if isinstance(value, bytes):
        return {"bytes": _hash(value)}
    if sp.issparse(value):
        return _array(value.toarray())
    return _array(np.asarray(value))


def numbers(text: str) -> np.ndarray:
    """Return the numbers that a reader of a page sees."""
    text = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]*>", " ", text)
    return np.array([float(found) for found in NUMBER.findall(text)])


class Records:
    """What was recorded, by name; ``with records.under("fit"):`` is a part of the name.

    An error in such a part ends that part, and is a record itself.
    """

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._at: list[str] = []

    @contextmanager
    def under(self, name: str) -> Iterator[None]:
        self._at.append(name)
        try:
            yield
        except Exception as error:
            if not isinstance(error, ValueError):  # refused, which is a record as any other
                traceback.print_exc()
            self.add(error=f"{type(error).__name__}: {error}")
        finally:
            self._at.pop()

    def add(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Record values; mappings, and lists of mappings, by their keys."""
        for name, value in {**(values or {}), **more}.items():
            self._at.append(str(name))
            if isinstance(value, Mapping):
                self.add(value)
            elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
                self.add({key: [entry.get(key) for entry in value] for key in value[0]})
            elif isinstance(value, (list, tuple)) and any(
                isinstance(entry, (list, tuple, Mapping, np.ndarray)) for entry in value
            ):
                self.add({str(k): entry for k, entry in enumerate(value)})
            else:
                self.found["/".join(self._at)] = encode(value)
            self._at.pop()


def difference(old: Any, new: Any) -> tuple[str, str]:
    """Return what kind of difference there is (same, bits, words, bytes, values), and in words."""
    if old == new:
        return "same", ""
    if not (isinstance(old, dict) and isinstance(new, dict) and set(old) == set(new)):
        return "values", f"{_short(old)} -> {_short(new)}"
    for kind in ("words", "bytes"):
        if kind in old:
            return kind, f"{_short(old[kind])} -> {_short(new[kind])}"
    if old["shape"] != new["shape"] or "whole" in old:
        return "values", f"{_short(old)} -> {_short(new)}"
    one, other = (np.array([float.fromhex(v) for v in each["values"]]) for each in (old, new))
    if (np.isnan(one) != np.isnan(other)).any() or (np.isinf(one) | np.isinf(other)).any():
        return "values", f"{_short(old['values'])} -> {_short(new['values'])}"
    one, other = np.nan_to_num(one), np.nan_to_num(other)
    scale = float.fromhex(old["norm"]) if "norm" in old else np.abs(one).max(initial=0.0)
    by = float(np.abs(one - other).max(initial=0.0) / scale if scale else np.abs(other).max())
    return ("bits" if by <= TOLERANCE else "values"), f"by {by:.2g} of {scale:.6g}"


def _short(value: Any) -> str:
    return text if len(text := str(value)) <= 90 else text[:87] + "..."


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[str], bool]:
    """Return lines on what changed, and whether nothing did that matters."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(set(old) & set(new)):
        kind, how = difference(old[name], new[name])
        kinds.setdefault(kind, []).append(f"  {name}: {how}")
    kinds["missing"] = [
        f"  {name}: was {_short(old[name])}" for name in sorted(set(old) - set(new))
    ]
    kinds["new"] = [f"  {name}" for name in sorted(set(new) - set(old))]
    lines = []
    for kind, title in {
        "new": "new records",
        "words": "words that changed",
        "bytes": "bytes of files and pages that changed",
        "bits": f"bits that changed, by no more than {TOLERANCE:g}",
        "missing": "MISSING",
        "values": f"CHANGED by more than {TOLERANCE:g}",
    }.items():
        if found := kinds.get(kind):
            lines += [f"{title}: {len(found)}", *found]
    counts = {kind: len(found) for kind, found in kinds.items()}
    same, bits = counts.get("same", 0), counts.get("bits", 0)
    lines.append(f"{len(old)} records: {same} the same, {bits} within {TOLERANCE:g}")
    return lines, not (kinds["missing"] or kinds.get("values"))


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write what was recorded, one record a line, so that diff shows what changed."""
    parts = (f"{json.dumps(k)}: {{\n{_lines(v)}\n}}" for k, v in content.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{" + ",\n".join(parts) + "}\n")


def _lines(values: Mapping[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in values.items())


def read(path: Path) -> dict[str, Any]:
    """Return what `write` wrote."""
    content: dict[str, Any] = json.loads(path.read_text())
    return content
