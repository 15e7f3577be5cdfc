"""What is recorded as disclosed is what the public folder shows, cell by cell, as plain CSV readers see it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import tacita as tc
from tacita.api import ledgers, tables
from tacita.api.concealing import ConcealedOptions, ConcealPlan, HideAs, conceal_to, make_key
from tacita.api.dataset import Dataset
from tacita.api.masking import mask_to
from tacita.api.releasing import KAnonymity
from tacita.ledger.disclosures import AttributeDisclosure as Status
from tacita.ledger.disclosures import DisclosedRecords, Disclosures
from tacita.ledger.persons import PersonHashes
from tacita.ledger.settings_file import find_ledger_settings
from tacita.release.kind import Released
from tacita.release.manifest import sha256
from tacita.release.options import MaskedOptions, ReleaseOptions, WeightBlur

ROWS = [
    {
        "person": f"P{n}",
        "area": ("North", "South", "East")[n % 3],
        "sex": "fm"[n // 2 % 2],
        "age": str(20 + n % 7 * 5),
        "income": str(1000 + n * 7),
        "household": f"H{n // 3}",
        "w": str(round(1.5 + n / 10, 1)),
    }
    for n in range(60)
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with people, and a ledger that knows their key."""
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with (work / "people.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ROWS[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(ROWS)
    made = ledgers.init(work)
    with made.settings.path.open("a") as settings:
        settings.write('\n[sources.people]\nkey = "person"\nfiles = "people.csv"\n')
    return work


def people(*quasi: str, **roles: Any) -> Dataset:
    known = quasi or ("area", "sex", "age")
    return tc.read("people.csv").with_roles(quasi=known, identifier=["person"], **roles)


def disclosed(released: Released | None) -> Disclosures:
    assert released is not None
    assert released.receipt is not None
    payload = ledgers.show(released.receipt.sequence).payload
    assert payload is not None
    return Disclosures.from_payload(payload["disclosures"])


def records_of(released: Released) -> tuple[DisclosedRecords, list[dict[str, Any]]]:
    """What is said of the released records, and what the file of the internal folder has of each."""
    records = disclosed(released).records
    assert records is not None
    path = released.internal / "disclosed.parquet"
    assert sha256(path) == records.sha256
    rows = pq.read_table(path).to_pylist()
    assert len(rows) == records.records
    return records, rows


def public(released: Released) -> list[dict[str, str]]:
    with released.data.open(newline="") as file:
        return list(csv.DictReader(file))


def person_hash(row: dict[str, str]) -> str | None:
    settings = find_ledger_settings(Path.cwd())
    assert settings is not None
    with settings.open() as ledger:
        return PersonHashes("people", ("person",), ledger.identity.person_key).of([row["person"]])


def check_records(released: Released) -> dict[str, Status]:
    """Compare each released cell with what is recorded, and what it says of the source; return how attributes are."""
    records, rows = records_of(released)
    shown = public(released)
    statuses = {one.name: one.status for one in records.attributes}
    assert [*shown[0]] == [one.name for one in records.attributes]
    hashes = {person_hash(row): number for number, row in enumerate(ROWS, 1)}
    for record, cells in zip(shown, rows, strict=True):
        assert hashes[cells["person"]] == cells["source_row"]
        truth = ROWS[cells["source_row"] - 1]
        for at, one in enumerate(records.attributes):
            value = cells[f"a{at}"]
            if one.status is Status.CONCEALED:
                assert value is None or record[one.name] == value == truth[one.attribute]
                continue
            assert (value or "") == record[one.name]
            if value is None:
                continue
            if one.status is Status.EXACT:
                assert value == truth[one.attribute]
            elif one.status is Status.COARSENED:
                assert truth[one.attribute] in one.stands_for[value]
    return statuses


def release(data: Dataset, plan: tc.Plan, **options: Any) -> Released:
    released = data.release("out", plan, ReleaseOptions(**options)).release
    assert released is not None
    return released


@pytest.mark.slow
@pytest.mark.parametrize("shuffle", [True, False])
def test_suppressed_records(shuffle: bool) -> None:
    released = release(people(), tc.Plan(KAnonymity(3)), shuffle=shuffle, drop=("household", "w"))
    statuses = check_records(released)
    assert set(statuses.values()) == {Status.EXACT}
    assert any("" in record.values() for record in public(released))


@pytest.mark.slow
def test_recoded_records() -> None:
    plan = tc.Plan(KAnonymity(2), intervals={"age": 10})
    released = release(people(), plan, drop=("household", "w"))
    statuses = check_records(released)
    assert statuses["age"] is Status.COARSENED
    assert statuses["area"] is Status.EXACT


@pytest.mark.slow
def test_top_coded_records() -> None:
    released = release(people(), tc.Plan(KAnonymity(2), top={"age": 35}), drop=("household", "w"), allow_derivable=True)
    assert check_records(released)["age"] is Status.COARSENED


@pytest.mark.slow
def test_pseudonyms_household_numbers_and_blurred_weights() -> None:
    data = people("sex", weight="w", cluster="household")
    released = release(
        data,
        tc.Plan(KAnonymity(2)),
        pseudonymise=("person",),
        key=bytes.fromhex("8f1d0c5be94a7723a6b0d25e41f893cc"),
        keep_clusters=True,
        weights=WeightBlur(10),
    )
    statuses = check_records(released)
    assert statuses["person"] is statuses["household"] is Status.PSEUDONYM
    assert statuses["w"] is Status.PERTURBED
    assert statuses["income"] is Status.EXACT


@pytest.mark.slow
def test_masked_records() -> None:
    recipe = """
[[step]]
method = "rank-swapping"
attributes = ["income"]
p = 20
[attack]
accept = 1.0
accept_unique = 1.0
"""
    Path("recipe.toml").write_text(recipe)
    options = MaskedOptions(allow_derivable=True)
    released = mask_to(Path("out"), people(), tc.read_recipe("recipe.toml").with_(seed=1), options).release
    assert released is not None
    statuses = check_records(released)
    assert statuses["income"] is Status.PERTURBED
    assert statuses["area"] is Status.EXACT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hide_as", "in_cells"),
    [(HideAs.NULL, False), (HideAs.EMPTY, False), (HideAs.TOKEN, False), (HideAs.TOKEN, True)],
)
def test_concealed_records(hide_as: HideAs, in_cells: bool) -> None:
    make_key(Path("master"))
    key = Path("master") if hide_as is HideAs.TOKEN else None
    Path("policies.csv").write_text("person,confidential\n" + "".join(f"P{n},sex\n" for n in range(0, 60, 4)))
    plan = ConcealPlan(policies=("policies.csv",), person="person", least_hiders=1)
    released = conceal_to(
        Path("out"), people("area"), plan, ConcealedOptions(hide_as=hide_as, key=key, in_cells=in_cells)
    ).release
    assert released is not None
    statuses = check_records(released)
    assert statuses["sex"] is Status.CONCEALED
    assert statuses["income"] in {Status.EXACT, Status.CONCEALED}
    records, rows = records_of(released)
    at = [one.name for one in records.attributes].index("sex")
    assert sum(cells[f"a{at}"] is None for cells in rows) >= 15


