"""A description: what the file is, a line per attribute, and how many tuples stand out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacita.describe.describe import Description, Uniques
from tacita.describe.kinds import label_of
from tacita.errors import counted, printable
from tacita.model.attribute import Category, Kind
from tacita.model.figures import Share, share_of
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Proposal
from tacita.views.markup import Html, tag
from tacita.views.page import style
from tacita.views.tables import Cell, table
from tacita.views.terminal import empty_table
from tacita.views.view import View

STYLES = {
    Category.IDENTIFIER: "bold red",
    Category.QUASI_IDENTIFIER: "yellow",
    Category.SENSITIVE: "magenta",
    Category.WEIGHT: "cyan",
    Category.CLUSTER_KEY: "cyan",
    Category.NON_IDENTIFYING: "dim",
}
_BARS = "▁▂▃▄▅▆▇█"
_SHOWN_ATTRIBUTES = 60
_SHOWN_NAME = 30
_SHOWN_VALUE = 14
_OBVIOUS = {"delimiter", "encoding"}


class DescriptionView(View[Description]):
    """The forms of a description."""

    def title(self, result: Description) -> str:
        """Return the name of the file."""
        return result.microdata.name

    def as_dict(self, result: Description) -> dict[str, Any]:
        """Return the file, its attributes and its sample uniques."""
        return description_dict(result)

    def as_text(self, result: Description) -> RenderableType:
        """Return a line per attribute, as wide as the terminal allows, and what needs a decision."""
        return Group(_title(result), _Table(result), *_readings(result), *_uniques(result))

    def as_fragment(self, result: Description) -> Html:
        """Return one table."""
        return _fragment(result)


def _title(description: Description) -> Text:
    microdata = description.microdata
    text = Text(no_wrap=False)
    text.append(printable(microdata.name), style="bold")
    text.append(f"  {counted(description.rows, 'tuple')}, {counted(len(description.profiles), 'attribute')}")
    details = [value if name in _OBVIOUS else f"{name} {value}" for name, value in microdata.source.details]
    usual = {"quote double", "header first line", "decimal ."}
    text.append(f"  ({', '.join([microdata.source.format, *(t for t in details if t not in usual)])})", style="dim")
    return text


@dataclass(frozen=True, slots=True)
class _Table:
    """The attributes, a line each; on a narrow terminal the values are cut, never the figures."""

    description: Description

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield _table(self.description, options.max_width)


def _table(description: Description, width: int) -> Table:
    readings = {reading.name: reading.type.value for reading in description.microdata.readings}
    rows = []
    for name, profile in list(description.profiles.items())[:_SHOWN_ATTRIBUTES]:
        category = description.category(name)
        attribute = description.microdata.attribute(name)
        proposed = attribute.category is None
        rows.append(
            (
                Text(_short(name, _SHOWN_NAME)),
                Text(readings.get(name, profile.type.value)),
                Text(profile.kind.value),
                Text(category.value + ("?" if proposed else ""), style=STYLES[category]),
                Text(f"{profile.distinct:,}"),
                Text(share_of(profile.missing, profile.rows) if profile.missing else "-"),
                Text("not shown", style="dim") if hides(category, profile) else frequent(profile, attribute.labels),
                Text("" if hides(category, profile) else sparkline(profile), style="blue"),
            )
        )
    titles = ("attribute", "read as", "kind", "category", "distinct", "missing", "most frequent", "distribution")
    widths = {title: max([len(title), *(row[i].cell_len for row in rows)]) for i, title in enumerate(titles)}
    shown = list(titles)
    for least_telling in ("distribution", "read as", "kind", "most frequent"):
        if _needed(shown, widths) > width:
            shown.remove(least_telling)
    if "most frequent" in shown:  # the only one that may be cut
        rest = _needed(shown, widths) - len("most frequent")
        widths["most frequent"] = max(len("most frequent"), min(widths["most frequent"], width - rest))
    table = empty_table(padding=(0, 2, 0, 0))
    for title in shown:
        right = title in {"distinct", "missing"}
        table.add_column(title, no_wrap=True, width=widths[title], justify="right" if right else "left")
    for row in rows:
        table.add_row(*(row[titles.index(title)] for title in shown))
    return table


def _needed(titles: list[str], widths: dict[str, int]) -> int:
    """Return the width of a table whose values are cut to their heading."""
    return sum(len(t) if t == "most frequent" else widths[t] for t in titles) + 2 * len(titles)


def hides(category: Category, profile: AttributeProfile) -> bool:
    """Return whether values are kept off the screen: those of an identifier are nobody's business here."""
    return category is Category.IDENTIFIER and not profile.all_different


