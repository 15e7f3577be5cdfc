"""Markup that is safe by construction: text is escaped where it enters, and only `Html` goes in as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from tacita.errors import printable

_VOID = frozenset({"meta", "br"})
_CODE = re.compile(r"`+([^`]+)`+")
_EMPHASIS = re.compile(r"\*(\w[^*]*)\*")


class Html(str):
    """Markup: what was text in it is escaped already."""

    __slots__ = ()


def text(value: str) -> Html:
    """Return text as markup, without control characters; markup stays what it is.

    >>> text("<b> & " + chr(0))
    '&lt;b&gt; &amp; ␀'
    """
    return value if isinstance(value, Html) else Html(escape(printable(value), quote=True))


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Return parts one after the other; those that are no markup are escaped."""
    return Html(text(between).join(text(part) for part in parts))


def tag(name: str, /, *inside: str, **attributes: str | None) -> Html:
    """Return an element. Attributes are named as in HTML, ``class_`` for class, and left out if None.

    >>> tag("p", "a < b, ", tag("b", "bold"), class_="note")
    '<p class="note">a &lt; b, <b>bold</b></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(printable(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>" if name in _VOID else f"<{name}{given}>{joined(inside)}</{name}>")


def items(entries: Iterable[str]) -> Html:
    """Return a list with a point for each entry, or nothing."""
    points = [tag("li", entry) for entry in entries]
    return tag("ul", *points) if points else Html()


def preformatted(lines: str) -> Html:
    """Return a text whose lines stay lines, such as a file.

    >>> preformatted("k = 3\\n[attack]")
    '<pre>k = 3\\n[attack]</pre>'
    """
    return tag("pre", joined(lines.splitlines(), Html("\n")))


def docstring(sentence: str) -> Html:
    """Return a sentence of a docstring: names in backticks as code, words in asterisks with emphasis.

    >>> docstring("on *all* keys of `dimension` < 3")
    'on <em>all</em> keys of <code>dimension</code> &lt; 3'
    """
    return Html(_EMPHASIS.sub(r"<em>\1</em>", _CODE.sub(r"<code>\1</code>", text(sentence))))
