"""What a fit will cost, before it is run."""

from .planner import plan
from .result import Plan

__all__ = ["Plan", "plan"]