METHODS = [
    "suppression",
    "fast",
    "controlled_rounding",
    "random_rounding",
    "small_count_rounding",
    "intervals",
    "adjustment",
]
FREQUENCIES = """
title = "People"
[data]
microdata = "people.csv"
[[table]]
name = "people"
dimensions = ["area", "age", "sex"]
[sensitivity]
minimum_frequency = 3
[protect]
method = "{method}"
base = 5
time = 5
"""
CELL_KEYS = '[protect.cell_key]\nidentifier = "person"\n'


def counts() -> dict[tuple[str, ...], int]:
    """The true table, by a naive count."""
    table: dict[tuple[str, ...], int] = {}
    for area in ("Total", "North", "South", "East"):
        for age in ("Total", *sorted({row["age"] for row in ROWS})):
            for sex in ("Total", "f", "m"):
                wanted = {"area": area, "age": age, "sex": sex}
                table[area, age, sex] = sum(
                    all(code in ("Total", row[name]) for name, code in wanted.items()) for row in ROWS
                )
    return table


def shown_cells(released: Released, name: str) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    with (released.folder / name).open(newline="") as file:
        for line in csv.DictReader(file):
            yield {key: line[key] for key in ("area", "age", "sex")}, line


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS, "cell_key"])
def test_tables(method: str) -> None:
    text = FREQUENCIES.format(method=method)
    if method == "cell_key":
        text = text.replace("minimum_frequency = 3\n", "").replace("time = 5", "time = 5\nseed = 4") + CELL_KEYS
    if method in {"random_rounding", "small_count_rounding"}:
        text = text.replace("minimum_frequency = 3\n", "")
    Path("people.toml").write_text(text)
    released = tables.protect_to(Path("out"), Path("people.toml"), options=tables.TableOptions(ungated=True)).release
    assert released is not None
    (table,) = disclosed(released).tables
    assert (table.response, table.method, table.is_whole) == ("", method, True)
    assert [one.attribute for one in table.dimensions] == ["area", "age", "sex"]
    assert set(table.dimensions[0].codes["Total"]) == {"North", "South", "East"}
    assert table.dimensions[0].codes["North"] == ("North",)
    truth = counts()
    cells = {cell.codes: cell for cell in table.cells}
    lines = list(shown_cells(released, "people.csv"))
    assert len(lines) == len(cells)
    for codes, line in lines:
        cell = cells[codes["area"], codes["age"], codes["sex"]]
        value = truth[cell.codes]
        published = line.get("value", "")
        assert cell.is_withheld == (published == "")
        low = float("-inf") if cell.lower is None else float(cell.lower)
        high = float("inf") if cell.upper is None else float(cell.upper)
        assert low <= value <= high
        if cell.is_withheld:
            assert method == "intervals" or (cell.lower, cell.upper) == (None, None)
        elif method in {"suppression", "fast", "intervals"}:
            assert cell.is_exact
            assert float(cell.lower or "nan") == float(published)
        elif cell.lower is not None:
            assert low <= float(published) <= high
        assert cell.is_sensitive == bool(cell.rule)
        if cell.is_sensitive:
            assert cell.protect_lower is not None
            assert float(cell.protect_lower) <= value <= float(cell.protect_upper or "nan")
    if method == "adjustment":
        assert disclosed(released).notes


