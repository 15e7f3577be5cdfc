"""The words and signs of the language, and those of other languages that people write by habit."""

from __future__ import annotations

from typing import NamedTuple

KEYWORDS = frozenset(
    (
        "if",
        "then",
        "and",
        "not",
        "exists",
        "case",
        "else",
        "in",
        "union",
        "minus",
        "intersect",
        "true",
        "false",
        "is",
        "null",
        "subset",
        "of",
    )
)
SOFT_KEYWORDS = frozenset(("is", "null", "subset", "of"))
"""Words that can only stand behind a term, so that a parenthesis behind them makes them a predicate."""

COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
ADDITIVE = frozenset(("+", "-", "union", "minus", "intersect"))
MULTIPLICATIVE = frozenset(("*", "/"))
ARROWS = frozenset(("->", "then", ":-"))

ANNOTATIONS = {
    "ask": "a question for a person before the conclusions of the rule are kept",
    "bind": "the file or database table that a predicate is read from",
    "bind_module": "the module that gives an external predicate its meaning",
    "explain": "the sentence that explains a conclusion of the rule",
    "group_equality": 'how labelled nulls match in groups: "maybe" or "standard"',
    "input": "a predicate that the caller gives, with its columns",
    "model": "the sentence that says what a fact means",
    "module": "the name of this module",
    "native": "the built-in method that computes the same as these rules",
    "on_violation": 'what happens when the rule is violated: "ask", "fail" or "quarantine"',
    "output": "a predicate that is a result",
    "param": "a parameter and its default",
    "route": "which match of a rule is taken first",
    "similarity": "what ~ means",
    "use": "a module whose rules are included",
    "versioned": "a predicate of which only the newest version of a key counts",
}
"""The annotations that the language knows, with their meaning."""


class Habit(NamedTuple):
    """A sign of another language: the kinds of the tokens that it is read as, and what to write."""

    kinds: tuple[str, ...]
    write: str


_ARROW = Habit(("->",), "write ->")
_AND = Habit((",",), "write a comma or 'and' (for sets, 'intersect')")
_OR = Habit(("or",), "")
_UNEQUAL = Habit(("!=",), "write !=")
_NOT = Habit(("not",), "write 'not'")
HABITS: dict[str, Habit] = {
    **dict.fromkeys(("→", "⇒", "⟶", "⟹", "↦", "-->", "==>"), _ARROW),
    **dict.fromkeys(("←", "⇐", "⟵"), Habit((":-",), "write :-")),
    **dict.fromkeys(("&&", "&", "∧"), _AND),
    **dict.fromkeys(("||", "|", "∨", ";"), _OR),
    **dict.fromkeys(("=>",), Habit(("=>",), "")),
    **dict.fromkeys(("=!=", "=/=", "!==", "/=", "\\=", "≠"), _UNEQUAL),
    **dict.fromkeys(("¬", "!", "\\+"), _NOT),
    **dict.fromkeys(("===", "=:="), Habit(("=",), "write =")),
    **dict.fromkeys(("=<", "≤"), Habit(("<=",), "write <=")),
    **dict.fromkeys(("≈", "~="), Habit(("~",), "write ~")),
    **dict.fromkeys(("−", "–"), Habit(("-",), "write -, the minus sign of the keyboard")),
    **dict.fromkeys(("×", "·"), Habit(("*",), "write *")),
    **dict.fromkeys(("\\", "∖"), Habit(("minus",), "write 'minus'")),
    **dict.fromkeys(("**", "^"), Habit(("fault",), "write power(X, Y)")),
    "≥": Habit((">=",), "write >="),
    "÷": Habit(("/",), "write /"),
    "∃": Habit(("exists",), "write 'exists'"),
    "∀": Habit(("fault",), "leave it out: a rule holds for all values of its variables"),
    "⊥": Habit(("false",), "write 'false'"),
    "∈": Habit(("in",), "write 'in'"),
    "∉": Habit(("not", "in"), "write 'not in'"),
    "⊆": Habit(("subset", "of"), "write 'subset of'"),
    "∪": Habit(("union",), "write 'union'"),
    "∩": Habit(("intersect",), "write 'intersect'"),
}
"""Signs that people bring along. ``=>`` and the signs for 'or' are reported by the parser, which knows the context."""
