"""The data of the experiments: three files about the same invented people, and three joins of two of them.

Credit and London are public: seven attributes of the clients of a bank (UCI, "default of credit card clients") and ten
of bike shares in London. The register Health of the paper is no longer public in that form; a generated one takes its
place. As in the paper each file gets a first name, a last name and a street that are drawn at random. Person by person
these are the same in all three files, so that two files are joined record by record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

import tacita as tc
from tacita.errors import InputError
from tacita.generators.catalogue import generate

if TYPE_CHECKING:
    import pyarrow as pa

CREDIT, HEALTH, LONDON = "Credit", "Health", "London"
SINGLE = (CREDIT, HEALTH, LONDON)
INTEGRATED = MappingProxyType(
    {"CreditHealth": (CREDIT, HEALTH), "CreditLondon": (CREDIT, LONDON), "HealthLondon": (HEALTH, LONDON)}
)
FILES = MappingProxyType({CREDIT: "UCI_Credit_Card.csv", LONDON: "london_merged.csv"})
_CREDIT = ("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "BILL_AMT1")
_CODES = ("SEX", "EDUCATION", "MARRIAGE", "PAY_0", "weather_code", "is_holiday", "is_weekend", "season")
NOMINAL = frozenset({*_CODES, "CredentialType", "Status"})
"""Codes and words: a distance between two of them means nothing, so that they are compared by equality."""
PEOPLE = MappingProxyType({"FirstName": 500, "LastName": 1_000, "StreetAddress": 700})
"""The invented attributes, and how many values each has."""
CONFIDENTIAL = MappingProxyType(
    {
        CREDIT: ("AGE", "PAY_0", "FirstName", "BILL_AMT1", "StreetAddress"),
        HEALTH: ("BirthYear", "CEDueDate", "FirstName", "Status", "CredentialType"),
        LONDON: ("is_holiday", "is_weekend", "FirstName", "LastName", "StreetAddress"),
        "CreditHealth": ("LIMIT_BAL", "ExpirationDate", "AGE", "Status", "EDUCATION"),
        "CreditLondon": ("LastName", "t1", "AGE", "is_holiday", "MARRIAGE"),
        "HealthLondon": ("CredentialType", "hum", "BirthYear", "weather_code", "StreetAddress"),
    }
)
"""The attributes that become confidential one after the other: Tables 6 to 11 of the paper."""
_DATES = ("CEDueDate", "FirstIssueDate", "LastIssueDate", "ExpirationDate")
_LETTERS = np.array(list("aeilmnorst"))


@dataclass(frozen=True, slots=True, repr=False)
class Sources:
    """Where the data come from: a seed, how many records at most, and a folder with the two public files."""

    seed: int = 0
    most: int | None = None
    folder: Path | None = None

    def names(self) -> tuple[str, ...]:
        """Return the data sets that can be made of these sources, single ones first.

        >>> Sources().names()
        ('Health',)
        """
        single = tuple(name for name in SINGLE if name == HEALTH or self.folder is not None)
        return (*single, *(name for name, parts in INTEGRATED.items() if {*parts} <= {*single}))

    def table(self, name: str) -> pa.Table:
        """Return a single data set or a join of two."""
        import pyarrow as pa

        if name not in INTEGRATED:
            return self._single(name)
        one, other = (self._single(part) for part in INTEGRATED[name])
        rows = min(one.num_rows, other.num_rows)
        columns = {**_columns(one.slice(0, rows)), **_columns(other.slice(0, rows))}
        return pa.table({**{key: columns[key] for key in columns if key not in PEOPLE}, **_people(rows, self.seed)})

    def _single(self, name: str) -> pa.Table:
        import pyarrow as pa

        columns = _columns(self._health() if name == HEALTH else self._public(name))
        rows = len(next(iter(columns.values())))
        rows = rows if self.most is None else min(rows, self.most)
        columns = {key: column.slice(0, rows) for key, column in columns.items() if key not in PEOPLE}
        return pa.table({**columns, **_people(rows, self.seed)})

    def _health(self) -> pa.Table:
        import pyarrow as pa
        import pyarrow.compute as pc

        table = generate("credentials", seed=self.seed, rows=self.most).table()
        for name in _DATES:
            days = pc.strptime(table[name].cast(pa.string()), format="%Y%m%d", unit="s").cast(pa.date32())
            table = table.set_column(table.schema.get_field_index(name), name, days)
        return table

    def _public(self, name: str) -> pa.Table:
        assert self.folder is not None, "names() lists no public data without a folder"
        file = self.folder / FILES[name]
        if not file.is_file():
            raise InputError(
                "the file of the experiment is not there", where=str(file), do=f"give a folder with {FILES[name]}"
            )
        table = tc.read(file).to_arrow()
        return table.select(list(_CREDIT)) if name == CREDIT else table


def _columns(table: pa.Table) -> Mapping[str, pa.ChunkedArray]:
    return dict(zip(table.column_names, table.columns, strict=True))


def _people(rows: int, seed: int) -> dict[str, pa.Array]:
    """Return the invented attributes of so many people; the first ones are the same for any number of them."""
    import pyarrow as pa

    people = {}
    for place, (name, values) in enumerate(PEOPLE.items()):
        random = np.random.default_rng([seed, place])
        words = np.array(["".join(random.choice(_LETTERS, size)) for size in random.integers(3, 8, values)])
        people[name] = pa.array(words[(random.random(rows) * values).astype(np.int64)])
    return people
