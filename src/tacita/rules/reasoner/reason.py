"""Reasoning: a program and its inputs in, facts out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.engines.published_codes import published_codes
from tacita.errors import InputError, ReasoningError, counted
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.rules.logic.checks import termination, unsettled
from tacita.rules.logic.checks.termination import Ending
from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.faults import refuse
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Denial
from tacita.rules.logic.types import ANY, Type
from tacita.rules.passes.data_predicates import ROWS
from tacita.rules.passes.inline import inlined, projections
from tacita.rules.reasoner import inputs as given
from tacita.rules.reasoner.chase.equality import policy_of
from tacita.rules.reasoner.chase.run import Run, run_strata
from tacita.rules.reasoner.chase.versions import History, Versions
from tacita.rules.reasoner.chase.violations import Policy, Violation, banned, body_matches, isolate, quarantine
from tacita.rules.reasoner.computed import ComputedPredicate
from tacita.rules.reasoner.plans.bodies import Body
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.keys import find_keys
from tacita.rules.reasoner.plans.layout import FactLayout
from tacita.rules.reasoner.plans.type_faults import type_faults
from tacita.rules.reasoner.plans.typing import Signatures, infer
from tacita.rules.reasoner.program import (
    Prepared,
    ReasoningOptions,
    argument_names,
    arities,
    column_types,
    computed_types,
    is_denial,
    prepare,
    strata,
)
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.similar import SimilarPairs, chosen_similarity, uses_similarity
from tacita.rules.reasoner.staging import declare_rows, dictionary_facts, fill_rows, staged


@dataclass(frozen=True, slots=True, repr=False)
class InputTable:
    """A relation of an engine as the facts of a predicate: which of its columns are the arguments."""

    relation: Relation
    columns: tuple[str, ...]
    """Names of the relation's columns, in the order of the arguments."""


DICTIONARY = ("MicroDB", "Att", "Cat", "Val", "Tuple", "riskInput")
"""What microdata define: facts of their dictionary, their values and tuples, and for which tuples a risk is wanted."""

Input: TypeAlias = Sequence[Sequence[Any]] | InputTable


def reason(
    program: str,
    inputs: Mapping[str, Input] | None = None,
    *,
    engine: Engine | None = None,
    data: Microdata | None = None,
    options: ReasoningOptions | None = None,
) -> Reasoned:
    """Run a program over its inputs until nothing new follows.

    >>> result = reason('Own(X, Y, W), W > 0.5 -> Control(X, Y).', {"Own": [("a", "b", 0.6), ("b", "c", 0.4)]})
    >>> result.facts("Control")
    [('a', 'b')]
    """
    options = options or ReasoningOptions()
    given_inputs = dict(inputs or {})
    known = [*given_inputs, *(DICTIONARY if data is not None else ())]
    if data is not None:
        parameters = options.parameters or {}
        if data.dictionary.quasi_identifiers:
            # What the risk is measured on, unless somebody says otherwise: all quasi-identifiers.
            parameters = {"AnonSet": list(data.dictionary.quasi_identifiers), **parameters}
            options = replace(options, parameters=parameters)
        data = _as_published(data, parameters)
    ready = prepare(program, options, known)
    if engine is None:
        from tacita.engines.context import Context

        engine = Context().engine
    if data is not None:
        dictionary = dictionary_facts(data, arities(ready.program))
        facts = {p: given_inputs.get(p, rows) for p, rows in dictionary.items()}
        facts |= {p: rows for p, rows in given_inputs.items() if not isinstance(rows, InputTable) and p not in facts}
        ready = staged(ready, data, engine, facts)
        given_inputs = {**facts, **given_inputs}
    return Reasoning(ready, engine, given_inputs, options, data).run()


def _as_published(data: Microdata, parameters: Mapping[str, Any]) -> Microdata:
    """Return the data with codes of missing values as values, in what the risk is measured on: readers see them."""
    names = parameters.get("AnonSet", ())
    if data.dictionary.missing_as is MissingAs.EMPTY:
        return data
    wanted = [name for name in names if name in data.dictionary.names]
    return replace(data, relation=published_codes(data.relation, data.dictionary, wanted).relation)


