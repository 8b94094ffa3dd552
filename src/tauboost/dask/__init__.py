"""tauboost on a Dask cluster: the rows in parts on its workers, the same methods and results."""

from .crew import PartError, PartLostError, Patience
from .data import svmlight_ranges
from .problem import DaskProblem
from .solver import solve

__all__ = ["DaskProblem", "PartError", "PartLostError", "Patience", "solve", "svmlight_ranges"]
