"""What a release made public, in the form in which an entry keeps it for whoever judges it together with others.

A release of tables discloses cells: which combinations of codes, and what everybody can conclude of each. A release of
records discloses, for each record, the values that were released. Row-level data stay in a Parquet file of the internal
folder; the payload has its hash. Everything here is internal: it says which cells are sensitive, and how much.

Numbers are decimal text, so that a payload has no fractions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

RECORDS_FILE = "disclosed.parquet"
"""The file of the internal folder with what was released of each record: the columns `ROW_COLUMN`, `PERSON_COLUMN` if
persons are known by a key, then ``a0``, ``a1``, ... for the released attributes in their order: values as text, null
where there is none."""
ROW_COLUMN, PERSON_COLUMN = "source_row", "person"
"""The number of the record in the source, from 1 on (0: it is not in the source), and the keyed hash of its person."""

POPULATION_FILE = "population.parquet"
"""The file of the internal folder with the records behind released tables: `ROW_COLUMN`, `PERSON_COLUMN` if persons are
known by a key, `CONTRIBUTOR_COLUMN` if records have contributors, `PERSONS_COLUMN` if a row stands for several persons,
then ``d0``, ``d1``, ... for the finest codes and ``m0``, ``m1``, ... for what a record adds to a measure (null: it
takes no part)."""
CONTRIBUTOR_COLUMN, PERSONS_COLUMN = "contributor", "persons"
CUBE_CELLS = "cells of "
"""How the attribute of a dimension begins whose codes are the cells of a cube; the hash of its population follows."""
REPLACED_FILE = "replaced-{}.parquet"
"""The name of such a file, by its SHA-256, in the internal folder of a release that was put in the place of its own."""
QUASI_IDENTIFIER, SENSITIVE = "quasi-identifier", "sensitive"
"""What a released attribute may be to an intruder."""


class AttributeDisclosure(StrEnum):
    """How the released values of an attribute relate to the true ones."""

    EXACT = "exact"
    """A value that is there is the true one."""
    COARSENED = "coarsened"
    """A value that is there stands for a set of true values (`stands_for`), and the true one is among them."""
    PERTURBED = "perturbed"
    """Values were changed: nothing follows with certainty."""
    CONCEALED = "concealed"
    """A value that is not sealed is the true one; the others open with a key only."""
    PSEUDONYM = "pseudonym"
    """Values are other names of the true ones: equal ones are of the same person or household."""
    SYNTHETIC = "synthetic"
    """Values were invented."""


@dataclass(frozen=True, slots=True)
class DisclosedDimension:
    """A dimension of a disclosed table."""

    name: str
    attribute: str
    """The attribute of the source that it is made of."""
    codes: Mapping[str, tuple[str, ...]]
    """The codes that are shown, and the finest codes that each of them stands for; a total stands for all of them."""
    missing: str | None = None
    """The code that a missing value of the source counts as."""


@dataclass(frozen=True, slots=True)
class DisclosedCell:
    """A cell, what everybody can conclude of it alone, and what must stay unknown."""

    codes: tuple[str, ...]
    """One code for each dimension."""
    lower: str | None
    """The least that the true value can be by what is published of this cell; None: nothing is said."""
    upper: str | None
    """The largest; the value itself if it equals `lower`."""
    is_withheld: bool = False
    is_sensitive: bool = False
    protect_lower: str | None = None
    """An intruder's interval must reach down to here; None: this is not required."""
    protect_upper: str | None = None
    """An intruder's interval must reach up to here."""
    sliding: str | None = None
    """How wide an intruder's interval must be at least."""
    rule: str = ""
    """The rule that finds the cell sensitive."""

    @property
    def is_exact(self) -> bool:
        """Whether the value is published as it is."""
        return self.lower is not None and self.lower == self.upper


