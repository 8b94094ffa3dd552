"""Pictures of arrays: a low layer, so that results of any part can draw themselves."""

from typing import TYPE_CHECKING

from ..base.lazy import lazy_names

if TYPE_CHECKING:
    from .classifier import plot_explanation, plot_margins, plot_top_features
    from .plots import plot_path

__all__ = ["plot_explanation", "plot_margins", "plot_path", "plot_top_features"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": {"plot_explanation", "plot_margins", "plot_top_features"},
        "plots": {"plot_path"},
    },
)
