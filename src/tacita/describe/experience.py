"""Algorithm 1 of the VADA-SA paper: which categories experience lends to names.

The rule program ``knowledge/programs/categorise.vada`` specifies it, and a test holds the two against each other; files
of thousands of attributes, and commands that need no other rule, are spared the reasoner. `evidence` says how strong
what is lent is. Rule 3 of the program (what was decided serves as experience) is left to people here: a decision enters
the experience base when somebody confirms it, since similarity is not transitive and unconfirmed experience drifts.
"""

from __future__ import annotations

from tacita.describe.similarity import Similarity
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.model.names import normalised


def lent_categories(
    dictionary: Dictionary, base: ExperienceBase, similarity: Similarity
) -> dict[str, frozenset[Category]]:
    """Return the categories that experience lends to each attribute; none where it knows no such name."""
    known = set(base.names)
    names = {attribute.name: normalised(attribute.name) for attribute in dictionary}
    lent = {
        name: frozenset(base[other].category for other, _ in similarity.alike(name) if other in known)
        for name in set(names.values())
    }
    return {attribute: lent[name] for attribute, name in names.items()}
