"""The companies with research and development of the Basque Country, 1996, as printed in the EUSTAT document."""

from __future__ import annotations

from tests.tables.grids import crossed

from tacita.model.table import Dimension, Table

SIZES = ("<25", "25-49", "50-99", "100-249", "250-499", "500-999", ">=1000")
ROWS = {
    "Agriculture and fishing": (2, 0, 0, 0, 0, 0, 0),
    "Chemical": (7, 3, 6, 2, 5, 1, 0),
    "Rubber and Plastics": (2, 0, 3, 8, 3, 0, 1),
    "Metallurgy": (0, 2, 1, 7, 6, 2, 2),
    "Metal Products": (5, 0, 7, 6, 8, 4, 1),
    "Machine tool": (0, 4, 9, 4, 2, 1, 0),
    "Domestic Apparatus": (0, 0, 2, 2, 2, 1, 1),
    "Other machinery": (1, 4, 13, 11, 3, 1, 0),
    "Electric equipment": (5, 6, 2, 3, 5, 0, 0),
    "Electronic equipment": (4, 2, 2, 2, 2, 0, 0),
    "Precision equipment": (12, 2, 3, 2, 1, 0, 0),
    "Transport material": (0, 2, 2, 4, 6, 0, 2),
    "Other manufacturing": (3, 4, 7, 5, 2, 0, 0),
    "Energy and construction": (1, 1, 2, 3, 1, 0, 2),
    "IT activities": (5, 2, 3, 1, 0, 0, 0),
    "R&D Activities": (6, 3, 3, 6, 0, 0, 0),
    "Other business activities": (14, 5, 3, 1, 2, 1, 0),
    "Other services": (2, 0, 0, 1, 0, 0, 0),
}
TOTALS = (69, 40, 68, 68, 48, 11, 9)


def research() -> Table:
    counts = {(row, size): n for row, all_ in ROWS.items() for size, n in zip(SIZES, all_, strict=True)}
    return crossed((Dimension.flat("activity", ROWS), Dimension.flat("size", SIZES)), counts)
