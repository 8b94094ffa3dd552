"""Statements about data that can be checked by arithmetic."""

from .certificate import HardCore, Verdict, Verification
from .verdict import hard_core

__all__ = ["HardCore", "Verdict", "Verification", "hard_core"]
