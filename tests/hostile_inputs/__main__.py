"""``python -m tests.hostile_inputs``: run every case, and count what became of them."""

from .runner import main

main()
