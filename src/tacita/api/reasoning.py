"""Reasoning: a program and its data in, conclusions out.

>>> import tacita as tc
>>> conclusions = tc.reason('Own(X, Y, W), W > 0.5 -> Control(X, Y).', {"Own": [("a", "b", 0.6), ("b", "c", 0.4)]})
>>> conclusions["Control"]
[('a', 'b')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from tacita.api.dataset import Dataset
from tacita.engines.context import EngineName
from tacita.engines.protocol import Engine
from tacita.files.atomic import check_target
from tacita.progress import Progress
from tacita.reasoning import run
from tacita.reasoning.conclusions import ProgramResult, ReasoningReport
from tacita.reasoning.request import ReasoningRequest, ReportOptions
from tacita.rules.passes.externals import Functions
from tacita.rules.reasoner.similar import Similarity
from tacita.rules.typed_parameters import parsed_parameters
from tacita.settings import Settings

__all__ = [
    "Conclusions",
    "ReasoningReport",
    "ReasoningRequest",
    "ReportOptions",
    "parsed_parameters",
    "reason",
    "reasoning_report",
]


@dataclass(slots=True, repr=False)
class Conclusions(ProgramResult):
    """What follows from a program and its inputs, with the facts of a predicate as a data set."""

    def dataset(self, predicate: str) -> Dataset:
        """Return the facts of a predicate as a data set: arguments are attributes, labelled nulls missing values."""
        return Dataset(self.microdata(predicate))


class ReasoningKeywords(TypedDict, total=False):
    """The fields of a request, as keywords of `tacita.reason`; memory, threads and spill are settings."""

    outputs: Mapping[str, str | Path] | None
    parameters: Mapping[str, Any] | None
    functions: Functions | None
    similarity: Similarity | None
    max_rounds: int | None
    memory: str | None
    threads: int | None
    spill: Path | None
    engine: EngineName | Engine
    force: bool
    no_header: bool
    progress: Progress


def reason(
    program: str | Path,
    inputs: Mapping[str, Any] | None = None,
    request: ReasoningRequest | None = None,
    *,
    data: Dataset | str | Path | None = None,
    **options: Unpack[ReasoningKeywords],
) -> Conclusions:
    """Run a program over its inputs until nothing new follows.

    `program` is a file, the text of a program, or the name of one that ships with Tacita. `inputs` are files, database
    URLs, data frames, data sets or lists of tuples, by predicate; ``@bind`` in the program gives those that are left
    out. `data` is microdata whose dictionary and values the program reads as ``MicroDB``, ``Att``, ``Cat`` and ``Val``.
    What else can be asked for is in `ReasoningRequest`; keywords go before the request.
    """
    changes: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    machine = {name: changes.pop(name) for name in ("memory", "threads", "spill") if name in changes}
    if request is None:
        request = ReasoningRequest(settings=Settings.from_environment(**machine))
    elif machine:
        changes["settings"] = request.settings.with_(**machine)
    inputs = request.inputs if inputs is None else inputs
    changes["inputs"] = {predicate: _microdata(given) for predicate, given in inputs.items()}
    changes["data"] = request.data if data is None else _microdata(data)
    result = run.reason(program, replace(request, **changes))
    return Conclusions(*(getattr(result, field.name) for field in fields(ProgramResult)))


def reasoning_report(
    program: str | Path, request: ReasoningRequest | None = None, options: ReportOptions | None = None
) -> ReasoningReport:
    """Run a program and return what is told of it: facts, proofs of some, why others do not hold; draw the first proof.

    Whether a picture can be written is seen before the program runs. The facts live until ``report.conclusions`` is
    closed.
    """
    request, options = request or ReasoningRequest(), options or ReportOptions()
    if options.graph is not None:
        check_target(options.graph, force=request.force)
    conclusions = reason(program, request=request)
    try:
        report = conclusions.report(options)
        report.draw(force=request.force)
    except BaseException:
        conclusions.close()
        raise
    return report


def _microdata(given: Any) -> Any:
    return given.microdata if isinstance(given, Dataset) else given
