"""Reading data from files."""

from .svmlight import load_svmlight

__all__ = ["load_svmlight"]
