"""A second writer of safetensors files, so that the readers are not tested against themselves.

It takes a file apart, and puts changed parts together with a right length and a right checksum, as
one who means harm would.
"""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

import numpy as np

from .mutations import INTEGERS, edit_array, edit_bytes, edit_data, edit_json

__all__ = ["edit_file", "edit_sealed", "put_together", "set_length", "take_apart"]

DTYPES = {"b": "BOOL", "u": "U{}", "i": "I{}", "f": "F{}"}
MODEL = "tauboost"  # the key of a model file's own header


def take_apart(content: bytes, key: str = MODEL) -> tuple[dict, Any, bytes]:
    """Return the tensors' entries with their metadata, our own header, and the data."""
    length = int.from_bytes(content[:8], "little")
    fields = json.loads(content[8 : 8 + length])
    return fields, json.loads(fields["__metadata__"][key]), content[8 + length :]


def put_together(fields: object, header: object, data: bytes, key: str = MODEL) -> bytes:
    """Return a file with a right length and a right checksum, whatever the parts are."""
    if isinstance(fields, dict) and isinstance(fields.get("__metadata__"), dict):
        metadata = {k: v for k, v in fields["__metadata__"].items() if k != "crc32"}
        if isinstance(metadata.get(key), str):
            metadata[key] = header if isinstance(header, str) else json.dumps(header)
        entries = {name: entry for name, entry in fields.items() if name != "__metadata__"}
        meaning = json.dumps([metadata, entries], sort_keys=True).encode()
        checksum = f"{zlib.crc32(data, zlib.crc32(meaning)):08x}"
        fields = {"__metadata__": {**metadata, "crc32": checksum}, **entries}
    text = json.dumps(fields).encode()
    return len(text).to_bytes(8, "little") + text + data


def tensors_of(fields: dict, data: bytes) -> dict[str, np.ndarray]:
    """Return the arrays of a sound file."""
    found = {}
    for name, entry in fields.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            kind, bits = entry["dtype"][0].lower(), entry["dtype"][1:]
            dtype = "?" if entry["dtype"] == "BOOL" else f"<{kind}{int(bits) // 8}"
            found[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    return found


def of_tensors(tensors: dict[str, np.ndarray], metadata: dict) -> tuple[dict, bytes]:
    """Return the entries and the data of a file that holds these arrays."""
    fields: dict[str, Any] = {"__metadata__": metadata}
    data = b""
    for name, array in tensors.items():
        dtype = DTYPES[array.dtype.kind].format(8 * array.dtype.itemsize)
        end = len(data) + array.nbytes
        offsets = [len(data), end]
        fields[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
        data += array.tobytes()
    return fields, data


def edit_sealed(rng: random.Random, content: bytes, key: str = MODEL) -> bytes:
    """Edit headers and data blindly, and seal the file again."""
    fields, header, data = take_apart(content, key)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        part = rng.random()
        if part < 0.35:
            data = edit_data(rng, data)
        elif part < 0.65:
            header = edit_json(rng, header)
        elif part < 0.95:
            fields = edit_json(rng, fields)
        else:
            data = rng.choice([data[:-1], data + b"\0", b"", data * 2])
    return put_together(fields, header, data, key)


def edit_tensors(rng: random.Random, content: bytes, key: str = MODEL) -> bytes:
    """Change one array or a few of a file, each in a way that leaves the file well-formed.

    Arrays of bytes that hold JSON are edited as JSON.
    """
    fields, header, data = take_apart(content, key)
    tensors = tensors_of(fields, data)
    for _ in range(rng.choice([1, 1, 1, 2])):
        name = rng.choice(sorted(tensors))
        if name.endswith("facts") and tensors[name].dtype == np.uint8 and rng.random() < 0.9:
            try:
                text = json.dumps(edit_json(rng, json.loads(tensors[name].tobytes())))
            except ValueError:  # edited before
                continue
            tensors[name] = np.frombuffer(text.encode(), np.uint8)
        elif rng.random() < 0.05:
            del tensors[name]
            break
        else:
            tensors[name] = edit_array(rng, tensors[name])
    return put_together(*of_sealed(tensors, fields["__metadata__"], header), key)


def of_sealed(tensors: dict, metadata: dict, header: Any) -> tuple[dict, Any, bytes]:
    """Return the three parts that `put_together` takes."""
    fields, data = of_tensors(tensors, metadata)
    return fields, header, data


def edit_file(rng: random.Random, content: bytes, donor: bytes, key: str = MODEL) -> bytes:
    """Return a mutated file: most have a right checksum, the others are damaged blindly."""
    choice = rng.random()
    if choice < 0.45:
        return edit_tensors(rng, content, key)
    if choice < 0.8:
        return edit_sealed(rng, content, key)
    if choice < 0.85:
        return set_length(rng, content)
    return edit_bytes(rng, content, donor)


def set_length(rng: random.Random, content: bytes) -> bytes:
    """Let the header claim another length."""
    length = int.from_bytes(content[:8], "little")
    value = rng.choice([*map(abs, INTEGERS), length - 1, length + 1, length * 2, len(content)])
    return (value % 2**64).to_bytes(8, "little") + content[8:]
