"""The formats of others that `tauboost convert` reads: scipy's .npz, Arrow and Parquet."""

from __future__ import annotations

import ast
import io
import random
import shutil
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from pyarrow import parquet

import tauboost as tb
from tauboost.io.conversion import blocks_of, kind_of

from .mutations import edit_array, edit_bytes
from .own_formats import check_matrix, small_data
from .sample import Sample

__all__ = ["Arrow", "Npz", "Parquet", "edit_arrow", "edit_parquet"]

DESCRIPTIONS = ["<f8", "<f4", ">f8", "<i8", "<i4", ">i4", "|u1", "|b1", "|O", "<U4", "|S3", "|V8"]
DESCRIPTIONS += ["<M8[s]", "<c16", "<f2", [("a", "<i4"), ("b", "<f8")], "nonsense", 3, None]
SHAPES = [(), (0,), (1,), (2, 3), (2**31,), (2**40,), (2**62,), (-1,), (2**63,), "x", None, (1.5,)]


class Converted:
    """Whatever the format, it is read by turning it into a store."""

    name: str

    def read(self, kind: str, folder: Path) -> None:  # noqa: ARG002
        """Read its blocks; where that goes well, convert, and look at the store."""
        path, target = folder / self.name, folder / "store"
        # Most are refused here, in a third of the time that the writer takes to begin.
        for _ in blocks_of(
            path, kind_of(path), zero_based="auto", with_labels=True, n_threads=None
        ):
            pass
        shutil.rmtree(target, ignore_errors=True)
        store = tb.convert(path, target)
        check_matrix(store.to_csr(), np.asarray(store.y))


class Npz(Converted):
    """Archives of arrays: members edited, and the archive as bytes."""

    name = "data.npz"

    def seeds(self, folder: Path) -> list[Sample]:
        """Return one of each sparse format, with labels, stored and compressed."""
        X, y = small_data()
        X = X[:20]
        found = []
        for kind in ("csr", "csc", "coo", "bsr", "dia"):
            for compressed in (False, True):
                path = folder / "seed.npz"
                sp.save_npz(path, X.asformat(kind), compressed=compressed)
                with np.load(path) as archive:
                    members = dict(archive)
                (np.savez_compressed if compressed else np.savez)(path, y=y[:20], **members)
                found.append(Sample(kind, {self.name: path.read_bytes()}))
        return found

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Edit a member, and pack it again; or edit the archive blindly."""
        seed = rng.choice(seeds)
        content = seed.files[self.name]
        if rng.random() < 0.25:
            return Sample(seed.kind, {self.name: edit_bytes(rng, content)})
        members = dict(members_of(content))
        for _ in range(rng.choice([1, 1, 1, 2])):
            name = rng.choice(sorted(members))
            choice = rng.random()
            if choice < 0.06:
                del members[name]
            elif choice < 0.12:
                members[name] = members[rng.choice(sorted(members))]
            elif choice < 0.2:
                members[name] = edit_bytes(rng, members[name])
            elif choice < 0.35:
                members[name] = edit_npy_header(rng, members[name])
            else:
                members[name] = edit_npy(rng, members[name])
            if not members:
                break
        method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w", method) as archive:
            for name, member in members.items():
                archive.writestr(name, member)
        content = memory.getvalue()
        if rng.random() < 0.05:
            content = edit_bytes(rng, content)
        return Sample(seed.kind, {self.name: content})


@cache
def members_of(content: bytes) -> dict[str, bytes]:
    """Unpack a sound archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def edit_npy(rng: random.Random, member: bytes) -> bytes:
    """Edit an item, the type or the shape of an array."""
    try:
        array = np.load(io.BytesIO(member), allow_pickle=False)
    except Exception:
        return member
    if array.dtype.kind in "SU":  # the name of the sparse format
        words = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok", "", "CSR", "x" * 40, "\ud800"[:0]]
        array = np.array(rng.choice(words), dtype=rng.choice(["S", "U"]))
    elif array.dtype.kind in "biuf":
        array = edit_array(rng, array)
    memory = io.BytesIO()
    np.save(memory, array, allow_pickle=False)
    return memory.getvalue()


def edit_npy_header(rng: random.Random, member: bytes) -> bytes:
    """Let the header say something else than what follows it."""
    length = int.from_bytes(member[8:10], "little")
    try:
        header = ast.literal_eval(member[10 : 10 + length].decode("latin1").strip())
        header[rng.choice(["descr", "shape", "fortran_order"])] = rng.choice(
            [*DESCRIPTIONS, *SHAPES, True, False]
        )
        field = rng.choice(["descr", "shape", "none"])
        if field != "none":
            header[field] = rng.choice(DESCRIPTIONS if field == "descr" else SHAPES)
    except (ValueError, SyntaxError, TypeError):  # edited before
        return member
    text = repr(header).encode("latin1", errors="replace")
    text = text.ljust(max(0, 117 - len(text)) + len(text)) + b"\n"
    return member[:8] + len(text).to_bytes(2, "little") + text + member[10 + length :]