def frequent(profile: AttributeProfile, labels: Mapping[str, str] = MappingProxyType({})) -> Text:
    """Return the most frequent values, by their labels where codes have some, with their share; not of an identifier.

    >>> from tacita.model.relation import ColumnType
    >>> sexes = (("2", 6), ("1", 4))
    >>> sex = AttributeProfile("sex", ColumnType.INTEGER, Kind.CATEGORICAL, 10, 0, 2, 0, 1.0, 0, most_frequent=sexes)
    >>> frequent(sex, {"1": "male", "2": "female"}).plain
    'female 60 %, male 40 %'
    """
    if profile.all_different:
        return Text("all different", style="dim")
    if profile.kind is Kind.CONTINUOUS and profile.moments:
        q = profile.moments.quantiles
        return Text(f"median {q[2]:g}, middle half {q[1]:g} to {q[3]:g}")
    if not profile.most_frequent:
        return Text("no values" if not profile.present else "", style="dim")
    shown = profile.most_frequent[:3]
    named = [(_short(label_of(value, labels) or value, _SHOWN_VALUE), count) for value, count in shown]
    return Text(", ".join(f"{name} {share_of(count, profile.present)}" for name, count in named))


def _short(text: str, longest: int) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sparkline(profile: AttributeProfile) -> str:
    """Return a small histogram.

    >>> from tacita.model.relation import ColumnType
    >>> sparkline(AttributeProfile("a", ColumnType.TEXT, Kind.CATEGORICAL, 9, 0, 3, 0, 1.4, 1, histogram=(1, 2, 6)))
    '▂▃█'
    """
    highest = max(profile.histogram, default=0)
    if not highest:
        return ""
    return "".join(_BARS[round((len(_BARS) - 1) * n / highest)] if n else " " for n in profile.histogram)


def _readings(description: Description) -> Iterator[RenderableType]:
    microdata = description.microdata
    hidden = len(description.profiles) - _SHOWN_ATTRIBUTES
    if hidden > 0:
        yield Text(f"and {hidden:,} more attributes; --json shows all", style="dim")
    codes = [f"{r.name} ({r.reason})" for r in microdata.readings if "code" in r.reason and not r.doubtful]
    if codes:
        yield Padding(Text(f"Kept as text: {_few(codes)}.", style="dim"), (1, 0, 0, 0))
    doubtful = [f"{r.name}: as {r.type.value}; {r.reason}" for r in microdata.readings if r.doubtful]
    yield from _to_look_at("Please look at how these columns were read (--as NAME=TYPE changes it):", doubtful)
    undecided = [p for p in description.proposals.values() if microdata.attribute(p.attribute).category is None]
    conflicts = [f"{p.attribute}: {p.conflict}" for p in undecided if p.conflict]
    yield from _to_look_at("Please decide what these are ('tacita categorize' shows why):", conflicts)


def _to_look_at(title: str, lines: list[str]) -> Iterator[RenderableType]:
    if lines:
        rest = [Text(f"and {len(lines) - 12:,} more")] if len(lines) > 12 else []
        shown = [Text(f"  {printable(line)}") for line in lines[:12]]
        yield Padding(Group(Text(title, style="bold"), *shown, *rest), (1, 0, 0, 0))


def _few(items: list[str]) -> str:
    return ", ".join(map(printable, items[:6])) + (f" and {len(items) - 6:,} more" if len(items) > 6 else "")


def _uniques(description: Description) -> Iterator[RenderableType]:
    uniques = description.uniques
    if uniques is None:
        yield Padding(Text("No quasi-identifiers: nothing to count sample uniques on.", style="dim"), (1, 0, 0, 0))
        return
    guessed = any(description.microdata.attribute(n).category is None for n in uniques.quasi_identifiers)
    yield Padding(_uniques_text(uniques, proposed=guessed), (1, 0, 0, 0))


def _uniques_text(uniques: Uniques, *, proposed: bool) -> Text:
    text = Text()
    text.append(counted(uniques.sample_uniques, "sample unique"), style="bold")
    share = share_of(uniques.sample_uniques, uniques.tuples)
    which = counted(len(uniques.quasi_identifiers), "proposed quasi-identifier" if proposed else "quasi-identifier")
    text.append(f" ({share} of the tuples) on {which}: ")
    names = uniques.quasi_identifiers
    text.append(_few(list(names)), style="yellow")
    text.append(f"\n{counted(uniques.combinations, 'combination')}; ")
    text.append(", ".join(f"{counted(n, 'tuple')} in groups under {k}" for k, n in uniques.under.items() if k > 2))
    return text


