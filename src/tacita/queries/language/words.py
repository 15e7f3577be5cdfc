"""Which words a question has, and which may stand beside each other: checked before sqlglot sees them.

sqlglot reads more than SQL: lists with a comma too many, BETWEEN without AND, ``age NOT IS NULL``. Its recursion is
bounded here as well, by the parentheses and NOTs within each other.
"""

from __future__ import annotations

from sqlglot import Token, TokenType

from tacita.queries.language.dialect import ALLOWED, REFUSED_WORDS
from tacita.queries.language.refusing import FORM, QuestionText
from tacita.queries.language.spelling import shown

DEEPEST = 20
"""Parentheses within each other: sqlglot takes twenty calls for each, and Python stops at a thousand."""
MOST_COMPARISONS = 500
"""An attribute may have many codes, and each comparison looks at all of them."""
MOST_NOTS = 5
"""NOT NOT NOT ..."""

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_OPERANDS = _NAMES | {TokenType.NUMBER, TokenType.STRING, TokenType.NULL, TokenType.TRUE, TokenType.FALSE}
_COMPARES = frozenset(
    {TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE}
    | {TokenType.IN, TokenType.BETWEEN, TokenType.IS}
)
_FOLLOWED_BY = {
    TokenType.ALIAS: (_NAMES, "write AS and a name"),
    TokenType.FROM: (_NAMES, "write FROM and the name of the data set: there are no subqueries"),
    TokenType.JOIN: (_NAMES, "write JOIN and the name of a declared join: there are no subqueries"),
    TokenType.LEFT: (frozenset({TokenType.JOIN, TokenType.OUTER}), "write LEFT JOIN"),
    TokenType.OUTER: (frozenset({TokenType.JOIN}), "write LEFT OUTER JOIN"),
    TokenType.INNER: (frozenset({TokenType.JOIN}), "write INNER JOIN"),
    TokenType.USING: (frozenset({TokenType.L_PAREN}), "write USING (key)"),
    TokenType.IN: (frozenset({TokenType.L_PAREN}), "write IN ('a', 'b')"),
    TokenType.IS: (frozenset({TokenType.NULL, TokenType.NOT}), "write IS NULL or IS NOT NULL"),
    TokenType.DASH: (frozenset({TokenType.NUMBER}), "write '-' before a number only: there is no arithmetic"),
}
"""What must stand after a word."""
_EDGES = frozenset(
    {TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.AND, TokenType.OR, TokenType.NOT}
)
_BEFORE_A_CONDITION = frozenset({TokenType.WHERE, TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.L_PAREN})
_PARAMETER = ("there are no parameters", "write the value itself")
_AFTER_A_FIGURE = {
    "WITHIN": ("quantiles are functions of two arguments", "write QUANTILE_CONT(measure, 0.5)"),
    "FILTER": ("figures have no filter of their own", "choose records with WHERE, one question for each choice"),
}
_LACKING = "something is lacking between two words"
_IN_SELECT = "write a comma before the next figure, or AS before a name"
_IN_WHERE = "write a comparison, AND or OR between them"


def check_words(question: QuestionText, tokens: list[Token]) -> None:
    """Refuse words that are not in the language, and words in a place where they say nothing."""
    first = tokens[0]
    if first.token_type is TokenType.WITH:
        raise question.refused(*REFUSED_WORDS["WITH"], first.start)
    if first.token_type is not TokenType.SELECT:
        raise question.refused("a question begins with SELECT", f"write {FORM}", first.start)
    end = Token(TokenType.SENTINEL, "", start=len(question.text))
    _check_ranges(question, tokens)
    is_from = has_from = False
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], end], strict=False):
        _check_word(question, before, token)
        if token.token_type in (TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY):
            is_from, has_from = token.token_type is TokenType.FROM, True
        is_alias = is_from and {before.token_type, token.token_type} <= _NAMES
        if token.token_type in _OPERANDS and before.token_type in (*_OPERANDS, TokenType.R_PAREN) and not is_alias:
            raise question.refused(_LACKING, _IN_WHERE if has_from else _IN_SELECT, token.start)
        if token.token_type is TokenType.NOT and not _negates(before, after):
            do = "write NOT condition, NOT IN or IS NOT NULL"
            raise question.refused("NOT stands in the wrong place", do, token.start)
    for one, other in zip(tokens, [*tokens[1:], end], strict=True):
        _check_neighbours(question, one, other)
    _check_depth(question, tokens)
    if sum(token.token_type in _COMPARES for token in tokens) > MOST_COMPARISONS:
        do = "write IN for several values of an attribute, or ask for less at once"
        raise question.refused(f"the question has more than {MOST_COMPARISONS} comparisons", do)