@dataclass(slots=True, repr=False)
class Reasoning:
    """A prepared program on its way to its result."""

    ready: Prepared
    engine: Engine
    inputs: dict[str, Input]
    options: ReasoningOptions = field(default_factory=ReasoningOptions)
    data: Microdata | None = None
    _known_keys: dict[str, frozenset[int]] = field(default_factory=dict)

    def run(self) -> Reasoned:
        """Run to the end."""
        program = self.ready.program
        signatures = Signatures(self.engine.new_table)
        similar = self._similar()
        derivations = self._derivations(signatures, similar)
        self._declare(signatures)
        nullable = signatures.nullable()
        if nullable and any(d.equality is not None for d in derivations):
            refuse(unsettled(program, nullable), self.ready.linked.texts)
        order, links = strata(program, self.ready.versioned, nullable)
        infer(signatures, derivations, order, arities(program))
        wrong = list(signatures.faults.values())
        wrong += [fault for derivation in derivations for fault in type_faults(derivation)]
        refuse(wrong, self.ready.linked.texts)
        find_keys(derivations, order, {*self.inputs, *(f.atom.predicate for f in program.facts)}, self._known_keys)
        running = self._inlined(derivations)
        derived = {predicate for rule in program.rules for predicate in head_predicates(rule)}
        underived = {*self.inputs, *(f.atom.predicate for f in program.facts), ROWS} - derived
        reported: dict[str, Violation] = {}
        apart: dict[str, str] = {}
        while True:
            run = Run(self.engine, signatures.layouts, links, self.options.budget, self.options.progress, similar)
            run.is_endless = termination(program).ending is Ending.WARDED
            run.policy = self._policy()
            run.quarantined = apart
            history = self._pass(run, order, derivations, running)
            self._quarantine(run, derivations)
            reported |= {v.key: v for v in run.violations if v.policy is Policy.QUARANTINE}
            if self.ready.versioned or not self._ban(run, underived):
                break
        self._deny(run, derivations)
        run.violations = [*reported.values(), *(v for v in run.violations if v.policy is not Policy.QUARANTINE)]
        return Reasoned(self.ready, run, derivations, history)

    def _pass(
        self,
        run: Run,
        order: Sequence[Sequence[str]],
        derivations: Sequence[RuleDerivation],
        running: Sequence[RuleDerivation],
    ) -> History | None:
        """Derive everything from the inputs, but for what is in quarantine."""
        self._name_arguments(run)
        self._fill(run)
        for derivation in derivations:
            if derivation.is_computed and derivation.rule.label is not None:
                name = derivation.rule.label.removeprefix("#")
                run.functions[derivation.number] = ComputedPredicate(
                    run, derivation, name, (self.options.functions or {})[name]
                )
        if self.ready.versioned:
            run.stored = set(self.ready.versioned)
            return Versions(run, self.ready, order, running, watching=self.options.watching).run()
        run_strata(run, order, running)
        return None

    def _ban(self, run: Run, underived: Collection[str]) -> bool:
        """Keep what is in quarantine out of a further pass; return whether that is more than was kept out of this."""
        more = False
        for predicate, table in banned(run, underived).items():
            layout = run.layouts[predicate]
            more |= _count(run, table) > (_count(run, layout.banned) if layout.banned else 0)
            run.layouts[predicate] = replace(layout, banned=table)
        return more

    def _policy(self) -> Policy | None:
        """Return what the program says should happen to violations, wherever a rule does not say it itself."""
        said = next(self.ready.program.directives("on_violation"), None)
        name = said.text(0) if said is not None else None
        return Policy(name) if name else None

    # -- before --------------------------------------------------------------------------------------------------------

    def _similar(self) -> SimilarPairs | None:
        similarity = chosen_similarity(next(self.ready.program.directives("similarity"), None), self.options.similarity)
        return SimilarPairs(self.engine, similarity) if uses_similarity(self.ready.program) else None

    def _derivations(self, signatures: Signatures, similar: SimilarPairs | None) -> list[RuleDerivation]:
        keys = self._known_keys = self._keys()
        return [
            RuleDerivation(
                self.engine,
                rule,
                number,
                signatures.layouts,
                similar.condition if similar is not None else None,
                rule.module in self.ready.linked.maybe,
                keys,
                computed_types(rule, (self.options.functions or {})),
            )
            for number, rule in enumerate(self.ready.program.rules)
        ]

    def _inlined(self, derivations: Sequence[RuleDerivation]) -> list[RuleDerivation]:
        """Return the rules as they are run: without atoms that ask for the same fact again."""
        rules: dict[str, list[Rule]] = {}
        for derivation in derivations:
            for atom in derivation.heads:
                rules.setdefault(atom.predicate, []).append(derivation.rule)
        given_facts = {*self.inputs, *(f.atom.predicate for f in self.ready.program.facts)}
        plain = projections({p: own for p, own in rules.items() if p not in given_facts})
        run_rules = []
        for derivation in derivations:
            rule = inlined(derivation.rule, plain, self._known_keys)
            run_rules.append(derivation if rule is derivation.rule else replace(derivation, rule=rule))
        return run_rules

    def _keys(self) -> dict[str, frozenset[int]]:
        """Return the positions of the keys of versioned predicates; the loop over epochs refuses what breaks them."""
        keys = {p: frozenset(key) for p, key in self.ready.keys.items() if p in self.ready.versioned}
        return {ROWS: frozenset({1}), **keys}

    def _declare(self, signatures: Signatures) -> None:
        declared = {a.text(0) or "": column_types(a) for a in self.ready.program.directives("input")}
        declared.setdefault("Val", (None, None, None, ANY))
        known = arities(self.ready.program)
        for predicate, data in self.inputs.items():
            types: Sequence[Type | None] = declared.get(predicate, ())
            if isinstance(data, InputTable):
                physical = [data.relation.column(name).physical for name in data.columns]
                positions = given.positions_of_relation(data.relation, physical, types)
                names = data.columns
            else:
                positions, names = given.positions_of_rows(predicate, data, types), ()
            wanted = known.get(predicate, len(positions))
            if len(positions) != wanted and (isinstance(data, InputTable) or data):
                raise InputError(
                    f"{counted(len(positions), 'column')} for {predicate}, "
                    f"which has {counted(wanted, 'argument')} in the rules",
                    where=f"input of {predicate}",
                    do=f'name the columns that you mean: @input("{predicate}", ["...", ...])',
                )
            if not positions and not isinstance(data, InputTable):
                continue
            if predicate not in known and self.data is not None:
                continue
            signatures.declare(predicate, positions, tuple(names))
        if self.data is not None and ROWS in known:
            declare_rows(signatures, self.data, self.ready.program)
        for fact in self.ready.program.facts:
            positions = given.positions_of_fact(self.engine, fact)
            types = declared.get(fact.atom.predicate, ())
            known_types = [
                type(p)(types[i] or p.type, p.is_nullable) if i < len(types) and types[i] == ANY else p
                for i, p in enumerate(positions)
            ]
            signatures.learn(fact.atom, known_types)

    def _name_arguments(self, run: Run) -> None:
        for predicate, names in argument_names(self.ready.program).items():
            layout = run.layouts.get(predicate)
            if layout is not None and len(names) == len(layout.positions):
                run.layouts[predicate] = FactLayout(predicate, layout.table, layout.positions, names)

    def _fill(self, run: Run) -> None:
        run.nulls = max(run.nulls, given.largest_label(self.inputs.values()))
        if self.data is not None and ROWS in run.layouts:
            fill_rows(run, self.data)
        facts: dict[str, list[Any]] = {}
        for fact in self.ready.program.facts:
            facts.setdefault(fact.atom.predicate, []).append(fact)
        for predicate in dict.fromkeys((*self.inputs, *facts)):
            layout = run.layouts.get(predicate)
            if layout is None:
                continue
            selects = given.facts_select(run, layout, facts.get(predicate, []))
            data = self.inputs.get(predicate)
            if isinstance(data, InputTable):
                physical = [data.relation.column(name).physical for name in data.columns]
                selects.append(given.relation_select(run, layout, data.relation, physical))
            elif data:
                selects.append(given.load_rows(run, layout, data))
            if selects:
                given.fill(run, layout, selects)

    def _quarantine(self, run: Run, derivations: Iterable[RuleDerivation]) -> None:
        """Find what denials want in quarantine, all of them among the same facts, and put it there."""
        for _, body, number in self._denied(run, derivations, {Policy.QUARANTINE}):
            if number:
                quarantine(run, body)
        isolate(run)

    def _deny(self, run: Run, derivations: Iterable[RuleDerivation]) -> None:
        """Find what breaks the other denials, and stop if one of them says so."""
        for derivation, _, number in self._denied(run, derivations, {Policy.ASK, Policy.FAIL}):
            if number and policy_of(derivation.rule, run.policy or Policy.FAIL) is Policy.FAIL:
                raise ReasoningError(
                    f"{_said(derivation)}: {counted(number, 'case')} (rule {derivation.rule.name})",
                    where=str(derivation.rule.origin),
                    do='correct the facts, or set @on_violation("ask") on the rule to have the cases reported',
                )

    def _denied(
        self, run: Run, derivations: Iterable[RuleDerivation], policies: Collection[Policy]
    ) -> Iterator[tuple[RuleDerivation, Body, int]]:
        """Yield the denials of some policies, with the number of their violations, which are recorded."""
        for derivation in derivations:
            policy = policy_of(derivation.rule, run.policy or Policy.FAIL)
            if not is_denial(derivation.rule) or derivation.is_empty or policy not in policies:
                continue
            run.prepare(derivation)
            body = derivation.bound()
            matches = [
                Violation(derivation.rule.name, _said(derivation), match.values, None, policy, match.facts)
                for match in body_matches(run, derivation, body)
            ]
            run.violations += matches
            yield derivation, body, len(matches)


def _said(derivation: RuleDerivation) -> str:
    denial = next(item for item in derivation.rule.head if isinstance(item, Denial))
    return denial.text or "this must not be"


def _count(run: Run, table: str) -> int:
    return int(run.engine.run(exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(table))[0]["n"])