def description_dict(description: Description) -> dict[str, Any]:
    """Return a description as values that JSON can hold."""
    microdata = description.microdata
    readings = {reading.name: reading for reading in microdata.readings}
    attributes = []
    for name, profile in description.profiles.items():
        attribute = microdata.attribute(name)
        entry: dict[str, Any] = {
            "name": name,
            "description": attribute.description,
            "kind": profile.kind.value,
            "category": description.category(name).value,
            "category_from": "dictionary" if attribute.category else "proposal",
            **profile_dict(profile),
        }
        if description.category(name) is Category.IDENTIFIER:
            entry |= {"least": None, "greatest": None, "most_frequent": []}
        if name in readings:
            reading = readings[name]
            entry["read_as"] = {
                "type": reading.type.value,
                "reason": reading.reason,
                "doubtful": reading.doubtful,
            }
        if attribute.labels:
            entry["labels"] = dict(attribute.labels)
            entry["most_frequent"] = [
                {**frequent_value, "label": label_of(frequent_value["value"], attribute.labels)}
                for frequent_value in entry["most_frequent"]
            ]
        if name in description.proposals:
            entry["proposal"] = proposal_dict(description.proposals[name])
        attributes.append(entry)
    return {
        "name": microdata.name,
        "source": {
            "name": microdata.source.name,
            "format": microdata.source.format,
            **dict(microdata.source.details),
        },
        "rows": description.rows,
        "attributes": attributes,
        "uniques": uniques_dict(description.uniques),
    }


def uniques_dict(uniques: Uniques | None) -> dict[str, Any] | None:
    """Return how many tuples stand out."""
    if uniques is None:
        return None
    return {
        "quasi_identifiers": list(uniques.quasi_identifiers),
        "tuples": uniques.tuples,
        "combinations": uniques.combinations,
        "sample_uniques": uniques.sample_uniques,
        "under": {str(k): n for k, n in uniques.under.items()},
    }


def profile_dict(profile: AttributeProfile) -> dict[str, Any]:
    """Return the figures of a profile."""
    moments = profile.moments
    return {
        "type": profile.type.value,
        "rows": profile.rows,
        "missing": profile.missing,
        "distinct": profile.distinct,
        "singles": profile.singles,
        "entropy": profile.entropy,
        "least": _number(profile.least) if moments else profile.least,
        "greatest": _number(profile.greatest) if moments else profile.greatest,
        "most_frequent": [{"value": value, "count": count} for value, count in profile.most_frequent],
        "mean": _number(str(moments.mean)) if moments else None,
        "standard_deviation": _number(str(moments.deviation)) if moments else None,
        "quantiles": dict(zip(("1%", "25%", "50%", "75%", "99%"), moments.quantiles, strict=True)) if moments else None,
        "histogram": list(profile.histogram),
    }


def proposal_dict(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal with its reasons."""
    return {
        "category": proposal.category.value,
        "confidence": round(proposal.confidence, 3),
        "why": proposal.why,
        "conflict": proposal.conflict or None,
        "reasons": [
            {"category": r.category.value, "strength": round(r.strength, 3), "text": r.text} for r in proposal.reasons
        ],
    }


def _number(text: str | None) -> float | str | None:
    """Return a number for JSON; what JSON cannot hold (infinity) stays text."""
    if text is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else text


def _fragment(description: Description) -> Html:
    heads = ["attribute", "kind", "category", "distinct", "missing", "most frequent", "distribution"]
    rows: list[list[Cell]] = []
    for name, profile in description.profiles.items():
        attribute = description.microdata.attribute(name)
        category = description.category(name)
        is_hidden = hides(category, profile)
        rows.append(
            [
                name,
                profile.kind.value,
                category.value + ("?" if attribute.category is None else ""),
                profile.distinct,
                Share(share_of(profile.missing, profile.rows) if profile.missing else "-"),
                "not shown" if is_hidden else frequent(profile, attribute.labels).plain,
                "" if is_hidden else sparkline(profile),
            ]
        )
    name = tag("p", tag("b", description.microdata.name), f" {counted(description.rows, 'tuple')}")
    parts = [name, table(heads, rows)]
    if description.uniques is not None:
        count = tag("b", counted(description.uniques.sample_uniques, "sample unique"))
        parts.append(tag("p", count, f" on {', '.join(description.uniques.quasi_identifiers)}"))
    return tag("div", style("fragment"), *parts, class_="tacita-report")
