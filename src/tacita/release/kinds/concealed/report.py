"""The reports of a file with concealed cells: what its readers must know, and what the steward must."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.concealment.concealment import Concealment
from tacita.errors import counted, listed
from tacita.model.microdata import Microdata
from tacita.release.kinds.concealed.options import ConcealedOptions, HideAs
from tacita.release.kinds.concealed.tuples import ConcealedTuples
from tacita.version import __version__
from tacita.views.concealment import concealment_parts
from tacita.views.markup import items, tag
from tacita.views.page import page, section

_HOW = {
    HideAs.TOKEN: "A hidden cell is empty. tokens.parquet has its token: the number of the record (record_id), the "
    "attribute, and the encrypted value, which only whoever has the key can read.",
    HideAs.NULL: "A hidden cell is empty, and listed in hidden.parquet by the number of its record (record_id) and its "
    "attribute. An empty cell that is not listed is a missing value.",
    HideAs.EMPTY: "A hidden cell is empty, as a missing value is.",
}
_IN_CELLS = "A hidden cell holds a token: the encrypted value, which only whoever has the key can read."


def external_report(
    content: Concealment, options: ConcealedOptions, released: Microdata, concealed: ConcealedTuples
) -> str:
    """Return the page that goes with the data: which attributes have hidden cells, and how to read them."""
    title = f"{released.name}: cells that persons keep to themselves"
    names = listed(list(content.counts), 30)
    said = [_IN_CELLS if options.in_cells else _HOW[options.hide_as]]
    if concealed.record_id not in {None, "record_id"}:
        said.append(f"The number of the record is in the attribute {concealed.record_id}.")
    if concealed.tuples.order is not None:
        said.append("The order of the records is random and means nothing.")
    if concealed.tuples.dropped:
        said.append(f"Not in the file: {listed(list(concealed.tuples.dropped), 30)}.")
    said.append("Which persons hide an attribute is not random: figures of the shown values may be biased.")
    body = [
        tag("h1", title),
        tag("p", f"Persons decide which of their attributes are confidential. Hidden cells are in {names}."),
        section("How to read the file", items(said)),
        tag("footer", f"Made with Tacita {__version__}. Why a cell is hidden is kept apart from this page."),
    ]
    return page(title, tag("main", *body))


def internal_report(content: Concealment, options: ConcealedOptions, notes: Sequence[str]) -> str:
    """Return the page for the steward: what is hidden and why, dependencies, and what attackers reach."""
    title = f"{content.original.name}: what was concealed, and why"
    hidden = f"{counted(content.hidden.cells, 'cell')} in {counted(content.hidden.records, 'record')}"
    body = [
        tag("h1", title),
        tag("p", tag("strong", content.verdict)),
        tag("p", f"Hidden as {options.hide_as.value}: {hidden}."),
        *concealment_parts(content),
    ]
    if said := list(dict.fromkeys([*content.notes, *notes])):
        body.append(section("Notes", items(said)))
    body.append(tag("footer", f"Made with Tacita {__version__}. This page stays in the internal folder."))
    return page(title, tag("main", *body))
