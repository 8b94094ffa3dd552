"""The methods. One file each, one loop (stopping.py), one entry point (registry.py)."""

from .monitor import Snapshot, is_unbounded
from .registry import METHODS, Method, solve
from .result import Result, Status, Trace

__all__ = ["METHODS", "Method", "Result", "Snapshot", "Status", "Trace", "is_unbounded", "solve"]
