"""The formula of a model: ``y ~ a + b + C(c) + a:b``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tacita.errors import UsageError

_WORD = r"(?:C\(\s*(?:`[^`]+`|[^\W\d][\w.]*)\s*\)|`[^`]+`|[^\W\d][\w.]*)"
_TERM = re.compile(rf"\s*({_WORD}(?:\s*:\s*{_WORD})*)\s*")
_HOW = (
    "write y ~ a + b + C(c) + a:b; C() makes categories of numbers, ` ` holds names with blanks, + 0 drops the constant"
)


@dataclass(frozen=True, slots=True)
class Factor:
    """An attribute in a term, taken as it is or as categories."""

    attribute: str
    as_categories: bool = False


@dataclass(frozen=True, slots=True)
class Formula:
    """A response, and the terms that explain it; a term of several factors is their interaction.

    >>> Formula.parsed("income ~ age + C(region) + age:sex").attributes
    ('income', 'age', 'region', 'sex')
    """

    response: str
    terms: tuple[tuple[Factor, ...], ...]
    has_constant: bool = True

    @classmethod
    def parsed(cls, text: str) -> Formula:
        """Return the formula that a text says, or raise.

        ``y ~ 1`` has no term but the constant; ``+ 0`` (or ``- 1``) leaves the constant out.
        """
        left, tilde, right = text.partition("~")
        response = re.fullmatch(r"\s*(`[^`]+`|[^\W\d][\w.]*)\s*", left)
        if not tilde or response is None or not right.strip():
            raise _fault(text)
        constant = True
        terms: dict[tuple[Factor, ...], None] = {}
        for part in re.split(r"\+(?=(?:[^`]*`[^`]*`)*[^`]*$)", re.sub(r"-\s*1\s*$", "+ 0", right)):
            if part.strip() in {"0", "1"}:
                constant = part.strip() == "1"
                continue
            match = _TERM.fullmatch(part)
            if match is None:
                raise _fault(text)
            terms.setdefault(tuple(_factor(word) for word in re.findall(_WORD, match[1])))
        name = response[1].strip("`")
        if any(factor.attribute == name for term in terms for factor in term):
            raise UsageError(f"in '{text.strip()}' the response explains itself", do="name it on the left only")
        if not terms and not constant:
            raise _fault(text)
        return cls(name, tuple(terms), constant)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes of the formula, the response first."""
        return tuple(dict.fromkeys([self.response, *(f.attribute for term in self.terms for f in term)]))


def _factor(word: str) -> Factor:
    if word.startswith("C(") and word.endswith(")"):
        return Factor(word[2:-1].strip().strip("`"), as_categories=True)
    return Factor(word.strip("`"))


def _fault(text: str) -> UsageError:
    return UsageError(f"'{text.strip()}' is not a formula", do=_HOW)
