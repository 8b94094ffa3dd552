"""Bytes from plain and compressed files: whole, in any form that the usual tools write."""

from __future__ import annotations

import io
import lzma
import os
import sys
import threading
import time
import zlib

import numpy as np
import pytest

from odd_files import Trickle
from svmlight_texts import COMPRESS
from tauboost.io import load_svmlight, source
from tauboost.io.source import first_bytes, open_source

PACK = {kind: pack for kind, pack in COMPRESS.items() if kind != "plain"}
TEXT = b"".join(b"1 1:%d\n" % (i * i) for i in range(3000))


def content(file) -> bytes:
    with open_source(file) as opened:
        return b"".join(text.tobytes() for text, _ in opened.parts())


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_small_reads(kind, size):
    assert content(Trickle(COMPRESS[kind](TEXT), size)) == TEXT


@pytest.mark.parametrize("kind", COMPRESS)
def test_an_eager_one_waits_for_nothing_but_the_first_byte(kind):
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as file, os.fdopen(writing, "wb", buffering=0) as other_end:
        other_end.write(COMPRESS[kind](b"ok\n"))
        with open_source(file, is_eager=True) as opened:
            parts = opened.parts()
            if kind == "plain":
                assert next(parts)[0].tobytes() == b"ok\n"
                other_end.write(b"yes\n")
                assert next(parts)[0].tobytes() == b"yes\n"
            other_end.close()
            rest = b"".join(part.tobytes() for part, _ in parts)
    assert rest == (b"" if kind == "plain" else b"ok\n")


def test_whoever_leaves_early_does_not_wait_for_the_thread(monkeypatch):
    """Python may collect the generator while it starts a thread, where waiting never ends."""
    may_go_on = threading.Event()
    step = source._Decompressor.step

    def slow(self, data):
        if self.is_inside:
            may_go_on.wait(20)
        return step(self, data)

    monkeypatch.setattr(source._Decompressor, "step", slow)
    monkeypatch.setattr(source, "COMPRESSED_BYTES", 64)
    with open_source(io.BytesIO(PACK["gz"](TEXT))) as opened:
        parts = opened.parts()
        next(parts)
        began = time.monotonic()
        parts.close()
    assert time.monotonic() - began < 10
    may_go_on.set()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python brings it")
def test_without_zstd_the_message_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "a.csv.zst"
    path.write_bytes(source.ZSTD + b"any")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    with pytest.raises(ImportError, match=r"a\.csv\.zst: .* pip install 'tauboost\[zstd\]'"):
        content(path)


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("padding", [b"", b"\0" * 4, b"\0" * 1000])
@pytest.mark.parametrize("size", [3, 10**6])
def test_several_streams_in_one_file(kind, padding, size):
    packed = [PACK[kind](part) for part in (TEXT, b"", TEXT[:10], TEXT)]
    assert content(Trickle(padding.join(packed) + padding, size)) == TEXT + TEXT[:10] + TEXT


@pytest.mark.parametrize("kind", PACK)
def test_what_grows_a_thousandfold_stays_bounded(kind):
    size = 20_000_000
    with open_source(io.BytesIO(PACK[kind](b" " * size))) as opened:
        sizes = [len(text) for text, _ in opened.parts()]
    assert sum(sizes) == size
    assert max(sizes) <= source.LONGEST_TEXT


