"""Why a fact does not hold: the rule that comes nearest to it, and the first of its conditions that failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.errors import counted
from tacita.model.result import Result
from tacita.rules.logic.types import INTEGER
from tacita.rules.proofs.finding.attempts import Attempt
from tacita.rules.proofs.finding.follower import Follower
from tacita.rules.proofs.finding.question import FactQuestion, first_fact, first_with, question_text
from tacita.rules.proofs.finding.rules import ProofContext
from tacita.rules.proofs.finding.trail import read
from tacita.rules.proofs.tree import GroundFact
from tacita.rules.reasoner.plans.bodies import moved
from tacita.rules.reasoner.plans.cells import Cell, named
from tacita.rules.reasoner.plans.layout import sql_type
from tacita.rules.reasoner.plans.terms import CompiledTerms

HOLDS, GIVEN, SUPERSEDED, UNDERIVED = "holds", "given", "superseded", "underived"


@dataclass(frozen=True, repr=False)
class WhyNot(Result):
    """Why a fact does not hold."""

    fact: str
    """As it was asked about."""
    verdict: str
    """``holds`` after all; ``given``, for no rule derives its predicate; ``superseded`` by a newer version; or
    ``underived``."""
    predicate: str
    attempts: tuple[Attempt, ...] = ()
    """How far each rule goes, the nearest first."""
    near: tuple[GroundFact, ...] = ()
    """The fact that holds after all; the one that held once and what took its place; or facts that are like it."""

    @property
    def nearest(self) -> Attempt | None:
        """The rule that comes nearest."""
        return self.attempts[0] if self.attempts else None

    def _in_short(self) -> str:
        return f"{self.predicate}: {self.verdict}, {counted(len(self.attempts), 'rule')} tried"

    def as_text(self, width: int = 100) -> str:
        """Return it as lines for a terminal."""
        return self.to_text(width)

    def as_sentences(self) -> str:
        """Return it in a sentence or two."""
        return str(self._form("as_sentences"))

    def as_json(self) -> dict[str, Any]:
        """Return it as values that `json` can write."""
        return self.to_dict()

    def __str__(self) -> str:
        return self.as_text()


def explain_absence(context: ProofContext, question: FactQuestion) -> WhyNot:
    """Return why what was asked about does not hold."""
    predicate, text = question.atom.predicate, question_text(question.atom)
    fact_and_round = first_fact(context, question)
    if fact_and_round is not None:
        return WhyNot(text, HOLDS, predicate, near=(fact_and_round[0],))
    history = context.result.history
    attempts = [
        Follower(context, derivation, atom, question).attempt()
        for derivation in context.result.derivations
        for atom in derivation.heads
        if atom.predicate == predicate
    ]
    attempts.sort(key=lambda a: (-a.satisfied, a.steps - a.satisfied))
    if history is not None and predicate in history.older:
        older = first_fact(context, question, history.older[predicate])
        if older is not None:
            return WhyNot(text, SUPERSEDED, predicate, near=(older[0], *_newest(context, older[0])))
    if not attempts:
        return WhyNot(text, GIVEN, predicate, near=_alike(context, question))
    return WhyNot(text, UNDERIVED, predicate, tuple(attempts))


def _newest(context: ProofContext, older: GroundFact) -> tuple[GroundFact, ...]:
    """Return the fact that took the place of an older one."""
    prepared, predicate = context.result.prepared, older.predicate
    values = {position: older.values[position] for position in prepared.keys[predicate]}
    newest = first_with(context, predicate, values)
    return () if newest is None else (newest[0],)


def _alike(context: ProofContext, question: FactQuestion, most: int = 3) -> tuple[GroundFact, ...]:
    """Return facts that agree with what was asked about in the most arguments."""
    layout, terms = context.layouts[question.atom.predicate], CompiledTerms(context.engine)
    cells = layout.cells("t")
    agree: list[exp.Expr] = []
    for position, cell in enumerate(cells):
        wanted = question.cell(terms, position, cell.type)
        if wanted is not None:
            hit = exp.If(this=terms.matching(cell, wanted), true=exp.Literal.number(1))
            agree.append(exp.Case(ifs=[hit], default=exp.Literal.number(0)))
    if not agree:
        return ()
    total = agree[0]
    for one in agree[1:]:
        total = exp.Add(this=total, expression=one)
    score = Cell(INTEGER, exp.Cast(this=exp.paren(total), to=sql_type(INTEGER)))
    columns, moved_cells = moved([score, *cells], "m")
    query = exp.Select(expressions=columns).from_(named(layout.table, "t"))
    some = exp.GT(this=exp.column(columns[0].alias), expression=exp.Literal.number(0))
    order = [exp.Ordered(this=exp.column(columns[0].alias), desc=True)]
    order += [exp.Ordered(this=exp.column(column.alias)) for column in columns[1:]]
    plan = exp.Select(expressions=[exp.Star()]).from_(query.subquery("m")).where(some).order_by(*order).limit(most)
    rows = read(context.engine, plan, {str(i): cell for i, cell in enumerate(moved_cells)})
    return tuple(GroundFact(layout.predicate, tuple(row.values())[1:]) for row in rows)
