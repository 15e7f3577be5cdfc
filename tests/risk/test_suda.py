"""Minimal sample uniques and SUDA: sdcMicro's figures, a brute-force twin, and the rules that define them."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.errors import UsageError
from tacita.knowledge import programs
from tacita.model.dictionary import MissingAs
from tacita.risk.combinations import Codes, codes
from tacita.risk.identity.minimal_sample_uniques import minimal_sample_uniques
from tacita.risk.identity.suda import Suda, contributions
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.sample import Sample
from tacita.rules.reasoner import ReasoningOptions, reason

pytestmark = pytest.mark.slow

FOUR = ["Area", "Sector", "Employees", "Residential Rev."]
KV5 = ["urbrur", "roof", "walls", "water", "electcon"]
KV7 = [*KV5, "relat", "sex"]
CATEGORY = Nulls(MissingAs.CATEGORY)
MAYBE = Nulls()
STANDARD = Nulls(semantics=Semantics.STANDARD)


def sample_of(table: pa.Table, nulls: Nulls = MAYBE, known: list[str] | None = None) -> Sample:
    names = known or table.column_names
    data = tc.read(table, name="db").with_categories(dict.fromkeys(names, "quasi-identifier"))
    return Sample.of(data.microdata, names, nulls)


def rows(relation: Any) -> list[dict[str, Any]]:
    found = [row for batch in relation.batches() for row in batch.to_pylist()]
    return sorted(found, key=lambda row: row["row"])


# -- the printed example -----------------------------------------------------------------------------------------------


def figure_1() -> Sample:
    return Sample.of(tc.sample("figure-1").microdata, FOUR)


def test_tuple_20_of_figure_1_has_the_two_minimal_sample_uniques_of_the_paper() -> None:
    sample = figure_1()
    found = Suda(largest=0).scored(sample).uniques
    shown = rows(Suda(largest=0).risks(sample).records)[19]
    assert shown["smallest_attributes"] == "Sector"
    place = [c for c, m in zip(found.combinations, found.masks, strict=True) if m == 0b0010]
    assert len(place) == 1, "no other record is the only one of its sector"
    masks = {int(m) for c, m in zip(found.combinations, found.masks, strict=True) if c == place[0]}
    assert masks == {0b0010, 0b1100}, "Sector; Employees with Residential Rev."
    assert (shown["msus"], shown["smallest"], shown["risk"], shown["score"]) == (2, 1, 1.0, 6.0 + 2.0)


def test_reason_names_attributes_and_counts_only() -> None:
    sample, measure = figure_1(), Suda()
    records = rows(measure.risks(sample).records)
    sector = "the only one with this Sector; 2 minimal sample uniques, the smallest of 1 attribute"
    assert measure.reason(sample, records[19]) == sector
    pair = "the only one with this Area x Sector; 1 minimal sample unique, of 2 attributes"
    assert measure.reason(sample, records[0]) == pair
    none = measure.reason(sample, records[0] | {"msus": 0, "smallest": None, "smallest_attributes": None})
    assert none == "no minimal sample unique of up to 3 attributes"


def test_what_is_looked_for_decides_what_is_found() -> None:
    sample = figure_1()
    risks = {k: [r["risk"] for r in rows(Suda(k=k).risks(sample).records)] for k in (1, 2, 3, 4)}
    assert [sum(risks[k]) for k in (1, 2, 3, 4)] == [0, 1, 17, 20]
    assert Suda(largest=0).risks(sample).figures["msus"] == Suda(largest=4).risks(sample).figures["msus"]
    assert Suda(largest=1, k=2).risks(sample).figures == {"records_with_msu": 1, "msus": 1, "score": 6}


@pytest.mark.parametrize(
    "parameters",
    [{"largest": -1}, {"largest": 1, "k": 3}, {"scores": "new"}, {"risk": "high"}, {"disclosure_fraction": 0}],
)
def test_senseless_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="what to do"):
        Suda(**parameters)


# -- sdcMicro 5.8.1 ----------------------------------------------------------------------------------------------------

PEERS = {
    "td2_kv5": ("testdata2", KV5),
    "td2_kv7": ("testdata2", KV7),
    "td_kv5": ("testdata", KV5),
    "td_kv7": ("testdata", KV7),
    "td_3": ("testdata", ["roof", "water", "age"]),
    "td_4": ("testdata", ["water", "relat", "age", "sex"]),
}


def peer_table(shared: Path, name: str, known: list[str]) -> pa.Table:
    return pa_csv.read_csv(shared / "data" / "sdcmicro" / f"{name}.csv").select(known)


def assert_as_sdcmicro(shared: Path, name: str, sample: Sample, convention: Any) -> Any:
    measure = Suda(largest=0, scores=convention, risk="dis")
    risks = measure.risks(sample)
    with (shared / "sdcmicro" / f"suda2_{name}.csv").open() as file:
        peer = list(csv.DictReader(file))
    ours = rows(risks.records)
    assert [r["score"] for r in ours] == pytest.approx([float(p["score"]) for p in peer], abs=1e-9)
    # sdcMicro computes the DIS score in single precision.
    assert [r["dis_score"] for r in ours] == pytest.approx([float(p["disScore"]) for p in peer], rel=1e-6)
    assert [r["risk"] for r in ours] == [r["dis_score"] for r in ours]
    for column, share in zip(sample.known, zip(*map(shares, peer), strict=True), strict=True):
        mine = [r[column] for r in rows(contributions(sample, 0, convention))]
        assert mine == pytest.approx(list(share), abs=1e-9), column
    return risks


def shares(peer: dict[str, str]) -> list[float]:
    return [float(value) for name, value in peer.items() if name.endswith("_contribution")]


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize(("convention", "suffix"), [("original", ""), ("ihsn", "_ihsn")])
def test_scores_and_contributions_are_those_of_sdcmicro(shared: Path, name: str, convention: str, suffix: str) -> None:
    data, known = PEERS[name]
    sample = sample_of(peer_table(shared, data, known))
    risks = assert_as_sdcmicro(shared, name + suffix, sample, convention)
    summary = json.loads((shared / "sdcmicro" / "suda2_summary.json").read_text())[f"suda2_{name}{suffix}"]
    assert risks.figures["score"] == pytest.approx(summary["sum_score"], rel=1e-9)
    assert sum(r["score"] > 0 for r in rows(risks.records)) == summary["n_positive"]
    percent = [row["percent"] for row in risks.tables["attributes"]]
    assert percent == pytest.approx([c["contribution"] for c in summary["attribute_contributions"]], abs=1e-9)
    if convention == "original":
        ours = {(r["attribute"], str(r["value"])): r["percent"] for r in risks.tables["values"]}
        with (shared / "sdcmicro" / f"suda2_{name}_levels.csv").open() as file:
            for row in csv.DictReader(file):
                theirs = 0 if row["contribution"] == "NA" else float(row["contribution"])
                assert ours.get((row["variable"], row["attribute"]), 0) == pytest.approx(theirs, abs=1e-9)


def test_in_the_standard_semantics_nulls_are_as_in_sdcmicro(shared: Path) -> None:
    table = peer_table(shared, "testdata2", KV7)
    for name, step in (("water", 5), ("roof", 7)):
        values = table[name].to_pylist()
        values[step - 1 :: step] = [None] * len(values[step - 1 :: step])
        table = table.set_column(KV7.index(name), name, pa.array(values))
    assert_as_sdcmicro(shared, "td2_kv7_na", sample_of(table, STANDARD), "original")


def test_the_disclosure_fraction_counts_as_in_sdcmicro(shared: Path) -> None:
    """testdata2 has no pairs on kv7, so that any fraction gives 1."""
    sample = sample_of(peer_table(shared, "testdata2", KV7))
    for fraction in (0.001, 0.01, 0.1, 0.5):
        risks = Suda(largest=0, disclosure_fraction=fraction).risks(sample)
        assert {r["dis_score"] for r in rows(risks.records)} == {1.0}
        assert any("pair" in note for note in risks.notes)


@pytest.mark.parametrize("fraction", [0.01, 0.5, 1])
def test_dis_scores_follow_their_formula(fraction: float) -> None:
    """Records 1 and 2 are unique by one value and by two; 3 and 4 are a pair, 5 to 7 are three alike."""
    table = pa.table({"a": [9, 1, 1, 1, 2, 2, 2], "b": [1, 1, 2, 2, 1, 1, 1], "c": [0] * 7})
    ours = rows(Suda(disclosure_fraction=fraction, risk="dis").risks(sample_of(table)).records)
    assert [r["score"] for r in ours] == [2, 1, 0, 0, 0, 0, 0]
    power = 1 + (8 - 3) / 20
    total = 2**-power + 1
    expected = [1 / (1 + 2 * (1 - fraction) / fraction / (score**power * total)) for score in (2, 1)]
    assert [r["dis_score"] for r in ours[:2]] == pytest.approx(expected, rel=1e-12)
    assert [r["risk"] for r in ours[2:]] == [0] * 5


def test_columns_that_determine_each_other_contribute_alike() -> None:
    """sdcMicro gives them different shares."""
    table = pa.table({"a": [1, 2, 2, 3, 3], "same as a": ["x", "y", "y", "z", "z"], "b": [1, 1, 2, 1, 2]})
    sample = sample_of(table)
    attributes = {r["attribute"]: r["percent"] for r in Suda(largest=0).risks(sample).tables["attributes"]}
    assert attributes["a"] == attributes["same as a"]
    for row in rows(contributions(sample, 0)):
        assert row["a"] == row["same as a"]


# -- the kernel and its twin -------------------------------------------------------------------------------------------


def coded(table: list[tuple[int, ...]], attributes: int) -> Codes:
    records = np.array(table, dtype=np.int32).reshape(-1, attributes)
    found, counts = np.unique(records, axis=0, return_counts=True)
    values = tuple(pa.array(range(int(found[:, a].max(initial=-1)) + 1)) for a in range(attributes))
    return Codes(found, counts.astype(np.int64), counts.astype(float), values)


def is_like(a: int, b: int, nulls: Nulls) -> bool:
    if nulls is MAYBE:
        return a == b or -1 in {a, b}
    return a == b and (nulls is CATEGORY or a != -1)


def naive(data: Codes, nulls: Nulls, largest: int) -> set[tuple[int, int]]:
    found = set()
    for place, one in enumerate(data.codes.tolist()):
        for size in range(1, largest + 1):
            for part in combinations(range(len(one)), size):
                mask = sum(1 << a for a in part)
                others = zip(data.codes.tolist(), data.counts.tolist(), strict=True)
                count = sum(n for other, n in others if all(is_like(one[a], other[a], nulls) for a in part))
                if count == 1 and not any(p == place and m & mask == m for p, m in found):
                    found.add((place, mask))
    return found


@st.composite
def small_data(draw: st.DrawFn) -> tuple[Codes, int]:
    attributes = draw(st.integers(1, 5))
    code = st.integers(-1, draw(st.integers(0, 4)))
    table = draw(st.lists(st.tuples(*[code] * attributes), max_size=10))
    return coded(table, attributes), draw(st.integers(0, attributes))


@pytest.mark.parametrize("nulls", [CATEGORY, MAYBE, STANDARD], ids=str)
@given(data=small_data())
@settings(max_examples=60, deadline=None)
def test_kernel_finds_what_brute_force_finds(nulls: Nulls, data: tuple[Codes, int]) -> None:
    table, largest = data
    found = minimal_sample_uniques(table, nulls, largest)
    pairs = list(zip(found.combinations.tolist(), found.masks.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == naive(table, nulls, largest or table.codes.shape[1])


@pytest.mark.parametrize("nulls", [CATEGORY, MAYBE, STANDARD], ids=str)
def test_kernel_is_right_where_groups_are_too_many_to_be_addressed(
    nulls: Nulls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacita.risk.identity.partitions.ADDRESSED", 4)
    monkeypatch.setattr("tacita.risk.identity.partitions.SPARSE", 1)
    monkeypatch.setattr("tacita.risk.identity.partitions.LARGEST_NUMBER", 20)
    random = np.random.default_rng(7)
    for share in (0, 0.1, 0.3):
        table = random.integers(0, 5, (25, 4))
        table[random.random(table.shape) < share] = -1
        data = coded([tuple(row) for row in table], 4)
        found = minimal_sample_uniques(data, nulls)
        assert set(zip(found.combinations.tolist(), found.masks.tolist(), strict=True)) == naive(data, nulls, 4)


def test_hiding_a_value_makes_no_record_unique() -> None:
    random = np.random.default_rng(3)
    table = random.integers(0, 3, (30, 4))
    before = {m for _, m in pairs_by_record(table)}
    assert before
    for place in range(30):
        hidden = table.copy()
        hidden[place, place % 4] = -1
        risky = {r for r, _ in pairs_by_record(hidden)}
        assert risky <= {r for r, _ in pairs_by_record(table)}


def pairs_by_record(table: Any) -> set[tuple[tuple[int, ...], int]]:
    data = coded([tuple(row) for row in table], table.shape[1])
    found = minimal_sample_uniques(data, MAYBE)
    return {
        (tuple(data.codes[c]), int(m))
        for c, m in zip(found.combinations, found.masks, strict=True)
        if -1 not in data.codes[c]
    }


def test_too_many_attributes_are_refused() -> None:
    with pytest.raises(UsageError, match="63 attributes"):
        minimal_sample_uniques(coded([(0,) * 63], 63), MAYBE, 1)


# -- the rules ---------------------------------------------------------------------------------------------------------


def assert_as_the_rules_say(table: pa.Table, missing_as: MissingAs) -> None:
    names = table.column_names
    data = tc.read(table, name="db").with_categories(dict.fromkeys(names, "quasi-identifier")).microdata
    data = data.with_dictionary(dataclass_replaced(data.dictionary, missing_as))
    sample, measure = Sample.of(data), Suda(largest=3, k=3)
    assert sample.nulls.missing_as is missing_as
    rules = measure.specification(sample)
    assert rules is not None
    text = f'@use("{rules.program}").'
    parameters = dict(rules.parameters)
    derived = reason(
        text, data=data, engine=sample.engine, options=ReasoningOptions(find=programs.find, parameters=parameters)
    )
    by_rules = sorted((row, tuple(sorted(dict(values.items)))) for _, row, values in derived.facts("MSU"))
    found = measure.scored(sample).uniques
    by_kernel = sorted(
        (record, tuple(sorted(name for bit, name in enumerate(names) if mask >> bit & 1)))
        for c, mask in zip(found.combinations.tolist(), found.masks.tolist(), strict=True)
        for record in records_of(sample, table, c)
    )
    assert by_kernel == by_rules
    risk = {r["row"]: r["risk"] for r in rows(measure.risks(sample).records)}
    assert risk == dict(derived.facts("riskOutput"))


def dataclass_replaced(dictionary: Any, missing_as: MissingAs) -> Any:
    from dataclasses import replace

    return replace(dictionary, missing_as=missing_as)


def records_of(sample: Sample, table: pa.Table, place: int) -> list[int]:
    data = codes(sample)
    values = [None if c < 0 else data.values[a][c].as_py() for a, c in enumerate(data.codes[place].tolist())]
    return [number for number, row in enumerate(table.to_pylist(), 1) if list(row.values()) == values]


def random_table(seed: int, share: float) -> pa.Table:
    random = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name, kind in (("A", str), ("B c", int), ("D", str), ("e", float)):
        values = [kind(v) for v in random.integers(0, 4, 15)]
        columns[name] = [None if random.random() < share else v for v in values]
    return pa.table(columns)


@pytest.mark.parametrize("missing_as", list(MissingAs))
def test_kernel_finds_what_the_rules_derive(missing_as: MissingAs) -> None:
    assert_as_the_rules_say(random_table(1, 0.15), missing_as)


@pytest.mark.slow
@pytest.mark.parametrize("missing_as", list(MissingAs))
@pytest.mark.parametrize("seed", range(5))
def test_kernel_finds_what_the_rules_derive_from_more_data(seed: int, missing_as: MissingAs) -> None:
    assert_as_the_rules_say(random_table(seed, 0.08 * seed), missing_as)


@pytest.mark.slow
def test_kernel_finds_what_the_rules_derive_from_one_record() -> None:
    assert_as_the_rules_say(pa.table({"A": ["x"], "B": pa.array([None], pa.string())}), MissingAs.UNKNOWN)


# -- the contract ------------------------------------------------------------------------------------------------------


def test_it_is_a_measure() -> None:
    assert isinstance(Suda(), Measure)
    assert Suda(risk="dis").specification(figure_1()) is None


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.float64()])
def test_no_records(kind: pa.DataType) -> None:
    sample = sample_of(pa.table({"a": pa.array([], kind), "b": pa.array([], kind)}))
    risks = Suda().risks(sample)
    assert rows(risks.records) == []
    assert risks.figures == {"records_with_msu": 0, "msus": 0, "score": 0}
    assert rows(contributions(sample)) == []


def test_kinds_of_columns_make_no_difference() -> None:
    numbers = random_table(5, 0)
    texts = pa.table({name: pa.array([str(v) for v in numbers[name].to_pylist()]) for name in numbers.column_names})
    coded_texts = pa.table({name: texts[name].dictionary_encode() for name in texts.column_names})
    found = [rows(Suda().risks(sample_of(table)).records) for table in (numbers, texts, coded_texts)]
    assert found[0] == found[1] == found[2]


def test_shares_of_matches_are_said_not_to_be_used() -> None:
    table = pa.table({"a": ["x", None, "y"], "b": ["1", "2", "2"]})
    alpha = Suda().risks(sample_of(table, Nulls(semantics=Semantics.ALPHA, alpha=0.5)))
    maybe = Suda().risks(sample_of(table, MAYBE))
    assert rows(alpha.records) == rows(maybe.records)
    assert any("alpha 0.5" in note for note in alpha.notes)
    assert not any("may be any value" in note for note in maybe.notes)
