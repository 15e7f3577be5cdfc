"""Assessments: verdict, scenarios, comparisons, riskiest records and why, the file of records."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from sqlglot import exp
from tests.risk.samples import MAYBE, STANDARD, column, microdata, mixed

import tacita as tc
from tacita.api.dataset import Dataset
from tacita.assess.assess import EVERYTHING, Question, assess
from tacita.engines.protocol import Engine
from tacita.errors import DictionaryError, UsageError
from tacita.model.dictionary import MissingAs
from tacita.risk.catalogue import measure

pytestmark = pytest.mark.slow

THREE = ["Area", "Sector", "Employees"]


def with_scenarios(data: Dataset) -> Dataset:
    scenarios = {"neighbour": ("area", "age"), "employer": ("size", "urban")}
    dictionary = replace(data.dictionary, scenarios=scenarios)
    return Dataset(data.microdata.with_dictionary(dictionary))


def test_the_verdict_comes_first_and_counts_the_worst_measure() -> None:
    found = tc.sample("figure-1").assess(known=THREE)
    assert not found.is_safe
    assert str(found).splitlines()[2].startswith("NOT SAFE  20 records of 20 (100 %) are unsafe by k-anonymity.")
    safe = microdata([{"a": "x"} for _ in range(50)], quasi=["a"]).assess()
    assert safe.is_safe
    assert safe.verdict == "No record of 50 is above a threshold."
    nobody = microdata([{"a": "x"}], quasi=["a"]).assess(Question(measures=(measure("file-risk"),)))
    assert "MEASURED" in str(nobody)


def test_measures_fit_the_data_unless_somebody_chooses() -> None:
    names = [found.name for found in mixed().assess().scenarios[0].findings]
    assert {"k-anonymity", "individual-risk", "suda", "keys", "l-diversity", "file-risk"} <= set(names)
    assert "household individual-risk" in names
    chosen = mixed().assess(Question(measures=(measure("k-anonymity", {"k": 5}),)))
    assert [found.name for found in chosen.scenarios[0].findings] == ["k-anonymity", "household k-anonymity"]
    assert chosen["k-anonymity"].measure.k == 5  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="'suda' was not measured"):
        chosen["suda"]


def test_a_measure_that_was_asked_for_and_cannot_be_used_is_refused() -> None:
    data = microdata([{"a": "x", "s": "y"}], quasi=["a"])
    with pytest.raises(UsageError, match="l-diversity cannot be measured"):
        data.assess(Question(measures=(measure("l-diversity"),)))
    with pytest.raises(UsageError, match="k-map cannot be measured"):
        data.assess(Question(measures=(measure("k-map"),)))


def test_scenarios_stand_side_by_side() -> None:
    found = with_scenarios(mixed()).assess()
    assert [s.name for s in found.scenarios] == [EVERYTHING, "neighbour", "employer"]
    everything, neighbour, employer = (s["k-anonymity"].unsafe for s in found.scenarios)
    assert everything >= neighbour
    assert everything >= employer == 0
    assert "Unsafe records by scenario" in str(found)
    one = with_scenarios(mixed()).assess(Question(scenarios=("employer",)))
    assert [s.known for s in one.scenarios] == [("size", "urban")]
    with pytest.raises(UsageError, match="did you mean 'employer'"):
        with_scenarios(mixed()).assess(Question(scenarios=("employr",)))


def test_what_an_attribute_adds() -> None:
    """Without the sector nobody would be under three; without the area all would stay."""
    rows = [{"area": "n", "sector": f"s{i}", "size": "x"} for i in range(6)]
    found = microdata(rows, quasi=["area", "sector", "size"]).assess().scenarios[0]
    assert [(a.attribute, a.unsafe_without, a.saved) for a in found.attributes] == [
        ("sector", 0, 6),
        ("area", 6, 0),
        ("size", 6, 0),
    ]


def test_nulls_are_shown_under_each_meaning() -> None:
    rows = [{"a": "x", "b": "p"}, {"a": "x", "b": None}, {"a": "y", "b": "p"}, {"a": None, "b": "q"}]
    found = microdata(rows, quasi=["a", "b"]).assess(Question(nulls=MAYBE)).scenarios[0]
    told = {str(each.nulls): each.smallest for each in found.nulls}
    assert next(iter(told)) == "maybe-match"
    assert told["maybe-match"] == 1
    assert {"standard", "alpha 0.5", "expected", "expected (marginal)", "category"} < set(told)
    assert column(measure("k-anonymity").risks(found.sample), "frequency") == [2, 3, 1, 2]
    assert microdata(rows[:1], quasi=["a", "b"]).assess().scenarios[0].nulls == ()
    assert microdata(rows, quasi=["a", "b"]).assess(Question(nulls=STANDARD)).scenarios[0].alike.uniques == 4


def test_a_null_counts_as_the_dictionary_says() -> None:
    data = microdata([{"a": None}, {"a": "x"}], quasi=["a"])
    assert data.assess().scenarios[0].alike.smallest == 1  # strictly: x does not count on the null
    assert data.assess(Question(nulls=MAYBE)).scenarios[0].alike.smallest == 2
    category = replace(data.dictionary, missing_as=MissingAs.CATEGORY)
    assert Dataset(data.microdata.with_dictionary(category)).assess().scenarios[0].alike.smallest == 1


def test_riskiest_records_have_reasons_without_values() -> None:
    found = tc.generate("R6A4U", seed=7).assess().scenarios[0]
    assert len(found.riskiest) == 10
    first = found.riskiest[0]
    assert any(reason.startswith("one of 1 with this Area, Sector, ") for _, _, reason in first.reasons)
    values = {"North", "South", "Center", "Commerce", "50-200", "0-30"}
    told = " ".join(reason for record in found.riskiest for _, _, reason in record.reasons)
    assert not [value for value in values if value in told]
    assert [record.row for record in found.riskiest] == [
        r.row for r in tc.generate("R6A4U", seed=7).assess().scenarios[0].riskiest
    ]


def test_the_waterfall_goes_from_the_record_over_its_household_and_group_to_a_register() -> None:
    rows = [{"id": f"p{i}", "a": f"v{i}", "home": i // 2, "w": 5.0 + i} for i in range(6)]
    data = microdata(rows, quasi=["a"], identifier=["id"], cluster="home", weight="w")
    engine = data.relation.engine
    pairs = pa.RecordBatch.from_pydict({"one": ["p0"], "other": ["p5"]})
    register = tc.read(pa.table({"a": ["v0", "v0", "v1", "v2", "v3", "v4", "v5"]})).relation
    question = Question(links={"group": engine.adopt([pairs], pairs.schema)}, population=register, top=6)
    found = data.assess(question).scenarios[0]
    record = next(r for r in found.riskiest if r.row == 1)
    assert [rise.source for rise in record.waterfall] == ["own risk", "household", "group", "register"]
    risks = [rise.risk for rise in record.waterfall]
    own = column(measure("individual-risk").risks(found.sample), "risk")
    assert risks[0] == pytest.approx(own[0])
    assert risks[1] == pytest.approx(1 - (1 - own[0]) * (1 - own[1]))
    assert risks == sorted(risks)
    assert risks[3] == risks[2] > 0.5  # two in the register look like it
    alone = next(r for r in found.riskiest if r.row == 2)
    assert alone.waterfall[-1].risk == 1


def test_proposed_quasi_identifiers_are_said_to_be_proposed(tmp_path: Path) -> None:
    tc.generate("R1A4W", seed=7).write(tmp_path / "firms.csv")
    found = tc.read(tmp_path / "firms.csv").assess()
    assert set(found.scenarios[0].known) == {"Area", "Sector", "Employees", "Residential Rev."}
    assert "categories are proposals" in str(found)
    assert found.proposals["Sector"].category.value == "quasi-identifier"


def test_nothing_to_assess() -> None:
    with pytest.raises(DictionaryError, match="no attribute of 'db' is a quasi-identifier"):
        microdata([{"x": i} for i in range(30)]).with_categories({"x": "non-identifying"}).assess()
    empty = tc.read(pa.table({"a": pa.array([], pa.string())}), name="db").with_roles(quasi=["a"])
    assert empty.assess().verdict == "There are no records, and so nobody to protect."
    assert "nobody to protect" in str(empty.assess())


# -- forms -------------------------------------------------------------------------------------------------------------


def test_json_is_plain_and_the_same_again() -> None:
    one, two = (json.dumps(mixed().assess().to_dict(), allow_nan=False) for _ in range(2))
    assert one == two
    told = json.loads(one)
    assert {"microdata", "records", "safe", "verdict", "scenarios", "notes"} <= set(told)
    first = told["scenarios"][0]["measures"][0]
    assert first["measure"] == "k-anonymity"
    assert {"unsafe", "unsafe_share", "expected_reidentifications", "average_risk", "highest_risk"} <= set(first)
    assert sum(each["records"] for each in first["distribution"]) == told["records"]
    assert sum(each["records"] for each in told["scenarios"][0]["frequencies"]["by_size"]) == told["records"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_one_row_per_record(tmp_path: Path, ending: str) -> None:
    found = mixed().assess(Question(measures=(measure("individual-risk"), measure("suda"))))
    found.write_records(tmp_path / f"records{ending}")
    rows = [row for batch in tc.read(tmp_path / f"records{ending}").batches() for row in batch.to_pylist()]
    assert list(rows[0])[:3] == ["row", "frequency", "risk"]
    assert [row["row"] for row in rows] == list(range(1, 41))
    assert [row["risk"] for row in rows] == pytest.approx(column(found["individual-risk"].risks, "risk"))
    assert {"household_risk", "population", "suda", "msus", "smallest_attributes"} <= set(rows[0])
    with pytest.raises(tc.TacitaError, match="exists"):
        found.write_records(tmp_path / f"records{ending}")


def test_a_file_without_records_measures_has_no_rows(tmp_path: Path) -> None:
    found = mixed().assess(Question(measures=(measure("file-risk"),)))
    with pytest.raises(UsageError, match="nothing was measured of single records"):
        found.write_records(tmp_path / "records.csv")
    assert not (tmp_path / "records.csv").exists()


def test_names_are_text_and_not_markup(tmp_path: Path) -> None:
    rows = [{"[red]a": "x", "b\x1b[31m": str(i)} for i in range(4)]
    told = str(microdata(rows, quasi=["[red]a", "b\x1b[31m"]).assess())
    assert "[red]a" in told
    assert "\x1b" not in told


def test_why_a_record_is_risky() -> None:
    found = tc.sample("figure-1").assess(known=THREE)
    told = found.why(4)
    assert (told.measure, told.risk) == ("k-anonymity", 1)
    assert told.proof is not None
    assert "riskOutput(4, 1)" in told.proof.as_text()
    assert found.why(4, "suda").reason.startswith("the only one with this ")


def test_columns_may_have_any_name(tmp_path: Path) -> None:
    """Names that the plans use themselves."""
    names = ["n", "w", "id", "row", "risk", "frequency", "c0", "row_number_", "key_", "own_"]
    rows = [{name: f"{name}{i % (j + 2)}" for j, name in enumerate(names)} | {"weight": 2.0} for i in range(30)]
    data = microdata(rows, quasi=names[:-1], cluster="own_", weight="weight")
    found = data.assess(Question(k=2))
    expected = len({tuple(row[name] for name in names[:-1]) for row in rows})
    assert found["file-risk"].risks.figures["classes"] == expected
    found.write_records(tmp_path / "r.csv")
    with (tmp_path / "r.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 30


def test_closing_forgets_what_was_measured_and_nothing_else() -> None:
    data = mixed()
    engine = data.relation.engine
    before = _tables(engine)
    with data.assess() as found:
        assert len(_tables(engine)) > len(before)
    assert _tables(engine) == before
    assert found.verdict
    assert json.dumps(found.to_dict())
    assert data.rows == 40
    with pytest.raises(UsageError, match="closed"):
        found.why(1)
    assert data.assess().verdict == found.verdict


def _tables(engine: Engine) -> set[str]:
    plans = (
        exp.select(exp.column(f"{kind}_name").as_("name")).from_(f"duckdb_{kind}s()") for kind in ("table", "view")
    )
    return {row["name"] for plan in plans for row in engine.run(plan) if row["name"].startswith("r")}


def test_the_verdict_begins_with_identity_and_incomes_are_not_counted(tmp_path: Path) -> None:
    rows = [f"{'north' if i % 2 else 'south'},{1000 + i},{900 - i},{['flu', 'gout'][i // 30]}" for i in range(60)]
    (tmp_path / "people.csv").write_text("area,wage,rent,illness\n" + "\n".join([*rows, "east,9,8,flu"]) + "\n")
    data = tc.read(tmp_path / "people.csv")
    found = data.with_roles(quasi=["area"], sensitive=["wage", "rent"]).assess()
    assert [measure for measure, _ in found.scenarios[0].skipped] == ["l-diversity of wage, rent"]
    assert found.verdict == "1 record of 61 (1.64 %) is unsafe by k-anonymity."
    found = data.with_roles(quasi=["area"], sensitive=["wage", "illness"]).assess()
    assert found["l-diversity"].unsafe == 1
    assert found.verdict == "1 record of 61 (1.64 %) is unsafe by k-anonymity; attributes: 1 by l-diversity."
    asked = Question(measures=(measure("l-diversity"),))
    found = assess(data.with_roles(quasi=["area"], sensitive=["wage"]).microdata, asked)
    assert found.verdict == "1 record of 61 (1.64 %) is unsafe by l-diversity."
