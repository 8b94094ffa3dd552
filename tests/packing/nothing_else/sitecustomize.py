"""For processes that shall have what ``pip install .`` brings, and no network.

Python imports this by itself when it starts, where PYTHONPATH names this folder.
"""

from __future__ import annotations

import socket
import sys
from importlib.abc import MetaPathFinder
from typing import Any, NoReturn

# Of the extras in pyproject.toml, and of what people have beside them.
EXTRAS = {"backports.zstd", "dask", "distributed", "matplotlib", "onnx", "onnxruntime"}
EXTRAS |= {"pandas", "polars", "pyarrow"}


class WithoutExtras(MetaPathFinder):
    """Says of what only an extra brings that it is not there."""

    def find_spec(self, fullname: str, *_: Any) -> None:
        """Leave all else to others."""
        if fullname in EXTRAS:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def refuse(self: socket.socket, address: Any) -> NoReturn:
    """Let nothing be fetched."""
    raise OSError(f"no network: {address}")


sys.meta_path.insert(0, WithoutExtras())
socket.socket.connect = refuse  # type: ignore[assignment]
