"""Reports: a model and what it does, as one page that people can send."""

from .door import report
from .result import Report

__all__ = ["Report", "report"]
