"""The annotations of the language: where each may stand, and which arguments it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What an argument must be."""

    TEXT = "a text"
    TEXTS = "a list of texts"
    COLUMNS = "a list of texts: names, or name:type"
    ORDER = "a text, or a list of texts: variables, with - for the largest first"
    NUMBER = "a number"
    SHARE = "a number from 0 to 1"
    ANY = "a value"


class Stand(StrEnum):
    """Where an annotation may stand."""

    ALONE = "alone, with a period behind it"
    RULE = "before a rule, without a period"
    BOTH = "alone or before a rule"


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument, by its place or by its name."""

    name: str
    kind: Kind = Kind.TEXT
    values: tuple[str, ...] = ()
    """What may be said, if that is all there is."""


@dataclass(frozen=True, slots=True)
class Form:
    """What an annotation takes."""

    example: str
    slots: tuple[Slot, ...] = ()
    required: int = 0
    """How many of the first arguments must be there."""
    stand: Stand = Stand.ALONE
    options: tuple[Slot, ...] = ()
    """Arguments that have a name only."""
    rest: Slot | None = None
    """What any further arguments are."""
    is_open: bool = field(default=False)
    """Whether it may have options that are not listed."""


_PREDICATE = Slot("predicate")
_EQUALITY = Slot("equality", values=("maybe", "standard"))
_POLICY = Slot("policy", values=("ask", "fail", "quarantine"))

FORMS: dict[str, Form] = {
    "input": Form('@input("Own", ["owner", "company"])', (_PREDICATE, Slot("columns", Kind.COLUMNS)), 1),
    "output": Form('@output("Control")', (_PREDICATE, Slot("columns", Kind.TEXTS)), 1),
    "bind": Form(
        '@bind("Own", "shares.parquet")', (_PREDICATE, Slot("source")), 2, rest=Slot("part", Kind.ANY), is_open=True
    ),
    "module": Form('@module("control")', (Slot("name"),), 1),
    "use": Form('@use("control")', (Slot("module"),), 1, rest=Slot("module")),
    "bind_module": Form('@bind_module("risk", "k_anonymity")', (Slot("external"), Slot("module")), 2, is_open=True),
    "param": Form('@param("k", 2)', (Slot("name"), Slot("value", Kind.ANY)), 2),
    "model": Form(
        '@model("Own", ["a", "b"], "[a] owns [b]")', (_PREDICATE, Slot("names", Kind.TEXTS), Slot("sentence")), 2
    ),
    "explain": Form('@explain("[1]", "[X] controls [Y]")', (Slot("rule"), Slot("sentence")), 1, Stand.BOTH),
    "route": Form(
        '@route(order = ["-R", "A"], scope = "whole_column")',
        stand=Stand.RULE,
        options=(
            Slot("choose_one_per", Kind.TEXTS),
            Slot("order", Kind.ORDER, values=("most_risky_first", "less_significant_first")),
            Slot("scope", values=("whole_column",)),
            Slot("step", values=("one", "all")),
        ),
    ),
    "versioned": Form('@versioned("Tuple", key = ["M", "I"])', (_PREDICATE, Slot("key", Kind.TEXTS)), 2),
    "native": Form('@native("k_anonymity")', (Slot("method"),), 1, is_open=True),
    "on_violation": Form('@on_violation("ask")', (_POLICY,), 1, Stand.BOTH),
    "similarity": Form(
        '@similarity(method = "jaro_winkler", threshold = 0.9)',
        (Slot("method", values=("jaro_winkler",)), Slot("threshold", Kind.SHARE)),
    ),
    "group_equality": Form('@group_equality("maybe")', (_EQUALITY,), 1, Stand.BOTH),
    "ask": Form('@ask("keep this decision?")', (Slot("question"),), 0, Stand.RULE),
}