@pytest.mark.slow
def test_sums_with_hierarchies_and_several_responses() -> None:
    specification = tables.write_example("firms")
    text = Path(specification).read_text().replace('response = "turnover"', 'response = ["turnover"]')
    Path(specification).write_text(text)
    released = tables.protect_to(Path("out"), specification).release
    assert released is not None
    (table,) = disclosed(released).tables
    assert (table.response, table.contributor, table.is_nonnegative) == ("turnover", "group", True)
    sector = table.dimensions[0]
    assert set(sector.codes["Industry"]) == {"Food", "Textiles", "Metal", "Machinery"}
    with (released.folder / "turnover.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    cells = {cell.codes: cell for cell in table.cells}
    assert len(lines) == len(cells)
    for line in lines:
        cell = cells[line["sector"], line["region"]]
        assert (cell.lower or "") == line["value"]
    assert sum(cell.is_withheld for cell in table.cells) == 18
    assert sum(cell.is_sensitive for cell in table.cells) == 10


def test_payloads_of_large_tables_are_read_back(here: Path) -> None:
    Path("people.toml").write_text(FREQUENCIES.format(method="suppression"))
    released = tables.protect_to(Path("out"), Path("people.toml")).release
    whole = disclosed(released)
    assert Disclosures.from_payload(json.loads(json.dumps(whole.to_payload()))) == whole
