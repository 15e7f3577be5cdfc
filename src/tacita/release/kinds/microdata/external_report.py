"""The external report: what a user of the released data must know of the changes, and nothing that helps an attacker.

There is no threshold, no k, no seed, no row, no value and no exact small count in it. Shares are rounded to whole per
cents: whoever counts the empty cells of the file knows them better, but does not learn which of them were empty before.
"""

from __future__ import annotations

from pathlib import Path

from tacita.cycle.outcome import Outcome
from tacita.errors import listed
from tacita.model.attribute import Category
from tacita.model.figures import Share, about
from tacita.model.microdata import Microdata
from tacita.release.kinds.microdata.facts import FEW, null_semantics
from tacita.release.records.identifiers import identifiers_of
from tacita.release.records.tuples import Tuples
from tacita.version import __version__
from tacita.views.charts import Bar, bars
from tacita.views.markup import Html, items, tag
from tacita.views.page import captioned, page, section
from tacita.views.tables import Cell, table

_EMPTY_CELLS = {
    "maybe-match": "may stand for any value",
    "strict": "is no look-alike of a value that is there",
    "standard": "is like no other cell",
    "alpha": "may stand for any value, with less weight than a value that is there",
    "expected": "stands for each value with the probability that it has",
    "category": "is a category of its own",
}


def external_report(outcome: Outcome, tuples: Tuples, released: Microdata) -> str:
    """Return the page that goes with the data."""
    name = released.name
    body = [
        tag("h1", f"{name}: what was changed before release"),
        tag("p", "These data were protected against recognising respondents in them. This page says what that cost."),
        section("What changed", *_changes(outcome, tuples, released)),
        section("How to read the file", items(_reading(outcome, tuples, released))),
        section("What is not in the file", items(_left_out(outcome, tuples))),
    ]
    # A share of the risky records' cells would tell how many records were risky.
    losses = [(word, loss) for word, loss in outcome.loss.items() if 0 <= loss <= 1 and "risky" not in word]
    if losses:
        rows: list[list[Cell]] = [[_words(word), about(loss)] for word, loss in losses]
        body.append(
            section(
                "Information loss",
                tag("p", "0 % is the file as it was collected, 100 % a file that says nothing."),
                table(["measured as", "loss"], rows),
            )
        )
    body.append(tag("footer", f"Made with Tacita {__version__}. How it was made safe is kept apart from this page."))
    return page(f"{name}: what was changed before release", tag("main", *body))


def _changes(outcome: Outcome, tuples: Tuples, released: Microdata) -> list[Html]:
    records, changed = outcome.records, outcome.decisions.per_attribute()
    rows: list[list[Cell]] = []
    drawn: list[Bar] = []
    for column in released.columns:
        suppressed, coarsened = changed.get(column.name, (0, 0))
        level = outcome.recoded.get(column.name, 0)
        if not (suppressed or coarsened or level):
            continue
        to = _coarsened(outcome, column.name, level, _changed(coarsened, records) if coarsened else None)
        rows.append([column.name, _changed(suppressed, records), to])
        drawn.append(Bar(column.name, _drawn(suppressed, records), str(_changed(suppressed, records))))
    if not rows:
        return [tag("p", "Nothing had to be changed: no cell was suppressed, and no value was coarsened.")]
    others = {*tuples.pseudonymised, *tuples.renumbered, *([tuples.weights.attribute] if tuples.weights else [])}
    untouched = len(released.columns) - len(rows) - len(others)
    rest = f"The other {untouched} attributes are as they were collected." if untouched > 1 else ""
    rest = "One attribute is as it was collected." if untouched == 1 else rest
    return [
        table(["attribute", "cells suppressed", "coarsened"], rows),
        captioned(
            bars("Cells suppressed", drawn, most=1.0), "Share of the cells of each attribute that were suppressed"
        ),
        tag("p", rest),
    ]


def _changed(count: int, records: int) -> Share:
    if 0 < count < FEW:
        return Share(f"fewer than {FEW}")
    return about(count / records if records else 0.0)


def _drawn(count: int, records: int) -> float:
    """Return a length that gives no more away than the words beside it."""
    share = count / records if records else 0.0
    if count < FEW or share < 0.01:
        return 0.0
    return round(share, 2)


def _coarsened(outcome: Outcome, name: str, level: int, cells: Share | None) -> str:
    hierarchy = outcome.protected.hierarchies.get(name) or outcome.original.hierarchies.get(name)
    if level:
        names = hierarchy.levels if hierarchy is not None else ()
        return f"all values, to: {names[level]}" if level < len(names) else f"all values, to level {level}"
    return f"some values ({cells})" if cells else "no"


def _reading(outcome: Outcome, tuples: Tuples, released: Microdata) -> list[str]:
    claim = outcome.claim
    measures = " and ".join(dict.fromkeys(_words(Path(name).name) for name, _ in claim.measures))
    meaning = _EMPTY_CELLS.get(null_semantics(claim), "may stand for any value")
    coded = [a.name for a in released.dictionary if a.name in tuples.touched and a.missing]
    said = [
        "An empty cell is a value that is not told: it was suppressed, or was missing already when the data were "
        "collected." + (f" In {listed(coded)} some values that were missing have codes instead." if coded else ""),
        f"When the risk of the file was measured (by {measures}), an empty cell counted as one that {meaning}.",
        "A coarsened value stands for a group of values. Compare it with values of its own level only.",
    ]
    if tuples.order is not None:
        said.append("The order of the records is random and means nothing.")
    if tuples.weights is not None:
        said.append(
            "The sampling weights were blurred and then calibrated: totals hold, single weights are approximate."
        )
    if tuples.pseudonymised:
        said.append(f"{listed(list(tuples.pseudonymised))}: pseudonyms. Equal ones belong together; they mean nothing.")
    if tuples.renumbered:
        said.append(f"{listed(list(tuples.renumbered))}: records with the same number belong together.")
    if any(a.labels for a in released.dictionary):
        said.append("Labels are given for values that occur in this file.")
    return said


def _left_out(outcome: Outcome, tuples: Tuples) -> list[str]:
    named = identifiers_of(outcome.original, outcome.protected)
    identifiers = [name for name in tuples.dropped if name in named]
    keys = [a.name for a in outcome.protected.dictionary.of(Category.CLUSTER_KEY) if a.name in tuples.dropped]
    said = [f"Attributes that name a respondent: {listed(identifiers, 20)}."] if identifiers else []
    said += [f"Attributes that say who belongs together: {listed(keys, 20)}."] if keys else []
    return said or ["All attributes of the source are in the file."]


def _words(name: str) -> str:
    return name.removesuffix(".vada").replace("_", " ")
