"""Makes ``python -m tauboost`` the same as ``tauboost``."""

from .cli import main

if __name__ == "__main__":
    main()
