"""k-map and delta-presence: against the identity oracle of a survey, and against naive twins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import UsageError
from tacita.generators.oracle import oracle
from tacita.model.dictionary import MissingAs
from tacita.risk.measure import Measure, Risks
from tacita.risk.null_semantics import Nulls
from tacita.risk.population.delta_presence import DeltaPresence
from tacita.risk.population.k_map import KMap
from tacita.risk.sample import Sample

few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(tc.Settings(state=folder / "state", spill=folder)) as engine:
        yield engine


def records(risks: Risks) -> list[dict[str, Any]]:
    assert risks.records is not None
    rows = [row for batch in risks.records.batches() for row in batch.to_pylist()]
    return sorted(rows, key=lambda row: row["row"])


def sample_of(
    engine: DuckDBEngine, data: dict[str, pa.Array], population: dict[str, pa.Array] | None, nulls: Nulls | None = None
) -> Sample:
    microdata = tc.read(pa.table(data), name="random", engine=engine).microdata
    register = pa.table(population) if population is not None else None
    held = engine.adopt(register.to_batches(), register.schema) if register is not None else None
    return Sample(microdata, tuple(data), nulls or Nulls(), held)


# -- the survey and its oracle ------------------------------------------------------------------------------------


def test_the_oracle_holds_every_firm_of_the_survey() -> None:
    """Every stratum of the oracle has as many firms as the weights of the sample's tuples sum to."""
    survey, everyone = tc.generate("R1A4W", seed=3), tc.from_generated(oracle("R1A4W", seed=3))
    known = survey.dictionary.quasi_identifiers
    sample = replace(Sample.of(survey.microdata), population=everyone.relation)
    rows, people = survey.to_arrow().select(known).to_pylist(), everyone.to_arrow().select(known).to_pylist()
    of_sample, of_people = (Counter(tuple(row.values()) for row in part) for part in (rows, people))
    found = KMap(k=10).risks(sample)
    for row, ours in zip(rows, records(found), strict=True):
        frequency = of_people[tuple(row.values())]
        assert (ours["population_frequency"], ours["risk"]) == (frequency, frequency < 10)
    assert not found.notes
    presence = DeltaPresence(most=0.5, least=0.01).risks(sample)
    for row, ours in zip(rows, records(presence), strict=True):
        key = tuple(row.values())
        assert ours["presence"] == pytest.approx(of_sample[key] / of_people[key])
        assert ours["risk"] == (not 0.01 <= of_sample[key] / of_people[key] <= 0.5)
    absent = {key: n for key, n in of_people.items() if key not in of_sample}
    assert presence.figures["absent_combinations"] == len(absent) > 0
    assert presence.figures["absent_population"] == sum(absent.values())


# -- naive twins --------------------------------------------------------------------------------------------------

texts = st.one_of(st.none(), st.sampled_from(["a", "b", "'"]))
whole = st.one_of(st.none(), st.integers(0, 2))
rows_of_data = st.lists(st.tuples(texts, whole), min_size=1, max_size=12)


def as_columns(rows: Sequence[Row], number: pa.DataType) -> dict[str, pa.Array]:
    return {"text": pa.array([r[0] for r in rows], pa.string()), "number": pa.array([r[1] for r in rows], number)}


def may_be(record: Row, person: Row, missing_as: MissingAs) -> bool:
    if missing_as is MissingAs.CATEGORY:
        return record == person
    return all(a is None or a == b for a, b in zip(record, person, strict=True))


@pytest.mark.slow
@few
@given(
    rows=rows_of_data,
    people=st.lists(st.tuples(texts, whole), max_size=25),
    missing_as=st.sampled_from(MissingAs),
    number=st.sampled_from([pa.int64(), pa.float64(), pa.int8()]),
)
def test_population_models_count_naively(
    engine: DuckDBEngine, rows: list[Row], people: list[Row], missing_as: MissingAs, number: pa.DataType
) -> None:
    """Whole numbers in the data and floating-point numbers in the register are the same numbers."""
    sample = sample_of(engine, as_columns(rows, pa.int64()), as_columns(people, number), Nulls(missing_as))
    mapped, present = KMap(k=2).risks(sample), DeltaPresence(0.6, 0.2).risks(sample)
    own = Counter(rows)
    for row, ours, presence in zip(rows, records(mapped), records(present), strict=True):
        frequency = sum(may_be(row, person, missing_as) for person in people)
        assert (ours["population_frequency"], ours["risk"]) == (frequency, frequency < 2)
        probability = min(1.0, own[row] / frequency) if frequency else 1.0
        assert presence["presence"] == pytest.approx(probability)
        assert presence["risk"] == (not 0.2 - 1e-8 <= probability <= 0.6 + 1e-8)
    absent = [p for p in people if not any(may_be(row, p, missing_as) for row in own)]
    assert present.figures["absent_combinations"] == len(set(absent))
    assert present.figures["absent_population"] == len(absent)
    seen = [row["presence"] for row in records(present)]
    assert present.figures["least_presence"] == (0 if absent else min(seen))
    nobody = sum(not row["population_frequency"] for row in records(mapped))
    assert any("nobody in the population" in note for note in mapped.notes) == (nobody > 0)


