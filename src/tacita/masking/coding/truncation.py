"""Truncation: codes keep their first characters, such as the district of a postal code or an industry's section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once
from tacita.model.hierarchy import text_of
from tacita.model.records import Categories, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Truncation:
    """Every value keeps so many characters from its beginning, and values that begin alike become one.

    Codes of classifications are built so that those that begin alike belong together; this is recoding by such a
    classification without a hierarchy (mu-Argus: "truncation"; ARX: hierarchies by redaction). With `fill` the
    characters that are cut off are filled up, so that codes keep their length.

    >>> people = Records({"postcode": Categories.of(["53111", "53115", "10117", None])})
    >>> found = Truncation(("postcode",), keep=2, fill="*").treated(people, np.random.default_rng())
    >>> found.records.categories("postcode").values, found.records.categories("postcode").codes.tolist()
    (('10***', '53***'), [1, 1, 0, -1])
    """

    name: ClassVar[str] = "truncation"
    promises: ClassVar[str] = "No value shows more than its first characters."
    limits: ClassVar[str] = "Values that few records share stay rare, short values stay as they are, an order is lost."
    is_random: ClassVar[bool] = False
    treats: ClassVar[str] = "categories"

    attributes: tuple[str, ...]
    keep: int = 2
    """How many characters are kept."""
    fill: str = ""
    """One character that takes the place of each that is cut off; nothing if it is empty."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        if self.keep < 1:
            raise UsageError("'keep' is below 1: no character would be left", do="give a number from 1 on")
        if len(self.fill) > 1:
            raise UsageError("'fill' has more than one character", do="give one, such as '*', or none")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with shorter values."""
        columns, figures = {}, {}
        for name in self.attributes:
            column = records[name]
            if not isinstance(column, Categories):
                raise UsageError(
                    f"'{name}' holds numbers, not categories",
                    do="call it categorical in the dictionary, or use rounding or intervals",
                )
            columns[name] = self._shortened(column)
            figures[f"values left of {name}"] = len(columns[name].values)
        return Treated.in_place(records.with_columns(columns), figures=figures)

    def _shortened(self, column: Categories) -> Categories:
        texts = [text_of(value) for value in column.values]
        if all(len(text) <= self.keep for text in texts):
            return column
        short = [text[: self.keep] + self.fill * max(0, len(text) - self.keep) for text in texts]
        values = tuple(dict.fromkeys(short))
        place = {value: code for code, value in enumerate(values)}
        codes = np.array([*(place[value] for value in short), -1], dtype=np.int32)
        return Categories(codes[column.codes], values)
