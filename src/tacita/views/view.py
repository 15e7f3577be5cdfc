"""What the views of all results share: a result that has words has a page and a part of a notebook too."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tacita.version import __version__
from tacita.views.json_values import plain
from tacita.views.markup import Html, preformatted, tag

if TYPE_CHECKING:
    from rich.console import RenderableType

R = TypeVar("R")


class View(Generic[R]):
    """The forms of one kind of result. A view gives at least `as_dict` and `as_text`."""

    digits: int | None = None
    """Significant digits of numbers in JSON; None gives them as they are."""

    def title(self, result: R) -> str:
        """Return the title of the page."""
        return type(result).__name__

    def as_dict(self, *result: Any, **options: Any) -> dict[str, Any]:
        """Return the fields of its JSON; what JSON lacks is replaced by `to_dict`."""
        raise NotImplementedError

    def as_text(self, *result: Any, **options: Any) -> RenderableType:
        """Return what rich can print at any width."""
        raise NotImplementedError

    def as_fragment(self, result: R) -> Html:
        """Return a part of a notebook: the text, if the view has nothing better."""
        from tacita.views.page import style

        return tag("div", style("fragment"), preformatted(self.to_text(result)), class_="tacita-report")

    def as_page(self, result: R) -> Html:
        """Return a whole page: the part of a notebook under a title, if the view has nothing better."""
        from tacita.views.page import page

        title = self.title(result)
        footer = tag("footer", f"Made with Tacita {__version__}.")
        return page(title, tag("main", tag("h1", title), self.as_fragment(result), footer))

    def to_dict(self, result: R, **options: Any) -> dict[str, Any]:
        """Return what JSON can hold."""
        return cast("dict[str, Any]", plain(self.as_dict(result, **options), self.digits))

    def to_text(self, result: R, width: int = 120, **options: Any) -> str:
        """Return text without colours."""
        from rich.console import Console

        console = Console(file=io.StringIO(), width=width, no_color=True, force_terminal=False, highlight=False)
        console.print(self.as_text(result, **options))
        text = cast("io.StringIO", console.file).getvalue()
        return "\n".join(line.rstrip() for line in text.splitlines())


class LinesView(View[R]):
    """The forms of a result that is lines of any length, which a reader may want to copy: none is wrapped."""

    def lines(self, *result: Any, **options: Any) -> Iterable[str]:
        """Yield the lines."""
        raise NotImplementedError

    def as_text(self, *result: Any, **options: Any) -> RenderableType:
        """Return the lines."""
        from rich.text import Text

        return Text(self.to_text(*result, **options))

    def to_text(self, result: R, width: int = 120, **options: Any) -> str:
        """Return the lines as they are."""
        return "\n".join(line.rstrip() for line in self.lines(result, **options))
