"""Data to try things on: generators with the shapes of the paper's sets, and sets found by name."""

from .files import generate_url, generate_w8a
from .generators import find_data, make_url_like, make_w8a_like

__all__ = ["find_data", "generate_url", "generate_w8a", "make_url_like", "make_w8a_like"]