def _check_word(question: QuestionText, before: Token, token: Token) -> None:
    word = " ".join(token.text.upper().split())
    if token.token_type not in ALLOWED:
        raise question.refused(*_reason(token, word), token.start)
    if token.token_type is TokenType.SELECT:
        raise question.refused("there are no subqueries", "ask one question with one SELECT", token.start)
    if token.token_type is TokenType.VAR and before.token_type is TokenType.R_PAREN and word in _AFTER_A_FIGURE:
        raise question.refused(*_AFTER_A_FIGURE[word], token.start)
    if token.token_type is TokenType.VAR and token.text[0] in "$@:?":
        raise question.refused(*_PARAMETER, token.start)


def _check_neighbours(question: QuestionText, one: Token, other: Token) -> None:
    followers, do = _FOLLOWED_BY.get(one.token_type, (None, ""))
    if followers is not None and other.token_type not in followers:
        raise question.refused(f"'{one.text.upper()}' is followed by something else", do, one.start)
    ends = (*_EDGES, TokenType.COMMA, TokenType.R_PAREN, TokenType.SENTINEL)
    starts = (*_EDGES, TokenType.DISTINCT, TokenType.L_PAREN)
    is_first = other.token_type is TokenType.COMMA and one.token_type in starts
    if is_first or (one.token_type is TokenType.COMMA and other.token_type in ends):
        comma = other if is_first else one
        raise question.refused("a comma stands alone", "write a comma between two things", comma.start)


def _negates(before: Token, after: Token) -> bool:
    """Whether NOT has its place between two neighbours."""
    if before.token_type in _BEFORE_A_CONDITION:
        return after.token_type not in (TokenType.IN, TokenType.BETWEEN, TokenType.IS)
    if before.token_type is TokenType.IS:
        return after.token_type is TokenType.NULL
    return after.token_type in (TokenType.IN, TokenType.BETWEEN)


def _check_ranges(question: QuestionText, tokens: list[Token]) -> None:
    """After BETWEEN stand two values with AND."""
    kinds = [token.token_type for token in tokens]
    for place, kind in enumerate(kinds):
        if kind is TokenType.BETWEEN:
            value = place + 1 + (kinds[place + 1 : place + 2] == [TokenType.DASH])
            if kinds[value + 1 : value + 2] != [TokenType.AND]:
                do = "write attribute BETWEEN 1 AND 2"
                raise question.refused("BETWEEN has two values with AND", do, tokens[place].start)


def _reason(token: Token, word: str) -> tuple[str, str]:
    if word in REFUSED_WORDS:
        return REFUSED_WORDS[word]
    if token.token_type is TokenType.SEMICOLON:
        return "there is more than one statement", "ask one question at a time"
    if token.text in ("::",):
        return "values are not cast", "write a number as 30 and a label as 'a'"
    if token.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER, TokenType.COLON, TokenType.DOLLAR):
        return _PARAMETER
    if token.token_type in (TokenType.PLUS, TokenType.MOD, TokenType.CARET):
        return "there is no arithmetic", "ask for declared measures; SUM(a) / SUM(b) is the only operation"
    return f"{shown(token.text)} is not part of the language", f"write {FORM}"


def _check_depth(question: QuestionText, tokens: list[Token]) -> None:
    depth = nots = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        nots = nots + 1 if token.token_type is TokenType.NOT else 0
        if depth > DEEPEST:
            raise question.refused(
                f"more than {DEEPEST} parentheses stand within each other", "write simpler conditions", token.start
            )
        if nots > MOST_NOTS:
            raise question.refused(f"more than {MOST_NOTS} NOT in a row", "write NOT once, or not at all", token.start)
