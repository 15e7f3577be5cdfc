"""What every public result has in common: a short `repr` without secrets, and its forms as text, JSON and HTML.

A result is a frozen dataclass with slots that says in one line what it is:

    @dataclass(frozen=True, slots=True, repr=False)
    class Assessment(Result): ...

The forms are in the room of views, which is above every room that makes results. They are found by the name of the
class, here and nowhere else.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from tacita.errors import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

_LONGEST = 160


class Result:
    """A result that can be printed, read by a machine, and shown in a notebook."""

    __slots__ = ()

    def _in_short(self) -> str:
        """Return what it is in a few words: counts and names, never a value of the data, a seed or a key."""
        return ""

    def to_dict(self, **options: Any) -> dict[str, Any]:
        """Return plain values for JSON; the field names are part of the interface. `options` are those of the view."""
        return cast("dict[str, Any]", _view(self).to_dict(self, **options))

    def to_text(self, width: int = 120, **options: Any) -> str:
        """Return text for people, without colours."""
        return cast("str", _view(self).to_text(self, width, **options))

    def to_terminal(self, **options: Any) -> RenderableType:
        """Return what rich prints, at any width; ``console.print(result)`` does the same without options."""
        return cast("RenderableType", _view(self).as_text(self, **options))

    def to_html(self) -> str:
        """Return a page that needs nothing but itself."""
        return str(_view(self).as_page(self))

    def _form(self, name: str) -> Any:
        """Return a form that only this kind of result has, by the name of the method of its view."""
        return getattr(_view(self), name)(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        words = printable(" ".join(self._in_short().split()))
        words = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
        return f"<{type(self).__name__}{' ' if words else ''}{words}>"

    def __rich__(self) -> RenderableType:
        return self.to_terminal()

    def _repr_html_(self) -> str:
        return str(_view(self).as_fragment(self))


def _view(result: Result) -> Any:
    return importlib.import_module("tacita.views").view_of(type(result))
