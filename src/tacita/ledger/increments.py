"""Increments in the ledger: records that a gate released, one entry for each batch, and what they disclose.

The payload of an entry of the kind 'increment' whose decision is 'released' has the records themselves, a list for each
attribute: nothing of them is in a folder only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacita.ledger.disclosures import (
    PERSON_COLUMN,
    ROW_COLUMN,
    AttributeDisclosure,
    DisclosedAttribute,
    DisclosedRecords,
    Disclosures,
)
from tacita.ledger.persons import PersonHashes

if TYPE_CHECKING:
    import pyarrow as pa

INCREMENT = "increment"
RELEASED, COUNTED, HELD, REFUSED = "released", "counted", "held", "refused"
"""The decisions of entries of that kind; only those of the first disclose something."""
KEY_SEPARATOR = "\x1f"
"""What stands between the parts of a key of several attributes."""


def increment_disclosures(payload: Mapping[str, Any], persons: PersonHashes | None = None) -> Disclosures:
    """Return what the records of an entry disclose; `persons` if the source has a key of the same attributes.

    >>> payload = {"attributes": ["id", "age"], "coarse": ["age"], "keys": ["1"], "key": ["id"]}
    >>> [(one.name, one.status.value) for one in increment_disclosures(payload).records.attributes]
    [('id', 'exact'), ('age', 'coarsened')]
    """
    coarse = set(payload.get("coarse", ()))
    attributes = tuple(
        DisclosedAttribute(name, name, AttributeDisclosure.COARSENED if name in coarse else AttributeDisclosure.EXACT)
        for name in payload["attributes"]
    )
    by_key = persons is not None and tuple(payload["key"]) == persons.attributes
    key = tuple(payload["key"]) if by_key else ()
    return Disclosures(records=DisclosedRecords(len(payload["keys"]), attributes, "", key))


def increment_records(payload: Mapping[str, Any], persons: PersonHashes | None = None) -> pa.Table:
    """Return the records of an entry in the form of the file of disclosed records; their rows in the source are 0."""
    import pyarrow as pa

    keys = payload["keys"]
    columns: dict[str, Any] = {ROW_COLUMN: pa.array([0] * len(keys), pa.int64())}
    if persons is not None and tuple(payload["key"]) == persons.attributes:
        hashes = [persons.of(key.split(KEY_SEPARATOR)) for key in keys]
        columns[PERSON_COLUMN] = pa.array(hashes, pa.string())
    for place, cells in enumerate(payload["cells"]):
        columns[f"a{place}"] = pa.array([cell or None for cell in cells], pa.string())
    return pa.table(columns)
