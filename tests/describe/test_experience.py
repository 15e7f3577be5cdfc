"""What experience lends is what the rule program that ships concludes (Algorithm 1, without its feedback)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from tacita.describe.experience import lent_categories
from tacita.describe.similarity import NameSimilarity, Similarity
from tacita.knowledge.experience_base import ExperienceBase
from tacita.knowledge.programs import find
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary
from tacita.model.names import normalised
from tacita.rules.reasoner import ReasoningOptions, reason

pytestmark = pytest.mark.slow


class Alike:
    """The similarity of names as the ``~`` of the rules."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        known = set(right)
        return [(name, other) for name in left for other, _ in self.similarity.alike(name) if other in known]


def by_rules(dictionary: Dictionary, base: ExperienceBase, similarity: Similarity) -> dict[str, set[Category]]:
    """Return the categories that the program gives to each normalised name."""
    program = find("categorise")
    assert program is not None
    names = sorted({normalised(attribute.name) for attribute in dictionary})
    facts = {
        "Att": [(dictionary.name, name) for name in names],
        "ExpBase": [(name, base[name].category.value) for name in base.names],
    }
    options = ReasoningOptions(similarity=Alike(similarity), parameters={"feedback": False}, source=program[1])
    result = reason(program[0], facts, options=options)
    lent: dict[str, set[Category]] = {name: set() for name in names}
    for _, name, category in result.facts("Cat"):
        if isinstance(category, str):
            lent[name].add(Category(category))
    result.close()
    return lent


@pytest.mark.parametrize(
    "names",
    [
        ("Area", "sector", "zip_code", "zipcode", "Gender", "patient name", "e-mail", "xyzzy", "sampling weight"),
        ("AREA", "area", "Date of Birth", "birthdate", "diagnosis", "salary", "income_2020", "household_id", "q17"),
    ],
)
def test_the_kernel_lends_what_the_rules_conclude(names: tuple[str, ...]) -> None:
    base = ExperienceBase.load()
    dictionary = Dictionary("people", tuple(map(Attribute, names)))
    similarity = NameSimilarity(base.names)
    lent = lent_categories(dictionary, base, similarity)
    concluded = by_rules(dictionary, base, similarity)
    assert {name: set(categories) for name, categories in lent.items()} == {
        name: concluded[normalised(name)] for name in names
    }
    assert len({category for categories in lent.values() for category in categories}) > 2
    assert not all(lent.values())
