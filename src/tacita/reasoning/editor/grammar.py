"""A TextMate grammar for rule programs, made from the words of the language itself."""

from __future__ import annotations

import re
from typing import Any

from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.syntax.words import ANNOTATIONS, KEYWORDS

SCOPE = "source.vada"
_CONSTANTS = ("true", "false", "null")


def grammar() -> dict[str, Any]:
    """Return the grammar; ``tacita rules grammar`` prints it."""
    words = [word for word in KEYWORDS if word not in _CONSTANTS]
    patterns = [
        _match("comment.line.percentage.vada", r"%.*$"),
        {
            "name": "string.quoted.double.vada",
            "begin": '"',
            "end": r'"|$',
            "patterns": [_match("constant.character.escape.vada", r'\\(?:u\{[0-9A-Fa-f]+\}|["\\nt])')],
        },
        _match("entity.name.function.quoted.vada", r"#?'(?:[^']|'')*'(?=\s*\()"),
        _match("entity.name.tag.label.vada", r"^\s*\[\s*\w[\w.: -]*\]"),
        _match("keyword.control.annotation.vada", rf"@(?:{_any(ANNOTATIONS)})\b"),
        _match("invalid.illegal.annotation.vada", r"@\w+"),
        _match("variable.parameter.vada", r"\$\w+"),
        _match("entity.name.function.external.vada", r"#\w+(?=\s*\()"),
        _match("support.function.aggregate.vada", rf"\b(?:{_any(AGGREGATES)})(?=\s*\()"),
        _match("support.function.vada", rf"\b(?:{_any(FUNCTIONS)})(?=\s*\()"),
        _match("constant.language.vada", rf"\b(?:{_any(_CONSTANTS)})\b"),
        _match("keyword.operator.word.vada", rf"\b(?:{_any(words)})\b(?!\s*\()|\b(?:not|in|if|then|case)\b"),
        _match("entity.name.function.vada", r"\b[^\W\d]\w*(?=\s*\()"),
        _match("constant.numeric.vada", r"\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b"),
        _match("variable.other.vada", r"\b[A-Z_]\w*'*"),
        _match("keyword.operator.vada", r"->|:-|<-|:=|==|!=|<>|<=|>=|[=<>~+*/-]"),
        _match("punctuation.terminator.vada", r"\."),
    ]
    return {
        "name": "Vada",
        "scopeName": SCOPE,
        "fileTypes": ["vada"],
        "patterns": patterns,
    }


def _match(name: str, pattern: str) -> dict[str, str]:
    return {"name": name, "match": pattern}


def _any(words: Any) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
