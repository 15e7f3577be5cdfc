"""A table as SDMX-CSV 2.0: one dataflow, observations with their status and their confidentiality.

Codes of the SDMX code lists: OBS_STATUS ``A`` is a normal value and ``Q`` a missing one that is suppressed; CONF_STATUS
``F`` is free for publication and ``N`` not for publication. The lists also have ``C`` for primary and ``D`` for
secondary confidentiality: which is which is internal, so these are written in the internal version only.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from tacita.model.table import Status
from tacita.tables.output.figures import written
from tacita.tables.output.part import TablePart

AGENCY = "TACITA"
_CONFIDENTIALITY = {Status.PRIMARY: "C", Status.SECONDARY: "D", Status.FORCED: "N"}


def sdmx_csv(part: TablePart, *, agency: str = AGENCY) -> str:
    """Return the cells as observations."""
    names = _identifiers([dimension.name for dimension in part.dimensions])
    structure = f"{_identifier(agency)}:{_identifier(part.name)}(1.0)"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["STRUCTURE", "STRUCTURE_ID", "ACTION", *names, "OBS_VALUE", "OBS_STATUS", "CONF_STATUS"])
    withheld = part.withheld
    for cell in range(len(part)):
        hidden = bool(withheld[cell])
        if part.statuses is None:
            confidentiality = "N" if hidden else "F"
        else:
            confidentiality = _CONFIDENTIALITY.get(Status(int(part.statuses[cell])), "F")
        value = written(float(part.values[cell]))
        status = "Q" if hidden else "A"
        writer.writerow(["dataflow", structure, "I", *part.cell_codes(cell), value, status, confidentiality])
    return text.getvalue()


def _identifier(name: str) -> str:
    """Return a name as SDMX allows identifiers: letters, digits, ``_`` and ``-``.

    >>> _identifier("Umsatz (Mio €)"), _identifier("turnover by size")
    ('UMSATZ__MIO___', 'TURNOVER_BY_SIZE')
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", name).upper() or "_"


def _identifiers(names: Sequence[str]) -> list[str]:
    """Return identifiers that differ: two names that would be one get a number."""
    taken = {"STRUCTURE", "STRUCTURE_ID", "ACTION", "OBS_VALUE", "OBS_STATUS", "CONF_STATUS"}
    identifiers: list[str] = []
    for name in names:
        plain = candidate = _identifier(name)
        number = 2
        while candidate in taken:
            candidate, number = f"{plain}_{number}", number + 1
        taken.add(candidate)
        identifiers.append(candidate)
    return identifiers
