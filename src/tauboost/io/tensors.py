"""Named arrays and a few strings in one safetensors file, read as if a stranger had written it.

The format: 8 bytes with the length of a JSON header, the header (for each array its type, its
shape and where its bytes begin and end), then the bytes of all arrays without gaps, little-endian.
Our files carry one string more, ``crc32``, over what the header says and all bytes, so that damage
shows even where every value is still plausible. Nothing is allocated before the sizes are known to
fit the file. Errors are ValueErrors that say what is wrong; in which file, the caller knows.
"""

from __future__ import annotations

import json
import math
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from .atomic import new_file

__all__ = [
    "MOST_SHARED",
    "Entry",
    "Header",
    "decode",
    "encode",
    "excerpt",
    "file_size",
    "front_code",
    "front_decode",
    "is_tensor_file",
    "layout",
    "object_array",
    "open_regular",
    "pack",
    "parse",
    "read_file",
    "read_header",
    "read_tensors",
    "shared_prefixes",
    "unpack",
    "write_tensors",
]


# JSON for plain Python values, strict in both directions.
#
# What an estimator's parameters hold and JSON has no word for is written as an object with one
# key: ``{"$float": "inf"}``, ``{"$tuple": [...]}``, ``{"$dict": [[key, value], ...]}`` (keys that
# are not strings). Reading refuses whatever writing could not have produced, and never runs
# anything.


MAX_DEPTH = 16
MAX_INTEGER = 2**63
SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def excerpt(value: object, length: int = 40) -> str:
    """Show any value in one short line."""
    # Cut first: the repr of a long string is up to ten times as long.
    text = repr(value[:length] if isinstance(value, str | bytes) else value)
    return text if len(text) <= length else text[: length - 3] + "..."


def parse(text: str) -> Any:
    """Parse standard JSON: no NaN, no key twice in one object; ValueError for anything else."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the JSON is damaged ({error.msg} at {error.pos})") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("the JSON has a key twice in one object")
    return result


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"the JSON holds {name}, which is no number")


def encode(value: Any, name: str, depth: int = 0) -> Any:
    """Return what JSON can hold for ``value``.

    A random number generator becomes null: the state of the one that a fit has used is of no use.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"{name} is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        items = [encode(item, name, depth + 1) for item in value]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, dict):
        return _encode_dict(value, name, depth)
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    _check_scalar(value, name)
    return value


def _encode_dict(value: dict[Any, Any], name: str, depth: int) -> Any:
    pairs = [(encode(key, name, depth + 1), encode(v, name, depth + 1)) for key, v in value.items()]
    for key, _ in pairs:
        _check_scalar(key, f"a key of {name}")
    if all(isinstance(key, str) and not key.startswith("$") for key, _ in pairs):
        return dict(pairs)
    return {"$dict": [list(pair) for pair in pairs]}


def decode(value: Any, name: str, depth: int = 0) -> Any:
    """Return the value that :func:`encode` was given."""
    if depth > MAX_DEPTH:
        raise ValueError(f"{name} is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, list):
        return [decode(item, name, depth + 1) for item in value]
    if isinstance(value, dict):
        if any(key.startswith("$") for key in value):
            return _decode_tagged(value, name, depth)
        for key in value:
            _check_scalar(key, f"a key of {name}")
        return {key: decode(item, name, depth + 1) for key, item in value.items()}
    _check_scalar(value, name)
    return value


def _decode_tagged(value: dict[str, Any], name: str, depth: int) -> Any:
    match value:
        case {"$float": str(text)} if len(value) == 1 and text in SPECIAL_FLOATS:
            return SPECIAL_FLOATS[text]
        case {"$tuple": list(items)} if len(value) == 1:
            return tuple(decode(item, name, depth + 1) for item in items)
        case {"$dict": list(pairs)} if len(value) == 1:
            return _decode_pairs(pairs, name, depth)
    raise ValueError(f"{name} holds an unknown kind of value, {excerpt(value)}")


def _decode_pairs(pairs: list[Any], name: str, depth: int) -> dict[Any, Any]:
    result = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or isinstance(pair[0], list | dict):
            raise ValueError(f"{name} holds {excerpt(pair)} where a key and a value belong")
        _check_scalar(pair[0], f"a key of {name}")
        result[pair[0]] = decode(pair[1], name, depth + 1)
    if len(result) != len(pairs):
        raise ValueError(f"{name} has a key twice")
    return result


def _check_scalar(value: Any, name: str) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} holds text that is not Unicode") from None
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{name} holds {value}, which is no number")
    elif isinstance(value, int):
        if not -MAX_INTEGER <= value < MAX_INTEGER:
            raise ValueError(f"{name} holds an integer of more than 64 bits")
    elif value is not None:
        raise TypeError(
            f"{name} holds {excerpt(value)}, which a model file cannot store: accepted are None, "
            "booleans, numbers, strings, and lists, tuples and dicts of them"
        )


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


