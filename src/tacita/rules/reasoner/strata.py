"""Strata: components of predicates completed one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.program import is_equality
from tacita.rules.reasoner.run import Run


def run_strata(run: Run, order: Sequence[Sequence[str]], derivations: Sequence[Derivation]) -> None:
    """Complete the predicates of some components, one component after the other."""
    heads: dict[str, list[Derivation]] = {}
    equalities: dict[str, list[Derivation]] = {}
    for derivation in derivations:
        if derivation.is_empty:
            continue
        if is_equality(derivation.rule):
            for atom in derivation.atoms:
                equalities.setdefault(atom.predicate, []).append(derivation)
        for predicate in head_predicates(derivation.rule):
            heads.setdefault(predicate, []).append(derivation)
    home = {predicate: number for number, component in enumerate(order) for predicate in component}
    last = {d.number: max(home.get(atom.predicate, -1) for atom in d.atoms) for d in derivations if is_equality(d.rule)}
    for number, component in enumerate(order):
        own = list({d.number: d for p in component for d in heads.get(p, [])}.values())
        same = list(
            {d.number: d for p in component for d in equalities.get(p, []) if last[d.number] == number}.values()
        )
        run.component(component, sorted(own, key=lambda d: d.number), sorted(same, key=lambda d: d.number))
