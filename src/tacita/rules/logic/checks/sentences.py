"""R205, R206, R207: the sentences of ``@model`` and ``@explain``: whom they speak of, and the gaps in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tacita.errors import counted
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.suggestions import Suggestions
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Annotation, Rule
from tacita.rules.logic.signatures import texts
from tacita.rules.logic.terms import Denial, variables

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
