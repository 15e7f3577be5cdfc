"""All faults that the checks can find, by number; `docs/reference/rule-faults.md` explains each of them.

A number is never used again for something else. `Suggestions` finds the nearest known name for the text of a fault.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from tacita.rules.logic.faults import Fault, Origin, Severity


@dataclass(frozen=True, slots=True)
class Code:
    """What a number means, and whether a program with it can be run."""

    meaning: str
    severity: Severity


def _error(meaning: str) -> Code:
    return Code(meaning, Severity.ERROR)


def _warning(meaning: str) -> Code:
    return Code(meaning, Severity.WARNING)


CODES: dict[str, Code] = {
    # names
    "R201": _error("a predicate that nothing defines"),
    "R202": _warning("a predicate that nothing uses"),
    "R203": _warning("two predicates whose names differ in capitals only"),
    "R204": _error("an annotation that asks for a predicate that is not there"),
    "R205": _warning("a sentence for a predicate or a rule that is not there"),
    "R206": _error("a wrong number of names for the arguments of a predicate"),
    "R207": _warning("a gap in a sentence that nothing fills"),
    "R208": _warning("a label that two rules have"),
    # variables
    "R301": _error("a variable without a value"),
    "R302": _warning("a variable that occurs once"),
    "R303": _warning("a new variable in a head that looks misspelt"),
    "R304": _error("a fact with something unknown in it"),
    "R305": _error("an underscore where a value is needed"),
    "R306": _error("a variable that a negation shares with something that does not bind it"),
    "R307": _error("an existential variable that is none"),
    # arity
    "R401": _error("a predicate with different numbers of arguments"),
    "R402": _warning("a recursive position that several rules give a value to"),
    "R403": _error("a text that is no date or timestamp"),
    # negation and aggregates
    "R501": _error("a negation inside its own recursion"),
    "R502": _error("a final aggregate inside a recursion"),
    "R503": _error("an aggregate that a later round may overtake"),
    "R504": _error("a value that still grows, used as if it were final"),
    "R505": _warning("a join on what an equality rule may change"),
    "R506": _error("an aggregate where none can stand"),
    "R507": _warning("a head with several values per group"),
    "R508": _warning("a denial with one group for everything"),
    "R509": _error("a condition that an equality rule may make untrue later"),
    # existentials
    "R601": _warning("a dangerous join"),
    "R602": _warning("labelled nulls that may go on for ever"),
    "R603": _warning("values that may grow for ever"),
    # annotations, externals, parameters
    "R702": _error("an external predicate that is bound to nothing"),
    "R703": _error("an unknown option of an annotation"),
    "R704": _error("a wrong argument of an annotation"),
    "R705": _error("a parameter without a value"),
    "R706": _error("an annotation in the wrong place"),
    "R707": _warning("a value in an annotation that looks misspelt"),
    "R708": _error("an unknown value in an annotation"),
}

ELSEWHERE: dict[str, Code] = {
    "R210": _error("an attribute that the dictionary does not have"),
    "R411": _error("an argument with two types"),
    "R412": _error("values of different types that are compared or joined"),
    "R413": _error("a value of the wrong type for an operator or a function"),
    "R701": _error("a module that is not there"),
    "R711": _error("a key of versions that nothing names"),
    "R712": _error("a version rule that concludes something else as well"),
}
"""What the linker and the reasoner find, which know modules, dictionaries and data."""


def fault(code: str, message: str, origin: Origin, do: str = "") -> Fault:
    """Return a fault with the severity of its number."""
    return Fault(code, message, origin, do, CODES[code].severity)


_COMPARISONS = 50_000
"""So many names are compared; a program with more unknown names than that has another problem."""


class Suggestions:
    """Names that could have been meant.

    >>> Suggestions(["Own", "Control"]).of("own")
    "; did you mean 'Own'?"
    >>> Suggestions(["Own", "Control"]).of("Contrl")
    "; did you mean 'Control'?"
    >>> Suggestions(["Own", "Control"]).of("Household")
    ''
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._by_fold: dict[str, str] = {}
        for name in names:
            self._by_fold.setdefault(name.casefold(), name)
        self._comparisons = 0

    def nearest(self, word: str) -> str | None:
        """Return the name that is most like a word, if one is like it."""
        fold = word.casefold()
        if fold in self._by_fold:
            return self._by_fold[fold] if self._by_fold[fold] != word else None
        if self._comparisons > _COMPARISONS:
            return None
        self._comparisons += len(self._by_fold)
        near = difflib.get_close_matches(fold, [n for n in self._by_fold if abs(len(n) - len(fold)) <= 3], 1, 0.65)
        return self._by_fold[near[0]] if near else None

    def of(self, word: str) -> str:
        """Return ``; did you mean 'X'?``, or nothing."""
        near = self.nearest(word)
        return f"; did you mean '{near}'?" if near is not None else ""
