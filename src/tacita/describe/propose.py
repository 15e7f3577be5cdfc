"""Proposals: all evidence of all attributes weighed, one category each, disagreements listed for a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tacita.describe import evidence
from tacita.describe.experience import lent_categories
from tacita.describe.similarity import Similarity, similarity_of_names
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary
from tacita.model.names import normalised
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Proposal, Reason

CLEAR = 0.15
"""How much stronger the best category must be than the next one to be no matter of doubt."""
_SAID_BY_NAME = 0.9
_TOO_LITTLE = 0.4
"""What the values of an attribute say counts as much, whatever it is called."""
_OF_PERSONS = {"sex", "age", "age-group", "birth-date", "birth-year", "person-number", "person-id"}
"""Concepts that only a file of persons has."""
SURE = 0.5
"""Below this confidence an attribute is not called harmless without a person: in doubt, protect."""


def propose(
    dictionary: Dictionary,
    profiles: Mapping[str, AttributeProfile],
    cells: Mapping[str, Sequence[str]],
    base: ExperienceBase,
    similarity: Similarity | None = None,
) -> tuple[Proposal, ...]:
    """Return one proposal per attribute.

    `cells` holds some values of each attribute, to recognise formats in; they do not appear in any reason.
    """
    similarity = similarity or similarity_of_names(base)
    lent = lent_categories(dictionary, base, similarity)
    proposals = [
        _proposal(
            attribute, profiles[attribute.name], cells.get(attribute.name, ()), base, similarity, lent[attribute.name]
        )
        for attribute in dictionary
    ]
    return _one_weight(proposals, _concepts(dictionary, base, similarity))


def said_by_words(attribute: Attribute, base: ExperienceBase, similarity: Similarity) -> Reason | None:
    """Return what name and description say most strongly, without a look at the data; None if they say too little.

    >>> base = ExperienceBase.load()
    >>> age = Attribute("V012", description="Respondent's age")
    >>> said_by_words(age, base, similarity_of_names(base)).category.value
    'quasi-identifier'
    """
    reasons = [
        *evidence.from_name(attribute, base, similarity),
        *evidence.from_description(attribute, base, similarity),
    ]
    best = min(reasons, key=lambda r: (-r.strength, r.category.value, r.text), default=None)
    return best if best is not None and best.strength >= _TOO_LITTLE else None


def named_as(category: Category, dictionary: Dictionary, base: ExperienceBase) -> list[str]:
    """Return the attributes without a category whose names alone say that they have one: no data is looked at."""
    similarity = similarity_of_names(base)
    names = []
    for attribute in dictionary:
        reasons = sorted(evidence.from_name(attribute, base, similarity), key=lambda r: -r.strength)
        if attribute.category is not None or not reasons or reasons[0].strength < _SAID_BY_NAME:
            continue
        if reasons[0].category is category:
            names.append(attribute.name)
    return names


def _proposal(
    attribute: Attribute,
    profile: AttributeProfile,
    cells: Sequence[str],
    base: ExperienceBase,
    similarity: Similarity,
    lent: Collection[Category],
) -> Proposal:
    named = [
        *(r for r in evidence.from_name(attribute, base, similarity) if r.category in lent),
        *evidence.from_description(attribute, base, similarity),
    ]
    seen = [*evidence.from_formats(cells, profile), *evidence.from_distribution(profile)]
    weighed = [reason if not evidence.against(reason.category, profile) else _weakened(reason) for reason in named]
    reasons = tuple(sorted([*weighed, *seen], key=lambda r: (-r.strength, r.category.value, r.text)))
    best = reasons[0]
    conflict = _conflict(best, reasons, profile)
    return Proposal(attribute.name, best.category, best.strength, reasons, conflict)


def _weakened(reason: Reason) -> Reason:
    return replace(reason, strength=reason.strength * 0.5)


def _conflict(best: Reason, reasons: Sequence[Reason], profile: AttributeProfile) -> str:
    """Return what a person must decide, in words: evidence that disagrees (rule 4: one category per attribute),
    or too little of it to call an attribute harmless.
    """
    rival = next((r for r in reasons if r.category is not best.category), None)
    if rival is not None and rival.strength >= 0.5 and best.strength - rival.strength < CLEAR:
        return f"{best.category.value} ({best.text}) or {rival.category.value} ({rival.text})?"
    if best.category is Category.NON_IDENTIFYING and best.strength < SURE:
        return "no known name is like it: harmless, sensitive, or known to outsiders?"
    strong = next((r for r in reasons if r.strength >= 0.4 and evidence.against(r.category, profile)), None)
    if strong is not None:
        return f"{strong.text}, {evidence.against(strong.category, profile)}"
    return ""


def _concepts(dictionary: Dictionary, base: ExperienceBase, similarity: Similarity) -> dict[str, str]:
    """Return the concept that the name, or else the description, of each attribute is most like."""
    concepts = {}
    for attribute in dictionary:
        words = [(normalised(attribute.name), 1.0), (normalised(attribute.description), 0.9)]
        alike = [(t * s, base[known].concept) for text, t in words if text for known, s in similarity.alike(text)]
        if alike:
            concepts[attribute.name] = max(alike)[1]
    return concepts


def _fits(concept: str, concepts: Collection[str]) -> int:
    """Return how well a weight fits the records: in a file of persons theirs, in one of households that of these."""
    if concept == "replicate-weight":
        return -2
    other = "household-weight" if _OF_PERSONS & set(concepts) else "person-weight"
    return -1 if concept == other else 0


def _one_weight(proposals: Sequence[Proposal], concepts: Mapping[str, str]) -> tuple[Proposal, ...]:
    """Keep the best weight; the others cannot be the sampling weight too."""
    weights = [p for p in proposals if p.category is Category.WEIGHT]
    if len(weights) <= 1:
        return tuple(proposals)
    known = set(concepts.values())
    best = max(weights, key=lambda p: (_fits(concepts.get(p.attribute, ""), known), p.confidence))
    text = f"a weight too, but only one attribute can be the sampling weight: '{best.attribute}' fits better"
    return tuple(
        replace(
            p,
            category=Category.NON_IDENTIFYING,
            confidence=0.5,
            reasons=(Reason(Category.NON_IDENTIFYING, 0.5, text), *p.reasons),
            conflict=f"weight or not? '{best.attribute}' and '{p.attribute}' are both weights by their names",
        )
        if p.category is Category.WEIGHT and p is not best
        else p
        for p in proposals
    )
