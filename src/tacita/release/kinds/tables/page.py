"""The two pages of a release of tables: the one that is handed out, and the internal one."""

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
from tacita.views.tables import Cell
from tacita.views.tables import table as html_table

_LISTED = 500


def public_page(protected: Protected, parts: Sequence[TablePart]) -> str:
    """Return the page with the tables, and how to read them."""
    return tables_page(
        protected.title, parts, list(dict.fromkeys(n for table in protected.tables for n in table.reading))
    )


def internal_page(protected: Protected, parts: Sequence[TablePart], derivable: Sequence[str] = ()) -> str:
    """Return the page with all figures, the verdict, every decision, and what was allowed though it tells too much."""
    suppressed = sum(table.audit.suppressed for table in protected.tables)
    word, kind = ("PASSED", "good") if protected.passed else ("NOT PASSED", "bad")
    sensitive = sum(int(table.case.levels.sensitive.sum()) for table in protected.tables)
    cells = counted(suppressed, "withheld cell") if suppressed else counted(sensitive, "sensitive cell")
    said = f"The independent attacker looked at {cells}."
    inside = [
        section(
            "What was done", html_table(["", *(_name(table) for table in protected.tables)], list(_summary(protected)))
        ),
    ]
    if derivable:
        allowed = tag("p", "The release was allowed all the same (--allow-derivable).")
        inside.append(section("Withheld cells that can be derived", allowed, items(derivable)))
    notes = [note for table in protected.tables for note in (*table.case.notes, *table.notes, *table.audit.notes)]
    if notes:
        inside.append(section("Notes", items(dict.fromkeys(notes))))
    withheld = sum(int(table.withheld.sum()) for table in protected.tables)
    if withheld:
        decisions = list(islice((decision for table in protected.tables for decision in _decisions(table)), _LISTED))
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
    reading = list(dict.fromkeys(note for table in protected.tables for note in table.reading))
    return tables_page(protected.title, parts, reading, [verdict(word, said, kind)], inside)


def _name(table: ProtectedTable) -> str:
    return table.table.response or table.table.name


def _summary(protected: Protected) -> Iterator[list[Cell]]:
    tables = protected.tables
    yield ["method", *(table.method.replace("_", " ") for table in tables)]
    yield ["cells", *(len(table.table) for table in tables)]
    for rule in dict.fromkeys(rule for table in tables for rule in table.case.levels.rules):
        yield [f"sensitive by {rule}", *(table.case.counts_of_rules.get(rule, 0) for table in tables)]
    for status, words in (
        (Status.PRIMARY, "withheld, sensitive"),
        (Status.SECONDARY, "withheld to protect others"),
        (Status.FORCED, "withheld by order"),
    ):
        if any(table.count(status) for table in tables):
            yield [words, *(table.count(status) for table in tables)]
    for name in dict.fromkeys(name for table in tables for name in table.figures):
        figures = [table.figures.get(name) for table in tables]
        yield [name.replace("_", " "), *(str(one) if name == "seed" else _figure(one) for one in figures)]


def _figure(value: object) -> Cell:
    if value is None:
        return "not known"
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _decisions(table: ProtectedTable) -> Iterator[Html]:
    for cell in table.withheld.nonzero()[0].tolist():
        key = "primary" if table.status[cell] == Status.PRIMARY else "secondary"
        yield tag("span", tag("strong", table.table.cell_name(cell), class_=f"key {key}"), f" {table.reason(cell)}")
