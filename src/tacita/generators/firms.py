"""Surveys of firms: the family ``R{thousands}A{quasi-identifiers}{W,U,V}`` of Figure 6 of the VADA-SA paper.

``R25A4W`` is a survey of 25,000 firms with 4 quasi-identifiers and a distribution as found in the real world;
U is unbalanced, V very unbalanced. With the same seed and size the surveys agree: ``R50A4W`` is ``R50A9W``
without five columns, and U and V differ from W in the tuples that were moved to selective combinations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacita.errors import UsageError, faults_text
from tacita.generators import firm_attributes as attributes
from tacita.generators.permutation import Permutation, codes, digits_for
from tacita.generators.selectivity import Mixture
from tacita.generators.strata import Strata
from tacita.generators.stream import BLOCK, Generated, block_sizes, labels_of, random_stream, schema_of
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    from numpy.typing import NDArray

FRACTION = 0.05
"""The share of the population that a survey samples."""
_REVENUES = len(attributes.REVENUE)


@dataclass(frozen=True)
class FirmSurvey:
    """One survey: what its name says, its seed, and the share of the population that it samples.

    >>> survey = FirmSurvey.named("R25A4W", seed=0)
    >>> survey.rows, survey.width, survey.distribution, survey.population
    (25000, 4, 'W', 500000)
    """

    name: str
    rows: int
    width: int
    distribution: str
    seed: int
    fraction: float = FRACTION

    @classmethod
    def named(cls, name: str, *, seed: int, fraction: float = FRACTION) -> FirmSurvey:
        """Return the survey of that name."""
        faults = []
        match = re.fullmatch(r"R(\d+)A(\d+)([A-Z]?)", name.strip().upper())
        if match is None:
            raise UsageError(f"'{name}' does not name a survey of firms", do=_HOW)
        thousands, width, distribution = int(match[1]), int(match[2]), match[3]
        if thousands < 1:
            faults.append("it has no rows (R0)")
        if thousands > LARGEST:
            faults.append(f"it has more than {LARGEST:,} thousand rows")
        if not 4 <= width <= 9:
            faults.append(f"it asks for {width} quasi-identifiers (A{width}); there are 4 to 9")
        if distribution not in ("W", "U", "V"):
            faults.append(f"its distribution is '{distribution}'; there are W, U and V")
        if not 0 < fraction <= 1:
            faults.append(f"a sampling fraction of {fraction} is not between 0 and 1")
        if faults:
            raise UsageError(faults_text(faults), where=f"survey '{name}'", do=_HOW)
        return cls(match[0], 1_000 * thousands, width, distribution, seed, fraction)

    @property
    def population(self) -> int:
        """The number of firms that the survey stands for."""
        return max(self.rows, round(self.rows / self.fraction))

    @cached_property
    def mixture(self) -> Mixture:
        """The distribution over cells."""
        return Mixture.of_survey(self.rows, self.distribution, self.seed)

    @cached_property
    def sectors(self) -> list[str]:
        """The names of the sectors."""
        return attributes.sectors(self.mixture.niches)

    @cached_property
    def strata(self) -> Strata:
        """The design: one pass over the cells counts the sample."""
        sample = np.zeros(self.mixture.cells // _REVENUES, dtype=np.int64)
        for block in range(len(block_sizes(self.rows))):
            sample += np.bincount(self.cells(block) // _REVENUES, minlength=len(sample))
        return Strata.designed(sample, len(self.sectors), self.population, self.seed)

    def random(self, *key: int | str) -> np.random.Generator:
        """Return a random stream of this survey; the same for W, U, V and any number of attributes."""
        return random_stream(self.seed, "firms", self.rows, *key)

    def cells(self, block: int) -> NDArray[np.int64]:
        """Return the cells of the tuples of a block."""
        rows = block_sizes(self.rows)[block]
        return self.mixture.draw(rows, self.random(block, "cell"), self.random(block, "move"))

    def quasi_identifiers(self, cells: NDArray[np.int64], *key: int | str) -> dict[str, NDArray[np.integer]]:
        """Return the codes of all nine quasi-identifiers of firms in cells, from the streams of a key."""
        drawn: dict[str, NDArray[np.integer]] = dict(self.mixture.parts(cells))
        typical = self.random(*key, "typical").random(len(cells)) < attributes.TYPICAL
        for further in attributes.FURTHER:
            drawn[further.name] = further.draw(drawn, self.random(*key, further.name), typical)
        return drawn

    def labelled(self, drawn: dict[str, NDArray[np.integer]]) -> list[pa.Array]:
        """Return the columns of the survey's quasi-identifiers."""
        labels: list[tuple[str, ...] | list[str]] = [attributes.AREAS, self.sectors, attributes.EMPLOYEES]
        labels += [attributes.REVENUE, *(further.values for further in attributes.FURTHER)]
        pairs = list(zip(drawn.values(), labels, strict=True))
        return [labels_of(column, names) for column, names in pairs[: self.width]]

    def ids(self, positions: NDArray[np.integer]) -> pa.Array:
        """Return the Ids of firms; the sample comes first in the population, and its Ids do not show it."""
        digits = digits_for(self.population)
        return codes(Permutation.keyed(10**digits, self.seed, "Id", self.rows)(positions), digits)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the survey, one block after the other."""
        schema = schema_of(self.dictionary, numbers=["Weight"], counts=["Growth 6mos"])
        for block, rows in enumerate(block_sizes(self.rows)):
            cells = self.cells(block)
            drawn = self.quasi_identifiers(cells, block)
            export = attributes.EXPORT_TO_DE.draw(drawn, self.random(block, "Export to DE"))
            columns = [
                self.ids(block * BLOCK + np.arange(rows)),
                *self.labelled(drawn),
                labels_of(export, attributes.REVENUE),
                pa.array(attributes.growth(rows, self.random(block, "Growth 6mos"))),
                pa.array(self.strata.weights[cells // _REVENUES]),
            ]
            yield pa.record_batch(columns, schema=schema)

    @property
    def dictionary(self) -> Dictionary:
        """The true dictionary of the survey."""
        text = f"Inflation & Growth survey: {self.rows:,} generated firms of {self.population:,}"
        return Dictionary(self.name, attributes.survey_attributes(self.width), description=text)


def firms(name: str, *, seed: int, fraction: float = FRACTION) -> Generated:
    """Return a survey of firms by its name.

    >>> survey = firms("R6A4U", seed=0)
    >>> survey.dictionary.quasi_identifiers
    ('Area', 'Sector', 'Employees', 'Residential Rev.')
    >>> next(survey.batches()).num_rows
    6000
    """
    survey = FirmSurvey.named(name, seed=seed, fraction=fraction)
    schema = schema_of(survey.dictionary, numbers=["Weight"], counts=["Growth 6mos"])
    return Generated(survey.name, survey.rows, survey.dictionary, schema, survey.batches)


LARGEST = 100_000
"""Thousands of rows of the largest survey: a hundred million tuples."""
_HOW = "write R, thousands of rows, A, 4 to 9 quasi-identifiers, and W, U or V: R25A4W, R50A9W, R100A4U"
