"""Run a program: facts in, facts out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from tests.oracles.rules.chase import Chase, Nulls, Versions
from tests.oracles.rules.clauses import body_predicates, clauses
from tests.oracles.rules.expressions import Expressions, Similarity
from tests.oracles.rules.matching import Database, add, unwrapped
from tests.oracles.rules.strata import stratified
from tests.oracles.rules.values import Key, Null, Row, Value, from_python, parts, row_key
from tests.oracles.rules.versions import last_epoch, version_keys, version_rules
from tests.oracles.rules.violations import Violation, refuse, violations

from tacita.errors import RuleError
from tacita.rules.logic.program import Program
from tacita.rules.logic.terms import Blank, Term, variables


@dataclass(frozen=True, slots=True)
class Result:
    """What follows: the facts of every predicate that the program names, and what broke its rules."""

    facts: dict[str, set[Row]]
    violations: list[Violation]
    quarantined: dict[str, set[Row]] = field(default_factory=dict)
    epochs: int = 0
    """How often a version rule fired before nothing changed."""


def interpret(
    program: Program,
    inputs: Mapping[str, Iterable[tuple[object, ...]]],
    *,
    parameters: Mapping[str, object] | None = None,
    similarity: Similarity | None = None,
    limit: int = 5_000,
) -> Result:
    """Return everything that follows from a program and its inputs.

    Modules must be linked and external predicates resolved. None and NaN in an input are fresh nulls. `limit` bounds
    the facts, the labelled nulls, the rounds and the epochs, each on its own.

    >>> from tacita.rules.logic.program import Rule
    >>> from tacita.rules.logic.terms import Atom, Variable
    >>> x, y, z = map(Variable, "XYZ")
    >>> step = Rule((Atom("Edge", (x, y)),), (Atom("Path", (x, y)),))
    >>> further = Rule((Atom("Path", (x, y)), Atom("Edge", (y, z))), (Atom("Path", (x, z)),))
    >>> sorted(interpret(Program((step, further)), {"Edge": [(1, 2), (2, 3)]}).facts["Path"])
    [(1, 2), (1, 3), (2, 3)]
    """
    expressions = Expressions(similarity)
    rows = {predicate: list(several) for predicate, several in inputs.items()}
    ready = clauses(program, parameters)
    keys = version_keys(program, ready)
    held_back = version_rules(ready, list(keys))
    running = [clause for clause in ready if clause not in held_back]
    derived = {atom.predicate for clause in ready for atom in clause.head}
    default = next(program.directives("on_violation"), None)
    reported: dict[Violation, None] = {}
    banned: dict[str, set[Key]] = {}
    more = True
    while more:
        nulls = Nulls(limit)
        given = _given(program, rows, expressions, nulls)
        chase = Chase(running, stratified(running), expressions, nulls, limit, Versions(keys), banned)
        facts, epochs = last_epoch(chase, held_back, given)
        found = violations(running, facts, expressions, default.text(0) if default is not None else None)
        reported.update((violation, None) for violation in found if violation.policy == "quarantine")
        more = not keys and _ban(found, derived, banned)
    found = [*reported, *(violation for violation in found if violation.policy != "quarantine")]
    refuse(found)

    known = {name for c in ready for name, _ in body_predicates(c)} | {a.predicate for c in ready for a in c.head}
    everything = {name: set(facts.get(name, {}).values()) for name in known | facts.keys()}
    apart: dict[str, set[Row]] = {}
    for violation in found:
        if violation.policy == "quarantine":
            for predicate, row in violation.facts:
                apart.setdefault(predicate, set()).add(row)
    return Result({name: rows - apart.get(name, set()) for name, rows in everything.items()}, found, apart, epochs)


def _ban(found: Iterable[Violation], derived: Collection[str], banned: dict[str, set[Key]]) -> bool:
    """Keep what is in quarantine out of a further pass; return whether any of it is new.

    A derived fact with a null is not kept out: the null means something else in another pass.
    """
    more = False
    for violation in found:
        for predicate, row in violation.facts if violation.policy == "quarantine" else ():
            has_null = any(isinstance(part, Null) for value in row for part in parts(value))
            if row_key(row) not in banned.get(predicate, ()) and not (has_null and predicate in derived):
                banned.setdefault(predicate, set()).add(row_key(row))
                more = True
    return more


def _given(
    program: Program, inputs: Mapping[str, Iterable[tuple[object, ...]]], expressions: Expressions, nulls: Nulls
) -> Database:
    """Return the facts that the program states, then those of the inputs, in order."""
    rows = {predicate: list(several) for predicate, several in inputs.items()}
    used = [value.number for several in rows.values() for row in several for value in row if isinstance(value, Null)]
    nulls.last = max(used, default=0)
    facts: Database = {}
    for fact in program.facts:
        if fact.atom.is_external or variables(fact.atom):
            raise RuleError(f"a fact of {fact.atom.predicate} is not ground")
        terms = map(unwrapped, fact.atom.arguments)
        add(facts, fact.atom.predicate, tuple(_fact_value(term, expressions, nulls) for term in terms))
    for predicate, several in rows.items():
        for row in several:
            add(facts, predicate, tuple(from_python(value, nulls.fresh) for value in row))
    return facts


def _fact_value(term: Term, expressions: Expressions, nulls: Nulls) -> Value:
    return nulls.fresh() if isinstance(term, Blank) else expressions.value(term, {})
