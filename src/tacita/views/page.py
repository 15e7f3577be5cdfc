"""The skeleton of a page: one file, its style inside, no script, nothing fetched; for screens and paper."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from tacita.views.markup import Html, tag, text

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The browser runs and loads nothing, whatever a name in the data pretends to be."""


def page(title: str, *body: str, styles: Sequence[str] = ()) -> Html:
    """Return a whole page, with further style sheets of this room by name."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        style("page"),
        *(style(name) for name in styles),
    )
    return Html(f"<!DOCTYPE html>\n{tag('html', head, tag('body', *body), lang='en')}\n")


def style(name: str) -> Html:
    """Return a style sheet of this room as an element: ``page``, or ``fragment`` for a part of a notebook."""
    sheet = (resources.files("tacita.views") / f"{name}.css").read_text(encoding="utf-8")
    return Html(f"<style>\n{sheet}</style>")


def section(title: str, *body: str, anchor: str | None = None, level: int = 2) -> Html:
    """Return a part of a page under its title."""
    return tag("section", tag(f"h{level}", title), *body, id=anchor)


def captioned(chart: Html, caption: str) -> Html:
    """Return a chart and what it shows."""
    return tag("figure", tag("figcaption", caption), chart) if chart else Html()


def side_by_side(*parts: Html, narrow: bool = False) -> Html:
    """Return parts beside each other where there is room, narrow ones as many as fit; empty ones are left out."""
    there = [part for part in parts if part]
    return tag("div", *there, class_="grid narrow" if narrow else "grid") if there else Html()


def verdict(word: str, sentence: str, kind: str) -> Html:
    """Return the answer, large: a word, a colour by its kind (``good``, ``bad``, ``neutral``), and a sentence."""
    return tag("div", tag("strong", text(word)), tag("span", sentence), class_=f"verdict {kind}")
