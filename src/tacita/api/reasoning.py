"""Reasoning: a program and its data in, conclusions out.

>>> import tacita as tc
>>> conclusions = tc.reason('Own(X, Y, W), W > 0.5 -> Control(X, Y).', {"Own": [("a", "b", 0.6), ("b", "c", 0.4)]})
>>> conclusions["Control"]
[('a', 'b')]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tacita.api.dataset import Dataset
from tacita.forms import split_binding
from tacita.reasoning import run
from tacita.reasoning.conclusions import SHOWN, ProgramResult, ReasoningReport, check_graph
from tacita.rules.typed_parameters import parsed_parameters

__all__ = [
    "Conclusions",
    "ReasoningReport",
    "parsed_parameters",
    "reason",
    "reasoning_report",
    "split_binding",
]


@dataclass(slots=True, repr=False)
class Conclusions(ProgramResult):
    """What follows from a program and its inputs, with the facts of a predicate as a data set."""

    def dataset(self, predicate: str) -> Dataset:
        """Return the facts of a predicate as a data set: arguments are attributes, labelled nulls missing values."""
        return Dataset(self.microdata(predicate))


def reason(
    program: str | Path,
    inputs: Mapping[str, Any] | None = None,
    *,
    data: Dataset | str | Path | None = None,
    **options: Any,
) -> Conclusions:
    """Run a program over its inputs until nothing new follows.

    `program` is a file, the text of a program, or the name of one that ships with Tacita. `inputs` are files, database
    URLs, data frames, data sets or lists of tuples, by predicate. `data` is microdata whose dictionary and values the
    program reads as ``MicroDB``, ``Att``, ``Cat`` and ``Val``. `options` are those of
    `reasoning.run.reason`.
    """
    result = run.reason(
        program,
        {predicate: _microdata(given) for predicate, given in (inputs or {}).items()},
        data=_microdata(data),
        **options,
    )
    return Conclusions(*(getattr(result, field.name) for field in fields(ProgramResult)))


def reasoning_report(
    program: str | Path,
    inputs: Mapping[str, Any] | None = None,
    *,
    show: int = SHOWN,
    why: Sequence[str] = (),
    why_not: Sequence[str] = (),
    graph: Path | None = None,
    force: bool = False,
    **options: Any,
) -> ReasoningReport:
    """Run a program and return what is told of it: facts, proofs of some, why others do not hold; draw the first proof.

    Everything that can be wrong with a picture is said before the program runs. The facts live until
    ``report.conclusions`` is closed.
    """
    check_graph(graph, why, force=force)
    conclusions = reason(program, inputs, force=force, **options)
    try:
        report = conclusions.report(show=show, why=why, why_not=why_not, graph=graph)
        report.draw(force=force)
    except BaseException:
        conclusions.close()
        raise
    return report


def _microdata(given: Any) -> Any:
    return given.microdata if isinstance(given, Dataset) else given
