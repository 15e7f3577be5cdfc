"""What could be written here: predicates, functions, annotations, parameters, modules, attributes of the dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tacita.model.attribute import Category
from tacita.reasoning.editor.document import PREDICATE_FIRST, Document
from tacita.reasoning.editor.hovers import arguments
from tacita.reasoning.editor.text_lines import CursorPlace
from tacita.rules.logic.checks.annotations import FORMS
from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.signatures import DICTIONARY, Signature
from tacita.rules.passes.parameters import defaults
from tacita.rules.syntax import text_of
from tacita.rules.syntax.literals import name_literal
from tacita.rules.syntax.words import ANNOTATIONS, KEYWORDS

_DICTIONARY_ARGUMENTS = {
    "MicroDB": ("db",),
    "Att": ("db", "attribute"),
    "Cat": ("db", "attribute", "category"),
    "Val": ("db", "id", "attribute", "value"),
    "Tuple": ("db", "id", "values"),
}


class Sort(StrEnum):
    """What a completion is."""

    PREDICATE = "predicate"
    FUNCTION = "function"
    AGGREGATE = "aggregate"
    ANNOTATION = "annotation"
    PARAMETER = "parameter"
    VARIABLE = "variable"
    KEYWORD = "keyword"
    MODULE = "module"
    ATTRIBUTE = "attribute"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that could be written: a label, what it is, a word about it, and what to insert."""

    label: str
    sort: Sort
    detail: str = ""
    insert: str = ""
    """What to insert, if it is not the label."""
    snippet: str = ""
    """The same with gaps to fill, for editors that know them."""


def completions(document: Document, place: CursorPlace) -> list[Completion]:
    """Return what could be written at a place."""
    line = document.lexed.lines[place.line - 1] if 0 < place.line <= len(document.lexed.lines) else ""
    before = line[: place.column - 1]
    if "%" in re.sub(r'"(?:[^"\\]|\\.)*"', "", before):
        return []  # in a comment
    if re.search(r"@\w*$", before):
        return list(_annotations())
    if re.search(r"\$\w*$", before):
        own = defaults(document.diagnosis.parsed.program)
        return [Completion(f"${name}", Sort.PARAMETER, text_of(value)) for name, value in own.items()]
    number = document.before(place)
    if _is_in_text(before):
        return list(dict.fromkeys(_in_text(document, number)))
    return [*_predicates(document), *_functions(), *_variables(document, number), *_keywords()]


def _is_in_text(before: str) -> bool:
    """Whether a text begins on this line and has not ended."""
    return len(re.sub(r"\\.", "", before).split('"')) % 2 == 0


def _annotations() -> Iterator[Completion]:
    for name, meaning in ANNOTATIONS.items():
        form = FORMS.get(name)
        yield Completion(f"@{name}", Sort.ANNOTATION, meaning, form.example if form else f"@{name}")


def _in_text(document: Document, number: int) -> Iterator[Completion]:
    """Yield what a text could be: what its annotation knows, else what the dictionary knows."""
    annotation, argument = document.argument(number) if number >= 0 else ("", 0)
    if annotation in PREDICATE_FIRST and argument == 0:
        yield from (Completion(n, Sort.PREDICATE, s.meaning) for n, s in document.signatures.items() if n[:1] != "#")
        return
    if annotation == "use" or (annotation == "bind_module" and argument == 1):
        yield from (Completion(name, Sort.MODULE) for name in document.program.modules())
        return
    if annotation == "bind_module" and argument == 0:
        yield from (Completion(n[1:], Sort.PREDICATE) for n in document.signatures if n[:1] == "#")
        return
    if annotation:
        form = FORMS.get(annotation)
        slots = (form.slots[argument : argument + 1] + form.options) if form else ()
        yield from (Completion(value, Sort.VALUE) for slot in slots for value in slot.values)
    for dictionary in document.dictionaries:
        for attribute in dictionary:
            category = attribute.category.value if attribute.category else "no category yet"
            detail = f"{category} of {dictionary.name}" + (
                f": {attribute.description}" if attribute.description else ""
            )
            yield Completion(attribute.name, Sort.ATTRIBUTE, detail)
    yield from (Completion(c.value.capitalize(), Sort.VALUE, "a category") for c in Category)


def _predicates(document: Document) -> Iterator[Completion]:
    for name, signature in document.signatures.items():
        yield _predicate(name, arguments(signature), signature)
    for name in sorted(DICTIONARY):
        if name not in document.signatures:
            yield _predicate(name, _DICTIONARY_ARGUMENTS[name], None)


def _predicate(name: str, names: tuple[str, ...], signature: Signature | None) -> Completion:
    written = f"#{name_literal(name[1:], free=True)}" if name.startswith("#") else name_literal(name)
    gaps = ", ".join(f"${{{at}:{_variable(one)}}}" for at, one in enumerate(names, 1))
    detail = f"({', '.join(names)})" + (f" {signature.meaning}" if signature and signature.meaning else "")
    return Completion(name, Sort.PREDICATE, detail, written, f"{written}({gaps})")


def _variable(name: str) -> str:
    """Return the name of an argument as a variable.

    >>> _variable("owner"), _variable("residence rev."), _variable("_")
    ('Owner', 'ResidenceRev', '_')
    """
    words = re.findall(r"\w+", name.partition(":")[0])
    joined = "".join(word[:1].upper() + word[1:] for word in words)
    return joined if joined[:1].isupper() else "_"


def _functions() -> Iterator[Completion]:
    for name, function in FUNCTIONS.items():
        detail = f"({', '.join(function.takes)}) {function.meaning}"
        yield Completion(name, Sort.FUNCTION, detail, snippet=f"{name}($1)")
    for name, meaning in AGGREGATES.items():
        yield Completion(name, Sort.AGGREGATE, meaning, snippet=f"{name}($1)")


def _variables(document: Document, number: int) -> Iterator[Completion]:
    if number < 0:
        return
    start, end = document.clause(number)
    tokens = document.lexed
    names = {tokens.texts[i] for i in range(start, end) if tokens.kinds[i] == "variable" and i != number}
    yield from (Completion(name, Sort.VARIABLE) for name in sorted(names) if name not in document.signatures)


def _keywords() -> Iterator[Completion]:
    yield from (Completion(word, Sort.KEYWORD) for word in sorted(KEYWORDS))
