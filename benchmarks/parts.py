"""The parts of `make benchmarks`: a command each, the minutes it takes, and the files it makes.

Minutes are those of two cores with nothing else running; all together they are an hour. Fits
are timed three times where they take less than five seconds, once where they take longer, and are
stopped at a limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["PARTS", "Part", "named"]


@dataclass(frozen=True)
class Part:
    """A run of one script.

    Parameters
    ----------
    files : patterns of the CSV files that it must leave; in a quick run the data have other names
    quick : its options in a quick run, where those would not do
    """

    name: str
    script: str
    words: tuple[str, ...]
    minutes: float
    files: tuple[str, ...]
    quick: tuple[str, ...] | None = None

    def options(self, *, is_quick: bool) -> list[str]:
        """Return the options of the script."""
        if not is_quick:
            return list(self.words)
        return ["--quick", *(self.words if self.quick is None else self.quick)]


def _solvers(name: str, words: str, minutes: float, file: str, quick: str) -> Part:
    return Part(name, "solvers.py", tuple(words.split()), minutes, (file,), tuple(quick.split()))


_RACE = ("--repeats", "3", "--long", "5")
_GAPS = "--methods exact lbfgs lbfgs-csr"
_L2 = "--alpha 1e-3 --l1-ratio 0"
_LOGISTIC = "--loss logistic --alpha 3e-4 --l1-ratio 0"
_SKLEARN = "--methods exact sklearn-lbfgs sklearn-newton-cg"
PARTS = (
    Part("peers", "peers.py", (*_RACE, "--time-limit", "30"), 13, ("peers_*.csv",)),
    Part("tables", "tables.py", (*_RACE, "--time-limit", "150"), 15, ("tables.csv",)),
    Part("tables-large", "tables.py", ("--million", "--genes"), 1.8,
         ("tables_million.csv", "tables_genes.csv")),
    Part("texts", "texts.py", ("--ways", *_RACE, "--time-limit", "120"), 10,
         ("texts_*.csv",)),
    Part("texts-single", "texts.py", ("--vectorizers", "--files", "--budget", *_RACE), 2,
         ("texts_*_vectorizers.csv", "texts_*_files.csv", "texts_*_budget.csv")),
    Part("paper", "paper_figures.py", (), 4.8, ("figure1.csv", "figure3.csv")),
    _solvers(
        "gap-w8a",
        f"w8a --threads 1 --best -1.49137863270 --repeats 3 --time-limit 12 {_GAPS}",
        1.1, "solvers_*_exponential.csv", f"--threads 1 {_GAPS}",
    ),
    _solvers(
        "gap-exponential", f"imdb_unigram {_L2} --repeats 3 --time-limit 12 {_GAPS}",
        1.4, "solvers_*_exponential_l2_*.csv", f"{_L2} {_GAPS}",
    ),
    _solvers(
        "gap-logistic", f"imdb_unigram {_LOGISTIC} --repeats 3 --time-limit 3 {_SKLEARN}",
        1.8, "solvers_*_logistic_l2_*.csv", f"{_LOGISTIC} {_SKLEARN}",
    ),
    _solvers("threads", "--scaling --nnz 50e6 --alpha 1e-5", 0.8, "solvers_scaling.csv",
             "--scaling --alpha 1e-5"),
    _solvers("sweep", "--sweep", 0.4, "solvers_sweep_*.csv", "--sweep"),
    Part("certified", "gaps.py", ("--repeats", "3"), 5, ("gaps.csv",)),
    Part("plan", "plan.py", (), 3, ("plan.csv",)),
    Part("adaboost", "parallel_adaboost.py", ("credit_card", "adult", "--repeats", "3"), 1.7,
         ("parallel_adaboost.csv",), ()),
    Part("kernels", "kernels.py", (), 1, ("kernels.csv", "async_updates.csv")),
    Part("reading", "reading.py", ("--repeats", "5"), 0.5, ("reading.csv",)),
    Part("file-to-model", "file_to_model.py", ("--repeats", "3"), 0.5, ("file_to_model.csv",)),
)  # fmt: skip


def named(names: Iterable[str]) -> list[Part]:
    """Return the parts of these names, all if there are none, in the order of the run."""
    wanted = set(names)
    if unknown := wanted - {part.name for part in PARTS}:
        known = ", ".join(part.name for part in PARTS)
        raise SystemExit(f"error: no part {', '.join(sorted(unknown))}; there are {known}")
    return [part for part in PARTS if not wanted or part.name in wanted]
