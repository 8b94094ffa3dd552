"""Reading data from files, and model files."""

from .model import ModelData, ModelFileError, read_model, write_model
from .svmlight import load_svmlight

__all__ = ["ModelData", "ModelFileError", "load_svmlight", "read_model", "write_model"]