# Arrays of strings as two arrays of numbers: all text as UTF-8, and where each string begins.
#
# A model may have millions of feature names. As numbers they cost a file nothing but their
# letters and 8 bytes each, and are read without a parser.


def pack(strings: Sequence[str], name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the text of all strings, and the n + 1 positions that cut it."""
    try:
        encoded = [string.encode() for string in strings]
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds text that is not Unicode: {error.object!a:.60}") from None
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack(text: NDArray[np.uint8], offsets: NDArray[np.int64], name: str) -> list[str]:
    """Return the strings, after checking that the positions cut the text and nothing else."""
    is_cut = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(text)
    if not is_cut or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(f"the offsets of {name} do not cut its text into strings")
    raw = text.tobytes()
    try:
        return [raw[begin:end].decode() for begin, end in pairwise(offsets.data)]
    except UnicodeDecodeError:
        raise ValueError(f"{name} holds text that is not UTF-8") from None


def object_array(strings: Sequence[str]) -> NDArray[Any]:
    """Return an array of Python strings, as scikit-learn keeps feature names."""
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array


# Sorted strings in less space: of each, only what differs from the one before it.
#
# Neighbours in a sorted list begin alike. A string is how many of its first bytes are those of
# the string before it, at most 15, and the bytes that follow. So few, because then a file cannot
# grow to more than sixteen times its size when it is read, whoever wrote it.


MOST_SHARED = 15
AT_ONCE = 32  # bytes compared in step, for all neighbours; the few that go on are compared alone

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


def shared_prefixes(text: Bytes, offsets: Integers, most: int | None = None) -> Integers:
    """Return how many first bytes each string but the first shares with the one before it."""
    limits = np.minimum(np.diff(offsets)[:-1], np.diff(offsets)[1:])
    if most is not None:
        limits = np.minimum(limits, most)
    shared = np.zeros(len(limits), dtype=np.int64)
    alive = np.flatnonzero(limits > 0)
    step = 0
    while len(alive) and step < AT_ONCE:
        same = text[offsets[:-2][alive] + step] == text[offsets[1:-1][alive] + step]
        alive = alive[same]
        step += 1
        shared[alive] = step
        alive = alive[limits[alive] > step]
    for k in alive:
        begin, other, length = offsets[k], offsets[k + 1], limits[k]
        differs = text[begin : begin + length] != text[other : other + length]
        shared[k] = differs.argmax() if differs.any() else length
    return shared


def front_code(text: Bytes, offsets: Integers) -> tuple[Bytes, Bytes, Integers]:
    """Return what is left of the text, how much each string shares, and the lengths of the rest."""
    shared = np.zeros(len(offsets) - 1, dtype=np.int64)
    shared[1:] = shared_prefixes(text, offsets, MOST_SHARED)
    rest = np.diff(offsets) - shared
    return text[_places(offsets[:-1] + shared, rest)], shared.astype(np.uint8), rest


def front_decode(
    rest_text: Bytes, shared: Bytes, rest: NDArray[np.unsignedinteger]
) -> tuple[Bytes, Integers]:
    """Return the text and its offsets, after checking that they were coded so."""
    lengths = shared.astype(np.int64) + rest
    begins = _offsets(rest)
    if begins[-1] != len(rest_text):
        raise ValueError("the lengths of terms do not cut their text")
    before = np.append(0, lengths[:-1])
    if shared.max(initial=0) > MOST_SHARED or np.any(shared > before):
        raise ValueError("terms share more than there is with those before them")
    offsets = _offsets(lengths)
    text = np.empty(offsets[-1], dtype=np.uint8)
    text[_places(offsets[:-1] + shared, rest)] = rest_text
    for k in range(MOST_SHARED):
        own, taken = np.flatnonzero(shared <= k), np.flatnonzero(shared > k)
        if len(taken) == 0:
            break
        source = own[np.searchsorted(own, taken) - 1]  # the last one that has this byte of its own
        text[offsets[taken] + k] = rest_text[begins[source] + k - shared[source]]
    return text, offsets


def _offsets(lengths: NDArray[np.integer]) -> Integers:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _places(begins: Integers, lengths: NDArray[np.integer]) -> Integers:
    """Return begin, begin + 1, ... for each of some runs, one after another."""
    ends = _offsets(lengths)
    return np.arange(ends[-1]) + np.repeat(begins - ends[:-1], lengths)
