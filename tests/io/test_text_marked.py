"""Lines without names: fastText's, with a label in front, and plain ones."""

from __future__ import annotations

import pytest

from tauboost.io.texts import read_texts

MUST = "the line must begin with __label__ and the name of a label"


def read(path, content, **options):
    path.write_bytes(content)
    return read_texts([path], **options)


def test_labels_in_front(tmp_path):
    content = (
        b"__label__a b c\r\n\n  __label__d\te __label\n__label__1\n__label__\xc3\xa9\xc2\xa0x y z"
    )
    texts, labels = read(tmp_path / "a.txt", content)
    assert texts == ["b c", "e __label", "", "y z"]
    assert labels.tolist() == ["a", "d", "1", "é\xa0x"]


def test_labels_are_left_out_where_they_are_not_wanted(tmp_path):
    content = b"__label__a b\nno label\n\n__label__c  d \n"
    assert read(tmp_path / "a.txt", content, with_labels=False)[0] == ["b", "no label", " d "]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"__label__a __label__b text", "2 labels: only one label a line is understood"),
        (b"__label__a text __label__b\t__label__c", "3 labels: only one label a line"),
        (b"text", MUST),
        (b"__label__ text", MUST),
        (b"text __label__a", MUST),
    ],
)
def test_bad_lines(line, message, tmp_path):
    content = b"__label__a b\n\n" + line + b"\n"
    with pytest.raises(ValueError, match=rf"a\.txt, line 3: {message}"):
        read(tmp_path / "a.txt", content)


def test_a_label_that_is_not_in_front_is_no_text(tmp_path):
    with pytest.raises(ValueError, match=f"line 2: {MUST}"):
        read(tmp_path / "a.txt", b"__label__a b\nc __label__a\n", with_labels=False)


def test_the_name_of_a_label_within_a_word_is_text(tmp_path):
    texts, _ = read(tmp_path / "a.txt", b"__label__a x__label__b\n")
    assert texts == ["x__label__b"]


def test_there_are_no_names(tmp_path):
    for names in ({"text": "a"}, {"label": "a"}):
        (word,) = names
        with pytest.raises(ValueError, match=rf"a\.txt: .* have no names: leave {word}= out"):
            read(tmp_path / "a.txt", b"__label__a b\n", **names)


def test_plain_lines_have_no_labels(tmp_path):
    with pytest.raises(ValueError, match=r"a\.txt: plain lines have no labels: give JSON lines"):
        read(tmp_path / "a.txt", b"a\nb\n")
    assert read(tmp_path / "a.txt", b"a\n\nb", with_labels=False)[0] == ["a", "", "b"]
