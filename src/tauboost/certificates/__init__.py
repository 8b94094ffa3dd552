"""Statements about data that can be checked by arithmetic."""

from .hard_core import HardCore, Verdict, Verification, hard_core

__all__ = ["HardCore", "Verdict", "Verification", "hard_core"]
