"""``cached_property`` without the lock that Python before 3.12 holds while the value is computed.

That lock is one for all instances: fits in several threads would wait for each other, and a process
forked meanwhile would wait for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - named as what it stands for
        """A value that is computed when it is first asked for, and then kept in the instance."""

        def __init__(self, compute: Any) -> None:
            self.compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            # Two threads may both compute it; they find the same.
            return vars(instance).setdefault(self.name, self.compute(instance))
