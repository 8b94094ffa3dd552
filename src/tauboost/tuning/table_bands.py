"""How far the scores of a table model would move on other samples of rows: a bootstrap in lanes.

Each lane gives every row a weight of its own, drawn from a Poisson distribution of mean 1, which is
how often a row occurs in a large sample drawn with replacement. All lanes start from the model and
go on for a few sweeps at its strength.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Vector
from .table_lanes import TableLanes
from .table_model import TermData
from .table_race import TableRace
from .table_samples import TableSamples
from .table_strength import Strength
from .table_terms import terms_of
from .table_weights import TableWeights

__all__ = ["score_spreads"]

N_GROUPS, LANES = 4, 8
SWEEPS = 4


def score_spreads(
    race: TableRace, strength: Strength, fits: list[TableLanes], terms: tuple[TermData, ...]
) -> tuple[Vector, ...]:
    """Return the standard deviation of the scores of each term, in the shape of the scores."""
    samples, visited = race.samples, race.terms(race.pairs)
    assert isinstance(samples, TableSamples)
    random = np.random.Generator(np.random.Philox(key=[race.options.seed, 1]))
    levels: list[Vector] = []
    intercepts: list[Vector] = []
    for _ in range(N_GROUPS):
        drawn = random.poisson(1.0, (samples.n, LANES)) * samples.weights[:, None]
        for task, fit in enumerate(fits):
            lanes = race.lanes([strength] * LANES, task, None, samples.n_threads)
            assert isinstance(lanes.rows, TableWeights)
            lanes.rows.set_weights(drawn)
            lanes.start_from(fit.levels[0], float(fit.intercepts[0]))
            for _ in range(SWEEPS):
                lanes.sweep(visited)
            levels.append(lanes.levels)
            intercepts.append(lanes.intercepts)
    _, found = terms_of(samples, race.pairs, np.concatenate(levels), np.concatenate(intercepts))
    spreads = []
    for term, spread in zip(terms, found, strict=True):
        # The last axis is (group, task, lane).
        scores = spread.scores.reshape(*term.scores.shape[:-1], N_GROUPS, len(fits), LANES)
        spreads.append(scores.std(axis=(-3, -1), ddof=1))
    return tuple(spreads)
