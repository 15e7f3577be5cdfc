"""What a rule program means, said naively in plain Python: the oracle of the tests, never used for work.

It shares the vocabulary of `logic` (terms, programs, names of functions) with the reasoner and nothing else. It reads
every fact again in every round, keeps no index and joins by nested loops: slow, obvious, independent.
"""

from tests.oracles.rules.comparison import homomorphic, maps_into, same_up_to_nulls
from tests.oracles.rules.interpret import Result, interpret
from tests.oracles.rules.values import ListValue, Null, PairValue, RecordValue, record
from tests.oracles.rules.violations import Violation

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
