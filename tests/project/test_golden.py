"""Golden values: two records of the same code are equal, and changes are found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.golden import __main__ as command
from tests.golden import records, sections, speed


def encoded(**values):
    found = records.Records()
    found.add(values)
    return found.found


def test_two_records_of_the_same_code_are_equal(tmp_path):
    only = "theory,table problems"
    for name in ("a.json", "b.json"):
        assert command.main(["record", str(tmp_path / name), "--only", only]) == 0
    found = records.read(tmp_path / "a.json")["records"]
    assert len(found) > 100
    assert found == records.read(tmp_path / "b.json")["records"]
    assert command.main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    command.main(["record", str(tmp_path / "c.json"), "--only", "table problems"])
    few = ["compare", str(tmp_path / "a.json"), str(tmp_path / "c.json")]
    assert command.main(few) == 1
    assert command.main([*few, "--only", "table problems"]) == 0


@pytest.mark.parametrize("size", [3, 5000])
@pytest.mark.parametrize(("by", "kind"), [(0.0, "same"), (1e-14, "bits"), (1e-9, "values")])
def test_a_changed_digit_is_found(size, by, kind):
    before = np.random.default_rng(0).normal(size=size)
    after = before.copy()
    after[-1] += by * np.abs(before).max() * size**0.5
    old, new = records.encode(before), records.encode(after)
    assert records.difference(old, new)[0] == kind


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (3, 4, "values"),
        (True, False, "values"),
        (None, 1.0, "values"),
        (1.0, np.nan, "values"),
        (np.nan, np.nan, "same"),
        (np.inf, 1.0, "values"),
        ([1, 2], [1, 3], "values"),
        ([1.0, 2.0], [1.0], "values"),
        ("yes", "no", "words"),
        (b"yes", b"no", "bytes"),
    ],
)
def test_kinds_of_differences(old, new, kind):
    assert records.difference(records.encode(old), records.encode(new))[0] == kind


def test_only_values_and_what_is_missing_fail():
    old = encoded(a=1.0, b="word", c=[{"alpha": 0.5}, {"alpha": 0.25}])
    assert set(old) == {"a", "b", "c/alpha"}
    lines, is_fine = records.compare(old, encoded(a=1.0 + 1e-15, b="other", c=[], d=1) | old)
    assert is_fine
    assert "new records: 2" in lines
    lines, is_fine = records.compare(old, {k: v for k, v in old.items() if k != "a"})
    assert not is_fine
    assert "MISSING: 1" in lines
    lines, is_fine = records.compare(old, old | encoded(a=1.1))
    assert not is_fine
    assert lines[-1] == "3 records: 2 the same, 0 within 1e-12"


def test_an_error_ends_its_part_alone(monkeypatch, capsys):
    def fails(found):
        with found.under("first"):
            raise ValueError("no")
        with found.under("second"):
            found.add(a=1)

    monkeypatch.setitem(sections.SECTIONS, "fails", fails)
    found = sections.record(["fails"])
    assert found == {"fails/first/error": {"words": "ValueError: no"}, "fails/second/a": 1}
    assert "fails: 2 records" in capsys.readouterr().err


def test_numbers_of_a_page_are_those_that_are_seen():
    html = "<style>a { top: 3px }</style><p id='x7'>AUC 0.912, -1.5e-3; x86, v1.2.3</p>"
    assert records.numbers(html).tolist() == [0.912, -0.0015]


def test_speeds_are_shown_beside_each_other():
    assert speed.table({"a": 0.5, "b": 1.0}, {"a": 0.25, "c": 1.0})[0].split()[-1] == "0.50"
