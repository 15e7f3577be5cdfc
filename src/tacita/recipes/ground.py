"""The ground on which recipes are judged: what the intruder knows, what is lost, by whom and by what it is measured.

Recipes that are compared stand on one ground. Everything that nobody said follows from the data and from what the
recipes change: the intruder is assumed to know the quasi-identifiers, attributes on which nobody decided, and the
original of every changed attribute, which is the worst case that the literature compares methods by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.recipes.carry_out import MaskedMicrodata
from tacita.recipes.recipe import Judgement, Recipe


@dataclass(frozen=True, slots=True)
class Ground:
    """By what every recipe of a comparison is judged."""

    known: tuple[str, ...]
    secret: tuple[str, ...]
    attributes: tuple[str, ...]
    """The attributes whose loss is measured."""
    wishes: Judgement
    """Attackers, measures, models and indicators that a person named."""
    undecided: tuple[str, ...] = ()
    """Attributes without a category, which the intruder is assumed to know for that reason."""
    cluster: str = ""
    """The key of records that belong together, if there is one."""
    left_out: tuple[str, ...] = ()
    """Quasi-identifiers and attributes without a category that a person left out of what the intruder knows."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is assumed, and what is not tried."""
        said = []
        if self.undecided:
            said.append(
                f"nobody decided on {listed(self.undecided, 12)}, so the intruder is assumed to know the values; give "
                "each attribute a category (tacita categorize)"
            )
        if self.cluster:
            said.append(
                "attackers look for single records: an intruder who knows all records of one "
                f"'{self.cluster}' may find more"
            )
        return tuple(said)


def judgement_of(recipes: Sequence[Recipe]) -> Judgement:
    """Return the judgement that recipes share; those that say nothing of it go along with the others."""
    judgements = list(dict.fromkeys(recipe.judgement for recipe in recipes if recipe.judgement != Judgement()))
    if len(judgements) > 1:
        raise UsageError(
            "the recipes are to be judged by different things, and could not be compared",
            do="give them the same [attack] and [utility], or give these in one recipe only",
        )
    return judgements[0] if judgements else Judgement()


def ground_for(original: Microdata, masked: Sequence[MaskedMicrodata], judgement: Judgement) -> Ground:
    """Return the ground for outcomes of the same data."""
    changed = tuple(dict.fromkeys(name for result in masked for name in (*result.changed, *result.dropped)))
    return ground_of(original, changed, judgement)


def ground_of(original: Microdata, changed: Sequence[str], judgement: Judgement) -> Ground:
    """Return the ground where the attributes that are changed are given."""
    dictionary = original.dictionary
    hidden = {a.name for c in (Category.IDENTIFIER, Category.CLUSTER_KEY) for a in dictionary.of(c)}
    faults = [
        f"'{name}'{did_you_mean(name, dictionary.names)}"
        for name in (*judgement.known, *judgement.secret, *judgement.attributes)
        if name not in dictionary.names
    ]
    if faults:
        raise UsageError(f"there is no attribute {listed(faults)}", do="name attributes of the data")
    weight = {a.name for a in dictionary.of(Category.WEIGHT)}
    ours = [name for name in dictionary.names if name in changed]
    # In doubt, protect: an attribute without a category may be known to anybody.
    undecided = [attribute.name for attribute in dictionary if attribute.category is None]
    known = judgement.known or tuple(
        name
        for name in dictionary.names
        if name in {*dictionary.quasi_identifiers, *undecided, *ours} - hidden - weight
    )
    secret = judgement.secret or tuple(
        a.name for a in dictionary.of(Category.SENSITIVE) if a.name not in known or len(known) > 1
    )
    attributes = judgement.attributes or tuple(name for name in dictionary.names if name not in hidden | weight)
    open_ = [name for name in (*dictionary.quasi_identifiers, *undecided) if name not in known]
    doubtful = tuple(name for name in undecided if name in known and name not in {*ours, *judgement.known})
    clusters = [attribute.name for attribute in dictionary.of(Category.CLUSTER_KEY)]
    return Ground(known, secret, attributes, judgement, doubtful, clusters[0] if clusters else "", tuple(open_))
