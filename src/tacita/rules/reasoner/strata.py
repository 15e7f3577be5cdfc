"""Strata: components of predicates completed one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.program import is_equality
from tacita.rules.reasoner.run import Run


def homes(order: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the number of the component that each predicate is in."""
    return {predicate: number for number, component in enumerate(order) for predicate in component}


def run_strata(
    run: Run,
    order: Sequence[Sequence[str]],
    derivations: Sequence[Derivation],
    home: Mapping[str, int] | None = None,
    done: Callable[[Sequence[str]], None] | None = None,
) -> None:
    """Complete the predicates of some components, one component after the other.

    `home` numbers the components of the whole program if these are only some of them: an equality rule is applied with
    the last predicate that it reads, wherever that is. `done` is told of every component that is complete.
    """
    heads: dict[str, list[Derivation]] = {}
    equalities: dict[int, list[Derivation]] = {}
    home = homes(order) if home is None else home
    for derivation in derivations:
        if derivation.is_empty:
            continue
        if is_equality(derivation.rule):
            last = max((home[atom.predicate] for atom in derivation.atoms), default=0)
            equalities.setdefault(last, []).append(derivation)
        for predicate in head_predicates(derivation.rule):
            heads.setdefault(predicate, []).append(derivation)
    for component in order:
        own = list({d.number: d for p in component for d in heads.get(p, [])}.values())
        same = equalities.get(home[component[0]], [])
        run.component(component, sorted(own, key=lambda d: d.number), sorted(same, key=lambda d: d.number))
        if done is not None:
            done(component)
