"""Makes ``python -m tauboost`` the same as ``tauboost``."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
