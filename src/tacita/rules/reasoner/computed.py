"""Predicates that a function of the caller's computes: asked once for every new input, answers become facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.errors import ReasoningError
from tacita.rules.logic.types import RecordType, RowType, Scalar
from tacita.rules.passes.externals import Batch, inputs_of
from tacita.rules.reasoner.inputs import load_rows
from tacita.rules.reasoner.plans.cells import ascending, everything, named
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout
from tacita.rules.reasoner.plans.tables import columns, new_facts
from tacita.rules.reasoner.values import decoded

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run


class ComputedPredicate:
    """One external predicate behind a function."""

    def __init__(self, run: Run, derivation: RuleDerivation, name: str, function: Callable[..., Any] | Batch) -> None:
        self._run, self._derivation, self._name, self._function = run, derivation, name, function
        self._since = -1

    def reset(self) -> None:
        """Ask about everything again: the facts have changed."""
        self._since = -1

    def ask(self) -> int:
        """Ask the function about every input that is new; return how many facts that gave."""
        run = self._run
        source = run.layouts[self._derivation.atoms[0].predicate]
        layout = run.layouts[self._derivation.heads[0].predicate]
        self._check(source)
        recent = exp.GT(this=exp.column(ROUND), expression=exp.Literal.number(self._since))
        names = columns(source)
        plan = (
            exp.select(*names).from_(named(source.table)).where(recent).order_by(*(ascending(n.copy()) for n in names))
        )
        cells = source.cells("t")
        inputs = [tuple(decoded(cell, row) for cell in cells) for row in run.engine.run(plan)]
        self._since = run.round
        if not inputs:
            return 0
        rows = self._answers(inputs, len(layout.positions))
        if not rows:
            return 0
        select = load_rows(
            run,
            layout,
            rows,
            where=f"answers of the function behind #{self._name}",
            row_is="answer",
            do="return numbers, texts, booleans or dates, several as a tuple; None alone if there is no such fact",
        )
        run.engine.replace(f"{layout.table}_n", new_facts(select, layout, run.next_round([self._derivation])))
        return run.engine.append(layout.table, everything(f"{layout.table}_n"))

    def _check(self, source: FactLayout) -> None:
        """Raise if the function would be asked about anything but single values."""
        for number, position in enumerate(source.positions, 1):
            if not isinstance(position.type, Scalar):
                kind = "record" if isinstance(position.type, RecordType | RowType) else str(position.type)
                raise ReasoningError(
                    f"argument {number} of #{self._name} is a {kind}: functions take single values",
                    where=str(self._derivation.rule.origin),
                    do="give it numbers, texts, booleans or dates: size(S) of a set, V[A] of a record",
                )

    def _answers(self, questions: list[tuple[Any, ...]], arity: int) -> list[tuple[Any, ...]]:
        failed = ""
        rows: list[tuple[Any, ...]] = []
        try:
            if isinstance(self._function, Batch):
                rows = [tuple(row) for row in self._function.function(questions)]
            else:
                taken = inputs_of(self._function)
                for inputs in questions:
                    answer = self._function(*inputs[:taken])
                    if answer is not None:
                        rows.append((*inputs, *(answer if isinstance(answer, tuple) else (answer,))))
        except Exception as error:  # whatever the caller's function raises; its text may hold values
            failed = type(error).__name__
        if failed:
            raise ReasoningError(
                f"the function behind #{self._name} raised {failed}", do="mend the function; call it alone to see why"
            )
        wrong = next((row for row in rows if len(row) != arity), None)
        if wrong is not None:
            raise ReasoningError(
                f"the function behind #{self._name} gave {len(wrong)} values for a fact of {arity}",
                do=f"return what stands behind the inputs in #{self._name}(...)",
            )
        return rows
