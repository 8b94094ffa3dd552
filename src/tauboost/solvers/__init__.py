"""The methods. One file each, one driver loop (stopping.py), one door (registry.py)."""

from .registry import METHODS, Method, solve
from .result import Result, Status, Trace
from .stopping import Snapshot, is_unbounded

__all__ = ["METHODS", "Method", "Result", "Snapshot", "Status", "Trace", "is_unbounded", "solve"]
