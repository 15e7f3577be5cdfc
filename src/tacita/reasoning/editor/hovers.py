"""What stands under the cursor, in words: a predicate, a function, a parameter, an annotation, a variable, a module."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.knowledge import programs as shipped
from tacita.reasoning.editor.document import Document
from tacita.reasoning.editor.text_lines import CursorPlace
from tacita.rules.logic.checks.annotations import FORMS
from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.program import Rule
from tacita.rules.logic.signatures import DICTIONARY, Signature, atoms, texts
from tacita.rules.logic.terms import Variable
from tacita.rules.passes.parameters import defaults
from tacita.rules.syntax import text_of
from tacita.rules.syntax.lexer import Token
from tacita.rules.syntax.words import ANNOTATIONS

_DICTIONARY = {
    "MicroDB": "a microdata DB that the dictionary describes",
    "Att": "an attribute of a microdata DB, and what it means",
    "Cat": "the category of an attribute",
    "Val": "one value of one tuple",
    "Tuple": "a tuple with all its values, as a record",
}


@dataclass(frozen=True, slots=True)
class Hover:
    """A text in Markdown, and the token that it is about."""

    text: str
    token: Token


def hover(document: Document, place: CursorPlace) -> Hover | None:
    """Return what stands at a place, in words."""
    number = document.at(place)
    if number is None:
        return None
    token = document.lexed.token(number)
    text = _text(document, number, token)
    return Hover(text, token) if text else None


def _text(document: Document, number: int, token: Token) -> str:
    if token.kind == "annotation":
        return _annotation(token.text[1:])
    if token.kind == "parameter":
        return _parameter(document, token.text[1:])
    if (name := document.module(number)) is not None:
        return _module(document, name)
    if (predicate := document.predicate(number)) is not None:
        return _predicate(document, predicate)
    if document.is_called(number) and token.text in FUNCTIONS:
        return _function(token.text)
    if document.is_called(number) and token.text in AGGREGATES:
        return f"**{token.text}**(value, <contributors>): {AGGREGATES[token.text]}"
    return _variable(document, number, token.text) if token.kind == "variable" else ""


def _annotation(name: str) -> str:
    if name not in ANNOTATIONS:
        return ""
    form = FORMS.get(name)
    example = f"\n\n```\n{form.example}\n```\n\nstands {form.stand}" if form else ""
    return f"**@{name}**: {ANNOTATIONS[name]}{example}"


def _parameter(document: Document, name: str) -> str:
    values = defaults(document.diagnosis.parsed.program)
    if name not in values:
        return f"**${name}**: a parameter without a default; it is given when the program is run"
    return f"**${name}** = `{text_of(values[name])}`, unless another value is given when the program is run"


def _module(document: Document, name: str) -> str:
    module = document.program.find(name)
    if module is None:
        return ""
    said = shipped.meaning(module[0])
    return f"**{name}**, a module ({module[1]})" + (f"\n\n{said}" if said else "")


def _predicate(document: Document, name: str) -> str:
    signature = document.signatures.get(name)
    if signature is None:
        return f"**{name}**: {_DICTIONARY[name]}" if name in DICTIONARY else ""
    lines = [f"**{name}**({', '.join(_typed(signature))})"]
    if signature.meaning:
        lines.append(signature.meaning)
    elif name in _DICTIONARY:
        lines.append(_DICTIONARY[name])
    lines.append("; ".join(_places(signature)))
    return "\n\n".join(line for line in lines if line)


def arguments(signature: Signature) -> tuple[str, ...]:
    """Return what the arguments of a predicate are called; without names, as its rules call them."""
    if signature.columns:
        return signature.columns
    place = next(signature.places(), None)
    if place is None:
        return ()
    if place.rule is not None:
        for atom in atoms(*place.rule.head, *place.rule.body):
            if atom.origin == place.origin:
                return tuple(a.name if isinstance(a, Variable) else "_" for a in atom.arguments)
    return ("_",) * place.arity


def _typed(signature: Signature) -> list[str]:
    """Return the arguments with the types that ``@input`` declares for them."""
    names = [name.partition(":")[0] for name in arguments(signature)]
    for annotation in signature.inputs:
        declared = texts(annotation.arguments[1]) if len(annotation.arguments) > 1 else None
        types = [one.rpartition(":")[2] if ":" in one else "" for one in declared or ()]
        if len(types) == len(names):
            return [f"{name}: {type_}" if type_ else name for name, type_ in zip(names, types, strict=True)]
    return names


def _places(signature: Signature) -> list[str]:
    said = []
    rules = list(dict.fromkeys(p.rule.name for p in signature.definitions if p.rule is not None))
    facts = sum(1 for p in signature.definitions if p.rule is None)
    if rules:
        said.append(f"derived by {', '.join(rules[:5])}{' and others' if len(rules) > 5 else ''}")
    if facts:
        said.append(f"{facts:,} fact{'s' if facts > 1 else ''} in the program")
    if signature.inputs:
        said.append("an input")
    if signature.outputs:
        said.append("a result")
    if not said and signature.predicate in DICTIONARY:
        said.append("from the microdata")
    return said or ["nothing defines it here"]


def _function(name: str) -> str:
    function = FUNCTIONS[name]
    needed = len(function.takes) - function.optional
    takes = [kind if at < needed else f"[{kind}]" for at, kind in enumerate(function.takes)]
    return f"**{name}**({', '.join(takes)}) gives {function.gives}: {function.meaning}"


def _variable(document: Document, number: int, name: str) -> str:
    """Return where a variable stands in its rule: that is what it means."""
    start, _ = document.clause(number)
    first = document.lexed.token(start)
    rule = next(
        (r for r in document.diagnosis.parsed.program.rules if (r.origin.line, r.origin.column) == first[2:4]), None
    )
    return f"**{name}**: {_roles(document, rule, name)}" if rule is not None else ""


def _roles(document: Document, rule: Rule, name: str) -> str:
    roles: dict[str, None] = {}
    for atom in atoms(*rule.body, *rule.head):
        signature = document.signatures.get(atom.predicate)
        columns = signature.columns if signature is not None else ()
        for at, argument in enumerate(atom.arguments):
            if isinstance(argument, Variable) and argument.name == name:
                called = columns[at] if at < len(columns) else f"argument {at + 1}"
                roles[f"{called} of {atom.predicate}"] = None
    return ", ".join(roles) or "a variable of this rule"
