"""Hierarchies as facts of the knowledge base (section 4.3 of the VADA-SA paper).

``TypeOf(attribute, type)``, ``SubTypeOf(type, supertype)``, ``InstOf(value, type)``, ``IsA(value, parent)``.
The types are the levels. A parent counts only if it is an instance of the next type, so further facts (other
attributes, ``IsA`` across several levels) do no harm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from tacita.errors import HierarchyError, did_you_mean, faults_text, listed
from tacita.model.dictionary import DictionaryFact
from tacita.model.hierarchy.value import ValueHierarchy

_PREDICATES = {"typeof": "TypeOf", "subtypeof": "SubTypeOf", "instof": "InstOf", "isa": "IsA"}
Pairs = dict[str, dict[str, None]]


def from_facts(attribute: str, facts: Iterable[DictionaryFact], *, star: bool = False) -> ValueHierarchy:
    """Return the hierarchy that facts give an attribute.

    >>> facts = [DictionaryFact("TypeOf", ("Area", "City")), DictionaryFact("SubTypeOf", ("City", "Region")),
    ...          DictionaryFact("InstOf", ("Milano", "City")), DictionaryFact("InstOf", ("North", "Region")),
    ...          DictionaryFact("IsA", ("Milano", "North"))]
    >>> from_facts("Area", facts).generalise("Milano", 1)
    'North'
    """
    known, faults = _sorted_out(facts)
    chain, chain_faults = _chain(attribute, known, least=1 if star else 2)
    faults += chain_faults
    rows: list[tuple[str, ...]] = []
    if not chain_faults:
        rows, row_faults = _climbed(chain, known)
        faults += row_faults
    if faults:
        raise HierarchyError(
            faults_text(faults),
            where=f"facts about '{attribute}'",
            do="correct the facts TypeOf, SubTypeOf, InstOf and IsA",
        )
    return ValueHierarchy.from_paths(attribute, rows, chain, star=star)


def facts_of(hierarchy: ValueHierarchy) -> Iterator[DictionaryFact]:
    """Yield a hierarchy as facts; `from_facts` gives it back."""
    facts = list(dict.fromkeys(_facts(hierarchy)))
    try:
        same = from_facts(hierarchy.attribute, facts) == hierarchy
    except HierarchyError:
        same = False
    if not same:
        raise HierarchyError(
            "the same label stands at two levels in such a way that IsA facts would be ambiguous",
            where=f"hierarchy of '{hierarchy.attribute}'",
            do="give the labels of the two levels different names",
        )
    yield from facts


def _facts(hierarchy: ValueHierarchy) -> Iterator[DictionaryFact]:
    levels = hierarchy.levels
    yield DictionaryFact("TypeOf", (hierarchy.attribute, levels[0]))
    for level, above in pairwise(levels):
        yield DictionaryFact("SubTypeOf", (level, above))
    for level, labels in zip(levels, zip(*hierarchy.rows, strict=True), strict=True):
        for label in labels:
            yield DictionaryFact("InstOf", (label, level))
    for row in hierarchy.rows:
        for label, parent in pairwise(row):
            yield DictionaryFact("IsA", (label, parent))


def _sorted_out(facts: Iterable[DictionaryFact]) -> tuple[defaultdict[str, Pairs], list[str]]:
    """Return predicate -> first term -> second terms, in the order of the facts."""
    known: defaultdict[str, Pairs] = defaultdict(dict)
    faults = []
    for fact in facts:
        predicate = _PREDICATES.get(fact.predicate.casefold())
        if predicate is None:
            continue
        if len(fact.terms) != 2:
            faults.append(f"{fact} has {len(fact.terms)} terms instead of 2")
            continue
        known[predicate].setdefault(fact.terms[0], {})[fact.terms[1]] = None
    return known, faults


def _chain(attribute: str, known: defaultdict[str, Pairs], least: int) -> tuple[list[str], list[str]]:
    types = list(known["TypeOf"].get(attribute, ()))
    if not types:
        return [], [f"no TypeOf fact names the attribute '{attribute}'{did_you_mean(attribute, known['TypeOf'])}"]
    if len(types) > 1:
        return [], [f"'{attribute}' has {len(types)} types: {listed(types)}"]
    chain = types
    while above := list(known["SubTypeOf"].get(chain[-1], ())):
        if len(above) > 1:
            return chain, [f"type '{chain[-1]}' has {len(above)} supertypes: {listed(above)}"]
        if above[0] in chain:
            return chain, [f"the types go round in a circle: {' -> '.join([*chain, above[0]])}"]
        chain.append(above[0])
    if len(chain) < least:
        return chain, [f"type '{chain[0]}' has no supertype, so there is no level above the values"]
    return chain, []


def _climbed(chain: list[str], known: defaultdict[str, Pairs]) -> tuple[list[tuple[str, ...]], list[str]]:
    instances: dict[str, dict[str, None]] = {level: {} for level in chain}
    for value, types in known["InstOf"].items():
        for level in types.keys() & instances.keys():
            instances[level][value] = None
    if not instances[chain[0]]:
        return [], [f"type '{chain[0]}' has no instances"]
    paths = [[leaf] for leaf in instances[chain[0]]]
    faults: dict[str, None] = {}
    for above in chain[1:]:
        complete = []
        for path in paths:
            parents = list(known["IsA"].get(path[-1], ()))
            fitting = [parent for parent in parents if parent in instances[above]]
            if len(fitting) == 1:
                complete.append([*path, fitting[0]])
            elif fitting:
                faults[f"'{path[-1]}' has {len(fitting)} parents of type '{above}': {listed(fitting)}"] = None
            elif strangers := [parent for parent in parents if parent not in known["InstOf"]]:
                near = did_you_mean(strangers[0], instances[above])
                faults[f"'{path[-1]}' is a '{strangers[0]}', which is no instance of any type{near}"] = None
            else:
                faults[f"'{path[-1]}' has no parent of type '{above}'"] = None
        paths = complete
    return [tuple(path) for path in paths], list(faults)
