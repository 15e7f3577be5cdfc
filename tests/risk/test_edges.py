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
from tacita.assess.assess import Question
from tacita.cli.main import run
from tacita.errors import RuleError, UsageError
from tacita.knowledge.programs import ProgramText
from tacita.risk.catalogue import measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.ruled import Ruled
from tacita.risk.sample import Sample
from tacita.risk.why import why


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_is_left_out_is_said() -> None:
    names = [f"q{i}" for i in range(26)]
    found = microdata([dict.fromkeys(names, j) for j in range(3)], quasi=names).assess().scenarios[0]
    assert [name for name, _ in found.skipped] == ["suda", "keys"]
    data = microdata([{"a": "x", "b": "y"}], quasi=["a"])
    assert any("no category is decided for b" in note for note in data.assess().notes)


@pytest.mark.slow
def test_the_waterfall_does_not_hang_on_another_record() -> None:
    """One record of weight 1 is certain to be found; the others keep their probabilities."""
    rows = [{"a": f"v{i}", "h": i // 2, "w": 1.0 if i == 0 else 50.0} for i in range(6)]
    found = microdata(rows, quasi=["a"], cluster="h", weight="w").assess(Question(top=6)).scenarios[0]
    last = next(record for record in found.riskiest if record.row == 6)
    assert 0 < last.waterfall[0].risk < last.waterfall[1].risk < 1


@pytest.mark.slow
def test_verdicts_are_not_added_up_to_people() -> None:
    found = mixed().assess()
    told = {each["measure"]: each for each in found.to_dict()["scenarios"][0]["measures"]}
    assert told["k-anonymity"]["expected_reidentifications"] is None
    assert told["individual-risk"]["expected_reidentifications"] > 0
    assert not [name for name in told if name.startswith("household l-")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["n", "w", "id", "value", "size", "share"])
def test_an_attribute_may_be_called_as_our_own_columns(name: str) -> None:
    """What is counted must not hang on what an attribute is called."""
    rows = [(f"v{i % 5}", f"u{i % 4}", f"s{i % 3}") for i in range(37)]

    def figures(called: str) -> list[list[object]]:
        data = microdata(
            [dict(zip((called, "b", "s"), row, strict=True)) for row in rows], quasi=[called, "b"], sensitive=["s"]
        )
        population = tc.read(pa.table({called: [r[0] for r in rows] * 2, "b": [r[1] for r in rows] * 2})).relation
        sample = replace(Sample.of(data.microdata), population=population)
        names = ("k-anonymity", "k-map", "delta-presence", "l-diversity", "t-closeness", "suda", "keys")
        found: list[list[object]] = [column(measure(each).risks(sample), "risk") for each in names]
        attributes = data.assess(Question(k=3)).scenarios[0].attributes
        return [*found, [(a.unsafe_without, a.saved) for a in attributes]]

    assert figures(name) == figures("harmless")


@pytest.mark.parametrize("nulls", [MAYBE, STANDARD, EXPECTED], ids=str)
def test_more_attributes_than_bits(nulls: Nulls) -> None:
    """70 known attributes, one of them unique in each record, another null in some: everybody is still unique."""
    rows = [{f"q{j}": i if j == 66 else None if j == 63 and i % 3 == 0 else 1 for j in range(70)} for i in range(60)]
    names = list(rows[0])
    sample = Sample.of(microdata(rows, quasi=names).microdata, names, nulls)
    assert set(column(measure("k-anonymity").risks(sample), "frequency")) == {1}


def test_too_many_attributes_with_nulls_are_refused() -> None:
    rows = [{f"q{j}": None if j == i else 1 for j in range(70)} for i in range(70)]
    sample = Sample.of(microdata(rows, quasi=list(rows[0])).microdata, list(rows[0]), MAYBE)
    with pytest.raises(UsageError, match="70 known attributes have missing values"):
        measure("k-anonymity").risks(sample)


@pytest.mark.slow
def test_a_role_twice_and_options_without_effect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "d.csv"
    file.write_text("a,b,w,h\n" + "".join(f"v{i},u{i % 2},{i + 1},{i // 2}\n" for i in range(8)))
    refused = {
        ("--quasi", "a,w", "--weight", "w"): "'w' is given two roles",
        ("--quasi", "a,h", "--cluster", "h"): "'h' is given two roles",
        ("--quasi", "a", "--alpha", "0.3"): "--alpha is for --nulls alpha",
        ("--quasi", "a", "--measure", "k-anonymity", "--original", str(file)): "--original is for interval-disclosure",
        ("--quasi", "a", "--measure", "k-anonymity", "--population", str(file)): "--population",
        ("--quasi", ""): "--quasi names no attribute",
        ("--quasi", "a", "--k", "5", "--measure", "k-anonymity", "--param", "k=4"): "k is given twice",
        ("--quasi", "a", "--measure", "k-anonymity", "--param", "threshold=2"): "threshold of k-anonymity is 2",
        ("--quasi", "a", "--measure", "k_anonymity", "--param", "zzz=3"): "no parameter 'zzz'",
        ("--quasi", "a", "--measure", "company_groups"): "no rule concludes riskOutput",
        ("--quasi", "a", "--records", str(file), "--force"): "would be replaced",
        ("--quasi", "a", "--records", "x.csv", "--html", "x.csv"): "the same file",
        ("--quasi", "a", "--measure", "file-risk", "--why", "3"): "nothing was measured of single records",
        ("--quasi", "a", "--measure", "keys", "--param", "most_records=x"): "a whole number or a list",
    }
    for arguments, words in refused.items():
        code = run(["assess", str(file), *arguments])
        said = capsys.readouterr().err
        assert code in {2, 3}, (arguments, said)
        assert words in said, (arguments, said)
    assert file.read_text().startswith("a,b,w,h")


@pytest.mark.slow
def test_unsafe_data_can_fail_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text("a\nx\ny\n")
    (tmp_path / "e.csv").write_text("a\n" + "x\n" * 9)
    assert run(["assess", str(tmp_path / "d.csv"), "--quasi", "a", "--strict", "--json"]) == 1
    assert run(["assess", str(tmp_path / "e.csv"), "--quasi", "a", "--strict", "--json"]) == 0
    capsys.readouterr()


def test_what_an_assessment_shows_of_itself_holds_no_value() -> None:
    found = tc.generate("R1A4W", seed=7).assess()
    shown = repr(found) + repr(found.scenarios) + repr(found["suda"])
    assert not [value for value in ("Commerce", "North", "50-200") if value in shown]


@pytest.mark.slow
def test_a_proof_shows_only_what_it_rests_on() -> None:
    found = tc.sample("figure-1").assess(known=["Area", "Sector"])
    told = found.why(4, "k-anonymity").proof
    assert told is not None
    assert "Weight" not in told.as_text()
    assert "Employees" not in told.as_text()


def test_rules_with_several_risks_prove_the_one_that_counts() -> None:
    text = (
        '@input("Tuple", ["db", "id", "values"]).\n'
        "[1] Tuple(_, I, _), R = 0.5 -> riskOutput(I, R).\n[2] Tuple(_, I, _), R = 0.7 -> riskOutput(I, R).\n"
    )
    ruled, sample = Ruled(ProgramText(text)), Sample.of(mixed().microdata, ["area"])
    told = why(ruled, sample, ruled.risks(sample), 3)
    assert told.risk == 0.7
    assert told.proof is not None
    assert "riskOutput(3, 0.7)" in told.proof.as_text()


def test_rules_may_ask_for_values_alone() -> None:
    """riskInput holds every record, whether or not the program reads Tuple."""
    text = '[1] riskInput(I), Val(M, I, "income", S), R = S / 100.0 -> riskOutput(I, R).\n'
    sample = Sample.of(mixed().microdata, ["area"])
    assert column(Ruled(ProgramText(text)).risks(sample), "risk") == pytest.approx(
        [i * 37 % 100 / 100 for i in range(40)]
    )
