"""Prosecutor, journalist and marketer: figures of the file against plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacita
from tacita.engines.duckdb import DuckDBEngine
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.microdata import Microdata, Source
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.population.file_risk import FileRisk
from tacita.risk.sample import Sample

few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CATEGORY = Nulls(MissingAs.CATEGORY)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    from tacita.settings import Settings

    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(Settings(state=folder / "state", spill=folder)) as engine:
        yield engine


def sample_of(engine: DuckDBEngine, table: pa.Table, *, weight: str | None = None, nulls: Nulls = CATEGORY) -> Sample:
    attributes = [
        Attribute(n, Category.WEIGHT if n == weight else Category.QUASI_IDENTIFIER) for n in table.column_names
    ]
    relation = engine.adopt(table.to_batches(), table.schema)
    return Sample.of(Microdata(relation, Dictionary("t", tuple(attributes)), Source("t", "test")), nulls=nulls)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    kinds = [pa.string(), pa.int64(), pa.float64()]
    return pa.table(
        {n: pa.array([r[i] for r in rows], kinds[i]) for i, n in enumerate(["x", "y", "w"][: len(rows[0])])}
    )


letters, digits = st.sampled_from(["a", "b", "c", None]), st.integers(0, 2)
keys = st.tuples(letters, digits)


@pytest.mark.slow
@few
@given(rows=st.lists(st.tuples(letters, digits, st.floats(0.5, 9)), min_size=1, max_size=30))
def test_three_attackers_against_plain_python(engine: DuckDBEngine, rows: list[tuple[str | None, int, float]]) -> None:
    figures = FileRisk(0.3).risks(sample_of(engine, table_of(rows), weight="w")).figures
    f = Counter(row[:2] for row in rows)
    weights: Counter[Any] = Counter()
    for row in rows:
        weights[row[:2]] += row[2]  # type: ignore[assignment]
    big = {k: max(weights[k], f[k]) for k in f}
    n = len(rows)
    assert figures["records"] == n
    assert figures["classes"] == len(f)
    assert figures["sample_uniques"] == sum(v == 1 for v in f.values())
    assert figures["prosecutor_expected"] == pytest.approx(len(f))
    assert figures["prosecutor_average"] == pytest.approx(len(f) / n)
    assert figures["prosecutor_highest"] == 1 / min(f.values())
    assert figures["prosecutor_records_at_risk"] == sum(v for v in f.values() if 1 / v > 0.3)
    assert figures["journalist_records_at_risk"] == sum(f[k] for k in f if 1 / big[k] > 0.3)
    assert figures["journalist_highest"] == pytest.approx(1 / min(big.values()))
    linked = sum(f[k] / big[k] for k in f)
    assert figures["marketer_expected"] == pytest.approx(linked)
    assert figures["marketer_average"] == pytest.approx(linked / n)
    assert figures["journalist_average"] == pytest.approx(max(linked / n, len(f) / sum(big.values())))
    assert figures["prosecutor_average"] >= figures["marketer_average"] - 1e-12


@pytest.mark.slow
@few
@given(rows=st.lists(keys, min_size=1, max_size=20), others=st.lists(keys, max_size=40), has_sample=st.booleans())
def test_a_population_is_counted(
    engine: DuckDBEngine, rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], has_sample: bool
) -> None:
    from dataclasses import replace

    everyone = others + (rows if has_sample else [("z", 1)])
    table = table_of(everyone)
    population = engine.adopt(table.to_batches(), table.schema)
    risks = FileRisk().risks(replace(sample_of(engine, table_of(rows)), population=population))
    f, found = Counter(rows), Counter(everyone)
    assert risks.figures["marketer_expected"] == pytest.approx(sum(f[k] / max(found[k], f[k]) for k in f))
    short = sum(f[k] for k in f if found[k] < f[k])
    assert bool(risks.notes) == (short > 0)
    assert not short or f"{short:,} records" in risks.notes[0]


def test_a_population_with_coded_text(engine: DuckDBEngine) -> None:
    from dataclasses import replace

    table = table_of([("a", 1), ("b", 1), ("b", 2)])
    sample = sample_of(engine, table)
    population = engine.encode(engine.adopt(table.to_batches() * 2, table.schema), ["x", "y"])
    assert FileRisk().risks(replace(sample, population=population)).figures["marketer_average"] == 0.5


def test_without_a_population_there_is_a_prosecutor_only(engine: DuckDBEngine) -> None:
    risks = FileRisk().risks(sample_of(engine, table_of([("a", 1), ("a", 1), ("b", 1)])))
    assert risks.records is None
    assert not any(name.startswith(("journalist", "marketer")) for name in risks.figures)
    assert "name the weight" in risks.notes[0]


def test_nulls_that_may_be_anything_make_groups_larger(engine: DuckDBEngine) -> None:
    table = table_of([("a", 1, 2.0), (None, 1, 2.0), ("b", 1, 2.0)])
    maybe = FileRisk().risks(sample_of(engine, table, weight="w", nulls=Nulls())).figures
    assert maybe["sample_uniques"] == 0
    assert maybe["prosecutor_average"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)
    assert maybe["marketer_average"] == pytest.approx((1 / 4 + 1 / 6 + 1 / 4) / 3)


@pytest.mark.parametrize("semantics", list(Semantics))
def test_every_meaning_of_a_null_has_figures(engine: DuckDBEngine, semantics: Semantics) -> None:
    table = table_of([("a", 1, 2.0), (None, 1, 2.0), ("b", 1, 2.0), ("a", 1, 3.0)])
    found = FileRisk().risks(sample_of(engine, table, weight="w", nulls=Nulls(semantics=semantics, alpha=0.5))).figures
    assert 0 < found["marketer_average"] <= found["prosecutor_average"] <= 1


def test_no_records(engine: DuckDBEngine) -> None:
    table = table_of([("a", 1, 1.0)]).slice(0, 0)
    figures = FileRisk().risks(sample_of(engine, table, weight="w")).figures
    assert set(figures.values()) == {0.0}


def test_adult_has_the_uniques_that_arx_counts(shared: Path) -> None:
    """ARX 3.9.2: 15,512 uniques and 19,502 classes of 30,162 records on the nine attributes."""
    data = tacita.read(shared / "data" / "adult" / "adult.csv")
    names = [column.name for column in data.relation.columns]
    figures = FileRisk().risks(Sample.of(data.microdata, names)).figures
    assert (figures["records"], figures["classes"], figures["sample_uniques"]) == (30162, 19502, 15512)
    assert figures["prosecutor_average"] == 19502 / 30162


def test_testdata_has_the_matches_that_sdcmicro_counts(shared: Path) -> None:
    """Weights are 100 throughout: the marketer finds a hundredth of what the prosecutor finds."""
    data = tacita.read(shared / "data" / "sdcmicro" / "testdata.csv").with_roles(weight="sampling_weight")
    known = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    figures = FileRisk().risks(Sample.of(data.microdata, known)).figures
    assert figures["sample_uniques"] == 157
    assert figures["marketer_expected"] == pytest.approx(figures["prosecutor_expected"] / 100)
