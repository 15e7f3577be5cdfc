"""The attributes of the Inflation & Growth survey (VADA-SA paper, Figures 1 and 4) and their dependences.

The first four quasi-identifiers are drawn together (see ``selectivity``); each further one depends on one
attribute before it. As in real registers, most firms are typical through and through and the others differ in
several ways: that is why nine quasi-identifiers do not make everyone unique.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.model.attribute import Attribute, Category, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = Mapping[str, NDArray[np.integer]]

AREAS = ("North", "Center", "South", "Islands")
COMMON_SECTORS = (
    "Commerce",
    "Construction",
    "Public Service",
    "Textiles",
    "Metalworking",
    "Food",
    "Transport",
    "Tourism",
    "Financial",
    "Other",
)
EMPLOYEES = ("50-200", "201-1000", "1000+")
REVENUE = ("0-30", "30-60", "60-90", "90+")

TYPICAL = 0.7
"""The share of firms whose further quasi-identifiers are the likeliest for their first four."""

_STYLES, _MATERIALS, _ACTIVITIES = (
    words.split()
    for words in (
        "Artisan Industrial Marine Alpine Rural Urban Historic Precision Organic Medical "
        "Naval Custom Recycled Luxury Technical Decorative Portable Scientific Seasonal Cooperative",
        "Cork Coral Marble Silk Saffron Leather Glass Paper Amber Wool Ceramic Copper Salt "
        "Wicker Resin Felt Slate Honey Linen Bronze Truffle Granite Lace Pearl Basalt",
        "Processing Trade Restoration Extraction Design Packaging Leasing Printing Testing Weaving "
        "Carving Storage Distilling Casting Dyeing Polishing Engraving Shipping Brokerage Assembly",
    )
)


def niche_sector(number: int) -> str:
    """Return the name of a niche sector; the first 10,000 differ in their words, later ones carry a number.

    >>> niche_sector(0), niche_sector(1)
    ('Artisan Cork Processing', 'Cooperative Wicker Storage')
    """
    words, again = number * 5779 % 10_000, number // 10_000
    style, rest = words % 20, words // 20
    name = f"{_STYLES[style]} {_MATERIALS[rest % 25]} {_ACTIVITIES[rest // 25]}"
    return f"{name} {again + 1}" if again else name


def sectors(niches: int) -> list[str]:
    """Return the sectors: the common ones, then that many niche sectors."""
    return [*COMMON_SECTORS, *map(niche_sector, range(niches))]


@dataclass(frozen=True)
class Further:
    """An attribute drawn by the value of one other: ``P(v | given = g)`` goes with ``weights[g][v]``."""

    name: str
    description: str
    values: tuple[str, ...]
    ordered: bool
    given: str
    weights: tuple[tuple[float, ...], ...]

    def draw(
        self, codes: Codes, random: np.random.Generator, typical: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int8]:
        """Return one code per tuple, the likeliest where ``typical``; a niche sector acts as a common one."""
        cumulative = np.cumsum(self.weights, axis=1, dtype=np.float64)
        cumulative /= cumulative[:, -1:]
        given = codes[self.given] % len(self.weights)
        uniform = random.random(len(given))
        drawn = np.zeros(len(given), dtype=np.int8)
        for limit in cumulative.T[:-1]:
            drawn += uniform >= limit[given]
        if typical is None:
            return drawn
        likeliest = np.argmax(self.weights, axis=1).astype(np.int8)
        return np.where(typical, likeliest[given], drawn)


_EXPORT = ((82, 12, 5, 1), (25, 62, 11, 2), (10, 28, 56, 6), (6, 10, 26, 58))
_FOUNDED = ((8, 24, 62, 6), (6, 66, 24, 4), (72, 20, 6, 2), (20, 70, 8, 2), (10, 74, 14, 2))

FURTHER = (
    Further("Export Rev.", "Rev. from external market", REVENUE, True, "Residential Rev.", _EXPORT),
    Further(
        "Legal Form",
        "Legal form of the company",
        ("S.r.l.", "S.p.A.", "Cooperative"),
        False,
        "Employees",
        ((88, 9, 3), (12, 84, 4), (1, 98, 1)),
    ),
    Further(
        "Founded",
        "Period of foundation",
        ("before 1970", "1970-1994", "1995-2014", "2015+"),
        True,
        "Sector",
        _FOUNDED * 2,
    ),
    Further(
        "Ownership",
        "Who holds the company",
        ("Family", "Domestic group", "Foreign group", "Members"),
        False,
        "Legal Form",
        ((92, 6, 2, 0), (8, 80, 12, 0), (0, 3, 0, 97)),
    ),
    Further(
        "Location",
        "Class of the municipality of the seat",
        ("Village", "Town", "City", "Large city"),
        True,
        "Area",
        ((3, 12, 79, 6), (2, 11, 12, 75), (6, 80, 12, 2), (10, 82, 6, 2)),
    ),
)
EXPORT_TO_DE = Further("Export to DE", "Rev. from DE market", REVENUE, True, "Export Rev.", _EXPORT)


def growth(rows: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return percent growths as Figure 1 shows them: small for most, a long right tail, never below -90."""
    usual = random.normal(2.0, 7.0, rows)
    leap = np.where(random.random(rows) < 0.25, random.lognormal(3.2, 1.1, rows), 0.0)
    slump = np.where(random.random(rows) < 0.12, random.exponential(15.0, rows), 0.0)
    return np.clip(np.rint(usual + leap - slump), -90, 2_000).astype(np.int64)


def quasi_identifiers(width: int) -> tuple[Attribute, ...]:
    """Return the first ``width`` quasi-identifiers as the dictionary describes them."""
    first = (
        ("Area", "Geographic Area", ()),
        ("Sector", "Product Sector", ()),
        ("Employees", "Num. of employees", EMPLOYEES),
        ("Residential Rev.", "Rev. from internal market", REVENUE),
    )
    further = tuple((f.name, f.description, f.values if f.ordered else ()) for f in FURTHER)
    return tuple(
        Attribute(
            name,
            Category.QUASI_IDENTIFIER,
            Kind.ORDINAL if order else Kind.CATEGORICAL,
            description=description,
            order=order,
        )
        for name, description, order in (first + further)[:width]
    )


def survey_attributes(width: int) -> tuple[Attribute, ...]:
    """Return all attributes of the survey with that many quasi-identifiers."""
    return (
        Attribute("Id", Category.IDENTIFIER, Kind.TEXT, description="Company Identifier"),
        *quasi_identifiers(width),
        Attribute(
            "Export to DE",
            Category.NON_IDENTIFYING,
            Kind.ORDINAL,
            description=EXPORT_TO_DE.description,
            order=REVENUE,
        ),
        Attribute(
            "Growth 6mos",
            Category.NON_IDENTIFYING,
            Kind.CONTINUOUS,
            description="Rev. growth last 6 mths, percent",
        ),
        Attribute("Weight", Category.WEIGHT, Kind.CONTINUOUS, description="Sampling Weight"),
    )
