"""R201 to R208, R401, R403, R702, R705: names that are misspelt, missing or left over, and arguments that do not fit.

Predicates and labels, and the number of arguments of predicates; external predicates and parameters that nothing
stands behind; the sentences of ``@model`` and ``@explain``: whom they speak of, and the gaps in them; dates and
timestamps that are written out and are none, which would make every match fail, in silence.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator

from tacita.errors import counted
from tacita.rules.logic.checks.codes import Suggestions, fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Annotation, Rule
from tacita.rules.logic.signatures import DICTIONARY, Signature, texts
from tacita.rules.logic.terms import Call, Constant, Denial, Parameter, variables, walk


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


def unresolved_names(subject: Subject) -> Iterator[Fault]:
    """Find external predicates and parameters that nothing stands behind."""
    bound = {name.removeprefix("#") for a in subject.program.directives("bind_module") if (name := a.text(0))}
    bound |= {name.removeprefix("#") for name in subject.known}
    suggestions = Suggestions(sorted(bound))
    for signature in subject.signatures.values():
        name = signature.predicate.removeprefix("#")
        if signature.predicate.startswith("#") and name not in bound:
            place = (signature.uses or signature.definitions)[0]
            do = f'bind it with @bind_module("{name}", "..."), or give a function of that name when the program is run'
            yield fault("R702", f"nothing stands behind #{name}{suggestions.of(name)}", place.origin, do)
    yield from _parameters(subject)


def _parameters(subject: Subject) -> Iterator[Fault]:
    declared = {name for a in subject.program.directives("param") if (name := a.text(0))}
    suggestions = Suggestions(sorted(declared))
    seen: set[tuple[str, str]] = set()
    facts = (node for fact in subject.program.facts for node in walk(fact.atom))
    for nodes in (*(part for both in subject.nodes for part in both), facts):
        for node in nodes:
            if not isinstance(node, Parameter) or node.name in declared:
                continue
            if (key := (node.origin.source, node.name)) not in seen:
                seen.add(key)
                do = f'give it a default with @param("{node.name}", ...), or a value when the program is run'
                message = f"nothing gives the parameter ${node.name} a value{suggestions.of(node.name)}"
                yield fault("R705", message, node.origin, do)


_WORD = re.compile(r"[^\W\d]\w*'*")
_QUOTED = re.compile(r'"[^"]*"')


def sentences(subject: Subject) -> Iterator[Fault]:
    """Find sentences that speak of nothing, and gaps in them that nothing fills."""
    parameters = {name for a in subject.program.directives("param") if (name := a.text(0)) is not None}
    for annotation in subject.program.directives("model"):
        yield from _model(annotation, subject)
    for annotation in subject.program.directives("explain"):
        yield from _explained_apart(annotation, subject, parameters)
    for rule in subject.rules:
        for annotation in rule.annotations:
            text = annotation.text(0)
            if annotation.name == "explain" and text is not None:
                yield from _gaps(annotation, text, {*_names(rule), *parameters}, f"rule {rule.name}")


def gaps(sentence: str) -> Iterator[str]:
    """Yield what stands in the brackets of a sentence, brackets inside brackets included.

    >>> list(gaps("the value [VSet[A]] of [A] is suppressed"))
    ['VSet[A]', 'A']
    """
    depth = begin = 0
    for at, character in enumerate(sentence):
        if character == "[":
            begin = at + 1 if depth == 0 else begin
            depth += 1
        elif character == "]" and depth:
            depth -= 1
            if depth == 0:
                yield sentence[begin:at]


def _model(annotation: Annotation, subject: Subject) -> Iterator[Fault]:
    predicate, columns = annotation.text(0), texts(annotation.arguments[1]) if len(annotation.arguments) > 1 else None
    if predicate is None or columns is None:
        return  # annotations says so
    signature = subject.signatures[predicate]
    place = next((p for p in signature.places()), None)
    if place is not None and place.arity != len(columns):
        has = counted(place.arity, "argument")
        message = f"@model gives {counted(len(columns), 'name')} for '{predicate}', which has {has} ({place.origin})"
        yield fault("R206", message, annotation.origin, "name each argument once, in order")
    sentence = annotation.text(2)
    if sentence is not None:
        yield from _gaps(annotation, sentence, columns, f"'{predicate}'")


def _explained_apart(annotation: Annotation, subject: Subject, parameters: set[str]) -> Iterator[Fault]:
    name, sentence = annotation.text(0), annotation.text(1)
    if name is None or sentence is None:
        if len(annotation.arguments) == 1:
            do = 'write the label first, as in @explain("[1]", "..."), or put it before a rule, without a period'
            yield fault("R205", "this @explain does not say which rule it explains", annotation.origin, do)
        return
    label = name.strip().removeprefix("[").removesuffix("]")
    rules = [rule for rule in subject.rules if rule.label == label or (rule.module and rule.name == name)]
    near = [rule for rule in rules if rule.origin.source == annotation.origin.source] or rules
    if near:
        known = {name for rule in near for name in _names(rule)}
        yield from _gaps(annotation, sentence, known | parameters, f"rule [{label}]")
    elif name in subject.signatures:
        columns = subject.signatures[name].columns
        if columns:
            yield from _gaps(annotation, sentence, {*columns, *parameters}, f"'{name}'")
    else:
        labels = Suggestions(rule.label for rule in subject.rules if rule.label is not None)
        message = f"@explain speaks of [{label}], which is no rule{labels.of(label)}"
        yield fault("R205", message, annotation.origin, "name a rule by its label, or a predicate")


def _gaps(annotation: Annotation, sentence: str, known: Collection[str], what: str) -> Iterator[Fault]:
    suggestions = Suggestions(known)
    for gap in dict.fromkeys(gaps(sentence)):
        # [A] is a name; [VSet[A]] or [R * 100] is a term, of which only the variables can be told.
        words = [gap.strip()] if _WORD.fullmatch(gap.strip()) or gap in known else _WORD.findall(_QUOTED.sub("", gap))
        for word in words:
            is_name = word == gap.strip() or word[0].isupper()
            if is_name and word.removeprefix("$") not in known:
                names = ", ".join(sorted(known)) or "nothing"
                message = f"nothing fills [{word}] in the sentence for {what}{suggestions.of(word)}"
                yield fault("R207", message, annotation.origin, f"what can stand in brackets here: {names}")


def _names(rule: Rule) -> set[str]:
    return {v.name for v in variables(*rule.body, *(item for item in rule.head if not isinstance(item, Denial)))}


def arity(subject: Subject) -> Iterator[Fault]:
    """Find predicates with different numbers of arguments; the first definition is taken as the right one."""
    for signature in subject.signatures.values():
        places = list(signature.places())
        for place in places[1:]:
            first = places[0]
            if place.arity != first.arity:
                here, there = counted(place.arity, "argument"), counted(first.arity, "argument")
                message = f"'{signature.predicate}' has {here} here and {there} at {first.origin}"
                do = "give it the same arguments in both places; write _ for one that does not matter"
                yield fault("R401", message, place.origin, do)


_FORMS = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII),
    "timestamp": re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?", re.ASCII),
}
_EXAMPLES = {"date": 'date("2026-01-31")', "timestamp": 'timestamp("2026-01-31 12:30:00")'}


def dates(subject: Subject) -> Iterator[Fault]:
    """Find calls of ``date`` and ``timestamp`` with a text that is no date of the calendar."""
    facts = [node for fact in subject.program.facts for node in walk(fact.atom)]
    for nodes in (*(part for both in subject.nodes for part in both), facts):
        for node in nodes:
            if not isinstance(node, Call) or node.function not in _FORMS or len(node.arguments) != 1:
                continue
            argument = node.arguments[0]
            if isinstance(argument, Constant) and isinstance(argument.value, str):
                yield from _written(node, argument.value)


def _written(call: Call, text: str) -> Iterator[Fault]:
    if not _FORMS[call.function].fullmatch(text):
        message = f"'{text}' is not written as a {call.function}"
        yield fault("R403", message, call.origin, f"write it like {_EXAMPLES[call.function]}")
        return
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        message = f"there is no {call.function} '{text}'"
        yield fault("R403", message, call.origin, "correct the day, the month or the time")
