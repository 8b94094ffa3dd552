"""Reading data from files, stores on disk, and model files; each is imported when it is used."""

from typing import TYPE_CHECKING

from ..base.lazy import lazy_names

if TYPE_CHECKING:
    from .conversion import convert
    from .model_file import ModelFileError
    from .store import Store, is_store, open_store
    from .store_writer import StoreWriter
    from .svmlight import load_svmlight, svmlight_blocks

__all__ = [
    "ModelFileError",
    "Store",
    "StoreWriter",
    "convert",
    "is_store",
    "load_svmlight",
    "open_store",
    "svmlight_blocks",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "conversion": {"convert"},
        "model_file": {"ModelFileError"},
        "store": {"Store", "is_store", "open_store"},
        "store_writer": {"StoreWriter"},
        "svmlight": {"load_svmlight", "svmlight_blocks"},
    },
)
