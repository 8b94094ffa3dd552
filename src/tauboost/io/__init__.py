"""Reading data from files, and stores on disk."""

from .convert import convert
from .store import Store, is_store, open_store
from .store_writer import StoreWriter
from .svmlight import load_svmlight

__all__ = ["Store", "StoreWriter", "convert", "is_store", "load_svmlight", "open_store"]
