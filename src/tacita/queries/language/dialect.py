"""The words of the language, for sqlglot: few keywords, no functions of its own, no casts, no strings with escapes.

A word that is in no list here is a name, so attributes may be called ``date`` or ``index``. A function is read as a
name with arguments; `figures` knows which there are.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import TokenType, parser, tokens
from sqlglot.dialects.dialect import Dialect

WORDS = frozenset(
    {"SELECT", "FROM", "JOIN", "LEFT", "INNER", "OUTER", "USING", "ON", "AS", "WHERE", "GROUP BY", "DISTINCT"}
    | {"GROUPING SETS"}
    | {"AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL", "TRUE", "FALSE"}
)
"""The language."""

_ONE_SELECT = "ask one question with one SELECT from the data set itself"
_OPEN_JOIN = "write LEFT JOIN name USING (key) with a join that the policy declares"
_WHOLE_ANSWER = "leave it out, and sort or cut the answer when you have it"
_LISTED = "list the values that are meant: attribute IN ('a', 'b')"
_NO_WINDOW = "ask for the figures by groups: GROUP BY attribute"

REFUSED_WORDS = {
    "ORDER BY": ("an answer has no order", _WHOLE_ANSWER),
    "LIMIT": ("an answer has all its groups", _WHOLE_ANSWER),
    "OFFSET": ("an answer has all its groups", _WHOLE_ANSWER),
    "FETCH": ("an answer has all its groups", _WHOLE_ANSWER),
    "HAVING": ("groups cannot be chosen by their figures", "choose records by their attributes with WHERE"),
    "QUALIFY": ("groups cannot be chosen by their figures", "choose records by their attributes with WHERE"),
    "WITH": ("there are no common table expressions", _ONE_SELECT),
    "UNION": ("questions are not put together", _ONE_SELECT + "; OR puts conditions together"),
    "INTERSECT": ("questions are not put together", _ONE_SELECT + "; AND puts conditions together"),
    "EXCEPT": ("questions are not put together", _ONE_SELECT + "; AND NOT leaves records out"),
    "EXISTS": ("there are no subqueries", _ONE_SELECT),
    "OVER": ("there are no window functions", _NO_WINDOW),
    "WINDOW": ("there are no window functions", _NO_WINDOW),
    "PARTITION BY": ("there are no window functions", _NO_WINDOW),
    "CASE": ("there are no case expressions", "choose records with WHERE, or ask by groups with GROUP BY"),
    "LIKE": ("values are not compared with patterns", _LISTED),
    "ILIKE": ("values are not compared with patterns", _LISTED),
    "SIMILAR TO": ("values are not compared with patterns", _LISTED),
    "RLIKE": ("values are not compared with patterns", _LISTED),
    "GLOB": ("values are not compared with patterns", _LISTED),
    "RIGHT": ("this join is not declared", _OPEN_JOIN),
    "FULL": ("this join is not declared", _OPEN_JOIN),
    "CROSS": ("this join is not declared", _OPEN_JOIN),
    "NATURAL": ("this join is not declared", _OPEN_JOIN),
    "ASOF": ("this join is not declared", _OPEN_JOIN),
    "LATERAL": ("there are no subqueries", _OPEN_JOIN),
    "TABLESAMPLE": ("the analyst does not draw the sample", "leave it out: the policy decides how answers are given"),
}
"""Words of SQL that are outside of the language: the reason, and what may be written instead."""

RESERVED = WORDS | REFUSED_WORDS.keys() | {"GROUP", "ORDER", "BY", "PARTITION", "SIMILAR"}
"""Names that must stand in quotation marks."""

_SIGNS = {"<>": TokenType.NEQ, "!=": TokenType.NEQ, "<=": TokenType.LTE, ">=": TokenType.GTE}
_REFUSED_SIGNS = ("::", "||", "->", "->>", "=>", ":=", "&&", "??")


class QuestionDialect(Dialect):
    """Reads questions; nothing is ever written in it."""

    class Tokenizer(tokens.Tokenizer):
        """The words and signs."""

        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **_SIGNS,
            **{sign: tokens.Tokenizer.KEYWORDS.get(sign, TokenType.DPIPE) for sign in _REFUSED_SIGNS},
            **{word: tokens.Tokenizer.KEYWORDS[word] for word in (*WORDS, *REFUSED_WORDS)},
        }

    class Parser(parser.Parser):
        """No function is special."""

        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {}
        NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {}
        NO_PAREN_IF_COMMANDS = False


ALLOWED = frozenset(
    {*_SIGNS.values(), *(QuestionDialect.Tokenizer.KEYWORDS[word] for word in WORDS)}
    | {TokenType.EQ, TokenType.LT, TokenType.GT, TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA, TokenType.DOT}
    | {TokenType.STAR, TokenType.SLASH, TokenType.DASH, TokenType.STRING, TokenType.NUMBER, TokenType.VAR}
    | {TokenType.IDENTIFIER}
)
"""Kinds of tokens that a question may have; a semicolon may end it."""
