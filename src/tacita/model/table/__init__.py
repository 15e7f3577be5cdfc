"""Tables: cells, the sums that bind them, who stands behind them, what an attacker knows, what must stay unknown.

These are the nouns that the rooms `tables` (which protects) and `attacks` (which audits) exchange; the two share
nothing else. Cells are kept by column, as arrays, because a table may have hundreds of thousands of them.
"""

from tacita.model.table.dimension import Dimension, Sum
from tacita.model.table.levels import (
    WITHHELD,
    InsiderLevels,
    Knowledge,
    Levels,
    Movement,
    SensitivityReason,
    Status,
)
from tacita.model.table.table import Contributions, Equations, Table, table_of_leaves

__all__ = [
    "WITHHELD",
    "Contributions",
    "Dimension",
    "Equations",
    "InsiderLevels",
    "Knowledge",
    "Levels",
    "Movement",
    "SensitivityReason",
    "Status",
    "Sum",
    "Table",
    "table_of_leaves",
]
