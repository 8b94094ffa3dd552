"""Named arrays and a few strings in one safetensors file, read as if a stranger had written it.

The format: 8 bytes with the length of a JSON header, the header (for each array its type, its
shape and where its bytes begin and end), then the bytes of all arrays without gaps, little-endian.
Our files carry one string more, ``crc32``, over what the header says and all bytes, so that damage
shows even where every value still looks fine. Nothing is allocated before the sizes are known to
fit the file. Errors are ValueErrors that say what is wrong; in which file, the caller knows.
"""

from __future__ import annotations

import json
import math
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .atomic import new_file
from .plain_json import excerpt, parse

__all__ = [
    "Entry",
    "Header",
    "file_size",
    "is_tensor_file",
    "layout",
    "open_regular",
    "read_file",
    "read_header",
    "read_tensors",
    "write_tensors",
]

Array = NDArray[Any]

DTYPES = {
    "BOOL": np.dtype("?"),
    **{f"U{8 * width}": np.dtype(f"<u{width}") for width in (1, 2, 4, 8)},
    **{f"I{8 * width}": np.dtype(f"<i{width}") for width in (1, 2, 4, 8)},
    **{f"F{8 * width}": np.dtype(f"<f{width}") for width in (2, 4, 8)},
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
PREFIX = 8  # bytes of the header's length
MAX_HEADER = 2**20
MAX_TENSORS = 256
MAX_DIMENSIONS = 8
CHECKSUM = "crc32"


@dataclass(frozen=True)
class Entry:
    """Where an array lies: its bytes are ``begin <= position < end`` of the data."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    def as_json(self) -> dict[str, Any]:
        """Return the entry as the header holds it."""
        offsets = [self.begin, self.end]
        return {"dtype": self.dtype, "shape": list(self.shape), "data_offsets": offsets}


@dataclass(frozen=True)
class Header:
    """The parsed header; ``entries`` are not checked yet, ``n_bytes`` of data follow it."""

    metadata: dict[str, str]
    entries: dict[str, Any]
    n_bytes: int


def is_tensor_file(path: str | os.PathLike[str]) -> bool:
    """Tell by its first bytes, which no text begins with, whether a file may hold tensors."""
    path = Path(path)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(PREFIX + 1)
    return start[4:] == b"\0\0\0\0{"


def write_tensors(
    path: str | os.PathLike[str], tensors: Mapping[str, Array], metadata: Mapping[str, str]
) -> None:
    """Write arrays and strings; the file appears at once and complete, or not at all."""
    pieces = _pieces(tensors, metadata)
    with new_file(path, overwrite=True) as file:
        for piece in pieces:
            file.write(piece)


def file_size(tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> int:
    """Return how many bytes a file has that holds them."""
    return sum(memoryview(piece).nbytes for piece in _pieces(tensors, metadata))


def _pieces(tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> list[Any]:
    """Return what a file is made of, one piece after another."""
    if len(tensors) >= MAX_TENSORS:
        raise ValueError(f"{len(tensors)} arrays are more than a file can hold")
    arrays = {name: _little_endian(array, name) for name, array in tensors.items()}
    # The widest first: then every array begins at a multiple of its item size.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    entries, position = {}, 0
    for name in order:
        array = arrays[name]
        end = position + array.nbytes
        entries[name] = Entry(NAMES[array.dtype], tensors[name].shape, position, end)
        position = end
    checksum = _header_checksum(entries, metadata)
    for name in order:
        checksum = zlib.crc32(arrays[name].data, checksum)
    strings = {**metadata, CHECKSUM: f"{checksum:08x}"}
    fields = {"__metadata__": strings, **{name: e.as_json() for name, e in entries.items()}}
    text = json.dumps(fields, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > MAX_HEADER:
        raise ValueError(f"the header takes {len(text)} bytes, more than {MAX_HEADER}")
    return [len(text).to_bytes(PREFIX, "little") + text, *(arrays[name].data for name in order)]


def _little_endian(array: Array, name: str) -> Array:
    dtype = array.dtype.newbyteorder("<")
    if array.ndim > MAX_DIMENSIONS:
        raise ValueError(f"{name} has {array.ndim} dimensions, more than {MAX_DIMENSIONS}")
    if dtype not in NAMES:
        raise TypeError(f"{name} has values of type {array.dtype}, which a model file cannot store")
    return np.ascontiguousarray(array, dtype=dtype).reshape(-1)


def _header_checksum(entries: Mapping[str, Entry], metadata: Mapping[str, str]) -> int:
    """Return the checksum of what the header says, however it is spelled."""
    meaning = [metadata, {name: entry.as_json() for name, entry in entries.items()}]
    return zlib.crc32(json.dumps(meaning, sort_keys=True).encode())


def read_file(path: Path, kind: str) -> tuple[dict[str, str], dict[str, Array]]:
    """Read the strings and the arrays of a file whose string ``format`` is the given one."""
    with open_regular(path) as file:
        header = read_header(file)
        if header.metadata.get("format") != kind:
            raise ValueError(f"its format is not {kind}")
        return header.metadata, read_tensors(file, header, layout(header))


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; a pipe or a device is refused, without waiting for it."""
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is not a regular file")
        yield file


def _open_at_once(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK)


def read_header(file: BinaryIO) -> Header:
    """Read and parse the header, of at most 1 MiB."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(PREFIX), "little")
    if size < PREFIX or length > MAX_HEADER:
        raise ValueError("it does not begin like a model file")
    if length > size - PREFIX:
        raise ValueError(f"it is truncated: {size} bytes, but the header alone has {length}")
    try:
        fields = parse(file.read(length).decode())
    except UnicodeDecodeError:
        raise ValueError("it does not begin like a model file") from None
    if not isinstance(fields, dict) or len(fields) > MAX_TENSORS:
        raise ValueError(f"the header is not an object of at most {MAX_TENSORS} arrays")
    metadata = fields.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not all(isinstance(s, str) for s in metadata.values()):
        raise ValueError("the header has no '__metadata__' that maps strings to strings")
    return Header(metadata, fields, size - PREFIX - length)


def layout(header: Header) -> dict[str, Entry]:
    """Check every entry; return them in the order of the file, which they fill exactly."""
    entries = [(name, _entry(name, fields)) for name, fields in header.entries.items()]
    entries.sort(key=lambda item: (item[1].begin, item[1].end))
    position = 0
    for name, entry in entries:
        if entry.begin != position:
            raise ValueError(f"the bytes of {excerpt(name)} do not follow those before them")
        position = entry.end
    if position > header.n_bytes:
        raise ValueError(
            f"it is truncated: {header.n_bytes} bytes of data, but the arrays have {position}"
        )
    if position < header.n_bytes:
        raise ValueError(f"{header.n_bytes - position} bytes too many follow the last array")
    return dict(entries)


def _entry(name: str, fields: Any) -> Entry:
    if not isinstance(fields, dict) or fields.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"the header says {excerpt(fields)} of {excerpt(name)}")
    dtype, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"{excerpt(name)} has the unknown type {excerpt(dtype)}")
    if not _are_sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise ValueError(f"{excerpt(name)} has the impossible shape {excerpt(shape)}")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise ValueError(f"{excerpt(name)} has impossible offsets {excerpt(offsets)}")
    begin, end = offsets
    if math.prod(shape) * DTYPES[dtype].itemsize != end - begin:
        raise ValueError(
            f"{excerpt(name)} has {end - begin} bytes, which do not fit {dtype} of shape {shape}"
        )
    return Entry(dtype, tuple(shape), begin, end)


def _are_sizes(values: Any) -> bool:
    # Not isinstance: true and false are integers to Python.
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 2**63 for v in values)


def read_tensors(file: BinaryIO, header: Header, entries: Mapping[str, Entry]) -> dict[str, Array]:
    """Read all arrays, ``entries`` as :func:`layout` returned them, and test the checksum."""
    metadata = {name: text for name, text in header.metadata.items() if name != CHECKSUM}
    checksum = _header_checksum(entries, metadata)
    raw = {}
    for name, entry in entries.items():
        dtype = DTYPES[entry.dtype]
        count = (entry.end - entry.begin) // dtype.itemsize
        # Bytes that are neither 0 nor 1 must not become booleans.
        raw[name] = np.fromfile(file, np.uint8 if dtype.kind == "b" else dtype, count)
        if raw[name].size != count:
            raise ValueError("it became shorter while it was read")
        checksum = zlib.crc32(raw[name].data, checksum)
    if header.metadata.get(CHECKSUM) != f"{checksum:08x}":
        raise ValueError("it is damaged: its checksum does not fit its content")
    return {name: _native(raw[name], entry, name) for name, entry in entries.items()}


def _native(raw: Array, entry: Entry, name: str) -> Array:
    if entry.dtype == "BOOL":
        if raw.max(initial=0) > 1:
            raise ValueError(f"{excerpt(name)} has values that are neither true nor false")
        raw = raw.view(np.bool_)
    return raw.astype(raw.dtype.newbyteorder("="), copy=False).reshape(entry.shape)
