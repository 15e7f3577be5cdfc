"""From the text of an analyst to a tree: limits first, then words, then sqlglot. Nothing here is ever executed."""

from __future__ import annotations

import re

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError

from tacita.errors import QueryRefused
from tacita.queries.language.dialect import QuestionDialect
from tacita.queries.language.refusing import FORM, QuestionText
from tacita.queries.language.words import check_words

LONGEST = 20_000
"""Characters of a question."""
_BLANKS = frozenset(" \t\r\n")
_COMMENT = re.compile(r"\s*(--|/\*)")


def tree(question: QuestionText) -> exp.Select:
    """Return the one SELECT that a text is. Raises `QueryRefused` for everything else, with the place.

    >>> tree(QuestionText("SELECT COUNT(*) FROM emp")).args["from_"].this.name
    'emp'
    """
    text = question.text
    if len(text) > LONGEST:
        raise question.refused(f"the question has more than {LONGEST:,} characters", "ask for less at once")
    tokens = _tokens(question)
    _check_gaps(question, tokens)
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if not tokens:
        raise question.refused("the question is empty", f"write {FORM}")
    check_words(question, tokens)
    try:
        statements = QuestionDialect().parser().parse(tokens, text)
    except ParseError as error:
        raise _in_disorder(question, error) from None
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        raise question.refused("the question cannot be read", f"write {FORM}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise question.refused("the question is not one SELECT", f"write {FORM}")
    return statements[0]


def _tokens(question: QuestionText) -> list[Token]:
    try:
        return QuestionDialect().tokenize(question.text)
    except SqlglotError:
        start = _unclosed(question.text)
        raise question.refused(
            "a quotation mark is not closed", "close it; inside of it, write it twice", start
        ) from None


def _unclosed(text: str) -> int | None:
    """Return where a quotation mark opens that nothing closes."""
    opened, mark = None, ""
    for place, character in enumerate(text):
        if opened is None and character in "'\"":
            opened, mark = place, character
        elif opened is not None and character == mark:
            opened = None
    return opened


def _check_gaps(question: QuestionText, tokens: list[Token]) -> None:
    """Between words there are blanks: no comments, and no character that cannot be seen."""
    end = 0
    for token in tokens:
        _check_gap(question, end, token.start)
        end = token.end + 1
        is_quoted = token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
        if not is_quoted and not token.text.isprintable():
            raise _unseen(question, token.start)
    _check_gap(question, end, len(question.text))


def _check_gap(question: QuestionText, start: int, end: int) -> None:
    gap = question.text[start:end]
    for place, character in enumerate(gap, start):
        if character not in _BLANKS:
            if _COMMENT.match(gap):
                raise question.refused("questions have no comments", "leave the comment out", place)
            raise _unseen(question, place)


def _unseen(question: QuestionText, place: int) -> QueryRefused:
    code = ord(question.text[place])
    return question.refused(f"the character U+{code:04X} cannot be read", "use blanks between words", place)


def _in_disorder(question: QuestionText, error: ParseError) -> QueryRefused:
    """Return where sqlglot stopped; its own words would quote the question at length."""
    place = error.errors[0] if error.errors else {}
    line, column = place.get("line"), place.get("col")
    do = f"write {FORM}"
    if line is None or column is None:
        return question.refused("the question is not complete, or not in order", do)
    column = max(column - len(place.get("highlight") or "") + 1, 1)
    where = f"line {line}, column {column}"
    return QueryRefused("the question is not complete, or not in order, here", where=where, do=do)
