"""tauboost on a Dask cluster: the rows in parts on its workers, the same methods and results."""

from .actors import PartError, PartLostError, Patience
from .adaboost_pl import AdaBoostPLClassifier
from .estimators import TableClassifier, TauBoostClassifier, TextClassifier
from .loading import svmlight_ranges, text_files
from .solve import solve
from .sparse import DaskProblem

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
