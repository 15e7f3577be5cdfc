"""Runs programs to their fixpoint on an engine, and rebuilds the proof of any fact on demand."""

from tacita.rules.reasoner.program import Budget, ReasoningOptions
from tacita.rules.reasoner.reason import InputTable, reason
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.values import Null, Record

__all__ = ["Budget", "InputTable", "Null", "Reasoned", "ReasoningOptions", "Record", "reason"]
