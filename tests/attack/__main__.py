"""``python -m tests.attack``: run every case, and print how many gave results or were refused."""

from .runner import main

main()
