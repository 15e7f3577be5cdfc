"""The cycle as a program that a user can read, change and run: rules in, an outcome like that of the kernels out.

A program concludes ``TupleA(M, I, VSet)`` for each record that may be released and ``TooRisky(M, I)`` for each that
could not be made safe, and makes new versions of ``Tuple(M, I, VSet)`` on the way, as the shipped ``cycle`` does. What
it says is not taken on trust: the measure that it uses is asked again of what came out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from tacita.cycle.decisions import Decisions
from tacita.cycle.missing import with_missing_settled
from tacita.cycle.notes import stuck_records
from tacita.cycle.outcome import Claim, Outcome, State, Stuck
from tacita.cycle.plan import Plan
from tacita.cycle.plan_words import parameters_of, source_or_name
from tacita.cycle.program.history import TOO_RISKY, TUPLE, Rounds, decisions, is_changed, versions
from tacita.cycle.program.measure import Asked
from tacita.cycle.program.values import HIERARCHY, hierarchy_facts, with_values
from tacita.cycle.state import MeasuredSample, measured
from tacita.engines.context import Context
from tacita.engines.protocol import Relation
from tacita.errors import RuleError, UsageError, counted, listed
from tacita.knowledge.programs import ProgramText
from tacita.model.decision import EVERY_RECORD
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.reasoning.conclusions import ProgramResult
from tacita.reasoning.run import Job
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.frequencies import has_nulls
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.sample import Sample
from tacita.rules.typed_parameters import check_parameters
from tacita.utility.recoding import NullLoss

RELEASED, REL = "TupleA", "rel"


def anonymize_by_rules(
    microdata: Microdata,
    program: str | Path = "cycle",
    *,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Outcome:
    """Run a cycle that is written as rules, and return what came of it.

    `program` is a file, the text of a program, or the name of one that ships with Tacita. `inputs` are further facts by
    predicate (files, data frames, lists of tuples), `parameters` those of the program and its modules. Hierarchies of
    the data are given to programs that recode, unless the inputs do.

    >>> import tacita as tc
    >>> outcome = anonymize_by_rules(tc.sample("figure-5").microdata, "cycle")
    >>> print(outcome.verdict, outcome.nulls)
    Safe: 3 records were unsafe, none is now. 3
    >>> print(next(iter(outcome.decisions)))
    step 1: Sector of tuple 1 suppressed by 'local_suppression [2]': risk 1 -> 0
    """
    return _Ruled(microdata, ProgramText.of(program), dict(inputs or {}), dict(parameters or {})).run(progress)


@dataclass(slots=True)
class _Ruled:
    """One run of a cycle written as rules."""

    original: Microdata
    program: ProgramText
    inputs: dict[str, Any]
    parameters: dict[str, Any]

    def run(self, progress: Progress) -> Outcome:
        names = self.original.dictionary.quasi_identifiers
        self.original = with_missing_settled(self.original, names, self.original.dictionary.missing_as)
        microdata = self._countable()
        rounds = Rounds()
        relation = microdata.relation
        job = Job(
            self.program,
            {**self._hierarchies(), **self.inputs},
            {},
            self.parameters,
            data=microdata,
            watching=rounds,
        ).checked()
        check_parameters(job.parameters, job.known_parameters, self.program.source)
        result = job.run(Context.of(relation.engine, progress))
        try:
            self._check(result)
            return self._outcome(microdata, result, rounds, progress)
        finally:
            history = result.reasoned.history
            kept = [*history.older.values(), *(c.table for c in history.changes)] if history is not None else []
            for table in (*(layout.table for layout in result.reasoned.run.layouts.values()), *kept):
                relation.engine.forget(table)

    # -- before --------------------------------------------------------------------------------------------------------

    def _countable(self) -> Microdata:
        """Return microdata whose missing values are unknown: suppressed cells will be empty too."""
        dictionary = self.original.dictionary
        if dictionary.missing_as is MissingAs.UNKNOWN:
            return self.original
        as_category = dictionary.missing_as is MissingAs.CATEGORY
        if as_category and dictionary.quasi_identifiers and has_nulls(Sample.of(self.original)):
            raise UsageError(
                "missing values count as a category, but suppressed cells will be empty too",
                where=f"'{self.original.name}'",
                do="write missing values as a label of their own, or count them as unknown (--missing-as unknown)",
            )
        return replace(self.original, dictionary=replace(dictionary, missing_as=MissingAs.UNKNOWN))

    def _hierarchies(self) -> dict[str, Any]:
        """Return the hierarchies of the data as facts, if the program reads such facts and nobody gives them."""
        job = Job(self.program, {**dict.fromkeys(HIERARCHY, ()), **self.inputs}, {}, self.parameters)
        job.data = self.original
        wanted = {a.text(0) for a in job.prepared().program.directives("input")}
        if not wanted & set(HIERARCHY) or set(self.inputs) & set(HIERARCHY):
            return {}
        return {predicate: rows for predicate, rows in hierarchy_facts(self.original).items() if predicate in wanted}

    def _check(self, result: ProgramResult) -> None:
        """Raise if the program is no cycle over these tuples."""
        declared = result.reasoned.run.layouts
        missing = [name for name in (TUPLE, RELEASED) if name not in declared]
        if missing or result.reasoned.history is None:
            raise RuleError(
                f"the program concludes nothing for {listed(missing or [f'new versions of {TUPLE}'])}",
                where=self.program.source,
                do='a cycle makes versions of Tuple and concludes TupleA; begin with @use("cycle")',
            )
        if result.violations:
            first = result.violations[0]
            raise RuleError(
                f"rule {first.rule} refuses the data: {first.text}", where=self.program.source, do="see the rule"
            )

    # -- after ---------------------------------------------------------------------------------------------------------

    def _outcome(self, microdata: Microdata, result: ProgramResult, rounds: Rounds, progress: Progress) -> Outcome:
        history = versions(result.reasoned)
        decided = decisions(result.reasoned, rounds, history, self.program.source)
        released = {record: dict(values.items) for _, record, values in result.facts(RELEASED)}
        cells: dict[str, dict[int, Any]] = {}
        for record, all_versions in history.items():
            first, last = all_versions[0].values, all_versions[-1].values
            if record in released and any(is_changed(last.get(n), v) for n, v in released[record].items()):
                raise RuleError(
                    f"{RELEASED} holds a record that is not the newest version of {TUPLE}",
                    where=self.program.source,
                    do=f"change records by new versions of {TUPLE}, so that each change has its rule",
                )
            for name in last:
                if is_changed(first.get(name), last[name]):
                    cells.setdefault(name, {})[record] = last[name]
        protected = with_values(microdata, cells)
        question = Asked(self.program, result.reasoned.prepared, self.parameters)
        known = question.known(microdata.dictionary.quasi_identifiers)
        single = question.measure()
        links = self._links(result, microdata) if question.is_of_clusters else None
        deciding = single if single is None or links is None else ClusterRisk(single, links, question.word)
        k = single.k if isinstance(single, KAnonymity) else None
        before, now = self._states(microdata, protected, deciding, k, known, rounds, progress)
        after = now.state if isinstance(now, MeasuredSample) else now
        too_risky = sorted(record for _, record in result.facts(TOO_RISKY)) if TOO_RISKY in result.predicates else []
        stuck = self._stuck(too_risky, now, single, known, rounds)
        after = replace(after, unsafe=max(after.unsafe, len(too_risky)))
        log = Decisions.of(decided)
        records = microdata.relation.count()
        nulls = sum(suppressed for suppressed, _ in log.per_attribute().values())
        after = replace(after, has_nulls=after.has_nulls or nulls > 0)
        loss = NullLoss(nulls, before.unsafe, max(len(known), 1), records)
        return Outcome(
            self.original,
            protected,
            self._claim(single, question.threshold, known, microdata, question.word if links is not None else None),
            self._settings(single, known, question.linking if links is not None else None),
            log,
            before,
            after,
            stuck,
            {d.attribute: d.to_level for d in decided if d.tuple_id == EVERY_RECORD and d.to_level is not None},
            {"nulls of the risky records' cells": loss.of_risky, "nulls of all known cells": loss.of_all},
            [*result.notes, *self._doubt(after, too_risky)],
            self._why_not(released, records, too_risky),
            links=links,
        )

    def _states(
        self,
        microdata: Microdata,
        protected: Microdata,
        measure: Measure | None,
        k: int | None,
        known: tuple[str, ...],
        rounds: Rounds,
        progress: Progress,
    ) -> tuple[State, MeasuredSample | State]:
        """Return the risk before and after: as the measure finds it, or in the program's own words."""
        if measure is None:
            first, last = (
                State(len(rounds.unsafe[at]), None, max(rounds.risks[at].values(), default=0.0)) for at in (0, -1)
            )
            return first, last
        nulls = Nulls(microdata.dictionary.missing_as)
        sample = Sample(microdata, known, nulls)
        if lacking := measure.lacks(sample):
            raise UsageError(f"{measure.name} cannot be measured: {'; '.join(lacking)}", where=self.program.source)
        before = measured(sample, measure, k, progress)
        return before.state, measured(Sample(protected, known, nulls), measure, k, progress)

    def _stuck(
        self,
        too_risky: list[int],
        now: MeasuredSample | State,
        measure: Measure | None,
        known: tuple[str, ...],
        rounds: Rounds,
    ) -> tuple[Stuck, ...]:
        records: dict[int, Stuck] = {}
        if isinstance(now, MeasuredSample) and measure is not None and now.state.unsafe:
            records = {stuck.row: stuck for stuck in stuck_records(now, Plan(measure, known))}
        for row in too_risky:
            risk = rounds.risk(len(rounds.risks), row)
            higher = (f"raise the threshold to {risk:.4g}",) if risk < 1 else ()
            records.setdefault(row, Stuck(row, risk, (*higher, "leave the record out of the release")))
        return tuple(records[row] for row in sorted(records))

    def _links(self, result: ProgramResult, microdata: Microdata) -> Relation:
        """Return who belongs together, as the program concludes it."""
        import pyarrow as pa

        relation = microdata.relation
        pairs = [tuple(map(str, pair)) for pair in result.facts(REL)] if REL in result.predicates else []
        one, other = ([pair[end] for pair in pairs] for end in (0, 1))
        batch = pa.RecordBatch.from_pydict({"one": pa.array(one, pa.string()), "other": pa.array(other, pa.string())})
        return relation.engine.adopt([batch], batch.schema)

    def _why_not(self, released: Mapping[int, Any], records: int, too_risky: list[int]) -> str:
        if not records:
            return "there are no records"
        if too_risky or len(released) == records:
            return ""
        return f"the program lets only {len(released):,} of {counted(records, 'record')} go"

    def _doubt(self, after: State, too_risky: list[int]) -> list[str]:
        if after.unsafe <= len(too_risky):
            return []
        more = counted(after.unsafe - len(too_risky), "record")
        return [f"the program finds {more} safe that its own measure does not"]

    def _claim(
        self,
        measure: Measure | None,
        threshold: float,
        known: tuple[str, ...],
        microdata: Microdata,
        related: str | None,
    ) -> Claim:
        nulls = Nulls(microdata.dictionary.missing_as)
        how = {f.name: getattr(nulls, f.name) for f in fields(nulls)}
        words = {name: str(value) if isinstance(value, str) else value for name, value in how.items()}
        if measure is None:
            own = {name: value for name, value in self.parameters.items() if name != "AnonSet"}
            return Claim(self.program.source, {**own, "threshold": threshold}, known, words, None, related)
        return Claim(source_or_name(measure), parameters_of(measure), known, words, None, related)

    def _settings(self, measure: Measure | None, known: tuple[str, ...], related: str | None) -> dict[str, Any]:
        return {
            "program": self.program.source,
            "inputs": {
                name: str(given) if isinstance(given, str | Path) else "facts" for name, given in self.inputs.items()
            },
            "program_parameters": dict(self.parameters),
            "measure": measure.name if measure is not None else self.program.source,
            "parameters": parameters_of(measure) if measure is not None else {},
            "known": list(known),
            "nulls": str(Nulls(MissingAs.UNKNOWN)),
            "links": [related] if related else [],
            "related": related,
        }
