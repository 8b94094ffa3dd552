"""scikit-learn's callbacks, where the installed version has them (1.9 and newer).

Each sweep is a task below the fit: callbacks such as ``sklearn.callback.ProgressBar`` follow them,
and a callback that asks to stop ends the fit with what has been reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ..search.watch import Event, Report

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn: nothing to support

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's mixin."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "finished", "reporting_to_callbacks", "with_callbacks"]


def reporting_to_callbacks(estimator: Any, report: Report | None) -> Report | None:
    """Return a report function that tells the estimator's callbacks too."""
    if not hasattr(estimator, "_init_callback_context"):
        return report
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator)
    if "_skl_callbacks" not in vars(estimator):
        return report

    def report_to_all(event: Event) -> bool:
        if event.phase == "build":  # no sweep yet
            return report is not None and report(event)
        task = context.subcontext(task_name="sweep")
        task.call_on_fit_task_begin(estimator=estimator)
        stop = task.call_on_fit_task_end(estimator=estimator, metadata=asdict(event))
        return (report is not None and report(event)) or bool(stop)

    return report_to_all


def finished(estimator: Any) -> None:
    """Tell the callbacks that the fit is over."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator)