# -- what does not go together ------------------------------------------------------------------------------------

MEASURES: list[Measure] = [KMap(), DeltaPresence()]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_what_a_population_lacks(engine: DuckDBEngine, measure: Measure) -> None:
    data = {"Age": pa.array([1]), "Area": pa.array(["x"])}
    assert isinstance(measure, Measure)
    assert "no population" in measure.lacks(sample_of(engine, data, None))[0]
    faults = measure.lacks(sample_of(engine, data, {"Age": pa.array(["1"]), "area": pa.array(["x"])}))
    assert faults == [
        "'Age' is integer in the records and text in the population: read both with the same type",
        "the population has no 'Area'; did you mean 'area'?: rename its column, or leave 'Area' out of the known",
    ]
    with pytest.raises(UsageError, match="2 faults"):
        measure.risks(sample_of(engine, data, {"Age": pa.array(["1"]), "area": pa.array(["x"])}))
    with DuckDBEngine() as other:
        elsewhere = other.adopt(pa.table(data).to_batches(), pa.table(data).schema)
        assert "another engine" in measure.lacks(replace(sample_of(engine, data, None), population=elsewhere))[0]


def test_days_and_moments_and_coded_text(engine: DuckDBEngine) -> None:
    data = {"born": pa.array([date(2000, 1, 2)]), "area": pa.array(["x"])}
    people = {"born": pa.array([datetime(2000, 1, 2), datetime(2000, 1, 2, 3)]), "area": pa.array(["x", "x"])}
    sample = sample_of(engine, data, people)
    assert records(KMap().risks(sample))[0]["population_frequency"] == 1
    coded = engine.encode(sample.records, ["born", "area"])
    sample = Sample(replace(sample.microdata, relation=coded), sample.known, sample.nulls, sample.population)
    assert records(KMap().risks(sample))[0]["population_frequency"] == 1


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("people", [0, 2])
def test_nobody(engine: DuckDBEngine, measure: Measure, people: int) -> None:
    population = {"x": pa.array([1] * people, pa.int64())}
    found = measure.risks(sample_of(engine, {"x": pa.array([], pa.int64())}, population))
    assert records(found) == []
    assert {value for name, value in found.figures.items() if not name.startswith("absent")} == {0}
    assert found.figures.get("absent_population", people) == people


def test_a_hidden_record_may_be_anybody(engine: DuckDBEngine) -> None:
    data = {"x": pa.array([None, 1], pa.int64()), "y": pa.array([None, "a"], pa.string())}
    people = {"x": pa.array([1, 2, None]), "y": pa.array(["a", "b", "a"])}
    found = records(KMap(k=2).risks(sample_of(engine, data, people)))
    assert [row["population_frequency"] for row in found] == [3, 1]


def test_more_records_than_people_are_told(engine: DuckDBEngine) -> None:
    found = DeltaPresence().risks(sample_of(engine, {"x": pa.array([1, 1, 5])}, {"x": pa.array([1])}))
    assert [row["presence"] for row in records(found)] == [1, 1, 1]
    assert list(found.notes) == [
        "1 record with a combination that nobody in the population has: do the two go together?",
        "2 records with a combination that fewer in the population than in the data have: do the two go together?",
    ]


@pytest.mark.parametrize("wrong", [lambda: KMap(0), lambda: DeltaPresence(0.2, 0.5), lambda: DeltaPresence(1.5)])
def test_wrong_parameters(wrong: Any) -> None:
    with pytest.raises(UsageError, match="is"):
        wrong()


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_reasons_show_no_value(engine: DuckDBEngine, measure: Measure) -> None:
    values = {"area": pa.array(["Unterpfaffenhofen"])}
    for people in (values, {"area": pa.array(["elsewhere"])}):
        sample = sample_of(engine, values, people)
        reason = measure.reason(sample, records(measure.risks(sample))[0])
        assert "area" in reason
        assert "Unterpfaffenhofen" not in reason
