"""What a certified gap costs: solves that stop on it, against the same way without it.

For every data set and psi, ``solve(gap=...)`` is timed against a run to the same objective
(``target``) from the same seed, in turns; solves of more than five seconds are timed once. The
ratio is the price of the tests. Where the optimum cannot be reached within ``--epochs``, the gap
that was reached is shown.
"""

from __future__ import annotations

import argparse
from functools import partial
from statistics import median

import common
import tauboost as tb
from common import w8a as w8a_data
from tauboost.datasets import find_data

Row = dict[str, object]
NAMES = ("a9a", "imdb_unigram", "url_uci_slice")
LONG = 5.0  # seconds: such solves are timed once
L1_RATIOS = {"l1": 1.0, "l2": 0.0}


def measure(data: common.Data, loss: str, psi: str, chosen: argparse.Namespace) -> Row:
    """Time one solve with and without the tests."""
    problem = tb.Problem(data.X, data.y, loss=loss, n_threads=chosen.threads)
    common_options = {
        "alpha": chosen.alpha,
        "l1_ratio": L1_RATIOS[psi],
        "max_epochs": chosen.epochs,
        "n_threads": chosen.threads,
        "random_state": chosen.seed,
    }
    certified = partial(tb.solve, problem, gap=chosen.gap, **common_options)
    first = certified()
    plain = partial(tb.solve, problem, target=first.objective, tol=0, **common_options)
    repeats = 1 if chosen.quick or first.seconds > LONG else chosen.repeats
    with common.Neighbours() as others:
        # Without: until the objective is reached, and not the bound that every run ends with.
        seconds = [(certified().seconds, float(plain().trace.seconds[-1])) for _ in range(repeats)]
    with_tests, without = (median(column) for column in zip(*seconds, strict=True))
    return {
        "data": data.name,
        "loss": loss,
        "psi": f"{psi} {chosen.alpha:g}",
        "status": str(first.status),
        "gap": float("nan") if first.gap is None else first.gap,
        "epochs": first.n_epochs,
        "seconds": with_tests,
        "seconds_without": without,
        "ratio": with_tests / without,
        "other_cores_busy": others.cores,
    }


def data_sets(chosen: argparse.Namespace) -> list[common.Data]:
    """Return w8a, and what else is found."""
    found = [w8a_data(chosen.seed, chosen.quick)]
    for name in () if chosen.quick else chosen.data:
        try:
            found.append(common.Data(name, *tb.load_svmlight(find_data(name))))
        except FileNotFoundError:
            print(f"{name} is not there: left out")
    return found


def main() -> None:
    """Measure and write gaps.csv."""
    options = common.parser(__doc__)
    options.add_argument("data", nargs="*", default=NAMES, help="data sets beside w8a")
    options.add_argument("--repeats", type=int, default=5, help="the median of N counts")
    options.add_argument("--alpha", type=float, default=1e-3, help="alpha of psi")
    options.add_argument("--gap", type=float, default=1e-6, help="where to stop")
    options.add_argument("--epochs", type=float, default=100, help="where to give up")
    chosen = options.parse_args()
    rows = [
        measure(data, loss, psi, chosen)
        for data in data_sets(chosen)
        for loss in ("exponential", "logistic")
        for psi in L1_RATIOS
    ]
    cells = ("{data}", "{loss}", "{psi}", "{status}", "{gap:.1e}", "{epochs:.0f}", "{seconds:.3f}")
    common.print_table(
        f"Solves until the gap is at most {chosen.gap:g}",
        ("data", "loss", "psi", "ended", "gap", "epochs", "seconds", "x without"),
        [[cell.format(**row) for cell in (*cells, "{ratio:.2f}")] for row in rows],
        n_words=4,
    )
    common.remark_on(max(float(str(row["other_cores_busy"])) for row in rows))
    common.write_csv(chosen.out / "gaps.csv", rows, common.provenance(chosen.seed))


if __name__ == "__main__":
    main()
