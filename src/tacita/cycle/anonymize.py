"""The cycle itself: measure, change the least, measure again, until no record is above the threshold or none can be.

Whatever a kernel promises, only the measure decides: after each pass it is run again on the changed microdata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tacita.attacks.microdata.candidates import few_candidates
from tacita.cycle.checkpoint import Checkpoint
from tacita.cycle.class_pass import RULE as CLASSES
from tacita.cycle.class_pass import class_pass
from tacita.cycle.decisions import Decisions
from tacita.cycle.household import with_households
from tacita.cycle.linked import check_linked, check_names, is_linked, with_linked
from tacita.cycle.look_alike_pass import look_alike_pass
from tacita.cycle.missing import with_missing_settled
from tacita.cycle.notes import notes_on_passes, notes_on_state, stuck_records
from tacita.cycle.outcome import Outcome, State
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.cycle.plan_forms import check_attributes
from tacita.cycle.plan_words import claim_of, settings_of
from tacita.cycle.recoding import AFTERWARDS, BY_HAND, BY_SEARCH, LOCALLY, asked_of, coded_first, codings, recoded_first
from tacita.cycle.rounds import RULE as ROUND
from tacita.cycle.rounds import drop_unneeded, round_pass
from tacita.cycle.state import MeasuredSample, measured, strict_nulls
from tacita.cycle.suppression.requirement import OfLookAlikes
from tacita.cycle.unsafe import risks_of
from tacita.engines.arrow import array
from tacita.errors import UsageError, counted
from tacita.masking.recoding.local_recoding import SUPPRESSED, locally_recoded
from tacita.model.decision import EVERY_RECORD, Decision
from tacita.model.dictionary import MissingAs
from tacita.model.figures import share
from tacita.model.microdata import Microdata
from tacita.progress import Progress, Step, silent
from tacita.risk.bounds import check_bound
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.frequencies import has_nulls
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.sample import Sample
from tacita.risk.spellings import notes_on_spellings
from tacita.risk.together import Together, parts_of
from tacita.utility.recoding import NullLoss

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST_PASSES = 200


def anonymize(
    microdata: Microdata,
    plan: Plan | None = None,
    *,
    progress: Progress = silent,
    checkpoint: Checkpoint | None = None,
) -> Outcome:
    """Change microdata as little as possible until the plan's measure finds no record above its threshold.

    Nothing is written. An outcome that is not safe says what would make it pass. With a `checkpoint` the cycle goes on
    where it was killed.

    >>> import tacita as tc
    >>> from tacita.risk.identity.k_anonymity import KAnonymity
    >>> outcome = anonymize(tc.sample("figure-5").microdata, Plan(KAnonymity(2)))
    >>> print(outcome.verdict, outcome.nulls)
    Safe: 3 records were unsafe, none is now. 3
    """
    plan = (plan or Plan()).settle(microdata)
    if plan.program is not None:
        from tacita.cycle.program.run import anonymize_by_rules

        by_rules = {"inputs": plan.inputs, "parameters": plan.parameters}
        return replace(anonymize_by_rules(microdata, plan.program, **by_rules, progress=progress), plan=plan)
    cycle = _Cycle.of(microdata, plan)
    return cycle.or_strict(cycle.run(progress, checkpoint), progress)


@dataclass(slots=True)
class _Cycle:
    """One run of the cycle."""

    original: Microdata
    plan: Plan
    known: tuple[str, ...]
    nulls: Nulls
    measure: Measure
    """The measure that decides, that of clusters if they matter."""
    decisions: list[Decision]
    levels: dict[str, int]
    asides: list[str]
    """What a steward must know of how it went."""

    @classmethod
    def of(cls, microdata: Microdata, plan: Plan) -> _Cycle:
        known = tuple(plan.known) if plan.known is not None else microdata.dictionary.quasi_identifiers
        nulls = plan.nulls_in(microdata.dictionary)
        check_names(plan, known, microdata)
        check_attributes(plan.attributes, microdata.dictionary.names)
        check_linked(plan, known, microdata)
        microdata = with_missing_settled(microdata, known, nulls.missing_as, plan.missing_label)
        if nulls.missing_as is MissingAs.EMPTY:  # there are no codes left, and whoever finds one later counts it
            nulls = replace(nulls, missing_as=MissingAs.UNKNOWN)
        return cls(microdata, plan, known, nulls, _deciding(plan), [], {}, [])

    def run(self, progress: Progress, checkpoint: Checkpoint | None) -> Outcome:
        sample = self._sample(self.original)
        self._check(sample)
        self.asides += notes_on_spellings(self.original, self.known, sample, parts_of(self.plan.measure))
        before = now = measured(sample, self.measure, self._k, progress)
        if why_not := self._hopeless(sample):
            return self._outcome(self.original, before.state, before.state, [], why_not)
        if self.plan.top or self.plan.bottom or self.plan.intervals:
            now = measured(self._sample(coded_first(self.original, self.plan)), self.measure, self._k, progress)
            self.decisions = list(codings(self.plan, before, now))
        first = recoded_first(now, self.plan, progress)
        microdata, self.levels = first.microdata, first.levels
        if first.decisions:
            now = measured(self._sample(microdata), self.measure, self._k, progress)
            self.decisions += _with_risk_after(first.decisions, now)
            self.decisions = [replace(decision, step=step) for step, decision in enumerate(self.decisions, 1)]
        recoded = len(self.decisions)
        if checkpoint is not None and (done := checkpoint.load()):
            self.decisions += done
            microdata = locally_recoded(microdata, _by_attribute(done)).microdata
            now = measured(self._sample(microdata), self.measure, self._k, progress)
        passes = int(len(self.decisions) > recoded)
        while now.state.unsafe:
            progress(Step("anonymizing", before.state.unsafe - now.state.unsafe, before.state.unsafe))
            changes = self._pass(now, progress, again=passes > 0)
            if not changes or passes == _MOST_PASSES:
                break
            decided = len(self.decisions)
            microdata = self._applied(microdata, changes)
            now = measured(self._sample(microdata), self.measure, self._k, progress)
            self.decisions[decided:] = _with_risk_after(self.decisions[decided:], now)
            passes += 1
            if checkpoint is not None and now.state.unsafe:
                checkpoint.save(self.decisions[recoded:])
        if not now.state.unsafe:
            microdata, now = self._restored(first.microdata, microdata, now, recoded, progress)
        if checkpoint is not None:
            checkpoint.forget()
        passed = notes_on_passes(self.plan, self.decisions, before.state, now.state)
        notes = [*first.notes, *now.risks.notes, *self.asides, *passed]
        after = self._attacked(first.microdata, now)
        return self._outcome(microdata, before.state, after, notes, "", now, first.loss)

    def _restored(
        self, start: Microdata, microdata: Microdata, now: MeasuredSample, recoded: int, progress: Progress
    ) -> tuple[Microdata, MeasuredSample]:
        """Take back what rounds suppressed too much; kernels have done so for what they suppressed."""
        suppressions = [decision for decision in self.decisions[recoded:] if not is_linked(decision)]
        if (
            not self.plan.take_back
            or self.plan.household
            or not any(d.rule.startswith((ROUND, CLASSES)) for d in suppressions)
        ):
            return microdata, now

        def outcome(decisions: Sequence[Decision]) -> tuple[Microdata, MeasuredSample]:
            changed = locally_recoded(start, _by_attribute(decisions)).microdata if decisions else start
            return changed, measured(self._sample(changed), self.measure, self._k)

        records = now.sample.records.count()
        kept, finished = drop_unneeded(suppressions, lambda d: not outcome(d)[1].state.unsafe, records, progress)
        if not finished:
            self.asides.append("some nulls may be unnecessary: asking the measure about each would take long")
        if len(kept) == len(suppressions):
            return microdata, now
        numbered = [replace(decision, step=recoded + i) for i, decision in enumerate(kept, 1)]
        numbered = with_linked(start, numbered, self.plan)
        microdata, now = outcome(numbered)
        self.decisions[recoded:] = _with_risk_after(numbered, now)
        return microdata, now

    def _attacked(self, start: Microdata, now: MeasuredSample) -> State:
        """Return the state at the end, with what an intruder reaches who knows the suppressed values, too."""
        import pyarrow as pa

        rows = sorted({d.tuple_id for d in self.decisions} - {EVERY_RECORD})
        only_suppressed = all(d.is_suppression for d in self.decisions if d.tuple_id != EVERY_RECORD)
        if self._k is None or now.state.unsafe or not rows or not only_suppressed:
            return now.state
        before, after = self._sample(start).records, now.sample.records
        return replace(
            now.state, few_candidates=few_candidates(before, after, self.known, array(rows, pa.int64()), self._k)
        )

    def or_strict(self, outcome: Outcome, progress: Progress) -> Outcome:
        """Return what comes of the strict meaning instead of the expected one, if that costs no more.

        What is safe strictly is safe by expectation, too, so otherwise it could need fewer nulls and leave fewer
        records that count on the nulls of others at once. The measure has the last word.
        """
        is_searched = isinstance(self.plan.measure, OfLookAlikes) and self.plan.method is ChangeMethod.SUPPRESSION
        if (
            self.nulls.semantics is not Semantics.EXPECTED
            or outcome.why_not
            or not (is_searched and outcome.before.unsafe)
        ):
            return outcome
        strict = _Cycle.of(self.original, replace(self.plan, nulls=strict_nulls(self.nulls))).run(progress, None)
        if not strict.is_safe or (outcome.is_safe and self._cost(outcome) < self._cost(strict)):
            return outcome
        now = measured(self._sample(strict.protected), self.measure, self._k, progress)
        if now.state.unsafe:
            return outcome
        after = replace(now.state, few_candidates=strict.after.few_candidates)
        note = (
            f"counted strictly, {counted(strict.nulls, 'null')} are enough instead of {outcome.nulls:,}:"
            " that suppression was taken, which satisfies both meanings"
        )
        notes = [note, *strict.notes] if outcome.nulls != strict.nulls or outcome.after.unsafe_strict else strict.notes
        return replace(
            strict, claim=outcome.claim, settings=outcome.settings, before=outcome.before, after=after, notes=notes
        )

    def _cost(self, outcome: Outcome) -> float:
        changes = outcome.decisions.per_attribute()
        return sum(self.plan.importance.get(name, 1.0) * suppressed for name, (suppressed, _) in changes.items())

    # -- one pass ------------------------------------------------------------------------------------------------------

    def _pass(self, now: MeasuredSample, progress: Progress, *, again: bool) -> list[Decision]:
        step = len(self.decisions) + 1
        plan, deciding = self.plan, self.measure
        if isinstance(plan.measure, Together):
            plan, deciding, now = self._turn(now, progress)
        measure = plan.measure
        if isinstance(measure, OfLookAlikes) and not plan.rounds and self._is_of_single_records(now, plan, deciding):
            return look_alike_pass(now, plan, measure, self.levels, step, progress, again=again)
        if deciding is measure:
            decided = class_pass(now, plan, self._of_classes(measure), self.levels, step, progress)
            if decided is not None:
                return decided
        return round_pass(now, plan, deciding, self.levels, step, progress)

    def _of_classes(self, measure: Measure) -> list[Measure]:
        """Return the measures that must hold in classes that a pass makes: the one whose turn it is first."""
        others = [part for part in parts_of(self.plan.measure) if part is not measure]
        return [measure, *(part for part in others if asked_of(part, self._sample(self.original)) is not None)]

    def _turn(self, now: MeasuredSample, progress: Progress) -> tuple[Plan, Measure, MeasuredSample]:
        """Return the first of several measures by which a record is unsafe: each pass is about one of them.

        Measures of look-alikes come first, since their kernels need the fewest nulls. What a later pass suppresses may
        make a record unsafe by an earlier measure; then it is its turn again.
        """
        parts = sorted(parts_of(self.plan.measure), key=lambda part: not isinstance(part, OfLookAlikes))
        for part in parts:
            plan = replace(self.plan, measure=part)
            deciding = _deciding(plan)
            state = measured(now.sample, deciding, None, progress)
            if state.state.unsafe:
                return plan, deciding, state
        return self.plan, self.measure, now

    def _is_of_single_records(self, now: MeasuredSample, plan: Plan, deciding: Measure) -> bool:
        """Return whether the risk of a record is its own, or that of its cluster follows from verdicts of 0 and 1."""
        return deciding is plan.measure or (not now.risks.are_probabilities and not plan.whole_clusters)

    def _applied(self, microdata: Microdata, done: Sequence[Decision]) -> Microdata:
        """Return microdata with the cells of a pass suppressed, households as a whole, and log the decisions."""
        decided = with_linked(microdata, with_households(microdata, done, self.plan), self.plan)
        self.decisions += decided
        return locally_recoded(microdata, _by_attribute(decided)).microdata

    # -- what is asked -------------------------------------------------------------------------------------------------

    @property
    def _k(self) -> int | None:
        counted_by = [part for part in parts_of(self.plan.measure) if isinstance(part, OfLookAlikes)]
        thresholds = [getattr(part, "k", None) for part in counted_by]
        return max((k for k in thresholds if isinstance(k, int)), default=None)

    def _sample(self, microdata: Microdata) -> Sample:
        assert not isinstance(self.plan.population, str)
        return Sample(microdata, self.known, self.nulls, self.plan.population)

    def _check(self, sample: Sample) -> None:
        """Raise if the cycle cannot begin."""
        check_bound(self.plan.measure)
        if lacking := self.measure.lacks(sample):
            raise UsageError(f"{self.measure.name} cannot be measured: {'; '.join(lacking)}")
        inexact = self.nulls.semantics in {Semantics.ALPHA, Semantics.EXPECTED} and not self.nulls.are_strict
        if inexact and any(hasattr(part, "unsafe_sets") for part in parts_of(self.plan.measure)):
            raise UsageError(
                f"{self.measure.name} counts an empty cell as any value or as none, not as '{self.nulls}'",
                do="take --nulls strict, standard or maybe",
            )
        if self.nulls.missing_as is MissingAs.CATEGORY:
            if has_nulls(sample):
                raise UsageError(
                    "missing values count as a category, but suppressed cells will be empty too",
                    where=f"'{self.original.name}'",
                    do="have them written as a label of their own (--missing-label NA), "
                    "or count them as unknown (--missing-as unknown)",
                )
            self.nulls = replace(self.nulls, missing_as=MissingAs.UNKNOWN)

    def _hopeless(self, sample: Sample) -> str:
        """Return why nothing can come of it, if that is plain from the start."""
        records = sample.records.count()
        if not records:
            return "there are no records"
        if self._k is not None and self._k > records:
            return f"{self._k} records should look alike, and there are only {records:,}"
        return ""

    def _too_costly(self, suppressed: Mapping[str, int], records: int) -> str:
        """Return which attributes lose more cells than the plan allows; empty if none does."""
        most = self.plan.most_nulls
        if most is None:
            return ""
        over = [f"{share(cells / records)} of {name}" for name, cells in suppressed.items() if cells > most * records]
        allowed = f"at most {share(most)} of an attribute may be"
        return f"{' and '.join(over)} would be suppressed, and {allowed}" if over else ""

    # -- what comes of it ----------------------------------------------------------------------------------------------

    def _outcome(
        self,
        protected: Microdata,
        before: State,
        after: State,
        notes: Sequence[str],
        why_not: str,
        now: MeasuredSample | None = None,
        granularity: float | None = None,
    ) -> Outcome:
        stuck = stuck_records(now, self.plan) if now is not None and after.unsafe else ()
        decisions = Decisions.of(self.decisions)
        suppressed = {name: cells for name, (cells, _) in decisions.per_attribute().items() if name in self.known}
        nulls, records = sum(suppressed.values()), protected.relation.count()
        if not why_not and not after.unsafe:
            why_not = self._too_costly(suppressed, records)
        loss = NullLoss(nulls, before.unsafe, len(self.known), records)
        return Outcome(
            self.original,
            protected,
            claim_of(self.plan, self.known, self.nulls),
            settings_of(self.plan, self.known, self.nulls),
            decisions,
            before,
            after,
            stuck,
            self.levels,
            {
                "nulls of the risky records' cells": loss.of_risky,
                "nulls of all known cells": loss.of_all,
                **({} if granularity is None else {"granularity, as recoded": granularity}),
            },
            [*notes, *notes_on_state(after, self.nulls, self._k)],
            why_not,
            links=next(iter(self.plan.links.values()), None),
            plan=self.plan,
        )


def _with_risk_after(decisions: Sequence[Decision], now: MeasuredSample) -> list[Decision]:
    """Return the decisions of a round with the risk that the measure finds after it; a kernel told them already."""
    import numpy as np

    rules = (ROUND, CLASSES, BY_HAND, BY_SEARCH, LOCALLY, AFTERWARDS)
    if not any(decision.rule.startswith(rules) for decision in decisions):
        return list(decisions)
    rows = np.unique(np.array([d.tuple_id for d in decisions if d.tuple_id != EVERY_RECORD], dtype=np.int64))
    risk = dict(zip(rows.tolist(), risks_of(now.risks, now.sample, rows).tolist(), strict=True))
    risk[EVERY_RECORD] = now.state.largest_risk
    return [replace(decision, risk_after=risk[decision.tuple_id]) for decision in decisions]


def _deciding(plan: Plan) -> Measure:
    if plan.links:
        word, links = next(iter(plan.links.items()))
        return ClusterRisk(plan.measure, links, word)
    if plan.cluster_risk:
        return ClusterRisk(plan.measure, key=plan.cluster)
    return plan.measure


def _by_attribute(decisions: Iterable[Decision]) -> dict[str, tuple[Array, Array]]:
    import numpy as np

    rows: dict[str, list[int]] = {}
    for decision in decisions:
        rows.setdefault(decision.attribute, []).append(decision.tuple_id)
    return {
        name: (np.array(sorted(set(numbers)), dtype=np.int64), np.full(len(set(numbers)), SUPPRESSED, dtype=np.int64))
        for name, numbers in rows.items()
    }
