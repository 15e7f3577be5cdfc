"""What tells facts apart: keys of predicates, and whether a rule can derive the same fact twice.

Facts are sets, so doubles must go; but sorting them out of millions costs more than deriving them. Where the arguments
of a fact determine the one match that it comes from, there are no doubles to look for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from tacita.rules.logic.binding import Assign, Enumerate, Match, Step, Test, depends_on_aggregate
from tacita.rules.logic.terms import Atom, Blank, Comparison, Constant, Pack, Term, Variable, variables
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.groups import head_record

Keys = dict[str, frozenset[int]]


def determined(steps: Sequence[Step], known: Iterable[str], keys: Mapping[str, frozenset[int]]) -> set[str] | None:
    """Return the variables that some variables determine, or None if a match is not determined as a whole."""
    names = set(known)
    waiting = [step for step in steps if isinstance(step, Match)]
    if any(isinstance(step, Enumerate) for step in steps):
        return None
    grown = True
    while grown:
        grown = False
        for match in list(waiting):
            if _key_is_known(match.atom, names, keys):
                waiting.remove(match)
                names |= {v.name for v in variables(match.atom)}
                grown = True
        for step in steps:
            for name, term in _equations(step):
                if name not in names and all(v.name in names for v in variables(term)):
                    names.add(name)
                    grown = True
    return None if waiting else names


def _key_is_known(atom: Atom, names: Collection[str], keys: Mapping[str, frozenset[int]]) -> bool:
    key = keys.get(atom.predicate, range(len(atom.arguments)))
    for place in key:
        argument = atom.arguments[place]
        if isinstance(argument, Blank):
            return False
        term: Term = argument.variable if isinstance(argument, Pack) else argument
        if isinstance(term, Variable) and term.name not in names:
            return False
    return True


def _equations(step: Step) -> list[tuple[str, Term]]:
    if isinstance(step, Assign):
        return [(step.variable.name, step.term)]
    if isinstance(step, Test) and isinstance(step.condition, Comparison) and step.condition.operator == "=":
        left, right = step.condition.left, step.condition.right
        pairs = ((left, right), (right, left))
        return [(a.name, b) for a, b in pairs if isinstance(a, Variable)]
    return []


def is_unique(derivation: RuleDerivation, atom: Atom) -> bool:
    """Whether each fact that a rule derives comes from one match only."""
    arguments = [head_record(argument) for argument in atom.arguments]
    if derivation.grouping is not None:
        return all(term in arguments for term in derivation.grouping.group)
    names = {argument.name for argument in arguments if isinstance(argument, Variable)}
    return determined(derivation.schedule.before, names, derivation.keys) is not None


def key_of(derivation: RuleDerivation, atom: Atom) -> frozenset[int] | None:
    """Return positions that determine the facts of a rule, if fewer than all do."""
    arguments = [head_record(argument) for argument in atom.arguments]
    if derivation.grouping is not None:
        places = [i for i, a in enumerate(arguments) if not depends_on_aggregate(a, derivation.schedule)]
        group = all(term in arguments for term in derivation.grouping.group)
        return frozenset(places) if group and len(places) < len(arguments) else None
    places_of = {a.name: i for i, a in reversed(list(enumerate(arguments))) if isinstance(a, Variable)}
    for body_atom in derivation.atoms:
        key = derivation.keys.get(body_atom.predicate)
        if key is None:
            continue
        names = [body_atom.arguments[place] for place in key]
        if not all(isinstance(n, Constant) or (isinstance(n, Variable) and n.name in places_of) for n in names):
            continue
        own = [n.name for n in names if isinstance(n, Variable)]
        if determined(derivation.schedule.before, own, derivation.keys) is not None:
            return frozenset(places_of[name] for name in own)
    return None


def find_keys(
    derivations: Sequence[RuleDerivation], order: Sequence[Sequence[str]], given: Collection[str], keys: Keys
) -> None:
    """Add the keys of what a single rule derives, in the order in which predicates are completed."""
    heads: dict[str, list[RuleDerivation]] = {}
    for derivation in derivations:
        for atom in derivation.heads:
            heads.setdefault(atom.predicate, []).append(derivation)
    for component in order:
        if len(component) > 1:
            continue
        predicate = component[0]
        rules = heads.get(predicate, [])
        if len(rules) != 1 or predicate in given or predicate in keys or rules[0].existentials:
            continue
        if any(a.predicate == predicate for a in rules[0].atoms) or len(rules[0].heads) > 1:
            continue
        key = key_of(rules[0], rules[0].heads[0])
        if key is not None:
            keys[predicate] = key
