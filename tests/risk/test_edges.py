"""Where protection could be lost without a word: roundings, roles given twice, names that clash, rules that miss."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.risk.samples import EXPECTED, HALF, MAYBE, STANDARD, column, microdata, mixed

import tacita as tc
from tacita.assessment.assess import Question
from tacita.cli.main import run
from tacita.errors import RuleError, UsageError
from tacita.knowledge.program_texts import ProgramText
from tacita.risk.catalogue import measure
from tacita.risk.ruled import Ruled
from tacita.risk.sample import Sample


def test_threads_do_not_decide_what_is_unsafe(tmp_path: Path) -> None:
    """Every class weighs exactly 10, in parts that binary fractions cannot hold: 1/10 is not above 0.1."""
    weights = [0.3, 0.7] * 10
    rows = {"a": [i // 20 for i in range(100_000)], "w": weights * 5_000}
    pq.write_table(pa.table(rows), tmp_path / "w.parquet", row_group_size=5_000)
    data = tc.read(tmp_path / "w.parquet").with_roles(quasi=["a"], weight="w")
    found = data.assess(Question(measures=(measure("reidentification"),)))
    assert found["reidentification"].unsafe == 0
    assert found["reidentification"].expected == pytest.approx(10_000)


@pytest.mark.parametrize("nulls", [EXPECTED, HALF], ids=str)
def test_a_share_that_misses_a_whole_number_is_that_number(nulls: object) -> None:
    rows = [{"a": f"v{i % 7}", "b": None if i % 5 == 0 else f"u{i % 3}"} for i in range(210)]
    frequency = column(
        measure("k-anonymity").risks(Sample.of(microdata(rows, quasi=["a", "b"]).microdata, nulls=nulls)), "frequency"
    )  # type: ignore[arg-type]
    assert not [f for f in frequency if 0 < abs(f - round(f)) < 1e-9]


def test_minus_zero_is_zero() -> None:
    rows = [{"x": x, "y": y} for x, y in [(0.0, "p"), (-0.0, "p"), (0.0, None), (-0.0, "q"), (1.5, "q")]]
    sample = Sample.of(microdata(rows, quasi=["x", "y"]).microdata, nulls=MAYBE)
    assert column(measure("k-anonymity").risks(sample), "frequency") == [3, 3, 4, 2, 1]


def test_a_cluster_key_on_the_command_line_replaces_that_of_the_dictionary() -> None:
    rows = [{"a": f"v{i}", "h": i // 2, "g": "one"} for i in range(6)]
    data = microdata(rows, quasi=["a"], cluster="h")
    found = data.with_roles(cluster="g").assess(Question(measures=(measure("individual-risk"),)))
    assert set(column(found["household individual-risk"].risks, "members")) == {6}
    both = data.with_categories({"g": "cluster-key"}).assess(Question(measures=(measure("individual-risk"),)))
    assert [f.name for f in both.scenarios[0].findings][1:] == ["h individual-risk", "g individual-risk"]


def test_k_is_about_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SUDA's own k counts attributes: --k must not change it."""
    (tmp_path / "d.csv").write_text("a,b\n" + "".join(f"v{i},u{i % 2}\n" for i in range(7)))
    told = []
    for k in ("1", "5"):
        assert run(["assess", str(tmp_path / "d.csv"), "--quasi", "a,b", "--measure", "suda", "--k", k, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out)["scenarios"][0]["measures"][0]["unsafe"])
    assert told == [7, 7]


def test_measures_of_one_name_are_refused() -> None:
    question = Question(measures=(measure("k-anonymity", {"k": 2}), measure("k-anonymity", {"k": 20})))
    with pytest.raises(UsageError, match="two measures are called 'k-anonymity'"):
        mixed().assess(question)


def test_what_the_intruder_knows_is_said_once() -> None:
    with pytest.raises(UsageError, match="given twice"):
        mixed().assess(Question(scenarios=("x",)), known=["area"])
    with pytest.raises(tc.TacitaError, match="quasi-identifier"):
        mixed().assess(known=[])


def test_another_population_is_another_answer() -> None:
    """What was counted for one sample must not be taken for another's."""
    data = microdata([{"a": "x"}, {"a": "y"}], quasi=["a"])
    one, other = (tc.read(pa.table({"a": names})).relation for names in (["x", "x"], ["y"]))
    sample = replace(Sample.of(data.microdata), population=one)
    assert column(measure("k-map").risks(sample), "population_frequency") == [2, 0]
    assert column(measure("k-map").risks(replace(sample, population=other)), "population_frequency") == [0, 1]


def test_nulls_in_rules_and_registers_count_as_asked_or_it_is_said() -> None:
    rows = [{"a": "x", "b": None}, *({"a": "x", "b": "p"} for _ in range(3))]
    data = microdata(rows, quasi=["a", "b"])
    population = tc.read(pa.table({"a": ["x"] * 5, "b": ["p"] * 5})).relation
    sample = replace(Sample.of(data.microdata, nulls=STANDARD), population=population)
    assert column(measure("k-map").risks(sample), "population_frequency") == [0, 5, 5, 5]
    assert "maybe-match" in Ruled(ProgramText.of("k_anonymity")).lacks(sample)[0]
    half = replace(Sample.of(data.microdata, nulls=HALF), population=population)
    assert any("maybe-match" in note for note in measure("k-map").risks(half).notes)


def test_rules_that_conclude_of_no_record() -> None:
    sample = Sample.of(mixed().microdata, ["area"])
    head = '@input("Tuple", ["db", "id", "values"]).\n'
    with pytest.raises(RuleError, match="no record"):
        Ruled(ProgramText(head + "[1] Tuple(_, I, _), J = I + 100, R = 0.5 -> riskOutput(J, R).")).risks(sample)
    with pytest.raises(RuleError, match="the number of a record"):
        Ruled(ProgramText(head + '[1] Tuple(_, I, _), R = 0.5 -> riskOutput("north", R).')).risks(sample)
    with pytest.raises(RuleError, match="the number of a record"):
        Ruled(ProgramText(head + '[1] Tuple(_, I, _) -> riskOutput(I, "high").')).risks(sample)


def test_what_is_left_out_is_said() -> None:
    names = [f"q{i}" for i in range(26)]
    found = microdata([dict.fromkeys(names, j) for j in range(3)], quasi=names).assess().scenarios[0]
    assert [name for name, _ in found.skipped] == ["suda", "keys"]
    data = microdata([{"a": "x", "b": "y"}], quasi=["a"])
    assert any("no category is decided for b" in note for note in data.assess().notes)


def test_the_waterfall_does_not_hang_on_another_record() -> None:
    """One record of weight 1 is certain to be found; the others keep their probabilities."""
    rows = [{"a": f"v{i}", "h": i // 2, "w": 1.0 if i == 0 else 50.0} for i in range(6)]
    found = microdata(rows, quasi=["a"], cluster="h", weight="w").assess(Question(top=6)).scenarios[0]
    last = next(record for record in found.riskiest if record.row == 6)
    assert 0 < last.waterfall[0].risk < last.waterfall[1].risk < 1


def test_verdicts_are_not_added_up_to_people() -> None:
    found = mixed().assess()
    told = {each["measure"]: each for each in found.to_dict()["scenarios"][0]["measures"]}
    assert told["k-anonymity"]["expected_reidentifications"] is None
    assert told["individual-risk"]["expected_reidentifications"] > 0
    assert not [name for name in told if name.startswith("household l-")]
