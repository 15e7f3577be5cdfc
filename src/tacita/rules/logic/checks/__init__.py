"""Whether a program can be run, and what looks wrong in it; `check.CHECKS` is the order of the checks.

The checks look at a program that is linked: modules included, externals resolved, parameters replaced. They say all
that they find, in the order of the text.
"""

from tacita.rules.logic.checks.check import CHECKS, all_faults, check, unsettled
from tacita.rules.logic.checks.codes import CODES, Code
from tacita.rules.logic.checks.termination import TerminationReport, termination
from tacita.rules.logic.checks.wardedness import WardednessReport, wardedness
from tacita.rules.logic.nulls import affected_positions

__all__ = [
    "CHECKS",
    "CODES",
    "Code",
    "TerminationReport",
    "WardednessReport",
    "affected_positions",
    "all_faults",
    "check",
    "termination",
    "unsettled",
    "wardedness",
]
