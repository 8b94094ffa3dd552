"""Every kernel on 2 to 64 threads, several at once, interrupted: attack/races.py."""

from __future__ import annotations

from attack.command import run_attack


def test_any_number_of_threads_gives_the_same_bits():
    """The short form of `make tsan`: what a sanitizer would see is seen only by luck."""
    run_attack("races", seconds=300)
