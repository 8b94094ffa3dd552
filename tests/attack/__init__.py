"""Attacks that run as commands of their own: `cd tests; python -m attack.memory`."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / "helpers"), str(Path(__file__).parents[2])]
