"""JSON lines: what is read, and what is said of lines that cannot be."""

from __future__ import annotations

import json

import pytest

from tauboost.io.texts import read_texts, text_blocks

GOOD = b'{"text": "a", "label": 1}\n'
BAD = {
    "a list": (b"[1, 2]", "[1, 2] is no object: every line must be one object, as in {...}"),
    "a string": (b'"x"', "'x' is no object: every line"),
    "null": (b"null", "None is no object: every line"),
    "no JSON": (b"text", "not JSON (invalid character (byte 4)): every line must be"),
    "not a number": (b'{"text": "a", "label": NaN}', "not JSON (invalid character (byte 23))"),
    "cut": (b'{"text": "a', "not JSON (it ends too early): every line must be one object"),
    "a control character": (b'{"text": "a\tb", "label": 1}', "not JSON (invalid character"),
    "two a line": (GOOD.strip() + b" " + GOOD.strip(), "not JSON (trailing characters"),
    "more behind": (GOOD.strip() + b",", "not JSON (trailing characters"),
    "no text": (
        b'{"txt": "a", "label": 1}',
        "there is no field 'text'; did you mean 'txt'?",
    ),
    "no label": (b'{"text": "a"}', "there is no field 'label'; there are text"),
    "nothing": (b"{}", "there is no field 'text'; there are none"),
    "a number": (b'{"text": 5, "label": 1}', "a text must be a string, and field 'text' is 5"),
    "text null": (b'{"text": null, "label": 1}', "field 'text' is null, and a text is needed"),
    "label null": (b'{"text": "a", "label": null}', "field 'label' is null, and a label is needed"),
    "a label": (b'{"text": "a", "label": [1]}', "a label must be a string or a number, and field"),
    "too large": (b'{"text": "a", "label": 1e400}', "not JSON (Number out of range"),
    "half a pair": (b'{"text": "\\ud800", "label": 1}', "half a surrogate pair, as in \\ud800"),
    "at the end": (b'{"text": "a", "label": 1, "x": "\\uDFFF"}', "half a surrogate pair, as"),
    "no pair and no JSON": (b'{"text": "\\ud800", label: 1}', "not JSON (un"),
    "other half": (b'{"text": "\\udc00x", "label": 1}', "half a surrogate pair, as in \\ud800"),
    "deep": (
        b'{"text": "a", "label": 1, "x": %s}' % (b"[" * 10**5),
        "too many lists inside each other",
    ),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("before", [0, 3])
def test_bad_lines(kind, before, tmp_path):
    line, message = BAD[kind]
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD * before + b"\n" + line + b"\n" + GOOD)
    with pytest.raises(ValueError, match=r"a\.jsonl") as error:
        read_texts([path], "text", "label")
    sentence = str(error.value)
    assert sentence.startswith(f"{path}, line {before + 2}: {message}")
    assert "\n" not in sentence
    assert len(sentence) < 300


def test_an_object_over_two_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text":\n"a", "label": 1}' + GOOD)
    with pytest.raises(ValueError, match=r"line 1: not JSON .it ends too early"):
        read_texts([path], "text", "label")


def test_what_is_not_wanted_is_skipped(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"x": {"text": 1}, "text": "a", "label": null, "y": "\xff"}\r\n'
        b'\r\n{"label": [1], "t\\u0065xt": "b", "text ": 3}'
    )
    assert read_texts([path], "text", with_labels=False)[0] == ["a", "b"]


def test_names_of_fields(tmp_path):
    path = tmp_path / "a.jsonl"
    for name in ("a b", "", "é", "class", "__init__", "日本"):
        path.write_text(json.dumps({name: "x", "label": True}), encoding="utf-8")
        assert read_texts([path], name, "label")[0] == ["x"]
    with pytest.raises(ValueError, match="the name of a field cannot hold"):
        read_texts([path], 'a"b', "label")


def test_labels_of_every_type(tmp_path):
    path = tmp_path / "a.jsonl"
    for labels, kind in (([1, 2], "i"), ([1, 2.5], "f"), ([True, False], "b"), (["1", "2"], "O")):
        lines = [json.dumps({"text": "a", "label": label}) for label in labels]
        path.write_text("\n\n".join(lines))
        found = read_texts([path], "text", "label")[1]
        assert (found.dtype.kind, found.tolist()) == (kind, labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((1, "a"), "the label 'a' is unlike those before, which are numbers: write all of them"),
        (("a", 1.5), "the label 1.5 is unlike those before, which are strings"),
        ((1, True), "the label True is unlike those before, which are numbers"),
        ((1, 10**30), "a label cannot be 1000000000"),
    ],
)
def test_labels_that_are_not_alike(labels, message, tmp_path):
    first, second = (b'{"text": "a", "label": %s}\n' % json.dumps(y).encode() for y in labels)
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    paths[0].write_bytes(first * 3 + b"\n" + second + first)
    with pytest.raises(ValueError, match="line 5: ") as error:
        read_texts(paths[:1], "text", "label")
    assert message in str(error.value)
    for path, line in zip(paths, (first, b"\n\n" + second), strict=True):
        path.write_bytes(line)
    with pytest.raises(ValueError, match=r"b\.jsonl, line 3: ") as error:
        list(text_blocks(paths, "text", "label"))
    assert message in str(error.value)
