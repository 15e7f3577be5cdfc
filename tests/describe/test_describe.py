"""Descriptions: figures of the papers and of peers, and a table that a person can read."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as tc
from tacita.model.attribute import Kind


@pytest.mark.slow
def test_sample_uniques_of_adult(shared) -> None:
    """ARX 3.9.2 on Adult, nine attributes: 15,512 uniques, 19,502 classes (reference/README.md)."""
    adult = tc.read(shared / "data/adult/adult.csv")
    found = adult.describe(quasi=adult.dictionary.names).uniques
    assert found is not None
    assert (found.sample_uniques, found.combinations, found.tuples) == (15_512, 19_502, 30_162)


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "uniques"), [(5, 2), (7, 157)])
def test_sample_uniques_of_testdata(shared, keys: int, uniques: int) -> None:
    """sdcMicro 5.8.1 on testdata: 2 uniques on kv5, 157 on kv7 (reference/README.md)."""
    kv7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    found = tc.read(shared / "data/sdcmicro/testdata.csv").describe(quasi=kv7[:keys]).uniques
    assert found is not None
    assert found.sample_uniques == uniques


@pytest.mark.slow
@pytest.mark.parametrize(("file", "uniques"), [("synth_25k", 4745), ("synth_100k", 3405)])
def test_sample_uniques_of_the_bench_files(shared, file: str, uniques: int) -> None:
    """Uniques on region, sex, age, edu as counted with sdcMicro (reference/README.md)."""
    data = tc.read(shared / f"data/bench/{file}.parquet")
    found = data.describe(quasi=["region", "sex", "age", "edu"]).uniques
    assert found is not None
    assert found.sample_uniques == uniques


@pytest.mark.slow
def test_figure_1() -> None:
    keys = ["Area", "Sector", "Employees"]
    found = tc.sample("figure-1").with_roles(quasi=keys).describe().uniques
    rows = tc.sample("figure-1").to_arrow().select(keys).to_pylist()
    assert found is not None
    assert found.sample_uniques == sum(rows.count(row) == 1 for row in rows) > 0


def test_patients() -> None:
    found = tc.sample("patients-4-anonymous").describe().uniques
    assert found is not None
    assert (found.sample_uniques, found.combinations, found.under[5]) == (0, 3, 12)


def test_profile_figures() -> None:
    data = tc.read(pa.table({"x": ["a", "a", "b", None], "n": [1.0, 2.0, 4.0, math.inf], "id": ["1", "2", "3", "4"]}))
    profiles = data.profiles()
    x, n, id_ = profiles["x"], profiles["n"], profiles["id"]
    assert (x.rows, x.missing, x.distinct, x.singles) == (4, 1, 2, 1)
    assert x.entropy == pytest.approx(math.log2(3) - 2 / 3)
    assert x.most_frequent == (("a", 2), ("b", 1))
    assert n.moments is not None
    assert n.moments.mean == pytest.approx(7 / 3)
    assert n.moments.quantiles[2] == 2.0
    assert (n.least, n.greatest) == ("1.0", "inf")
    assert id_.all_different
    assert id_.most_frequent == ()
    assert (id_.least, id_.greatest) == (None, None), "an identifier must not be shown"


def test_text_shows_no_identifier() -> None:
    shown = str(tc.sample("figure-1").describe())
    ids = tc.sample("figure-1").to_arrow()["Id"].to_pylist()
    assert not any(value in shown for value in ids)
    assert "all different" in shown
    assert "20 sample uniques (100 % of the tuples)" in shown


def test_an_identifier_is_not_shown_even_where_it_repeats() -> None:
    data = tc.read(pa.table({"iban": ["SECRET1", "SECRET1", "SECRET2"], "n": [1, 2, 3]}))
    found = data.with_categories({"iban": "identifier"}).describe()
    assert "SECRET" not in str(found) + found._repr_html_() + json.dumps(found.to_dict())


def test_json_holds_what_json_can_hold() -> None:
    found = tc.read(pa.table({"w": [1.0, math.inf], "a": ["x", None]})).describe().to_dict()
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text)["attributes"][0]["greatest"] == "inf"


def test_html_is_escaped() -> None:
    html = tc.read(pa.table({"<b>": ["<script>", "<script>", "x"]})).describe()._repr_html_()
    assert "<script>" not in html
    assert "&lt;b&gt;" in html


@pytest.mark.slow
@pytest.mark.parametrize(("width", "seen"), [(60, False), (80, False), (100, False), (120, True)])
def test_a_narrow_table_keeps_its_figures(width: int, seen: bool) -> None:
    shown = tc.sample("figure-1").describe().to_text(width)
    assert max(map(len, shown.splitlines())) <= width
    assert "quasi-identifier" in shown
    assert "distinct" in shown
    assert ("█" in shown) is seen


def test_wide_data_is_described_like_narrow_data() -> None:
    narrow = {"a": [1, 1, 2], "b": ["x", None, "x"], "c": [1.5, 2.5, None]}
    wide = narrow | {f"f{i}": [i, i, i] for i in range(60)}
    alone, among = tc.read(pa.table(narrow)).profiles(), tc.read(pa.table(wide)).profiles()
    assert {name: among[name] for name in narrow} == alone


@pytest.mark.slow
def test_two_runs_give_the_same_bytes(shared) -> None:
    path = shared / "data/bench/synth_25k.parquet"
    first, second = (json.dumps(tc.read(path).describe().to_dict()) for _ in range(2))
    assert first == second


def test_value_labels_are_shown_in_place_of_codes(tmp_path: Path) -> None:
    rows = "\n".join(f"{1 + i % 2},{i % 30},{20 + i % 50}" for i in range(300))
    (tmp_path / "people.csv").write_text(f"rb090,db040,age\n{rows}\n")
    areas = "\n".join(f'{i} = "area {i}"' for i in range(30))
    (tmp_path / "people.dictionary.toml").write_text(
        '[attributes.rb090.labels]\n1 = "male"\n2 = "female"\n'
        f'[attributes.db040.labels]\n{areas}\n[attributes.age.labels]\n99 = "no answer"\n'
    )
    found = tc.read(tmp_path / "people.csv").describe()
    assert "male 50 %, female 50 %" in str(found) and "male 50 %, female 50 %" in found._repr_html_()
    assert {"value": "2", "count": 150, "label": "female"} in found.to_dict()["attributes"][0]["most_frequent"]
    assert [found.profiles[name].kind for name in ("db040", "age")] == [Kind.CATEGORICAL, Kind.CONTINUOUS]
