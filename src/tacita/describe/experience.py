"""Algorithm 1 of the VADA-SA paper, run as the rule program that ships: which categories experience lends to names.

The program says what follows from the experience base and the similarity of names; `evidence` says how strong it is.
Its rule 3 (what was decided serves as experience) is left to people here: a decision enters the experience base when
somebody confirms it, since similarity is not transitive and unconfirmed experience drifts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.describe.similarity import Similarity
from tacita.errors import TacitaError
from tacita.knowledge.experience_base import ExperienceBase
from tacita.knowledge.programs import find
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.model.names import normalised


class _Names:
    """The similarity of names as the ``~`` of the rules."""

    def __init__(self, similarity: Similarity, names: Iterable[str]) -> None:
        self._alike = {name: [other for other, _ in similarity.alike(name)] for name in names}

    @property
    def others(self) -> set[str]:
        """The names that any of ours is like."""
        return {other for alike in self._alike.values() for other in alike}

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return the pairs that are alike."""
        known = set(right)
        return [(name, other) for name in left for other in self._alike[name] if other in known]


def lent_categories(
    dictionary: Dictionary, base: ExperienceBase, similarity: Similarity
) -> dict[str, frozenset[Category]]:
    """Return the categories that experience lends to each attribute; none where it knows no such name."""
    from tacita.rules.reasoner import ReasoningOptions, reason

    program = find("categorise")
    if program is None:
        raise TacitaError("the rule program 'categorise' is missing", do="install Tacita again: a file of it is gone")
    names = {attribute.name: normalised(attribute.name) for attribute in dictionary}
    text, source = program
    alike = _Names(similarity, sorted(set(names.values())))
    # Of the experience only what is like one of the names can count: the rest need not be loaded.
    others = alike.others
    known = [name for name in base.names if name in others]
    result = reason(
        text,
        {
            "Att": [(dictionary.name, name) for name in sorted(set(names.values()))],
            "ExpBase": [(name, base[name].category.value) for name in known],
        },
        options=ReasoningOptions(similarity=alike, parameters={"feedback": False}, source=source),
    )
    lent: dict[str, set[Category]] = {}
    for _, name, category in result.facts("Cat"):
        if isinstance(category, str):
            lent.setdefault(name, set()).add(Category(category))
    result.close()
    return {attribute: frozenset(lent.get(name, ())) for attribute, name in names.items()}
