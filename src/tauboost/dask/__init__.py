"""tauboost on a Dask cluster: the rows in parts on its workers, the same methods and results."""

from .adaboost_pl import AdaBoostPLClassifier
from .classifier import TauBoostClassifier
from .crew import PartError, PartLostError, Patience
from .data import svmlight_ranges, text_files
from .problem import DaskProblem
from .solver import solve
from .table_classifier import TableClassifier
from .text_classifier import TextClassifier

__all__ = [
    "AdaBoostPLClassifier",
    "DaskProblem",
    "PartError",
    "PartLostError",
    "Patience",
    "TableClassifier",
    "TauBoostClassifier",
    "TextClassifier",
    "solve",
    "svmlight_ranges",
    "text_files",
]
