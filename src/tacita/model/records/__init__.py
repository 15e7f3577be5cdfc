"""Records as arrays: what methods of masking, measures of loss and attackers exchange.

A column is `Numbers` or `Categories`; `Records` are columns of one length under the names of their attributes. They
hold confidential values, and print none of them.
"""

from tacita.model.records.categories import Categories
from tacita.model.records.numbers import Numbers
from tacita.model.records.records import Records, Values, same_values, strata

__all__ = ["Categories", "Numbers", "Records", "Values", "same_values", "strata"]