@dataclass(frozen=True, slots=True)
class DisclosedTable:
    """The published cells of one table and one response."""

    name: str
    response: str
    """The attribute that is summed; empty: records are counted."""
    dimensions: tuple[DisclosedDimension, ...]
    cells: tuple[DisclosedCell, ...]
    method: str = ""
    weight: str | None = None
    """The attribute of sampling weights that counts and sums were multiplied with."""
    frequency: str | None = None
    """The attribute that says for how many records a row of the source stands."""
    missing_response: str = "refuse"
    """What a missing response counts as: 'zero', 'leave_out', or 'refuse' (there is none)."""
    contributor: str | None = None
    """The attribute whose values are the respondents, if they are not the records."""
    is_whole: bool = False
    """Whether every true value is a whole number."""
    is_nonnegative: bool = True
    """Whether everybody knows that no true value is below zero."""

    @property
    def measure(self) -> str:
        """What is summed, in words that are equal for tables of the same thing; empty: records are counted."""
        if self.weight is None and self.frequency is None:
            return self.response
        return " * ".join(filter(None, (self.response or "records", self.weight, self.frequency)))

    def to_payload(self) -> dict[str, Any]:
        """Return JSON values; cells by columns, since there may be many."""
        fields = ("lower", "upper", "protect_lower", "protect_upper", "sliding", "rule")
        return {
            "name": self.name,
            "response": self.response,
            "method": self.method,
            "weight": self.weight,
            "frequency": self.frequency,
            "missing_response": self.missing_response,
            "contributor": self.contributor,
            "is_whole": self.is_whole,
            "is_nonnegative": self.is_nonnegative,
            "dimensions": [
                {
                    "name": one.name,
                    "attribute": one.attribute,
                    "codes": {code: list(finest) for code, finest in one.codes.items()},
                    "missing": one.missing,
                }
                for one in self.dimensions
            ],
            "cells": {
                "codes": [list(cell.codes) for cell in self.cells],
                "withheld": [at for at, cell in enumerate(self.cells) if cell.is_withheld],
                "sensitive": [at for at, cell in enumerate(self.cells) if cell.is_sensitive],
                **{name: [getattr(cell, name) for cell in self.cells] for name in fields},
            },
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> DisclosedTable:
        """Return the table that `to_payload` gave."""
        dimensions = tuple(
            DisclosedDimension(
                one["name"],
                one["attribute"],
                {code: tuple(finest) for code, finest in one["codes"].items()},
                one["missing"],
            )
            for one in payload["dimensions"]
        )
        columns = payload["cells"]
        withheld, sensitive = set(columns["withheld"]), set(columns["sensitive"])
        cells = tuple(
            DisclosedCell(
                tuple(codes),
                columns["lower"][at],
                columns["upper"][at],
                at in withheld,
                at in sensitive,
                columns["protect_lower"][at],
                columns["protect_upper"][at],
                columns["sliding"][at],
                columns["rule"][at],
            )
            for at, codes in enumerate(columns["codes"])
        )
        rest = ("method", "weight", "frequency", "missing_response", "contributor", "is_whole", "is_nonnegative")
        return cls(payload["name"], payload["response"], dimensions, cells, **{name: payload[name] for name in rest})


@dataclass(frozen=True, slots=True)
class DisclosedAttribute:
    """A released attribute."""

    name: str
    """As it is called in the release."""
    attribute: str
    """As it is called in the source; empty if it is not there."""
    status: AttributeDisclosure
    stands_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a coarsened attribute: the finest values that a released value stands for; one that is not listed stands for
    itself, or for whatever the interval says that it is written as."""
    role: str = ""
    """What it is to an intruder: `QUASI_IDENTIFIER`, `SENSITIVE`, or nothing in particular."""

    def to_payload(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "name": self.name,
            "attribute": self.attribute,
            "status": self.status.value,
            "stands_for": {value: list(finest) for value, finest in self.stands_for.items()},
            "role": self.role,
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> DisclosedAttribute:
        """Return the attribute that `to_payload` gave."""
        stands_for = {value: tuple(finest) for value, finest in payload["stands_for"].items()}
        status = AttributeDisclosure(payload["status"])
        return cls(payload["name"], payload["attribute"], status, stands_for, payload.get("role", ""))


@dataclass(frozen=True, slots=True)
class DisclosedRecords:
    """Released records: what is released of each, in a Parquet file of the internal folder."""

    records: int
    attributes: tuple[DisclosedAttribute, ...]
    sha256: str
    """Of the file `RECORDS_FILE`; empty if records are invented, and there is no such file."""
    person_key: tuple[str, ...] = ()
    """The attributes of the source whose keyed hash is in `PERSON_COLUMN`; none: persons are known by their row."""

    def to_payload(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "records": self.records,
            "attributes": [attribute.to_payload() for attribute in self.attributes],
            "file": RECORDS_FILE if self.sha256 else None,
            "sha256": self.sha256,
            "person_key": list(self.person_key),
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> DisclosedRecords:
        """Return the records that `to_payload` gave."""
        attributes = tuple(DisclosedAttribute.from_payload(one) for one in payload["attributes"])
        return cls(payload["records"], attributes, payload["sha256"], tuple(payload["person_key"]))


@dataclass(frozen=True, slots=True)
class DisclosedPopulation:
    """The records behind released tables, in a Parquet file of the internal folder: who is in which cells."""

    records: int
    dimensions: tuple[str, ...]
    """The dimensions whose finest codes are in ``d0``, ``d1``, ..."""
    measures: tuple[str, ...]
    """What is summed in ``m0``, ``m1``, ..., as tables name it."""
    sha256: str
    person_key: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    """Of cells of a cube: the attributes of the source that tell them apart."""

    def to_payload(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "records": self.records,
            "attributes": list(self.attributes),
            "dimensions": list(self.dimensions),
            "measures": list(self.measures),
            "file": POPULATION_FILE,
            "sha256": self.sha256,
            "person_key": list(self.person_key),
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> DisclosedPopulation:
        """Return the population that `to_payload` gave."""
        texts = (tuple(payload[name]) for name in ("dimensions", "measures", "person_key"))
        dimensions, measures, key = texts
        attributes = tuple(payload.get("attributes", ()))
        return cls(payload["records"], dimensions, measures, payload["sha256"], key, attributes)


@dataclass(frozen=True, slots=True)
class Disclosures:
    """Everything that a release made public."""

    tables: tuple[DisclosedTable, ...] = ()
    records: DisclosedRecords | None = None
    population: DisclosedPopulation | None = None
    """Who is behind the tables; None if nobody can tell."""
    notes: tuple[str, ...] = ()
    """What could not be said in this form, and so cannot be judged by it."""

    def to_payload(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "tables": [table.to_payload() for table in self.tables],
            "records": None if self.records is None else self.records.to_payload(),
            "population": None if self.population is None else self.population.to_payload(),
            "notes": list(self.notes),
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Disclosures:
        """Return the disclosures that `to_payload` gave: the entry 'disclosures' of the payload of a release.

        >>> cell = DisclosedCell(("a",), "3", "3")
        >>> table = DisclosedTable("t", "", (DisclosedDimension("x", "x", {"a": ("a",)}),), (cell,))
        >>> Disclosures.from_payload(Disclosures((table,)).to_payload()) == Disclosures((table,))
        True
        """
        records, population = payload["records"], payload.get("population")
        return cls(
            tuple(DisclosedTable.from_payload(table) for table in payload["tables"]),
            None if records is None else DisclosedRecords.from_payload(records),
            None if population is None else DisclosedPopulation.from_payload(population),
            tuple(payload["notes"]),
        )


def number_text(value: float) -> str | None:
    """Return a number as decimal text that reads back as the same number; None if it is not finite.

    >>> number_text(90.0), number_text(0.1), number_text(1e22), number_text(-0.0), number_text(float("inf"))
    ('90', '0.1', '10000000000000000000000', '0', None)
    """
    if not math.isfinite(value):
        return None
    text = format(Decimal(repr(float(value))), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def number_texts(values: Sequence[float]) -> list[str | None]:
    """Return many numbers as text."""
    return [number_text(value) for value in values]
