"""Leaks: every byte of what is handed out is searched for what must not be in it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from tests.release.outcomes import outcome
from tests.release.searching import leaks

import tacita as tc
from tacita.api.dataset import Dataset
from tacita.cycle.outcome import State
from tacita.release.kinds.microdata import external_report as report
from tacita.release.options import ReleaseOptions
from tacita.release.writing import write_release
from tacita.settings import Settings
from tacita.views.charts import bars

K, THRESHOLD, SEED, SETTING = 791_900_123, 0.573391, 987654321987, "setting-known-inside"
KEY = b"key-of-pseudonyms-0123456789"
SECRETS = [str(K), str(THRESHOLD), str(SEED), SETTING, KEY.decode(), "order.parquet", "decisions"]
"""What the settings of these releases look like: numbers that no data of these tests have."""


def secretive(data: Dataset, cells: list[tuple[int, str]], **changes: Any) -> Any:
    """An outcome whose claim and settings hold the secrets above."""
    made = outcome(data, cells, k=K, settings={"hidden": SETTING, "seed": SEED}, **changes)
    claim = replace(made.claim, parameters={"k": K, "threshold": THRESHOLD})
    return replace(made, claim=claim, before=State(K, K, THRESHOLD), notes=[f"noted: {SETTING}"])


@st.composite
def microdata(draw: st.DrawFn) -> tuple[str, list[str], list[tuple[int, str]]]:
    """A CSV text, the markers in it that must not be released, and the cells to be suppressed."""
    n = draw(st.integers(4, 12))
    rare = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.sampled_from(["area", "job", "pay"])), min_size=1, unique=True)
    )
    comma = draw(st.booleans())
    lines, markers = ["id;area;job;pay;free"], []
    for i in range(n):
        cells = {"id": f"ident{i:04d}x", "area": draw(st.sampled_from(["north", "south"])), "job": "clerk", "pay": "10"}
        markers.append(cells["id"])
        for name in ("area", "job", "pay"):
            if (i, name) not in rare:
                continue
            spelt = f"{77001 + i}{',50' if comma else ''}" if name == "pay" else f"rare{name}{i:04d}x"
            cells[name] = spelt
            markers.append(spelt.removesuffix(",50"))
        lines.append(";".join([*cells.values(), f"told{i}"]))
    return "\n".join(lines) + "\n", markers, [(i + 1, name) for i, name in rare]


@pytest.mark.slow
@given(microdata(), st.booleans(), st.booleans())
@examples(max_examples=6, deadline=None)
def test_nothing_that_was_hidden_is_handed_out(
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[str, list[str], list[tuple[int, str]]],
    shuffle: bool,
    pseudonyms: bool,
) -> None:
    text, markers, cells = made
    folder = tmp_path_factory.mktemp("secret-place")
    (folder / "survey.csv").write_text(text)
    data = tc.read(folder / "survey.csv")
    # an order collected from the data, as accepting proposals does
    data = data.with_roles(quasi=["area", "job", "pay"], identifier=["id"], sensitive=["free"])
    order = {"area": sorted({line.split(";")[1] for line in text.splitlines()[1:]})}
    data = data._with(data.dictionary.mapped(lambda a: a.with_(order=order.get(a.name, a.order))))
    options = ReleaseOptions(shuffle=shuffle, seed=SEED, check=False)
    options = replace(options, pseudonymise=("id",), key=KEY) if pseudonyms else options
    state = Settings(state=folder / "state")
    done = write_release(secretive(data, cells), folder / "release", options, settings=state)
    assert leaks(done.folder, [*markers, *SECRETS, "secret-place", "survey.csv"]) == []
    assert leaks(done.internal, [SETTING]), "the search finds what is there"
    # and all that was not hidden is still there
    released = list(csv.DictReader((done.folder / "data.csv").open(), delimiter=";"))
    before = list(csv.DictReader(text.splitlines(), delimiter=";"))
    for i, row in enumerate(before):
        after = next(each for each in released if each["free"] == row["free"])
        assert all(after[n] == ("" if (i + 1, n) in cells else row[n]) for n in ("area", "job", "pay"))


@pytest.mark.parametrize("ending", [".parquet", ".dta", ".sav", ".xlsx", ".csv.gz"])
def test_no_format_remembers(ending: str, tmp_path: Path, settings: Settings) -> None:
    """Labels collected from the data, codes of text columns, statistics: all that a format may hold on the side."""
    n = 500  # enough for text to be held as codes of a dictionary
    area = ["north", "south"] * (n // 2)
    area[7], area[8] = "rarearea0001x", "rarearea0002x"
    table = pa.table({"id": [f"ident{i:05d}" for i in range(n)], "area": area, "sex": [1, 2] * (n // 2)})
    data = tc.read(table)
    labels = {"1": "man", "2": "woman", "3": "label of nobody"}
    texts = {"north": "up", "south": "down", "rarearea0001x": "raretext"}
    named = {"sex": labels, "area": texts if ending == ".sav" else {}}
    dictionary = data.dictionary.mapped(lambda a: a.with_(labels=named.get(a.name, {})))
    tc.Dataset(data.microdata.with_dictionary(dictionary)).write(tmp_path / f"s{ending}")
    data = tc.read(tmp_path / f"s{ending}").with_roles(quasi=["area", "sex"], identifier=["id"])
    cells = [(8, "area"), (9, "area")]
    done = write_release(
        secretive(data, cells), tmp_path / "release", ReleaseOptions(seed=SEED, check=False), settings=settings
    )
    hidden = ["rarearea", "raretext", "ident0", *SECRETS]
    assert leaks(done.folder, hidden) == []
    if ending in {".sav", ".dta"}:
        assert leaks(done.folder, ["label of nobody"]), "an attribute that was not touched keeps its labels"


@pytest.mark.slow
def test_the_report_with_its_drawings(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "bars", bars)
    n = 400
    table = pa.table({"area": [f"rare{i % 37:04d}" for i in range(n)], "job": ["clerk"] * n, "sex": ["m", "f"] * 200})
    data = tc.read(table, name="people").with_roles(quasi=["area", "job"])
    cells = [(i, "area") for i in range(1, 124)] + [(i, "job") for i in range(1, 4)]
    options = ReleaseOptions(seed=SEED, check=False)
    made = replace(secretive(data, cells), loss={"suppressed_cells": 0.157921})
    done = write_release(made, tmp_path / "release", options, settings=settings)
    page = (done.folder / "report.html").read_text()
    assert "<svg" in page
    assert "31 %" in page, "123 of 400, without decimals"
    assert "fewer than 10" in page
    assert "16 %" in page
    for secret in (*SECRETS, "rare0", "0.3075", "30.75", "123", "0.0075", "0.157921", ">3<"):
        assert secret not in page, secret
    changed = json.loads((done.folder / "manifest.json").read_text())["changed_cells"]
    assert changed["area"] == {"suppressed": 120, "coarsened": 0}
    assert changed["job"]["suppressed"] == "fewer than 10"
    # a few cells more give the same page, the lengths of its bars included
    more = replace(secretive(data, [*cells, (124, "area"), (9, "job")]), loss={"suppressed_cells": 0.161})
    other = write_release(more, tmp_path / "other", options, settings=settings)
    assert (other.folder / "report.html").read_text() == page
