"""A small table of every kind of column, for the tests of what is fitted to one."""

from __future__ import annotations

import numpy as np
import pandas as pd


def mixed_table(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers with and without missing values, categories, and labels that depend on them."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({f"x{k}": random.normal(size=n_rows) for k in range(4)})
    table["few"] = random.integers(0, 5, n_rows).astype(float)
    table.loc[::7, "x1"] = np.nan
    table["town"] = random.choice(["Ulm", "Bonn", "Kiel", "Jena"], n_rows, p=[0.5, 0.3, 0.15, 0.05])
    table["maybe"] = random.choice(np.array(["yes", "no", None], dtype=object), n_rows)
    score = table["x0"] + np.sin(2 * table["x2"]) + (table["town"] == "Bonn") - 0.3 * table["few"]
    return table, (score + random.logistic(size=n_rows) > 0).to_numpy()
