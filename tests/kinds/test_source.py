"""Which kind of data files hold, and what they are called."""

from __future__ import annotations

from tauboost.kinds.source import Source, hold_texts, is_table


def test_which_data_are_texts(tmp_path):
    (tmp_path / "a.txt").write_text("__label__a b\n")
    (tmp_path / "b.txt").write_text("1 1:1\n")
    (tmp_path / "store").mkdir()
    for name, expected in (
        ("a.jsonl", True), ("a.txt", True), ("b.txt", False), ("a.csv", False),
        ("a.parquet", False), ("store", False), ("none.svm", False),
    ):  # fmt: skip
        path = tmp_path / name
        assert hold_texts(Source((path,))) is expected
        assert hold_texts(Source((path,), text="text"))
        assert hold_texts(Source((path,), format="csv"))
    assert hold_texts(Source((tmp_path / "b.txt", tmp_path / "a.txt")))


def test_the_name_of_several_files(tmp_path):
    paths = tuple(tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl"))
    source = Source(paths, "text")
    assert source.name == "a.jsonl and 2 more"
    assert source.is_pipe  # or not there


def test_which_files_are_tables(tmp_path):
    assert is_table(tmp_path / "shop.csv")
    assert not is_table(tmp_path / "a.svm")
    (tmp_path / "folder.csv").mkdir()
    assert not is_table(tmp_path / "folder.csv")
