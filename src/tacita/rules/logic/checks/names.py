"""R201, R202, R203, R204, R208: predicates and labels that are misspelt, missing or left over."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.errors import counted
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.suggestions import Suggestions
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Rule
from tacita.rules.logic.signatures import DICTIONARY, Signature


def names(subject: Subject) -> Iterator[Fault]:
    """Find predicates and labels that are misspelt, missing or left over."""
    signatures = subject.signatures
    has_output = any(True for _ in subject.program.directives("output"))
    given = DICTIONARY | subject.known
    suggestions = Suggestions([s.predicate for s in signatures.values() if s.is_defined] + sorted(given))
    for signature in signatures.values():
        if not signature.predicate.startswith("#"):
            if not signature.is_defined and signature.predicate not in given:
                yield from _undefined(signature, suggestions)
            # Only a program that says what it is for can have something that is not used for it.
            if has_output:
                yield from _unused(signature, subject)
    yield from _versioned(subject, given, suggestions)
    yield from _alike(subject)
    yield from _labels(subject)


def _undefined(signature: Signature, suggestions: Suggestions) -> Iterator[Fault]:
    name = signature.predicate
    near = suggestions.nearest(name)
    hint = f"; did you mean '{near}'?" if near else ""
    if near and near.casefold() == name.casefold():
        hint += " (capital and small letters are different)"
    if signature.uses:
        more = len(signature.uses) - 1
        also = f" (used in {counted(more, 'more place')})" if more else ""
        do = f'write it as it is defined, or define it: by a rule, by facts, or as data with @input("{name}")'
        yield fault("R201", f"nothing defines the predicate '{name}'{also}{hint}", signature.uses[0].origin, do)
    for annotation in signature.outputs:
        do = "name a predicate that is in the head of a rule, or leave the annotation out"
        yield fault("R204", f"@output asks for '{name}', which nothing defines{hint}", annotation.origin, do)
    if signature.model and not signature.uses and not signature.outputs:
        do = "name a predicate of the program, or leave the annotation out"
        yield fault("R205", f"@model describes '{name}', which is not there{hint}", signature.model.origin, do)


def _unused(signature: Signature, subject: Subject) -> Iterator[Fault]:
    if signature.outputs or signature.uses or not signature.is_defined:
        return
    if signature.predicate in subject.known or any(p.rule and p.rule.module for p in signature.definitions):
        return  # a module may offer more than one program needs
    place = signature.definitions[0].origin if signature.definitions else signature.inputs[0].origin
    name = signature.predicate
    do = f'use it, declare it with @output("{name}"), or take it out'
    yield fault("R202", f"nothing uses the predicate '{name}'", place, do)


def _versioned(subject: Subject, given: frozenset[str], suggestions: Suggestions) -> Iterator[Fault]:
    for annotation in subject.program.directives("versioned"):
        name = annotation.text(0)
        if name is not None and name not in subject.signatures and name not in given:
            do = "name a predicate of the program"
            message = f"@versioned names '{name}', which is not there{suggestions.of(name)}"
            yield fault("R204", message, annotation.origin, do)


def _alike(subject: Subject) -> Iterator[Fault]:
    """Two names that differ in capitals are two predicates, and hardly ever meant to be."""
    first: dict[str, Signature] = {}
    for signature in subject.signatures.values():
        other = first.setdefault(signature.predicate.casefold(), signature)
        if other is not signature and other.is_defined and signature.is_defined:
            places = [*signature.places(), *other.places()]
            origin = places[0].origin if places else signature.inputs[0].origin
            message = f"'{signature.predicate}' and '{other.predicate}' are two predicates: capitals make a difference"
            yield fault("R203", message, origin, "write both alike if you mean one, else choose clearer names")


def _labels(subject: Subject) -> Iterator[Fault]:
    first: dict[tuple[str, str, str], Rule] = {}
    for rule in subject.rules:
        if rule.label is not None:
            other = first.setdefault((rule.module, rule.origin.source, rule.label), rule)
            if other is not rule and other.origin != rule.origin:  # passes may take one rule apart
                message = f"two rules have the label [{rule.label}]; the other one is at {other.origin}"
                yield fault("R208", message, rule.origin, "give each rule a label of its own")
