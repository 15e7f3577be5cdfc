"""Tables: cells, the sums that bind them, who stands behind them, what an attacker knows, what must stay unknown.

These are the nouns that the rooms `tables` (which protects) and `attacks` (which audits) exchange; the two share
nothing else. Cells are kept by column, as arrays, because a table may have hundreds of thousands of them.
"""

from tacita.model.table.contributions import Contributions
from tacita.model.table.dimension import Dimension, Sum
from tacita.model.table.equations import Equations
from tacita.model.table.grid import table_of_leaves
from tacita.model.table.knowledge import Knowledge
from tacita.model.table.levels import Levels, SensitivityReason
from tacita.model.table.movement import Movement
from tacita.model.table.status import WITHHELD, Status
from tacita.model.table.table import Table

__all__ = [
    "WITHHELD",
    "Contributions",
    "Dimension",
    "Equations",
    "Knowledge",
    "Levels",
    "Movement",
    "SensitivityReason",
    "Status",
    "Sum",
    "Table",
    "table_of_leaves",
]
