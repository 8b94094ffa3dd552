"""Reports: a model and what it does, as one page that people can send."""

from .page import Report, report

__all__ = ["Report", "report"]
