"""Where something is defined: a predicate by rules, facts and inputs, a module by its file, a parameter by @param."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tacita.language_server.document import Document
from tacita.language_server.lines import Place
from tacita.rules.logic.origin import Origin

_MOST = 200


def definitions(document: Document, place: Place) -> list[tuple[Path | None, Origin]]:
    """Return the places of a definition; a file of None is the document itself."""
    number = document.at(place)
    if number is None:
        return []
    found = list(dict.fromkeys(_found(document, number)))[:_MOST]
    own = document.source
    return [
        (None if origin.source == own else path, origin)
        for origin in found
        if (path := document.path_of(origin.source)) or origin.source == own
    ]


def _found(document: Document, number: int) -> Iterator[Origin]:
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
