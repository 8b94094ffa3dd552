"""Values of options and arguments, taken as they are where they need no conversion.

To convert a value, Typer loads Pydantic, which takes nearly as long as NumPy. Most values need no
conversion: what was not given, defaults, paths, text and names out of a list. All others are left
to Typer, with its checks and messages.
"""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from typer.core import TyperCommand

from .interrupts import unwinding

__all__ = ["Command", "spared"]


class Command(TyperCommand):
    """One command, which may be told the types of its parameters."""

    types: Mapping[str, Any] = {}

    def get_params(self, ctx: Any) -> Any:
        """Return its arguments and options."""
        return spared(super().get_params(ctx), self.types)

    def invoke(self, ctx: Any) -> Any:
        """Run it."""
        with unwinding():
            return super().invoke(ctx)


def spared(params: list[Any], types: Mapping[str, Any]) -> list[Any]:
    """Spare parameters a conversion to what they are; of unknown types, where they are absent."""
    for param in params:
        if "process_value" not in vars(param):
            param.process_value = _processing(param, types.get(param.name))
    return params


def _processing(param: Any, hint: Any) -> Any:
    convert = param.process_value
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not NoneType]
    takes_many = param.nargs == -1 or getattr(param, "multiple", False)

    def process(ctx: Any, value: Any) -> Any:
        if value is None and not param.required:
            return () if takes_many else None
        if ctx.resilient_parsing and not value:
            return value  # a line that is being completed: nothing is there yet
        if len(kinds) == 1 and isinstance(kinds[0], type):
            is_many = isinstance(value, list | tuple)
            found = [_plain(kinds[0], item) for item in (value if is_many else [value])]
            if found and None not in found:
                return found if is_many else found[0]
        return convert(ctx, value)

    return process


def _plain(kind: type, value: Any) -> Any:
    """Return a value of this kind; None where that takes more than to see it as one."""
    if isinstance(value, kind):
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    if issubclass(kind, Enum) and value in [member.value for member in kind]:
        return kind(value)
    return None
