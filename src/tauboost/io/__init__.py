"""Reading data from files."""

from .svmlight import load_svmlight, svmlight_blocks

__all__ = ["load_svmlight", "svmlight_blocks"]
