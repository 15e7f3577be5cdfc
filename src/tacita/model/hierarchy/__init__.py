"""Hierarchies: how the values of an attribute may be coarsened, one level at a time.

One file per way to have one: explicit paths (`value`), from and to CSV (`csv_file`) and facts (`facts`),
numeric intervals (`interval`), dates (`dates`), prefixes (`prefix`), and the rule table of the dictionary
(`rule`). A hierarchy holds domain knowledge, nothing from the data: its own labels may be shown, values of
the data may not.
"""

from tacita.model.hierarchy.base import STAR, Hierarchy, text_of
from tacita.model.hierarchy.csv_file import csv_text, parse_csv, read_csv
from tacita.model.hierarchy.dates import DateHierarchy
from tacita.model.hierarchy.facts import facts_of, from_facts
from tacita.model.hierarchy.interval import IntervalHierarchy
from tacita.model.hierarchy.prefix import PrefixHierarchy
from tacita.model.hierarchy.rule import from_rule, rule_faults
from tacita.model.hierarchy.value import ValueHierarchy

__all__ = [
    "STAR",
    "DateHierarchy",
    "Hierarchy",
    "IntervalHierarchy",
    "PrefixHierarchy",
    "ValueHierarchy",
    "csv_text",
    "facts_of",
    "from_facts",
    "from_rule",
    "parse_csv",
    "read_csv",
    "rule_faults",
    "text_of",
]
