"""Attackers, one per file. None shares code with what it attacks."""

from tacita.attacks.result import Audit, Intervals, Violation
from tacita.attacks.table_audit import audit

__all__ = ["Audit", "Intervals", "Violation", "audit"]