@pytest.mark.parametrize("kind", COMPRESS)
def test_the_place_in_the_file_is_told(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "PART_BYTES", 4096)
    monkeypatch.setattr(source, "COMPRESSED_BYTES", 512)
    path = tmp_path / "data"
    path.write_bytes(COMPRESS[kind](TEXT))
    with open_source(path) as opened:
        assert opened.size == path.stat().st_size
        parts = [(part.tobytes(), position) for part, position in opened.parts()]
    positions = [position for _, position in parts]
    assert positions == sorted(positions)
    assert positions[-1] == opened.size
    assert len(parts) > 3
    assert b"".join(part for part, _ in parts) == TEXT


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("share", [0.01, 0.5, 0.999])
def test_truncated(write, kind, share):
    whole = PACK[kind](TEXT)
    cut = whole[: max(8, int(share * len(whole)))]
    with pytest.raises(ValueError, match=r"data\.svm: the compressed data end too early"):
        content(write(cut))
    with pytest.raises(ValueError, match=r"data\.svm: the compressed data end too early"):
        load_svmlight(write(PACK[kind](TEXT) + PACK[kind](TEXT)[:-3]))


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("damage", ["flip", "tail"])
def test_damaged(write, kind, damage):
    rng = np.random.default_rng(0)
    text = "\n".join(f"1 {i}:{x}" for i, x in enumerate(rng.random(2000), start=1)).encode()
    whole = bytearray(PACK[kind](text))
    if damage == "tail":
        whole += b"this is no compressed stream"
    else:
        whole[len(whole) // 2 :] = bytes(255 - byte for byte in whole[len(whole) // 2 :])
    # What has been decompressed before the damage shows may be junk and refused as such.
    with pytest.raises(
        ValueError, match=r"data\.svm(: the compressed data are damaged|, line \d+)"
    ):
        load_svmlight(write(bytes(whole)))


@pytest.mark.parametrize("kind", PACK)
def test_every_flipped_bit_is_noticed_or_harmless(kind):
    """No flip may crash, hang, or give another text without a word."""
    text = TEXT[:200]
    whole = PACK[kind](text)
    rng = np.random.default_rng(1)
    for place in rng.integers(0, 8 * len(whole), 200):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << (place % 8)
        try:
            found = content(io.BytesIO(bytes(damaged)))
        except ValueError as error:
            found = str(error)
        assert found in (text, bytes(damaged)) or "the compressed data" in str(found)


def asking_for(memory: str) -> bytes:
    """Return a sound compressed file whose header claims that it takes 4 GiB to read."""
    if memory == "zst":  # a frame without its size, and with a window of 2 GiB
        return source.ZSTD + bytes([0x00, (31 - 10) << 3]) + bytes([0x01, 0x00, 0x00])
    content = bytearray(lzma.compress(TEXT))
    end = 12 + 4 * (content[12] + 1)
    assert content[14:16] == b"\x21\x01"  # LZMA2, whose one property is the dictionary
    content[16] = 40
    content[end - 4 : end] = zlib.crc32(content[12 : end - 4]).to_bytes(4, "little")
    return bytes(content)


@pytest.mark.parametrize("kind", sorted(PACK.keys() & {"xz", "zst"}))
def test_a_header_that_asks_for_gigabytes(kind):
    with pytest.raises(ValueError, match=r"takes more than 256 MiB of memory: decompress it by"):
        content(io.BytesIO(asking_for(kind)))


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_byte_order_mark_is_left_out(kind, size, tmp_path):
    mark = source.BYTE_ORDER_MARK
    for text in (b"", b"1", b"1 1:1\n", b"1" + mark, mark):
        assert content(Trickle(COMPRESS[kind](mark + text), size)) == text
    for text in (mark[:1], mark[:2], mark[:2] + b"x", b"\xefx", b"1" + mark):
        assert content(Trickle(COMPRESS[kind](text), size)) == text
    path = tmp_path / "data.svm"
    path.write_bytes(COMPRESS[kind](mark + b"1 1:1\n"))
    assert first_bytes(path, 4) == b"1"
    assert load_svmlight(path)[1].tolist() == [1.0]


@pytest.mark.parametrize("kind", COMPRESS)
def test_the_first_bytes_stay_where_they_are(kind, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(COMPRESS[kind](TEXT))
    assert first_bytes(path, 10) == TEXT[:10]
    opened = io.BytesIO(path.read_bytes())
    assert first_bytes(opened, 10) == TEXT[:10]
    assert content(opened) == TEXT
    if kind in ("plain", "gz"):  # of others, a buffer may hold too little
        with path.open("rb") as file:
            assert first_bytes(file, 10) == TEXT[:10]
            assert content(file) == TEXT


def test_there_are_no_first_bytes_to_look_at(tmp_path):
    assert first_bytes(tmp_path, 10) == first_bytes(tmp_path / "none", 10) == b""
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8bnonsense")
    assert first_bytes(tmp_path / "bad.gz", 4) == b"\x1f\x8bno"
    os.mkfifo(tmp_path / "pipe")
    assert first_bytes(tmp_path / "pipe", 10) == b""  # without waiting for a writer
    assert first_bytes(Trickle(TEXT, 5), 10) == b""
