"""PRAM with a matrix that is given: who has chosen the probabilities knows what each value may become."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tacita.errors import InputError, UsageError
from tacita.masking.method import Treated
from tacita.masking.pram.application import applied
from tacita.masking.pram.matrix_file import read_matrix
from tacita.masking.pram.transitions import Transitions
from tacita.masking.preconditions import each_named_once
from tacita.model.hierarchy import text_of
from tacita.model.records import Categories, Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Pram:
    """The post-randomisation method: each value becomes another with the probability that a matrix gives.

    ``P[k, l]`` is the probability that k becomes l; every record is drawn for itself. Rows and columns are named by the
    values as text, in a table of the recipe or in a CSV file (see `matrix_file`). Every value that occurs needs a row.
    A column may be a new value: with a row ``{Other = 1}`` PRAM is recoding.

    Source: Gouweleeuw, Kooiman, Willenborg, de Wolf: Post randomisation for statistical disclosure control: theory and
    implementation. Journal of Official Statistics 14 (1998).

    >>> answers = Records({"smokes": Categories.of(["yes", "no", "no", None])})
    >>> pram = Pram("smokes", matrix={"yes": {"yes": 0.8, "no": 0.2}, "no": {"no": 1}})
    >>> found = pram.treated(answers, np.random.default_rng(1))
    >>> found.records["smokes"].missing.tolist()
    [False, False, False, True]
    """

    name: ClassVar[str] = "pram"
    promises: ClassVar[str] = "Each value is changed by the given probabilities, independently of all other records."
    limits: ClassVar[str] = (
        "A value with a diagonal near 1 is hardly protected, combinations that cannot be may appear, and tables of the "
        "release are biased until they are corrected."
    )
    is_random: ClassVar[bool] = True

    attribute: str
    matrix: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    file: str = ""
    """A CSV file instead of the matrix."""
    publish_matrix: bool = False
    """Whether the matrix is released beside the records, as the table ``pram ATTRIBUTE``."""
    _table: Mapping[str, Mapping[str, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        if bool(self.matrix) == bool(self.file):
            raise UsageError("'pram' needs its matrix in one way", do="give either 'matrix' or 'file'")
        table = self.matrix or read_matrix(self.file)
        object.__setattr__(self, "_table", table)
        texts = list(dict.fromkeys([*table, *(to for row in table.values() for to in row)]))
        try:
            _transitions(table, tuple(texts), {text: text for text in texts})
        except InputError as error:
            error.where = self.file or f"matrix of '{self.attribute}'"
            raise

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute that it changes."""
        return (self.attribute,)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with the attribute changed."""
        return applied(
            records, self.attributes, self._transitions, random, progress, publish_matrix=self.publish_matrix
        )

    def _transitions(self, name: str, column: Categories) -> Transitions:
        spelled = {text_of(value): value for value in column.values}
        occurring = [text_of(v) for v, n in zip(column.values, column.counts, strict=True) if n]
        if strangers := sum(text not in self._table for text in occurring):
            raise InputError(
                f"{strangers:,} of {len(occurring):,} values of '{name}' have no row in the matrix of PRAM",
                do="give every value that occurs a row",
            )
        targets = dict.fromkeys(to for row in self._table.values() for to in row)
        new = {text: _typed(text, column.values) for text in (*self._table, *targets) if text not in spelled}
        return _transitions(self._table, (*column.values, *new.values()), {**spelled, **new})


def _transitions(
    table: Mapping[str, Mapping[str, float]], values: tuple[Hashable, ...], spelled: Mapping[str, Hashable]
) -> Transitions:
    """Return the square matrix; a value without a row, which does not occur, stays as it is."""
    place = {value: code for code, value in enumerate(values)}
    matrix = np.eye(len(values))
    for text, row in table.items():
        matrix[place[spelled[text]]] = 0
        for to, probability in row.items():
            matrix[place[spelled[text]], place[spelled[to]]] = probability
    return Transitions(values, matrix)


def _typed(text: str, values: tuple[Hashable, ...]) -> Hashable:
    """Return a new value as a number among numbers, otherwise as text."""
    for kind in (int, float):
        if values and all(
            isinstance(v, int if kind is int else int | float) and not isinstance(v, bool) for v in values
        ):
            try:
                return kind(text)
            except ValueError:
                continue
    return text
