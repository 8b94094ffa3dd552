"""Reading data from files, stores on disk, and model files."""

from .convert import convert
from .model import ModelData, ModelFileError, read_model, write_model
from .store import Store, is_store, open_store
from .store_writer import StoreWriter
from .svmlight import load_svmlight, svmlight_blocks

__all__ = [
    "ModelData",
    "ModelFileError",
    "Store",
    "StoreWriter",
    "convert",
    "is_store",
    "load_svmlight",
    "open_store",
    "read_model",
    "svmlight_blocks",
    "write_model",
]
