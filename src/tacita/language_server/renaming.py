"""Renaming a variable: everywhere in its rule, and nowhere else."""

from __future__ import annotations

import re

from tacita.errors import UsageError
from tacita.language_server.document import Document
from tacita.language_server.lines import Place
from tacita.rules.syntax.lexer import Token

_VARIABLE = re.compile(r"[^\W\d]\w*'*")


def renameable(document: Document, place: Place) -> Token | None:
    """Return the variable at a place, or None if there is none."""
    number = document.at(place)
    if number is None or document.lexed.kinds[number] != "variable" or document.is_called(number):
        return None
    return document.lexed.token(number)


def renamed(document: Document, place: Place, new: str) -> list[Token]:
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
    found = []
    for i in places:
        one = tokens.token(i)
        if one.kind == "variable" and one.text == token.text and not document.is_called(i):
            found.append(one._replace(kind=new))
        elif one.kind == "text" and document.annotation(i) == "explain":
            found += _in_sentence(one, token.text, new)
    return found


def _in_sentence(token: Token, old: str, new: str) -> list[Token]:
    """Return the gaps of a sentence that name the variable."""
    gap = re.compile(rf"(?<=\[){re.escape(old)}(?=\])")
    return [Token(new, old, token.line, token.column + match.start()) for match in gap.finditer(token.text)]
