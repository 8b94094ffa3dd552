"""The paper, and where each part of it lives here.

O. Fercoq, *Parallel coordinate descent for the Adaboost problem* (2013). ``one_page.py`` is the
algorithm on one page, to be read first: NumPy alone, run and tested. From there:

| the paper | here |
|---|---|
| section II, the problem: A, f, F | `tauboost.problem`, `tauboost.losses`, `tauboost.rows` |
| section III, sampling and overapproximation | `tauboost.paper.pcdm` |
| Algorithm 1, with a regulariser psi | `tauboost.penalty`, `tauboost.paper.pcdm` |
| Theorem 1: L, beta | `tauboost.paper.eso` |
| Algorithm 2, Parallel AdaBoost | `tauboost.paper.pcdm` |
| section III.C, residuals and the sums over them | `tauboost.solvers.weights` |
| section IV, Theorem 2 and Propositions 1 and 2: the hard core | `tauboost.certificates` |
| section V, the asynchronous version | `tauboost.paper.pcdm` |
| section V, fully parallel coordinate descent | `tauboost.paper.full_gradient` |
| section V, accelerated | `tauboost.paper.full_gradient` |
| section V, classical AdaBoost, greedy | `tauboost.paper.greedy` |
| section V, those that solve another problem: AdaBoost.PL | `tauboost.paper.adaboost_pl` |
| section V, those that solve another problem: P-AdaBoost | `tauboost.paper.p_adaboost` |
| Figures 1 and 2 | `tauboost.paper` (``tauboost compare``), `benchmarks/paper_figures.py` |
| Figure 3 | `benchmarks/paper_figures.py` |
| all algorithms, as an oracle of the tests | `tauboost.paper.reference` |

Not the paper's: the exact step (`tauboost.solvers.exact`), Newton's (`tauboost.solvers.newton`),
the bound on the optimum (`tauboost.solvers.certificate`). docs/theory.md derives all of it, and
lists the errata of the paper.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy_names

if TYPE_CHECKING:
    from .comparison import Comparison, Level, MethodSetting, Row, Run, compare, describe
    from .figures import plot_comparison

__all__ = [
    "Comparison",
    "Level",
    "MethodSetting",
    "Row",
    "Run",
    "compare",
    "describe",
    "plot_comparison",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "comparison": {
            "Comparison",
            "Level",
            "MethodSetting",
            "Row",
            "Run",
            "compare",
            "describe",
        },
        "figures": {"plot_comparison"},
    },
)
