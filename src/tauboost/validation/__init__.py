"""The one gate for input: nothing reaches compiled code that has not passed a check in here.

Every message is one sentence that names the argument, what was given and what is accepted.
"""

from .labels import (
    check_groups,
    check_labels,
    check_weights,
    encode_labels,
    labels_of,
    refuse_missing_labels,
    with_class_weights,
)
from .matrix import ROWS_AT_ONCE, CsrArrays, as_csr, check_range, check_size, check_values, is_store
from .numbers import (
    check_choice,
    check_count,
    check_flag,
    check_random_state,
    check_real,
    check_seed,
    check_vector,
    check_verbose,
    refuse_dask,
)

__all__ = [
    "ROWS_AT_ONCE",
    "CsrArrays",
    "as_csr",
    "check_choice",
    "check_count",
    "check_flag",
    "check_groups",
    "check_labels",
    "check_random_state",
    "check_range",
    "check_real",
    "check_seed",
    "check_size",
    "check_values",
    "check_vector",
    "check_verbose",
    "check_weights",
    "encode_labels",
    "is_store",
    "labels_of",
    "refuse_dask",
    "refuse_missing_labels",
    "with_class_weights",
]
