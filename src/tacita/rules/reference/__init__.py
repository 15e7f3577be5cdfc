"""What a rule program means, said naively in plain Python: the oracle of the tests, never used for work.

It shares the vocabulary of `logic` (terms, programs, names of functions) with the reasoner and nothing else. It reads
every fact again in every round, keeps no index and joins by nested loops: slow, obvious, independent.
"""

from tacita.rules.reference.comparison import homomorphic, maps_into, same_up_to_nulls
from tacita.rules.reference.interpret import Result, interpret
from tacita.rules.reference.values import ListValue, Null, PairValue, RecordValue, record
from tacita.rules.reference.violations import Violation

__all__ = [
    "ListValue",
    "Null",
    "PairValue",
    "RecordValue",
    "Result",
    "Violation",
    "homomorphic",
    "interpret",
    "maps_into",
    "record",
    "same_up_to_nulls",
]
