"""Versions: which rule put a fact in the place of an older one, in which epoch, and what is still known of why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.rules.logic.steps import Absent, Match, Step
from tacita.rules.logic.terms import Atom, variables
from tacita.rules.proofs.finding.goals import Goals
from tacita.rules.proofs.finding.nulls import Firing, Merges, firings, frontier_atom, frontier_layout, made_by
from tacita.rules.proofs.finding.rules import ProofContext, binding, keep_template, premises, shown
from tacita.rules.proofs.finding.trail import Asking, positions
from tacita.rules.proofs.tree import Changed, GroundFact, Premise, Remembers
from tacita.rules.reasoner.chase.versions import Change, History, dependents
from tacita.rules.reasoner.plans.derivations import RuleDerivation


def version_rules(context: ProofContext) -> frozenset[int]:
    """Return the numbers of the rules that change facts instead of adding some."""
    late = context.result.prepared.version_rules
    return frozenset(d.number for d in context.result.derivations if any(d.rule == rule for rule in late))


def changes_of(context: ProofContext, history: History, goals: Goals, merges: Merges) -> dict[GroundFact, Changed]:
    """Return which changes gave goals; the last one counts."""
    changes: dict[GroundFact, Changed] = {}
    for change in reversed(history.changes):
        atom = next((a for a in change.derivation.heads if a.predicate == goals.predicate), None)
        if atom is None:
            continue
        for goal, firing in firings(context, change.derivation, atom, goals, change.table, merges).items():
            if goal not in changes:
                changes[goal] = _ChangeExplained(context, history, change, atom).step(firing)
    return changes


class _ChangeExplained:
    """One change, and what of its reasons is still there: its epoch was forgotten, the older version was kept."""

    def __init__(self, context: ProofContext, history: History, change: Change, atom: Atom) -> None:
        self._context, self._change, self._atom = context, change, atom
        self._tables = dict(history.older)
        self._forgotten = dependents(context.result.run.edges, context.result.prepared.versioned)

    @property
    def _rule(self) -> RuleDerivation:
        return self._change.derivation

    def step(self, firing: Firing) -> Changed:
        values, kept = self._match(firing)
        known = {v.name: x for v, x in zip(self._rule.frontier, firing.frontier, strict=True)} | dict(values)
        steps = self._rule.schedule.before
        rests_on: list[Premise] = []
        for place, step in enumerate(steps):
            if step in kept:
                self._context.met([step], values, place)
                rests_on += premises([step], values, place)
            elif isinstance(step, Match):
                rests_on.append(Remembers(shown([step.atom], known), self._change.epoch))
        template = self._context.templates.of(self._rule.rule)
        names = [v.name for v in self._rule.all_variables()]
        return Changed(
            firing.goal,
            firing.round,
            self._change.epoch,
            self._context.named(self._rule.rule),
            binding(names, known),
            tuple(rests_on),
            made_by(self._rule, firing, known),
            template.filled(known) if template is not None else "",
        )

    def _match(self, firing: Firing) -> tuple[Mapping[str, Any], list[Step]]:
        """Return the match of what is still there, and the steps that this is."""
        rule = self._rule
        if rule.grouping is not None:
            return {}, []
        goals = Goals.of(self._context.engine, frontier_layout(rule), [firing.fact()])
        expected = positions(frontier_atom(rule).arguments)
        trail = self._context.trail(rule, goals)
        kept: list[Step] = []
        for place, step in enumerate(rule.schedule.before):
            if self._is_there(step, trail.body.terms.bound):
                trail.take([step], expected, Asking(tables=self._tables), place)
                kept.append(step)
        keep_template(trail, self._context.templates.of(rule.rule))
        rows = trail.first([v.name for v in rule.all_variables()])
        return (rows[0], kept) if rows else ({}, [])

    def _is_there(self, step: Step, bound: Mapping[str, Any]) -> bool:
        if isinstance(step, Match):
            return step.atom.predicate not in self._forgotten
        if isinstance(step, Absent):
            return False  # what was absent then may be there now
        parts = [getattr(step, name) for name in ("term", "collection", "condition") if hasattr(step, name)]
        return all(v.name in bound for part in parts for v in variables(part))
