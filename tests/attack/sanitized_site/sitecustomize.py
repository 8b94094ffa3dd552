"""Has Python find the build with sanitizers, and not the editable install, which comes first."""

import sys

sys.meta_path[:] = [
    finder
    for finder in sys.meta_path
    if not type(finder).__module__.startswith("_editable_skbc_tauboost")
]
