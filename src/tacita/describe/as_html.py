"""A description for notebooks: one small table, everything escaped, nothing fetched."""

from __future__ import annotations

from html import escape

from tacita.describe.as_text import frequent, hides, percent, sparkline
from tacita.describe.describe import Description


def as_html(description: Description) -> str:
    """Return a description as an HTML fragment."""
    heads = ("attribute", "kind", "category", "distinct", "missing", "most frequent", "distribution")
    rows = []
    for name, profile in description.profiles.items():
        attribute = description.microdata.attribute(name)
        proposed = "?" if attribute.category is None else ""
        cells = (
            name,
            profile.kind.value,
            description.category(name).value + proposed,
            f"{profile.distinct:,}",
            percent(profile.missing, profile.rows) if profile.missing else "-",
            "not shown" if hides(description.category(name), profile) else frequent(profile, attribute.labels).plain,
            "" if hides(description.category(name), profile) else sparkline(profile),
        )
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{h}</th>" for h in heads)
    title = f"<b>{escape(description.microdata.name)}</b> {description.rows:,} tuples"
    uniques = description.uniques
    tail = ""
    if uniques is not None:
        on = escape(", ".join(uniques.quasi_identifiers))
        tail = f"<p><b>{uniques.sample_uniques:,} sample uniques</b> on {on}</p>"
    return f"<div><p>{title}</p><table><tr>{head}</tr>{''.join(rows)}</table>{tail}</div>"
