"""The identity oracle of a survey of firms: everyone who could have been asked (VADA-SA paper, section 2.1).

It holds every surveyed firm, with the same Id and quasi-identifiers, and the rest of each stratum, so that
each stratum has as many firms as the weights of its tuples sum to. The rest is drawn from the survey's own
distribution: a sample unique may be unique in the population too, or have companions that were not asked.
Names, tax codes and addresses are invented; tax codes begin with ZZ, which ISO 3166 gives to no country.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.generators.firm_attributes import REVENUE, quasi_identifiers
from tacita.generators.firms import FRACTION, FirmSurvey
from tacita.generators.permutation import Permutation, codes, digits_for
from tacita.generators.stream import BLOCK, Generated, labels_of, schema_of
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    from numpy.typing import NDArray

MUNICIPALITIES = {
    area: towns.split()
    for area, towns in {
        "North": "Vogogna Bobbio Cison Ivrea Feltre Chiavari Bologna Venezia Verona Milano Torino Genova",
        "Center": "Norcia Bolsena Anghiari Orvieto Cortona Volterra Perugia Ancona Terni Roma Firenze Prato",
        "South": "Scanno Craco Civita Melfi Ostuni Vasto Salerno Foggia Pescara Napoli Bari Taranto",
        "Islands": "Savoca Bosa Gavoi Olbia Noto Alghero Cagliari Sassari Siracusa Palermo Catania Messina",
    }.items()
}
"""Seats by area, three for each Location: village, town, city, large city."""
_STARTS, _MIDDLES, _ENDS, _TRADES = (
    parts.split()
    for parts in (
        "Val Ter Mor Bel Cas Lum Fer Gal Nor Sil Tar Vir Pal Ros Can Dor Mal Per Sol Tre Ard Bor Cal Fal",
        "a e i o ari ene ilo ota una anti este indo orra umma",
        "nia rco ssa vetti lino dara mex tec gno zzo rvia lta nda sca",
        "Holding Group Industrie Commerciale Servizi Tecnica Partners Prodotti Impianti Sistemi Trading Lab",
    )
)
_SUFFIXES = ("S.r.l.", "S.p.A.", "Soc. Coop.")
_TAX_DIGITS = 11


@dataclass(frozen=True)
class Oracle:
    """The population of a survey, in as many blocks as it needs."""

    survey: FirmSurvey

    @cached_property
    def _rest_strata(self) -> NDArray[np.int64]:
        """Where each stratum ends when the firms that were not asked stand in order of stratum."""
        return np.cumsum(self.survey.strata.rest)

    @cached_property
    def _revenue(self) -> NDArray[np.float64]:
        """P(Residential Rev. <= r | stratum), from the distribution of the survey."""
        cumulative = np.cumsum(self.survey.mixture.probability().reshape(-1, len(REVENUE)), axis=1)
        return cumulative / np.maximum(cumulative[:, -1:], np.finfo(float).tiny)

    def _rest_cells(self, start: int, stop: int, block: int) -> NDArray[np.int64]:
        """Return the cells of some firms that were not asked; each stratum comes out exactly full."""
        survey = self.survey
        scattered = Permutation.keyed(survey.population - survey.rows, survey.seed, "rest", survey.distribution)
        stratum = np.searchsorted(self._rest_strata, scattered(np.arange(start, stop)), side="right")
        uniform = survey.random("rest", block, "Residential Rev.").random(stop - start)
        revenue: NDArray[np.int64] = (uniform[:, None] >= self._revenue[stratum, :-1]).sum(axis=1)
        return stratum * len(REVENUE) + revenue

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the population; a block holds its share of the survey and of the rest, shuffled."""
        survey = self.survey
        blocks = -(-survey.population // BLOCK)
        unasked = survey.population - survey.rows
        question = _Asked(survey)
        for block in range(blocks):
            first, last = (turn * survey.rows // blocks for turn in (block, block + 1))
            start, stop = (turn * unasked // blocks for turn in (block, block + 1))
            rest = survey.quasi_identifiers(self._rest_cells(start, stop, block), "rest", block)
            sample = question.between(first, last)
            order = survey.random("oracle order", block).permutation(last - first + stop - start)
            drawn = {name: np.concatenate([sample[name], rest[name]])[order] for name in rest}
            position = np.concatenate([np.arange(first, last), survey.rows + np.arange(start, stop)])[order]
            yield self._batch(block, position, drawn)

    def _batch(
        self, block: int, position: NDArray[np.integer], drawn: dict[str, NDArray[np.integer]]
    ) -> pa.RecordBatch:
        survey = self.survey
        width = max(_TAX_DIGITS, digits_for(survey.population))
        tax = Permutation.keyed(10**width, survey.seed, "Tax code", survey.rows)(position)
        random = survey.random("oracle", block)
        seat = 3 * drawn["Location"] + random.integers(3, size=len(position))
        towns = [town for area in MUNICIPALITIES.values() for town in area]
        columns = [
            survey.ids(position),
            _company_names(drawn["Legal Form"], random),
            codes(tax, width, prefix="ZZ"),
            labels_of(drawn["Area"] * 12 + seat, towns),
            *survey.labelled(drawn),
        ]
        return pa.record_batch(columns, schema=schema_of(self.dictionary))

    @property
    def dictionary(self) -> Dictionary:
        """The true dictionary of the oracle."""
        return Dictionary(
            f"{self.survey.name}-oracle",
            (
                Attribute("Id", Category.IDENTIFIER, Kind.TEXT, description="Company Identifier"),
                Attribute("Name", Category.IDENTIFIER, Kind.TEXT, description="Company name"),
                Attribute("Tax code", Category.IDENTIFIER, Kind.TEXT, description="Fiscal code of the company"),
                Attribute(
                    "Municipality",
                    Category.QUASI_IDENTIFIER,
                    Kind.CATEGORICAL,
                    description="Municipality of the seat",
                ),
                *quasi_identifiers(self.survey.width),
            ),
            description=f"The {self.survey.population:,} firms that {self.survey.name} stands for",
        )


class _Asked:
    """The surveyed firms read forwards, with one block of the survey in memory."""

    def __init__(self, survey: FirmSurvey) -> None:
        self._survey = survey
        self._block = -1
        self._drawn: dict[str, NDArray[np.integer]] = {}

    def between(self, first: int, last: int) -> dict[str, NDArray[np.integer]]:
        """Return the quasi-identifiers of the tuples from ``first`` up to ``last``."""
        pieces = [
            self._piece(block, first, last) for block in range(first // BLOCK, (max(first, last - 1)) // BLOCK + 1)
        ]
        return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}

    def _piece(self, block: int, first: int, last: int) -> dict[str, NDArray[np.integer]]:
        if block != self._block:
            self._drawn = self._survey.quasi_identifiers(self._survey.cells(block), block)
            self._block = block
        start = block * BLOCK
        return {name: column[max(0, first - start) : last - start] for name, column in self._drawn.items()}


def _company_names(legal_forms: NDArray[np.integer], random: np.random.Generator) -> pa.Array:
    """Return invented names; two firms may share one, as in life."""
    rows = len(legal_forms)
    stems = [start + middle + end for start in _STARTS for middle in _MIDDLES for end in _ENDS]
    return pc.binary_join_element_wise(
        labels_of(random.integers(len(stems), size=rows), stems),
        labels_of(random.integers(len(_TRADES), size=rows), _TRADES),
        labels_of(legal_forms, _SUFFIXES),
        " ",
    )


def oracle(name: str, *, seed: int, fraction: float = FRACTION) -> Generated:
    """Return the identity oracle of the survey of that name and seed.

    >>> oracle("R1A4W", seed=0).rows
    20000
    """
    population = Oracle(FirmSurvey.named(name, seed=seed, fraction=fraction))
    dictionary = population.dictionary
    return Generated(
        dictionary.name, population.survey.population, dictionary, schema_of(dictionary), population.batches
    )
