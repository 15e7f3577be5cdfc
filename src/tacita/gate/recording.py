"""What a gate writes into the ledger.

Each batch is a few entries of the kind 'increment', appended at once. Their payloads have a list for each attribute:

* ``released``: the records that leave, with their keys, as they are handed out, in their order.
* ``counted``: how many of them have which target and values, and when held records are looked at again. Nobody is named
  there: the picture can be rebuilt after the other payloads were purged.
* ``held``: the records that wait, with all cells that are handed out later.
* ``refused``: keys and reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacita.gate.answers import DecidedBatch, GateReason, GateVerdict, Row
from tacita.gate.gate import Gate
from tacita.ledger.entry import NewEntry
from tacita.ledger.increments import COUNTED, HELD, INCREMENT, REFUSED, RELEASED

POLICY = "policy"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class RecordedAs:
    """What all entries of a gate say."""

    subject: str
    recipient: str
    policy: str
    gate: str

    def entry(self, decision: str, payload: Mapping[str, Any], kind: str = INCREMENT) -> NewEntry:
        """Return an entry of this gate."""
        return NewEntry(
            kind,
            subject=self.subject,
            recipient=self.recipient,
            policy=self.policy,
            decision=decision,
            payload={"gate": self.gate, "format": FORMAT, **payload},
        )


def entries_of(
    batch: DecidedBatch, gate: Gate, recorded: RecordedAs, handed_out: Sequence[tuple[str, Row]]
) -> list[NewEntry]:
    """Return the entries of a batch.

    `handed_out` are keys and cells of what leaves: the released records, then records that others have already.
    """
    entries = []
    if handed_out:
        rows = [cells for _, cells in handed_out]
        payload = {
            "key": list(gate.policy.key),
            "keys": [key for key, _ in handed_out],
            "new": len(batch.keys),
            "attributes": list(gate.policy.attributes),
            "coarse": coarse_attributes(gate),
            "cells": columns_of(rows, len(gate.policy.attributes)),
        }
        entries.append(recorded.entry(RELEASED, payload))
        if batch.keys:
            entries.append(recorded.entry(COUNTED, _counted(rows[: len(batch.keys)], gate)))
    waiting = [
        (str(answer.number), answer.key, answer.reason, *row)
        for answer, row in batch.others
        if answer.verdict is GateVerdict.HOLD and answer.reason != GateReason.STILL_HELD
    ]
    waiting += [(str(number), key, str(GateReason.STILL_HELD), *row) for number, key, row in batch.replaced]
    # some left later in the same batch
    waiting = [one for one in waiting if one[1] in gate.held_records]
    if waiting:
        numbers, keys, reasons, *cells = columns_of(waiting, 3 + len(gate.attributes))
        payload = {"offered": gate.number, "numbers": numbers, "keys": keys, "reasons": reasons}
        entries.append(recorded.entry(HELD, {**payload, "attributes": list(gate.attributes), "cells": cells}))
    refused = [
        (str(answer.number), answer.key, str(answer.reason))
        for answer, _ in batch.others
        if answer.verdict is GateVerdict.REFUSE
    ]
    if refused:
        numbers, keys, reasons = columns_of(refused, 3)
        payload = {"offered": gate.number, "numbers": numbers, "keys": keys, "reasons": reasons}
        entries.append(recorded.entry(REFUSED, payload))
    return entries


def _counted(rows: Sequence[Row], gate: Gate) -> dict[str, Any]:
    """Return the counts of records by what is shown of targets and values, and what else the state needs."""
    policy = gate.policy
    names = [(one.target, *one.values.attributes) for one in policy.dependencies]
    counts = []
    for attributes in names:
        places = [policy.attributes.index(name) for name in attributes]
        cells = Counter(zip(*([row[place] for row in rows] for place in places), strict=True))
        listed = sorted(cells.items())
        columns = columns_of([cell for cell, _ in listed], len(places))
        counts.append({"records": [count for _, count in listed], "cells": columns})
    accurate = [
        [name for name, accurate in zip(gate.cells.targets(place), judge.start.is_accurate, strict=True) if accurate]
        for place, judge in enumerate(gate.judges)
    ]
    return {
        "offered": gate.number,
        "released": len(rows),
        "next_look": gate.next_look,
        "dependencies": [list(attributes) for attributes in names],
        "counts": counts,
        "accurate": accurate,
    }


def coarse_attributes(gate: Gate) -> list[str]:
    """Return the attributes of which released records show coarser values than they have."""
    dependencies = gate.policy.dependencies
    return sorted({name for one in dependencies if not one.values.shows_values for name in one.values.attributes})


def columns_of(rows: Iterable[Sequence[str]], width: int) -> list[list[str]]:
    """Return the columns of rows.

    >>> columns_of([("a", "b"), ("c", "d")], 2), columns_of([], 2)
    ([['a', 'c'], ['b', 'd']], [[], []])
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    return columns or [[] for _ in range(width)]


def rows_of(columns: Sequence[Sequence[str]]) -> list[Row]:
    """Return the rows of columns."""
    return list(zip(*columns, strict=True))
