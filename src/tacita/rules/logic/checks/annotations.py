"""R703, R704, R706, R707, R708: annotations with wrong arguments, or in the wrong place.

`FORMS` lists the annotations of the language: where each may stand, and which arguments it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from tacita.errors import counted
from tacita.rules.logic.binding import scheduled
from tacita.rules.logic.checks.codes import Suggestions, fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Annotation, Directive, Rule
from tacita.rules.logic.signatures import texts
from tacita.rules.logic.terms import Constant, ListOf, Parameter, Term
from tacita.rules.logic.types import SCALARS


class ArgumentKind(StrEnum):
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
    kind: ArgumentKind = ArgumentKind.TEXT
    values: tuple[str, ...] = ()
    """What may be said, if that is all there is."""


@dataclass(frozen=True, slots=True)
class AnnotationForm:
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

FORMS: dict[str, AnnotationForm] = {
    "input": AnnotationForm(
        '@input("Own", ["owner", "company"])', (_PREDICATE, Slot("columns", ArgumentKind.COLUMNS)), 1
    ),
    "output": AnnotationForm('@output("Control")', (_PREDICATE, Slot("columns", ArgumentKind.TEXTS)), 1),
    "bind": AnnotationForm(
        '@bind("Own", "shares.parquet")',
        (_PREDICATE, Slot("source")),
        2,
        rest=Slot("part", ArgumentKind.ANY),
        is_open=True,
    ),
    "module": AnnotationForm('@module("control")', (Slot("name"),), 1),
    "use": AnnotationForm('@use("control")', (Slot("module"),), 1, rest=Slot("module")),
    "bind_module": AnnotationForm(
        '@bind_module("risk", "k_anonymity")', (Slot("external"), Slot("module")), 2, is_open=True
    ),
    "param": AnnotationForm('@param("k", 2)', (Slot("name"), Slot("value", ArgumentKind.ANY)), 2),
    "model": AnnotationForm(
        '@model("Own", ["a", "b"], "[a] owns [b]")',
        (_PREDICATE, Slot("names", ArgumentKind.TEXTS), Slot("sentence")),
        2,
    ),
    "explain": AnnotationForm('@explain("[1]", "[X] controls [Y]")', (Slot("rule"), Slot("sentence")), 1, Stand.BOTH),
    "route": AnnotationForm(
        '@route(order = ["-R", "A"], scope = "whole_column")',
        stand=Stand.RULE,
        options=(
            Slot("choose_one_per", ArgumentKind.TEXTS),
            Slot("order", ArgumentKind.ORDER, values=("most_risky_first", "less_significant_first")),
            Slot("scope", values=("whole_column",)),
            Slot("step", values=("one", "all")),
        ),
    ),
    "versioned": AnnotationForm(
        '@versioned("Tuple", key = ["M", "I"])', (_PREDICATE, Slot("key", ArgumentKind.TEXTS)), 2
    ),
    "native": AnnotationForm('@native("k_anonymity")', (Slot("method"),), 1, is_open=True),
    "on_violation": AnnotationForm('@on_violation("ask")', (_POLICY,), 1, Stand.BOTH),
    "similarity": AnnotationForm(
        '@similarity(method = "jaro_winkler", threshold = 0.9)',
        (Slot("method", values=("jaro_winkler",)), Slot("threshold", ArgumentKind.SHARE)),
    ),
    "group_equality": AnnotationForm('@group_equality("maybe")', (_EQUALITY,), 1, Stand.BOTH),
    "ask": AnnotationForm('@ask("keep this decision?")', (Slot("question"),), 0, Stand.RULE),
}


def wrong_annotations(subject: Subject) -> Iterator[Fault]:
    """Find annotations with wrong arguments, or in the wrong place. Unknown ones are for the parser to report."""
    for clause in subject.program.clauses:
        is_alone = isinstance(clause, Directive)
        for annotation in clause.annotations:
            form = FORMS.get(annotation.name)
            if form is not None:
                yield from _placed(annotation, form, is_alone)
                yield from _counted(annotation, form)
                yield from _given(annotation, form)
            if annotation.name == "route" and isinstance(clause, Rule):
                yield from _routed(annotation, clause)


def _placed(annotation: Annotation, form: AnnotationForm, is_alone: bool) -> Iterator[Fault]:
    if form.stand is Stand.BOTH or (form.stand is Stand.ALONE) == is_alone:
        return
    if is_alone:
        do = "write it right before its rule, without a period of its own"
        yield fault("R706", f"@{annotation.name} belongs to a rule, and stands alone here", annotation.origin, do)
    else:
        do = f"end it with a period: {form.example}."
        message = f"@{annotation.name} is said of the whole program, but belongs to the next rule here"
        yield fault("R706", message, annotation.origin, do)


def _counted(annotation: Annotation, form: AnnotationForm) -> Iterator[Fault]:
    most, given = len(form.slots), len(annotation.arguments)
    by_name = {name for name, _ in annotation.named}
    missing = [slot.name for slot in form.slots[given : form.required] if slot.name not in by_name]
    do = f"write it like {form.example}"
    if missing:
        message = f"@{annotation.name} does not say the {' and the '.join(missing)}"
        yield fault("R704", message, annotation.origin, do)
    if given > most and form.rest is None:
        takes = f"{counted(most, 'argument')} at most" if most else "arguments with names only"
        yield fault("R704", f"@{annotation.name} takes {takes}, not {given}", annotation.origin, do)


def _given(annotation: Annotation, form: AnnotationForm) -> Iterator[Fault]:
    for at, term in enumerate(annotation.arguments):
        slot = form.slots[at] if at < len(form.slots) else form.rest
        if slot is not None:
            yield from _fits(annotation, form, slot, term)
    slots = {slot.name: slot for slot in (*form.slots, *form.options)}
    for name, term in annotation.named:
        if name in slots:
            yield from _fits(annotation, form, slots[name], term)
        elif not form.is_open:
            known = ", ".join(slots)
            message = f"@{annotation.name} has no option '{name}'{Suggestions(slots).of(name)}"
            yield fault("R703", message, annotation.origin, f"its options are: {known}")


def _fits(annotation: Annotation, form: AnnotationForm, slot: Slot, term: Term) -> Iterator[Fault]:
    if isinstance(term, Parameter):
        return  # whatever it will be
    origin = term.origin if term.origin.line else annotation.origin
    if not _is(term, slot.kind):
        message = f"the {slot.name} of @{annotation.name} must be {slot.kind}"
        yield fault("R704", message, origin, f"write it like {form.example}")
        return
    if slot.kind is ArgumentKind.COLUMNS:
        yield from _typed(annotation, term)
    value = term.value if isinstance(term, Constant) else None
    if not isinstance(value, str):
        return
    if slot.values and value not in slot.values and slot.kind is not ArgumentKind.ORDER:
        message = f"@{annotation.name} knows no {slot.name} '{value}'{Suggestions(slot.values).of(value)}"
        yield fault("R708", message, origin, f"choose one of: {', '.join(slot.values)}")


def _typed(annotation: Annotation, columns: Term) -> Iterator[Fault]:
    """Find columns with a colon in their names behind which a type seems to be meant."""
    for name in texts(columns) or ():
        before, colon, type_ = name.rpartition(":")
        if colon and before and type_ not in SCALARS and (near := Suggestions(SCALARS).nearest(type_)):
            message = f"'{name}' in @{annotation.name} has no type that is known; did you mean '{before}:{near}'?"
            origin = columns.origin if columns.origin.line else annotation.origin
            yield fault("R707", message, origin, "correct it, unless the column has this name")


def _routed(annotation: Annotation, rule: Rule) -> Iterator[Fault]:
    """Find names in ``@route`` that are no variables of the body."""
    bound = sorted(scheduled(rule.body).bound)
    for slot in FORMS["route"].options:
        term = annotation.option(slot.name)
        if slot.kind not in (ArgumentKind.ORDER, ArgumentKind.TEXTS) or term is None:
            continue
        for item in term.items if isinstance(term, ListOf) else (term,):
            name = item.value if isinstance(item, Constant) else None
            if not isinstance(name, str) or name in slot.values:
                continue
            variable = name.removeprefix("-") if slot.kind is ArgumentKind.ORDER else name
            if variable not in bound:
                options = (*slot.values, *bound) if item is term else bound
                message = (
                    f"the {slot.name} of @route names '{variable}', which is no variable that the body gives a value"
                )
                origin = item.origin if item.origin.line else annotation.origin
                message += Suggestions(options).of(variable)
                yield fault("R708", message, origin, f"choose from: {', '.join(options)}")


def _is(term: Term, kind: ArgumentKind) -> bool:
    value = term.value if isinstance(term, Constant) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case ArgumentKind.TEXT:
            return isinstance(value, str)
        case ArgumentKind.TEXTS | ArgumentKind.COLUMNS:
            return bool(texts(term))
        case ArgumentKind.ORDER:
            return isinstance(value, str) or bool(texts(term))
        case ArgumentKind.NUMBER:
            return is_number
        case ArgumentKind.SHARE:
            return is_number and 0 <= float(value) <= 1  # type: ignore[arg-type]
    return True
