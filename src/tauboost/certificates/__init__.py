"""Statements about data that can be checked by arithmetic."""

from .hard_core import HardCore, Separability, Verification, hard_core

__all__ = ["HardCore", "Separability", "Verification", "hard_core"]
