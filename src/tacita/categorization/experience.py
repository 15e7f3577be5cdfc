"""Algorithm 1 of the VADA-SA paper, run as the rule program that ships: which categories experience lends to names.

The program says what follows from the experience base and the similarity of names; `evidence` says how strong it is.
Its rule 3 (what was decided serves as experience) is left to people here: a decision enters the experience base when
somebody confirms it, since similarity is not transitive and unconfirmed experience drifts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.categorization.similarity import Similarity
from tacita.errors import TacitaError
from tacita.knowledge.experience_base import ExperienceBase
from tacita.knowledge.programs import find
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.model.names import normalised
from tacita.rules.reasoner import reason


class _Names:
    """The similarity of names as the ``~`` of the rules."""

    def __init__(self, similarity: Similarity) -> None:
        self._similarity = similarity

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return the pairs that are alike."""
        known = set(right)
        for name in left:
            for other, _ in self._similarity.alike(name):
                if other in known:
                    yield name, other


def lent_categories(
    dictionary: Dictionary, base: ExperienceBase, similarity: Similarity
) -> dict[str, frozenset[Category]]:
    """Return the categories that experience lends to each attribute; none where it knows no such name."""
    program = find("categorise")
    if program is None:
        raise TacitaError("the rule program 'categorise' is missing", do="install Tacita again: a file of it is gone")
    names = {attribute.name: normalised(attribute.name) for attribute in dictionary}
    text, source = program
    result = reason(
        text,
        {
            "Att": [(dictionary.name, name) for name in sorted(set(names.values()))],
            "ExpBase": [(name, base[name].category.value) for name in base.names],
        },
        similarity=_Names(similarity),
        parameters={"feedback": False},
        source=source,
    )
    lent: dict[str, set[Category]] = {}
    for _, name, category in result.facts("Cat"):
        if isinstance(category, str):
            lent.setdefault(name, set()).add(Category(category))
    result.close()
    return {attribute: frozenset(lent.get(name, ())) for attribute, name in names.items()}
