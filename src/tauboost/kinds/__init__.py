"""One adapter for each kind of data, sparse rows, tables and texts: all that differs between them.

``fit``, ``predict``, ``inspect`` and ``report`` ask the adapter of their data or of their model, on
the command line and in Python alike. An adapter is loaded when it is asked for.
"""

from .kind import Kind, kind_of, kind_of_estimator, open_model
from .source import Source

__all__ = ["Kind", "Source", "kind_of", "kind_of_estimator", "open_model"]
