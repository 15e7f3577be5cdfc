"""A description for the terminal: what it is, a line per attribute, and how many tuples stand out."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacita.describe.describe import Description, Uniques
from tacita.describe.labels import label_of
from tacita.errors import counted, printable
from tacita.model.attribute import Category, Kind
from tacita.model.profile import AttributeProfile

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


def as_renderable(description: Description) -> RenderableType:
    """Return a description as something rich can print at any width."""
    return Group(_title(description), _Table(description), *_readings(description), *_uniques(description))


def as_plain_text(description: Description, width: int = 120) -> str:
    """Return a description as text without colours."""
    console = Console(file=io.StringIO(), width=width, no_color=True, force_terminal=False)
    console.print(as_renderable(description))
    text = cast("io.StringIO", console.file).getvalue()
    return "\n".join(line.rstrip() for line in text.splitlines())


def _title(description: Description) -> Text:
    microdata = description.microdata
    text = Text(no_wrap=False)
    text.append(printable(microdata.name), style="bold")
    text.append(f"  {counted(description.rows, 'tuple')}, {counted(len(description.profiles), 'attribute')}")
    told = [value if name in _OBVIOUS else f"{name} {value}" for name, value in microdata.source.details]
    usual = {"quote double", "header first line", "decimal ."}
    text.append(f"  ({', '.join([microdata.source.format, *(t for t in told if t not in usual)])})", style="dim")
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
                Text(percent(profile.missing, profile.rows) if profile.missing else "-"),
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
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
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
    'female 60%, male 40%'
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
    return Text(", ".join(f"{name} {percent(count, profile.present)}" for name, count in named))


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


def percent(part: int, whole: int) -> str:
    """Return a share for people: never 0 % for something, never 100 % for not everything.

    >>> percent(1, 100000), percent(99999, 100000), percent(1, 4)
    ('<1%', '>99%', '25%')
    """
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 1:
        return "<1%"
    if 99 < share < 100:
        return ">99%"
    return f"{share:.0f}%"


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
    share = percent(uniques.sample_uniques, uniques.tuples)
    which = counted(len(uniques.quasi_identifiers), "proposed quasi-identifier" if proposed else "quasi-identifier")
    text.append(f" ({share} of the tuples) on {which}: ")
    names = uniques.quasi_identifiers
    text.append(_few(list(names)), style="yellow")
    text.append(f"\n{counted(uniques.combinations, 'combination')}; ")
    text.append(", ".join(f"{counted(n, 'tuple')} in groups under {k}" for k, n in uniques.under.items() if k > 2))
    return text
