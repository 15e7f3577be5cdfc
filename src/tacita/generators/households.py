"""A survey of households, one row per person: for household risk, attribute disclosure and mixed kinds.

Households come first (size, who lives in them, where), then their members: a partner and children fit the age
of the head, and marital status, education, occupation, income and health follow from age and from each other.
The members of a household share its key, its place and its weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacita.errors import UsageError
from tacita.generators import persons
from tacita.generators.permutation import Permutation, codes, digits_for
from tacita.generators.stream import BLOCK, Generated, block_sizes, labels_of, random_stream, schema_of
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS = 10_000
MUNICIPALITY_SIZES = ("under 5000", "5000-20000", "20001-50000", "50001-250000", "250000+")
REGIONS = {
    "Lombardia": 0.169,
    "Lazio": 0.097,
    "Campania": 0.095,
    "Veneto": 0.082,
    "Sicilia": 0.081,
    "Emilia-Romagna": 0.075,
    "Piemonte": 0.072,
    "Puglia": 0.066,
    "Toscana": 0.062,
    "Calabria": 0.031,
    "Sardegna": 0.027,
    "Liguria": 0.026,
    "Marche": 0.025,
    "Abruzzo": 0.022,
    "Friuli-Venezia Giulia": 0.020,
    "Trentino-Alto Adige": 0.018,
    "Umbria": 0.015,
    "Basilicata": 0.009,
    "Molise": 0.005,
    "Valle d'Aosta": 0.003,
}
"""The regions and about their share of the population."""
_SIZE = (0.33, 0.28, 0.19, 0.14, 0.04, 0.02)
_MUNICIPALITY = (0.16, 0.30, 0.18, 0.20, 0.16)
_BASE_WEIGHT = 2_000.0

_Q, _O, _C = Category.QUASI_IDENTIFIER, Kind.ORDINAL, Kind.CATEGORICAL
DICTIONARY = Dictionary(
    "households",
    (
        Attribute("Household", Category.CLUSTER_KEY, Kind.TEXT, "Key of the household"),
        Attribute("Person", Category.IDENTIFIER, Kind.TEXT, "Identifier of the person"),
        Attribute("Region", _Q, _C, "Region of residence"),
        Attribute("Municipality size class", _Q, _O, "Inhabitants of the municipality", order=MUNICIPALITY_SIZES),
        Attribute("Household size", _Q, Kind.CONTINUOUS, "Number of persons in the household"),
        Attribute("Relation to head", _Q, _C, "Relation to the head of the household"),
        Attribute("Sex", _Q, _C, "Sex"),
        Attribute("Age", _Q, Kind.CONTINUOUS, "Age in years"),
        Attribute("Marital status", _Q, _C, "Marital status"),
        Attribute("Education", _Q, _O, "Highest level of education reached", order=persons.EDUCATION),
        Attribute("Occupation", _Q, _C, "Main occupation"),
        Attribute("Nationality", _Q, _C, "Nationality"),
        Attribute("Income", Category.SENSITIVE, Kind.CONTINUOUS, "Net income in the year, in euro"),
        Attribute("Health condition", Category.SENSITIVE, _C, "Main chronic condition"),
        Attribute("Weight", Category.WEIGHT, Kind.CONTINUOUS, "Sampling Weight of the household"),
    ),
    description="Survey of households, generated",
)
_COUNTS = ("Household size", "Age", "Income")


def households(*, seed: int, rows: int = ROWS) -> Generated:
    """Return a survey of households with exactly so many persons.

    >>> households(seed=0, rows=500).table().num_rows
    500
    """
    if rows < 1:
        raise UsageError(f"a survey of {rows} persons", do="ask for at least one")
    schema = schema_of(DICTIONARY, numbers=["Weight"], counts=_COUNTS)

    def blocks() -> Iterator[pa.RecordBatch]:
        for block, size in enumerate(block_sizes(rows)):
            yield pa.record_batch(_block(seed, rows, block, size), schema=schema)

    return Generated("households", rows, DICTIONARY, schema, blocks)


def _block(seed: int, rows: int, block: int, size: int) -> list[pa.Array]:
    """Return the columns of one block; no household crosses its end."""
    random = random_stream(seed, "households", rows, block)
    sizes = _household_sizes(size, random)
    region = random.choice(len(REGIONS), p=np.array(list(REGIONS.values())) / sum(REGIONS.values()), size=len(sizes))
    municipality = random.choice(len(_MUNICIPALITY), p=_MUNICIPALITY, size=len(sizes))
    of = np.repeat(np.arange(len(sizes)), sizes)
    drawn = persons.members(sizes, random)
    drawn |= persons.circumstances(drawn["Age"], drawn["Sex"], region[of], random)
    digits = digits_for(-(-rows // BLOCK) * BLOCK)
    keys = {what: Permutation.keyed(10**digits, seed, what, rows) for what in ("Household", "Person")}
    columns: dict[str, pa.Array] = {
        "Household": codes(keys["Household"](block * BLOCK + of), digits),
        "Person": codes(keys["Person"](block * BLOCK + np.arange(size)), digits),
        "Region": labels_of(region[of], list(REGIONS)),
        "Municipality size class": labels_of(municipality[of], MUNICIPALITY_SIZES),
        "Household size": pa.array(sizes[of]),
        "Weight": pa.array(_weights(region, municipality)[of]),
    }
    for name, labels in persons.LABELS.items():
        columns[name] = labels_of(drawn[name], labels)
    columns |= {name: pa.array(drawn[name].astype(np.int64)) for name in ("Age", "Income")}
    return [columns[name] for name in DICTIONARY.names]


def _household_sizes(persons_wanted: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return sizes that sum to the persons wanted: the last household takes what is left."""
    sizes = 1 + random.choice(len(_SIZE), p=_SIZE, size=persons_wanted)
    ends = np.cumsum(sizes)
    last = int(np.searchsorted(ends, persons_wanted))
    sizes[last] -= ends[last] - persons_wanted
    return sizes[: last + 1]


def _weights(region: NDArray[np.integer], municipality: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return the weight of each household: small regions, large municipalities are sampled more densely."""
    share = np.array(list(REGIONS.values()))
    by_region = np.sqrt(share / share.max())
    by_size = np.array([1.3, 1.15, 1.0, 0.85, 0.7])
    weight: NDArray[np.float64] = _BASE_WEIGHT * by_region[region] * by_size[municipality]
    return weight.round(2)
