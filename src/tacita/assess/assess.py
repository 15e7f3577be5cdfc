"""Put measures together: each attack scenario, each measure, clusters and links on top, comparisons and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.assess.assessment import Assessment, ScenarioAssessment
from tacita.assess.comparison import Alike, alike, null_semantics, takes_long, without_each
from tacita.assess.finding import Finding, finding
from tacita.assess.question import Question
from tacita.assess.riskiest import riskiest
from tacita.engines.protocol import Engine
from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.attribute import Kind
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.progress import Progress, Step, silent
from tacita.risk.bounds import check_bound
from tacita.risk.catalogue import MEASURES
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.combinations import combinations
from tacita.risk.frequencies import has_nulls
from tacita.risk.measure import Measure
from tacita.risk.sample import Sample
from tacita.risk.spellings import notes_on_spellings

if TYPE_CHECKING:
    from tacita.model.proposal import Proposal

EVERYTHING = "all quasi-identifiers"
"""The scenario in which the intruder knows every quasi-identifier."""
_MANY_COMBINATIONS = 2_000_000
"""Above this many combinations SUDA and keys are left to those who ask for them."""
_MANY_ATTRIBUTES = 25
_FEW_VALUES = 20
"""A number with more values than these is no code of a category, unless its kind says so."""


def assess(
    microdata: Microdata,
    question: Question | None = None,
    *,
    proposals: Mapping[str, Proposal] | None = None,
    progress: Progress = silent,
) -> Assessment:
    """Return how risky microdata are, and why."""
    question = (question or Question()).settle(microdata)
    names = [measure.name for measure in question.measures]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two measures are called '{twice}'", do="assess the data once for each of them")
    engine = microdata_engine(microdata)
    first = engine.new_table()
    scenarios = tuple(_assessed(sample, question, progress) for sample in _samples(microdata, question))
    records = scenarios[0].sample.records.count()
    known = dict.fromkeys(name for scene in scenarios for name in scene.sample.known)
    spelled = notes_on_spellings(microdata, known, scenarios[0].sample, question.measures)
    notes = dict.fromkeys(
        [*_undecided(microdata), *spelled, *(n for s in scenarios for f in s.findings for n in f.risks.notes)]
    )
    return Assessment(microdata, records, scenarios, proposals or {}, tuple(notes), (first, engine.new_table()))


def _undecided(microdata: Microdata) -> list[str]:
    """Return a note that names the attributes of which nobody said what they are, if others were decided on."""
    names = [a.name for a in microdata.dictionary if a.category is None]
    if not names or not microdata.dictionary_is_given:
        return []
    return [f"no category is decided for {listed(names)}: taken for what no intruder knows (tacita categorize FILE)"]


def microdata_engine(microdata: Microdata) -> Engine:
    """Return the engine that holds microdata."""
    relation = microdata.relation
    return relation.engine


def _samples(microdata: Microdata, question: Question) -> list[Sample]:
    dictionary = microdata.dictionary
    if question.known is not None and question.scenarios:
        raise UsageError(
            "what the intruder knows is given twice, by name and by scenario", do="leave out --quasi or --scenario"
        )
    known = _everything(microdata) if question.known is None else question.known
    base = Sample.of(microdata, known, question.nulls_of(None, microdata))
    assert not isinstance(question.population, str)
    base = replace(base, population=question.population, scenario=EVERYTHING)
    if question.known is not None:
        return [replace(base, scenario="")]
    for name in question.scenarios:
        if name not in dictionary.scenarios and name != EVERYTHING:
            raise UsageError(
                f"no scenario '{name}' in the dictionary{did_you_mean(name, dictionary.scenarios)}",
                do="name one of [scenarios] in the dictionary file"
                + (f": {', '.join(dictionary.scenarios)}" if dictionary.scenarios else ", which has none"),
            )
    wanted = question.scenarios or tuple(dictionary.scenarios)
    named = [base if name == EVERYTHING else base.with_known(dictionary.scenarios[name], name) for name in wanted]
    return named if question.scenarios else [base, *named]


def _everything(microdata: Microdata) -> Sequence[str]:
    """Return all quasi-identifiers, or what the scenarios know if the dictionary names no quasi-identifier."""
    dictionary = microdata.dictionary
    known = dict.fromkeys(name for names in dictionary.scenarios.values() for name in names)
    return dictionary.quasi_identifiers or tuple(known)


def _assessed(sample: Sample, question: Question, progress: Progress) -> ScenarioAssessment:
    skipped: list[tuple[str, str]] = []
    if not question.measures:
        sample, skipped = _without_numbers(sample)
        skipped += _too_large(sample)
    chosen = list(question.measures) or [
        measure for measure in _fitting(sample, question) if measure.name not in dict(skipped)
    ]
    counted_by = {measure.name: sample.with_nulls(question.nulls_of(measure, sample.microdata)) for measure in chosen}
    for measure in chosen:
        check_bound(measure)
        lacking = measure.lacks(counted_by[measure.name])
        if lacking and question.measures:
            raise UsageError(f"{measure.name} cannot be measured: {'; '.join(lacking)}")
        skipped += [(measure.name, reason) for reason in lacking]
    usable = [measure for measure in chosen if not measure.lacks(counted_by[measure.name])]
    findings: list[Finding] = []
    for done, measure in enumerate(usable):
        progress(Step(f"measuring {measure.name}", done, len(usable)))
        its = counted_by[measure.name]
        result = finding(measure, its, measure.risks(its, progress))
        findings.append(result)
        if result.is_of_records:
            findings += _of_clusters(its, result, question)
    counted, compared = _alike(sample, question)
    if takes_long(sample):
        skipped.append(("what each attribute adds", "with so many patterns of nulls it would take long"))
    return ScenarioAssessment(
        sample,
        tuple(findings),
        question.k,
        counted,
        compared,
        without_each(sample, question.k, counted.under),
        riskiest(sample, findings, question.top),
        tuple(skipped),
    )


def _alike(sample: Sample, question: Question) -> tuple[Alike, tuple[Alike, ...]]:
    if has_nulls(sample):
        compared = null_semantics(sample, question.k)
        return compared[0], compared
    return alike(sample, question.k), ()


def _of_clusters(sample: Sample, single: Finding, question: Question) -> Iterable[Finding]:
    """Return what follows for households and for linked records."""
    if single.is_of_attributes:
        return  # who learns the value of one member learns nothing of the others
    for key in sample.clusters:
        cluster = ClusterRisk(single.measure, word="household" if len(sample.clusters) == 1 else key, key=key)
        yield finding(cluster, sample, cluster.of(sample, single.risks))
    for word, links in question.links.items():
        linked = ClusterRisk(single.measure, links, word)
        lacking = linked.lacks(sample)
        if lacking:
            raise UsageError(f"{linked.name} cannot be measured: {'; '.join(lacking)}")
        yield finding(linked, sample, linked.of(sample, single.risks))


def _too_large(sample: Sample) -> list[tuple[str, str]]:
    """Return the measures that would take long on these data, and why; whoever asks for them gets them."""
    keys = combinations(sample).count()
    if keys > _MANY_COMBINATIONS:
        why = f"{keys:,} combinations are many; ask for it with --measure"
    elif len(sample.known) > _MANY_ATTRIBUTES:
        why = f"{len(sample.known)} known attributes are many; ask for it with --measure"
    else:
        return []
    return [(name, why) for name in MEASURES.names_with("is_costly")]


def _without_numbers(sample: Sample) -> tuple[Sample, list[tuple[str, str]]]:
    """Return the sample with sensitive attributes that are categories, and why the others are left out.

    Nearly every value of an income is another one: records that look alike have different incomes, however near these
    are to each other, and a record that is unique has one, as it has one of everything. Counting values tells nothing.
    """
    numbers = [name for name in sample.sensitive if name not in sample.known and _is_continuous(sample, name)]
    if not numbers:
        return sample, []
    why = "numbers with many values: it would only count them; ask for it, or for t-closeness, with --measure"
    judged = tuple(name for name in sample.sensitive if name not in numbers)
    return replace(sample, judged=judged), [(f"l-diversity of {listed(numbers)}", why)]


def _is_continuous(sample: Sample, name: str) -> bool:
    kind = sample.microdata.attribute(name).kind
    if kind is not None:
        return kind is Kind.CONTINUOUS
    column = sample.records.column(name)
    if column.type not in {ColumnType.INTEGER, ColumnType.NUMBER}:
        return False
    values = exp.select(exp.column(column.physical)).distinct().from_(sample.records.source()).limit(_FEW_VALUES + 2)
    return len(sample.engine.run(values)) > _FEW_VALUES


def _fitting(sample: Sample, question: Question) -> Iterable[Measure]:
    """Yield the measures that fit the data, when nobody chose."""
    for name in MEASURES.names():
        measure: Measure | None = MEASURES.fact(name, "by_default")(sample, question.k)
        if measure is not None:
            yield measure
