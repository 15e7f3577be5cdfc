"""Interval disclosure: sdcMicro's figures, neighbours against brute force, and what noise does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import InputError, UsageError
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.risk.continuous.interval_disclosure import IntervalDisclosure, Variant, neighbours
from tacita.risk.continuous.robust_distances import robust_distances
from tacita.risk.measure import Risks
from tacita.risk.sample import Sample

Array = np.ndarray[Any, np.dtype[Any]]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    from tacita.settings import Settings

    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(Settings(state=folder / "state", spill=folder)) as engine:
        yield engine


def microdata(engine: DuckDBEngine, values: Array | pa.Table) -> Microdata:
    table = values
    if not isinstance(table, pa.Table):
        table = pa.table({f"x{i}": pa.array(column, from_pandas=True) for i, column in enumerate(values.T)})
    relation = engine.adopt(table.to_batches(), table.schema)
    attributes = tuple(Attribute(name, Category.QUASI_IDENTIFIER) for name in table.column_names)
    return Microdata(relation, Dictionary("t", attributes), Source("t", "test"))


def found(
    engine: DuckDBEngine, masked: Any, original: Any = None, **parameters: Any
) -> tuple[Risks, list[dict[str, Any]]]:
    before = None if original is None else microdata(engine, original)
    risks = IntervalDisclosure(original=before, **parameters).risks(Sample.of(microdata(engine, masked)))
    assert risks.records is not None
    batches = list(risks.records.batches())
    return risks, pa.Table.from_batches(batches).sort_by("row").to_pylist() if batches else []


# --- against sdcMicro ---


@pytest.fixture(scope="module")
def casc(shared: Path) -> dict[str, Array]:
    """The four maskings of CALLS.json."""

    def read(path: Path) -> Array:
        return np.stack([column.to_numpy() for column in pc.read_csv(path).columns], axis=1).astype(float)

    x = read(shared / "data" / "sdcmicro" / "CASCrefmicrodata.csv")
    mdav = read(shared / "sdcmicro" / "microagg_CASC_mdav_3.csv")
    rounded = np.round(x / 1000) * 1000
    return {"x": x, "xm1": x * 1.02, "xm2": x + 0.04 * x.std(axis=0, ddof=1), "xm3": rounded, "xm4": mdav}


@pytest.mark.parametrize("width", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("masking", ["xm1", "xm2", "xm3", "xm4"])
def test_deviation_is_drisk_of_sdcmicro(
    engine: DuckDBEngine, shared: Path, casc: dict[str, Array], masking: str, width: float
) -> None:
    """sdcMicro 5.8.1, dRisk(x, xm=., k=.) on CASCrefmicrodata."""
    printed = json.loads((shared / "sdcmicro" / "drisk_dutility_casc.json").read_text())[masking][f"dRisk_k{width:g}"]
    risks, _ = found(engine, casc[masking], casc["x"], width=width)
    assert risks.figures["share_at_risk"] == pytest.approx(printed, abs=1e-9)


def test_robust_works_where_sdcmicro_stops(engine: DuckDBEngine, casc: dict[str, Array]) -> None:
    """Columns of CASCrefmicrodata determine each other: dRiskRMD says "computationally singular"."""
    distances = robust_distances(casc["x"])
    assert np.isfinite(distances).all()
    shares = {
        name: found(engine, casc[name], casc["x"], variant="robust")[0].figures["share_at_risk"]
        for name in ("x", "xm1", "xm2", "xm4")
    }
    assert shares["x"] == 1
    assert shares["xm1"] > found(engine, casc["xm1"], casc["x"])[0].figures["share_at_risk"]  # 2 % off hides no outlier
    assert 0 < shares["xm2"] < 1
    assert 0 <= shares["xm4"] < 0.05


# --- properties ---


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("width", [0.0, 0.05])
def test_what_is_not_masked_is_disclosed(engine: DuckDBEngine, variant: Variant, width: float) -> None:
    random = np.random.default_rng(1)
    x = np.column_stack([random.normal(size=200), random.integers(0, 3, 200), np.full(200, 7.5), np.zeros(200)])
    risks, rows = found(engine, x, x, variant=variant, width=width)
    assert risks.figures["share_at_risk"] == 1
    assert {row["risk"] for row in rows} == {1.0}


@pytest.mark.parametrize("variant", list(Variant))
def test_more_noise_discloses_less(engine: DuckDBEngine, variant: Variant) -> None:
    random = np.random.default_rng(3)
    x = random.multivariate_normal([0, 5], [[1, 0.7], [0.7, 2]], size=3000)
    noise = random.normal(size=x.shape)
    shares = [
        found(engine, x + level * noise, x, variant=variant, width=0.1)[0].figures["share_at_risk"]
        for level in (0.0, 0.03, 0.1, 0.3, 1.0)
    ]
    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.2


def test_an_outlier_needs_more_noise(engine: DuckDBEngine) -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(500, 2))
    x[0] = 40, -40
    masked = x + 0.5
    _, usual = found(engine, masked, x)
    _, robust = found(engine, masked, x, variant="robust")
    assert (usual[0]["risk"], robust[0]["risk"]) == (0, 1)
    assert robust[0]["width"] > 20 * 0.05
    assert sum(row["risk"] for row in robust[1:]) < 5


def test_rank_interval_by_hand(engine: DuckDBEngine) -> None:
    masked = np.array([[10.0], [20], [30], [40], [50], [60], [70], [80], [90], [100]])
    original = np.array([[20.0], [31], [39], [61], [49], [60], [np.nan], [95], [101], [89]])
    _, rows = found(engine, masked, original, variant="rank", width=0.1)  # one rank down, one up; the last ends at 100
    assert [row["risk"] for row in rows] == [1, 0, 1, 0, 1, 1, 0, 0, 0, 0]


def test_a_missing_number_is_in_no_interval(engine: DuckDBEngine) -> None:
    x = np.array([[1.0, 1], [2, 2], [3, 3], [4, np.inf]])
    masked = np.array([[1.0, 1], [np.nan, 2], [3, np.nan], [4, np.inf]])
    for variant in Variant:
        _, rows = found(engine, masked, x, variant=variant, width=10)
        assert [row["risk"] for row in rows] == [1, 0, 0, 0]


# --- without the original ---

places = st.one_of(st.just(np.nan), st.integers(0, 4).map(float), st.floats(0, 4, width=16))


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(data=st.data(), columns=st.integers(1, 3))
def test_neighbours_against_brute_force(data: st.DataObject, columns: int) -> None:
    points = np.array(data.draw(st.lists(st.tuples(*[places] * columns), min_size=1, max_size=25)))
    radii = np.array(data.draw(st.lists(st.sampled_from([0, 0.5, 1.0]), min_size=len(points), max_size=len(points))))
    apart = np.abs(points[:, None, :] - points[None, :, :])
    near = (np.isnan(apart) | (apart <= radii[:, None, None])).all(axis=2).sum(axis=1) - 1
    assert neighbours(points, radii).tolist() == near.tolist()


@pytest.mark.parametrize("variant", list(Variant))
def test_who_lies_among_many_is_safer(engine: DuckDBEngine, variant: Variant) -> None:
    random = np.random.default_rng(7)
    x = np.vstack([random.normal(size=(2000, 2)), [[30.0, 30.0]]])
    risks, rows = found(engine, x, variant=variant, width=0.2)
    assert list(rows[0]) == ["row", "risk", "width", "neighbours"]
    assert all(row["risk"] == 1 / (1 + row["neighbours"]) for row in rows)
    if variant is not Variant.RANK:  # by ranks, the last is as near to the last but one as any two
        assert rows[-1]["neighbours"] == 0
        assert 0 < risks.figures["share_at_risk"] < 1
    centre = int(np.abs(x).max(axis=1).argmin())
    assert rows[centre]["neighbours"] > 15
    assert risks.figures["average"] == pytest.approx(np.mean([row["risk"] for row in rows]))


def test_neighbours_of_deviation_by_hand(engine: DuckDBEngine) -> None:
    x = np.array([[0.0, 5], [1, 5], [2, 5], [8, 5], [8, np.nan]])  # deviation 3.9 without the missing; 5 does not vary
    _, rows = found(engine, x, width=0.3)
    assert [row["neighbours"] for row in rows] == [1, 2, 1, 1, 1]


# --- robust distances ---


def test_robust_distances_are_mahalanobis_on_clean_data_and_ignore_outliers() -> None:
    random = np.random.default_rng(11)
    scatter = np.array([[4, 1.5, 0], [1.5, 1, 0.2], [0, 0.2, 9]])
    x = random.multivariate_normal([1, 2, 3], scatter, size=4000)
    away = x - [1, 2, 3]
    true = np.sqrt(np.einsum("ij,jk,ik->i", away, np.linalg.inv(scatter), away))
    assert np.median(np.abs(robust_distances(x) / true - 1)) < 0.05
    spoilt = np.vstack([x, np.tile([60.0, -30, 100], (800, 1))])
    found_ = robust_distances(spoilt)
    assert np.median(np.abs(found_[:4000] / true - 1)) < 0.35
    assert found_[4000:].min() > 5 * np.median(found_[:4000])
    doubled = np.column_stack([x, x[:, 0] - 2 * x[:, 1], np.ones(4000)])  # says nothing new, but turns the axes
    assert np.corrcoef(robust_distances(doubled), true)[0, 1] > 0.9


def test_robust_distances_of_nearly_nothing() -> None:
    assert robust_distances(np.zeros((0, 3))).tolist() == []
    assert robust_distances(np.ones((4, 2))).tolist() == [0, 0, 0, 0]
    assert robust_distances(np.full((3, 1), np.nan)).tolist() == [0, 0, 0]
    mostly_zero = np.array([[0.0]] * 9 + [[5.0]])
    assert robust_distances(mostly_zero)[9] > 5


# --- the measure ---


def test_which_attributes(engine: DuckDBEngine) -> None:
    table = pa.table({"name": ["a", "b", "c"], "income": [1.0, 50, 99], "age": [30, 31, 32]})
    measure = IntervalDisclosure()
    sample = Sample.of(microdata(engine, table))
    assert measure.looks_at(sample) == ("income", "age")
    assert measure.lacks(sample) == []
    assert "'name' is no number in the file" in IntervalDisclosure(attributes=("name",)).lacks(sample)[0]
    assert "no attribute" in measure.lacks(sample.with_known(["name"]))[0]
    risks, rows = found(engine, table, attributes=["age"], width=1.5)
    reason = IntervalDisclosure(attributes=("age",)).reason(sample, rows[0])
    assert reason == "1 other records are within 1.5 (deviation) on age"
    assert risks.figures["records"] == 3


def test_faults(engine: DuckDBEngine) -> None:
    with pytest.raises(UsageError, match="did you mean 'robust'"):
        IntervalDisclosure(variant="robst")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="width"):
        IntervalDisclosure(width=-1)
    with pytest.raises(InputError, match="4 records and the file 3"):
        found(engine, np.ones((3, 1)), np.ones((4, 1)))


@pytest.mark.parametrize("variant", list(Variant))
def test_no_records(engine: DuckDBEngine, variant: Variant) -> None:
    empty = pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int64())})
    for original in (None, empty):
        risks, rows = found(engine, empty, original, variant=variant)
        assert rows == []
        assert set(risks.figures.values()) == {0.0}
