"""Reasoning from Python: a program and its data in, conclusions out.

>>> import tacita as tc
>>> conclusions = tc.reason('Own(X, Y, W), W > 0.5 -> Control(X, Y).', {"Own": [("a", "b", 0.6), ("b", "c", 0.4)]})
>>> conclusions["Control"]
[('a', 'b')]
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacita.engines.context import Context
from tacita.errors import RuleError, UsageError, did_you_mean, listed
from tacita.knowledge.programs import ProgramText
from tacita.model.microdata import Microdata
from tacita.reasoning.bindings import FactSource, bound
from tacita.reasoning.columns import Wanted, wanted
from tacita.reasoning.conclusions import ProgramResult
from tacita.reasoning.inputs import Reader
from tacita.reasoning.outputs import check_targets
from tacita.reasoning.request import ReasoningRequest
from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.program import Annotation, Program
from tacita.rules.passes.externals import Functions
from tacita.rules.reasoner.chase.versions import Watching
from tacita.rules.reasoner.program import Budget, Prepared, ReasoningOptions, prepare
from tacita.rules.reasoner.reason import DICTIONARY
from tacita.rules.reasoner.reason import reason as reason_over
from tacita.rules.reasoner.similar import Similarity, usable
from tacita.rules.typed_parameters import check_parameters


def reason(program: str | Path, request: ReasoningRequest | None = None) -> ProgramResult:
    """Run a program over its inputs until nothing new follows.

    `program` is a file, the text of a program, or the name of one that ships with Tacita. ``@bind`` in it gives the
    inputs and outputs that the request leaves out.
    """
    request = request or ReasoningRequest()
    similarity = usable(request.similarity) if request.similarity is not None else None
    job = Job(
        ProgramText.of(program),
        dict(request.inputs),
        {predicate: Path(target) for predicate, target in request.outputs.items()},
        dict(request.parameters),
        dict(request.functions),
        request.data,
        force=request.force,
        no_header=request.no_header,
        budget=request.budget,
    ).checked()
    check_parameters(job.parameters, job.known_parameters, job.program.source)
    context = Context(request.settings, engine=request.engine, progress=request.progress)
    try:
        return job.run(context, similarity)
    except BaseException:
        with contextlib.suppress(Exception):  # what went wrong first is what a person wants to know
            context.close()
        raise


@dataclass(slots=True)
class Job:
    """A program with everything around it, on its way to conclusions."""

    program: ProgramText
    inputs: dict[str, Any]
    outputs: dict[str, Path]
    parameters: dict[str, Any] = field(default_factory=dict)
    functions: Functions = field(default_factory=dict)
    data: Microdata | str | Path | None = None
    force: bool = False
    no_header: bool = False
    budget: Budget = field(default_factory=Budget)
    watching: Watching | None = None
    linked: Program = field(init=False)
    known_parameters: frozenset[str] = field(init=False)

    def checked(self) -> Job:
        """Check the program, and everything else that can be told before data is read; return the job."""
        prepared = self.prepared()
        self.linked = prepared.program
        self.known_parameters = frozenset(
            prepared.linked.parameters | ({"AnonSet"} if self.data is not None else set())
        )
        self._bind()
        known = wanted(self.linked)
        for what, names in (("input", self.inputs), ("output", self.outputs)):
            for predicate in names:
                if predicate not in known:
                    raise UsageError(
                        f"the program has no predicate '{predicate}' for this {what}{did_you_mean(predicate, known)}",
                        do=f"use one of: {listed(list(known), 20)}",
                    )
        self._check_all_given(known)
        check_targets(self.outputs, force=self.force)
        return self

    def prepared(self) -> Prepared:
        """Link and check the program as the reasoner will do; what the data will say is taken as said."""
        has_data = self.data is not None
        parameters = {"AnonSet": [""], **self.parameters} if has_data else self.parameters
        return prepare(
            self.program.text,
            replace(self._options(), parameters=parameters),
            [*self.inputs, *(DICTIONARY if has_data else ())],
        )

    def _options(self) -> ReasoningOptions:
        return ReasoningOptions(
            parameters=self.parameters,
            functions=self.functions,
            find=self.program.find,
            known_modules=self.program.modules(),
            source=self.program.source,
            budget=self.budget,
            watching=self.watching,
        )

    def _bind(self) -> None:
        """Take over what ``@bind`` says of predicates that the caller says nothing about."""
        results = {a.text(0) for a in self.linked.directives("output")}
        seen: dict[str, Annotation] = {}
        for predicate, place, annotation in bound(self.linked, self.program.folder):
            first = seen.setdefault(predicate, annotation)
            if first is not annotation:
                raise RuleError(
                    f"{predicate} is bound already ({first.origin})",
                    where=str(annotation.origin),
                    do="bind a predicate once; a rule can put two of them together",
                )
            if predicate in results:
                if place.is_database:
                    raise UsageError("databases are not written to", where=str(annotation.origin), do="name a file")
                self.outputs.setdefault(predicate, Path(place.source))
            else:
                self.inputs.setdefault(predicate, place)

    def _check_all_given(self, known: Mapping[str, Wanted]) -> None:
        """Raise if the program declares inputs that nothing gives: without them it would find nothing, in silence."""
        given = {*self.inputs, *(f.atom.predicate for f in self.linked.facts)}
        given |= {p for rule in self.linked.rules for p in head_predicates(rule)}
        given |= set(DICTIONARY) if self.data is not None else set()
        declared = [a.text(0) or "" for a in self.linked.directives("input")]
        missing = [predicate for predicate in dict.fromkeys(declared) if predicate not in given]
        if missing:
            names = ", ".join(known[missing[0]].names) if missing[0] in known else ""
            raise UsageError(
                f"nothing is given for the input {listed(missing)}" + (f" ({names})" if names else ""),
                where=self.program.source,
                do=f'give --input {missing[0]}=FILE, or in Python inputs={{"{missing[0]}": ...}}',
            )

    def run(self, context: Context, similarity: Similarity | None = None) -> ProgramResult:
        """Read the data, reason, and write what is to be written."""
        reader = Reader(context, self.no_header)
        known = wanted(self.linked)
        facts = {predicate: reader.facts(known[predicate], given) for predicate, given in self.inputs.items()}
        reasoned = reason_over(
            self.program.text,
            facts,
            engine=context.engine,
            data=reader.microdata(self.data) if self.data is not None else None,
            options=replace(self._options(), similarity=similarity, progress=context.progress),
        )
        conclusions = ProgramResult(reasoned, context, tuple(reader.notes))
        if self.outputs:
            conclusions.notes += conclusions.write(self.outputs, force=self.force, progress=context.progress)
        return conclusions


__all__ = ["FactSource", "Job", "ProgramResult", "reason"]
