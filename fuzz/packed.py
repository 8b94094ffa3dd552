"""Compressed files: how they are made, and how their headers lie.

A header may ask for a dictionary of 4 GiB, and a few bytes may stand for gigabytes of text, in one
line or in many.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import zlib
from collections.abc import Callable

from tauboost.io.source import ZSTD, _zstd

from .mutations import edit_bytes

__all__ = ["COMPRESS", "edit_packed", "stretched"]


def _zstd_compress(text: bytes) -> bytes:
    compressed: bytes = _zstd().compress(text)
    return compressed


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": _zstd_compress,
}
FILLING = (b"x", b" ", b"9", b"\0", b"\n", b'"', b"1:1 ", b'"\n', b"\xc3\xa9", b"[")


def stretched(rng: random.Random, text: bytes) -> bytes:
    """Return a text with a stretch of one thing in it, up to two million times."""
    at = rng.randrange(len(text) + 1)
    n = rng.choice([2**12, 2**16, 2**16, 2**20, 2**21])
    filling = rng.choice(FILLING)
    return text[:at] + filling * (n // len(filling)) + text[at:]


def edit_packed(rng: random.Random, kind: str, content: bytes) -> bytes:
    """Damage a file blindly, or let the header of xz or zstd ask for another amount of memory."""
    if kind in ("xz", "zst") and rng.random() < 0.2:
        return _asking_for_memory(rng, kind, content)
    return edit_bytes(rng, content)


def _asking_for_memory(rng: random.Random, kind: str, content: bytes) -> bytes:
    if kind == "xz":  # whose header has a checksum
        end = 12 + 4 * (content[12] + 1)
        header = bytearray(content[12 : end - 4])
        header[4] = rng.randrange(44)  # up to 40: 4 GiB
        checksum = zlib.crc32(header).to_bytes(4, "little")
        return content[:12] + bytes(header) + checksum + content[end:]
    # A frame that does not say its size has to say how long its window is.
    descriptor = content[4]
    is_single = descriptor & 0x20
    n_size = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    blocks = content[5 + n_size + (0 if is_single else 1) :]
    return ZSTD + bytes([descriptor & 0x04, rng.randrange(256)]) + blocks
