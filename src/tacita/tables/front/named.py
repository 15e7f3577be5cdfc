"""The verbs of tables under the names that `tacita` itself gives them.

>>> import tempfile
>>> import tacita as tc
>>> from tacita.tables.front.example import write_example
>>> with tempfile.TemporaryDirectory() as folder:
...     protected = tc.protect_table(write_example(folder), seconds=5)
>>> protected.passed, int(protected.tables[0].withheld.sum())
(True, 18)
"""

from __future__ import annotations

from tacita.tables.front.assess import assess
from tacita.tables.front.audit import audit
from tacita.tables.front.build import build
from tacita.tables.front.protect import protect

build_table, assess_table, protect_table, audit_table = build, assess, protect, audit

__all__ = ["assess_table", "audit_table", "build_table", "protect_table"]
