"""Random sparse arrays, the same in every version of SciPy that is supported."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def random_csr(shape: tuple[int, int], density: float, rng: np.random.Generator) -> sp.csr_array:
    """Do as scipy.sparse.random_array, which is not in all of them."""
    return sp.csr_array(sp.random(*shape, density=density, format="csr", random_state=rng))
