"""Finding one's way in a program: where something is defined, the outline, and renaming a variable in its rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import UsageError
from tacita.reasoning.editor.document import Document
from tacita.reasoning.editor.text_lines import CursorPlace
from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.faults import Origin
from tacita.rules.logic.program import Directive, Fact, Rule
from tacita.rules.logic.terms import Denial
from tacita.rules.syntax.lexer import Token

_MOST = 200


def definitions(document: Document, place: CursorPlace) -> list[tuple[Path | None, Origin]]:
    """Return the places of a definition; a file of None is the document itself."""
    number = document.at(place)
    if number is None:
        return []
    origins = list(dict.fromkeys(_definitions(document, number)))[:_MOST]
    own = document.source
    return [
        (None if origin.source == own else path, origin)
        for origin in origins
        if (path := document.path_of(origin.source)) or origin.source == own
    ]


def _definitions(document: Document, number: int) -> Iterator[Origin]:
    token = document.lexed.token(number)
    if (module := document.module(number)) is not None:
        path = document.module_path(module)
        if path is not None:
            yield Origin(str(path), 1, 1, 1, 1)
    elif (predicate := document.predicate(number)) is not None:
        signature = document.signatures.get(predicate) or document.signatures.get(predicate.removeprefix("#"))
        if signature is not None:
            yield from (p.origin for p in signature.definitions if p.origin.line)
            yield from (a.origin for a in signature.inputs)
        elif predicate.startswith("#"):
            yield from _external(document, predicate[1:])
    elif token.kind == "parameter":
        yield from (
            a.origin for a in document.diagnosis.parsed.program.directives("param") if a.text(0) == token.text[1:]
        )
    elif token.kind == "variable":
        start, end = document.clause(number)
        same = (i for i in range(start, end) if document.lexed.texts[i] == token.text)
        yield from (document.lexed.token(i).origin(document.source) for i in list(same)[:1])


def _external(document: Document, name: str) -> Iterator[Origin]:
    """Yield where the module behind an external predicate is bound, and its file."""
    for annotation in document.diagnosis.parsed.program.directives("bind_module"):
        if annotation.text(0) == name:
            yield annotation.origin
            path = document.module_path(annotation.text(1) or "")
            if path is not None:
                yield Origin(str(path), 1, 1, 1, 1)


# -- the outline ---


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the outline."""

    name: str
    sort: str
    """``rule``, ``fact`` or ``annotation``."""
    detail: str
    origin: Origin


def symbols(document: Document) -> list[Symbol]:
    """Return the outline; neighbouring facts of one predicate are one entry."""
    outline: list[Symbol] = []
    for clause in document.reading.parsed.program.clauses:
        if isinstance(clause, Rule):
            outline.append(_rule(clause))
        elif isinstance(clause, Fact):
            name = clause.atom.predicate
            if outline and (outline[-1].sort, outline[-1].name) == ("fact", name):
                outline[-1] = Symbol(name, "fact", "facts", outline[-1].origin.to(clause.origin))
            else:
                outline.append(Symbol(name, "fact", "fact", clause.origin))
        elif isinstance(clause, Directive):
            outline += [Symbol(f"@{a.name}", "annotation", a.text(0) or "", a.origin) for a in clause.annotations]
    return outline


def _rule(rule: Rule) -> Symbol:
    heads = ", ".join(head_predicates(rule))
    if not heads:
        denial = next((item for item in rule.head if isinstance(item, Denial)), None)
        heads = f"never: {denial.text}" if denial else "an equality"
    label = f"[{rule.label}] " if rule.label is not None else ""
    return Symbol(f"{label}{heads}", "rule", "", rule.origin)


# -- renaming ---


_VARIABLE = re.compile(r"[^\W\d]\w*'*")


def renameable(document: Document, place: CursorPlace) -> Token | None:
    """Return the variable at a place, or None if there is none."""
    number = document.at(place)
    if number is None or document.lexed.kinds[number] != "variable" or document.is_called(number):
        return None
    return document.lexed.token(number)


def renaming_edits(document: Document, place: CursorPlace, new: str) -> list[Token]:
    """Return the stretches of text to replace, each with its new text; raise if the name cannot be taken."""
    number = document.at(place)
    token = renameable(document, place)
    if number is None or token is None:
        raise UsageError("only variables can be renamed", do="put the cursor on a variable")
    if not _VARIABLE.fullmatch(new) or not (new[0].isupper() or (new[0] == "_" and len(new) > 1)):
        raise UsageError(f"'{new}' is no variable", do="begin with a capital letter, or with _ and go on")
    start, end = document.clause(number)
    tokens = document.lexed
    places = range(start, end)
    if new != token.text and any(tokens.texts[i] == new and tokens.kinds[i] == "variable" for i in places):
        raise UsageError(f"the rule has a variable {new} already", do="choose another name")
    edits = []
    for i in places:
        one = tokens.token(i)
        if one.kind == "variable" and one.text == token.text and not document.is_called(i):
            edits.append(one._replace(kind=new))
        elif one.kind == "text" and document.annotation(i) == "explain":
            edits += _in_sentence(one, token.text, new)
    return edits


def _in_sentence(token: Token, old: str, new: str) -> list[Token]:
    """Return the gaps of a sentence that name the variable."""
    gap = re.compile(rf"(?<=\[){re.escape(old)}(?=\])")
    return [Token(new, old, token.line, token.column + match.start()) for match in gap.finditer(token.text)]
