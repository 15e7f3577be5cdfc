"""A set that is a labelled null is not an empty one: what is asked of it has no answer, and nothing follows."""

from __future__ import annotations

import pytest
from tests.rules.generated import assert_same

from tacita.rules.reasoner import reason

pytestmark = pytest.mark.slow

ASKED = {
    "a part": "{1} subset of S -> R(X).",
    "a whole": "S subset of {1} -> R(X).",
    "a member": "1 in S -> R(X).",
    "no member": "1 not in S -> R(X).",
    "a union": "T = S union {1} -> R(X).",
    "a difference": "T = {1, 2} minus S -> R(X).",
    "an intersection": "T = {1, 2} intersect S -> R(X).",
    "a size": "T = size(S) -> R(X).",
    "a value": 'T = S["a"] -> R(X).',
    "a change": 'T = S["a" := 1] -> R(X).',
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("others", ["", "Q(7, {5})."], ids=["without a type", "with a type"])
def test_nothing_follows_from_an_unknown_set(asked: str, others: str) -> None:
    if others and '["a"' in asked:
        others = 'Q(7, {("b", 5)}).'
    text = f'P(1). P(2). {others}\nP(X) -> exists S: Q(X, S).\nQ(X, S), X < 5, {asked}\n@output("R").'
    assert_same(text, {})
    result = reason(text)
    assert result.facts("R") == []
    result.close()
