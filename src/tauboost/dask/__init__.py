"""tauboost on a Dask cluster: the rows in parts on its workers, the same methods and results."""

from .crew import PartLostError, Patience
from .data import svmlight_ranges
from .problem import DaskProblem

__all__ = ["DaskProblem", "PartLostError", "Patience", "svmlight_ranges"]