def table(kind: str) -> pa.Table:
    """Return twenty rows, with lists of the given kind."""
    X, y = small_data()
    X = X[:20]
    rows = [X[[k]] for k in range(20)]
    indices = [row.indices.tolist() for row in rows]
    values = [row.data.tolist() for row in rows]
    lists = {"large": pa.large_list}.get(kind, pa.list_)
    if kind == "fixed":
        indices, values = ([[k % 8, 7] for k in range(20)], [[0.5, 1.0]] * 20)
        return pa.table(
            {
                "indices": pa.array(indices, pa.list_(pa.int64(), 2)),
                "values": pa.array(values, pa.list_(pa.float64(), 2)),
                "label": pa.array(y[:20]),
            }
        )
    columns = {"label": pa.array(y[:20]), "indices": pa.array(indices, lists(pa.int32()))}
    if kind != "ones":
        columns["values"] = pa.array(values, lists(pa.float64()))
    if kind == "strings":
        columns["more"] = pa.array([f"text {k}" for k in range(20)])
        columns["which"] = columns["more"].dictionary_encode()
    return pa.table(columns)


TABLES = ("lists", "large", "fixed", "ones", "strings")


class Arrow(Converted):
    """Arrow files and streams, whose buffers nothing protects."""

    name = "data.arrow"

    def seeds(self, folder: Path) -> list[Sample]:  # noqa: ARG002
        """Return files and streams, some compressed, some of several batches."""
        found = []
        for kind in TABLES:
            for make in (pa.ipc.new_file, pa.ipc.new_stream):
                for compression in (None, "lz4", "zstd") if kind == "lists" else (None,):
                    memory = io.BytesIO()
                    options = pa.ipc.IpcWriteOptions(compression=compression)
                    with make(memory, table(kind).schema, options=options) as writer:
                        writer.write_table(table(kind), max_chunksize=8)
                    found.append(Sample(kind, {self.name: memory.getvalue()}))
        return found

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Edit it."""
        seed, donor = rng.choice(seeds), rng.choice(seeds)
        content = edit_arrow(rng, seed.files[self.name], donor.files[self.name])
        return Sample(seed.kind, {self.name: content})


class Parquet(Converted):
    """Parquet files: pages and the description at their end."""

    name = "data.parquet"

    def seeds(self, folder: Path) -> list[Sample]:  # noqa: ARG002
        """Return files with and without compression, dictionaries, checksums."""
        found = []
        settings = [
            {"compression": "none", "use_dictionary": False},
            {"compression": "snappy"},
            {"compression": "zstd", "data_page_version": "2.0"},
            {"compression": "none", "use_dictionary": True, "row_group_size": 7},
            {"compression": "gzip", "use_dictionary": False, "write_statistics": False},
        ]
        for kind in TABLES:
            for setting in settings:
                memory = io.BytesIO()
                parquet.write_table(table(kind), memory, **setting)
                found.append(Sample(kind, {self.name: memory.getvalue()}))
        return found

    def mutate(self, rng: random.Random, seeds: list[Sample]) -> Sample:
        """Edit it."""
        seed, donor = rng.choice(seeds), rng.choice(seeds)
        content = edit_parquet(rng, seed.files[self.name], donor.files[self.name])
        return Sample(seed.kind, {self.name: content})


def edit_arrow(rng: random.Random, content: bytes, donor: bytes) -> bytes:
    """Edit words: lengths, offsets, types and buffers are all words of 4 or 8 bytes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        is_word = rng.random() < 0.6
        content = edit_word(rng, content) if is_word else edit_bytes(rng, content, donor)
    return content


def edit_parquet(rng: random.Random, content: bytes, donor: bytes) -> bytes:
    """Edit pages or the description; the lengths around them mostly stay right."""
    length = int.from_bytes(content[-8:-4], "little")
    pages, footer, end = content[: -8 - length], content[-8 - length : -8], content[-8:]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        choice = rng.random()
        if choice < 0.35:
            pages = edit_byte(rng, pages)
        elif choice < 0.7:
            footer = edit_byte(rng, footer)
        elif choice < 0.8:
            pages = edit_bytes(rng, pages, donor)
        elif choice < 0.9:
            footer = edit_bytes(rng, footer)
            end = len(footer).to_bytes(4, "little") + end[4:]
        else:
            end = edit_bytes(rng, end)
    return pages + footer + end


def edit_byte(rng: random.Random, content: bytes) -> bytes:
    """Change one byte, as the numbers of Parquet's descriptions are mostly one byte long."""
    if not content:
        return b"\0"
    at = rng.randrange(len(content))
    byte = rng.choice([rng.randrange(256), (content[at] + rng.choice([-2, -1, 1, 2])) % 256])
    return content[:at] + bytes([byte]) + content[at + 1 :]


def edit_word(rng: random.Random, content: bytes) -> bytes:
    """Change an aligned word by a little or by a lot."""
    width = rng.choice([4, 4, 8])
    at = rng.randrange(max(len(content) // width, 1)) * width
    word = int.from_bytes(content[at : at + width], "little")
    extremes = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1, len(content)]
    near = [word + change for change in (-8, -4, -1, 1, 4, 8, 64)]
    word = rng.choice(rng.choice([extremes, near])) % 2 ** (8 * width)
    return content[:at] + word.to_bytes(width, "little") + content[at + width :]
