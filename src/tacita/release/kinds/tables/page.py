"""The two pages of a release of tables: the one that is handed out, and the one that stays in the house."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from tacita.errors import counted
from tacita.model.figures import figure as number
from tacita.model.table import Status
from tacita.tables.output.part import TablePart
from tacita.tables.protect.protected import Protected, ProtectedTable
from tacita.views.markup import Html, items, tag
from tacita.views.page import section, verdict
from tacita.views.table_pages import tables_page
from tacita.views.tables import Cell, table

_LISTED = 500
_METHODS = {"suppression": "cells are withheld", "fast": "cells are withheld", "intervals": "intervals are published"}


def public_page(protected: Protected, parts: Sequence[TablePart]) -> str:
    """Return the page with the tables, and how to read them."""
    return tables_page(
        protected.title, parts, list(dict.fromkeys(n for each in protected.tables for n in each.reading))
    )


def internal_page(protected: Protected, parts: Sequence[TablePart]) -> str:
    """Return the page with all figures, the verdict, and every decision."""
    suppressed = sum(each.audit.suppressed for each in protected.tables)
    word, kind = ("PASSED", "good") if protected.passed else ("NOT PASSED", "bad")
    said = f"The independent attacker looked at {counted(suppressed, 'withheld cell')}."
    inside = [
        section("What was done", table(["", *(_named(each) for each in protected.tables)], list(_summary(protected)))),
    ]
    notes = [note for each in protected.tables for note in (*each.case.notes, *each.notes, *each.audit.notes)]
    if notes:
        inside.append(section("Notes", items(dict.fromkeys(notes))))
    withheld = sum(int(each.withheld.sum()) for each in protected.tables)
    if withheld:
        decisions = list(islice((each for one in protected.tables for each in _decisions(one)), _LISTED))
        more = [tag("p", f"And {withheld - _LISTED:,} more.", class_="soft")] if withheld > _LISTED else []
        inside.append(
            section(
                "Decisions",
                tag(
                    "details",
                    tag("summary", counted(withheld, "withheld cell")),
                    items(decisions),
                    *more,
                ),
            )
        )
    reading = list(dict.fromkeys(note for each in protected.tables for note in each.reading))
    return tables_page(protected.title, parts, reading, [verdict(word, said, kind)], inside)


def _named(each: ProtectedTable) -> str:
    return each.table.response or each.table.name


def _summary(protected: Protected) -> Iterator[list[Cell]]:
    tables = protected.tables
    yield ["method", *(each.method.replace("_", " ") for each in tables)]
    yield ["cells", *(len(each.table) for each in tables)]
    for rule in dict.fromkeys(rule for each in tables for rule in each.case.levels.rules):
        yield [f"sensitive by {rule}", *(each.case.counts_of_rules.get(rule, 0) for each in tables)]
    for status, words in (
        (Status.PRIMARY, "withheld, sensitive"),
        (Status.SECONDARY, "withheld to protect others"),
        (Status.FORCED, "withheld by order"),
    ):
        if any(each.count(status) for each in tables):
            yield [words, *(each.count(status) for each in tables)]
    for name in dict.fromkeys(name for each in tables for name in each.figures):
        yield [name.replace("_", " "), *(_figure(each.figures.get(name)) for each in tables)]


def _figure(value: object) -> Cell:
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _decisions(each: ProtectedTable) -> Iterator[Html]:
    for cell in each.withheld.nonzero()[0].tolist():
        key = "primary" if each.status[cell] == Status.PRIMARY else "secondary"
        yield tag("span", tag("strong", each.table.cell_name(cell), class_=f"key {key}"), f" {each.reason(cell)}")
