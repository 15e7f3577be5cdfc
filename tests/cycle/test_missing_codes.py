"""A code of a missing value that is published is a value: plain counts on released files find what was claimed."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pyreadstat
import pytest

import tacita as tc
from tacita.api.releasing import release_to
from tacita.cli.main import run
from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import UsageError
from tacita.files.contract import ReadOptions
from tacita.files.read import read
from tacita.model.dictionary import MissingAs
from tacita.release.options import ReleaseOptions
from tacita.release.verify import verify
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.null_semantics import Nulls, Semantics

pytestmark = pytest.mark.slow

KNOWN = ("region", "age", "sex")
MEANINGS = {"strict": None, "maybe": Nulls(), "expected": Nulls(semantics=Semantics.EXPECTED)}
Row = tuple[Any, ...]


def survey(records: int = 160, seed: int = 1) -> list[Row]:
    """Return records with codes 98 and 99 in a text and in a numeric attribute, one of them in a single record."""
    draw = random.Random(seed)
    rows = [
        (draw.choice(["north", "south", "west"]), draw.choice(["20", "30", "40"]), draw.choice("mf"))
        for _ in range(records)
    ]
    rows += [("99", draw.choice(["20", "30"]), draw.choice("mf")) for _ in range(6)]
    rows += [("98", "30", "m"), ("north", "99", "m"), ("south", "98", "f"), ("99", "98", "m")]
    draw.shuffle(rows)
    return rows


def written(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([KNOWN, *rows])
    return path


def below(rows: list[Row], k: int) -> int:
    """Return how many records have fewer than k look-alikes, empty cells counted strictly, codes as they stand."""

    def alike(one: Row, other: Row) -> bool:
        if one == other:
            return True
        hides = any(cell is None for cell in one)
        return hides and None not in other and all(c in (None, d) for c, d in zip(one, other, strict=True))

    return sum(sum(alike(row, other) for other in rows) < k for row in rows)


def plain_csv(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(cell or None for cell in row) for row in list(csv.reader(file))[1:]]


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize("declared", ["option", "dictionary"])
def test_codes_of_a_csv_count_as_they_are_written(tmp_path: Path, meaning: str, declared: str) -> None:
    source = written(tmp_path / "survey.csv", survey())
    options = ReadOptions(missing=("98", "99")) if declared == "option" else ReadOptions()
    if declared == "dictionary":
        parts = [f'[attributes.{name}]\ncategory = "quasi-identifier"\nmissing = ["98..99"]\n' for name in ("age",)]
        parts += ['[attributes.region]\ncategory = "quasi-identifier"\nmissing = ["98", "99"]\n']
        parts += ['[attributes.sex]\ncategory = "quasi-identifier"\n']
        (tmp_path / "survey.dictionary.toml").write_text("format = 1\n" + "".join(parts), encoding="utf-8")
    with DuckDBEngine() as engine:
        microdata = read(source, engine, options)
        outcome = anonymize(microdata, Plan(KAnonymity(3), known=KNOWN, nulls=MEANINGS[meaning]))
        assert outcome.is_safe
        released = release_to(tmp_path / "release", outcome, ReleaseOptions(shuffle=False))
        rows = plain_csv(released.data)
        assert below(rows, 3) == outcome.after.unsafe_strict
        assert meaning != "strict" or below(rows, 3) == 0
        assert any(row[0] == "99" for row in rows)  # a category that is frequent enough stays
        # the single 98 of region matches nothing, whatever an empty cell of another record may be
        single = [row for row in rows if row[0] == "98"]
        assert not single
    assert verify(tmp_path / "release").unsafe_strict == below(rows, 3)


@pytest.mark.parametrize("ending", [".sav", ".dta"])
@pytest.mark.parametrize("meaning", MEANINGS)
def test_user_missings_count_as_they_are_written(tmp_path: Path, ending: str, meaning: str) -> None:
    pandas = pytest.importorskip("pandas")
    rows = survey()
    place = {"north": 1, "south": 2, "west": 3, "98": 98, "99": 99}
    frame = pandas.DataFrame(
        {"region": [float(place[r]) for r, _, _ in rows], "age": [float(a) for _, a, _ in rows]}
        | {"sex": [1.0 if s == "m" else 2.0 for _, _, s in rows]}
    )
    source = tmp_path / f"survey{ending}"
    if ending == ".sav":
        ranges = {name: [{"lo": 98, "hi": 99}] for name in ("region", "age")}
        pyreadstat.write_sav(frame, str(source), missing_ranges=ranges)
    else:
        tags = {98.0: "a", 99.0: "b"}
        tagged = frame.astype(object)
        for name in ("region", "age"):
            tagged[name] = [tags.get(value, value) for value in frame[name]]
        pyreadstat.write_dta(tagged, str(source), missing_user_values={"region": ["a", "b"], "age": ["a", "b"]})
    with DuckDBEngine() as engine:
        microdata = read(source, engine)
        outcome = anonymize(microdata, Plan(KAnonymity(3), known=KNOWN, nulls=MEANINGS[meaning]))
        assert outcome.is_safe
        released = release_to(tmp_path / "release", outcome, ReleaseOptions(shuffle=False))
    reader = pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta
    # pyreadstat gives an empty cell of Stata as 0 beside tags: it is one if there is neither a number nor a tag
    values, tags = (reader(str(released.data), user_missing=asked)[0].astype(object) for asked in (False, True))
    empty = values.isna() & ~tags.map(lambda cell: cell in (98, 99, "a", "b"))
    found = tags.mask(empty, None)
    plain = [tuple(None if cell is None or cell != cell else cell for cell in row) for row in found.to_numpy().tolist()]
    assert below(plain, 3) == outcome.after.unsafe_strict
    assert meaning != "strict" or below(plain, 3) == 0
    assert verify(tmp_path / "release").unsafe_strict == below(plain, 3)


def test_codes_may_be_released_as_empty_cells(tmp_path: Path) -> None:
    source = written(tmp_path / "survey.csv", survey())
    with DuckDBEngine() as engine:
        microdata = read(source, engine, ReadOptions(missing=("98", "99")))
        outcome = anonymize(microdata, Plan(KAnonymity(3), known=KNOWN, missing_as=MissingAs.EMPTY))
        released = release_to(tmp_path / "release", outcome, ReleaseOptions(shuffle=False))
        rows = plain_csv(released.data)
    assert not {"98", "99"} & {cell for row in rows for cell in row}
    assert below(rows, 3) == 0
    assert verify(tmp_path / "release").holds


def test_not_applicable_is_a_category_beside_suppressed_cells(tmp_path: Path) -> None:
    rows = [("" if region in {"98", "99"} else region, age, sex) for region, age, sex in survey()]
    source = written(tmp_path / "survey.csv", rows)
    with DuckDBEngine() as engine:
        microdata = read(source, engine)
        plan = Plan(KAnonymity(3), known=KNOWN, missing_as=MissingAs.CATEGORY)
        with pytest.raises(UsageError, match="--missing-label"):
            anonymize(microdata, plan)
        outcome = anonymize(microdata, Plan(KAnonymity(3), known=KNOWN, missing_label="none"))
        assert outcome.is_safe
        assert outcome.nulls
        released = release_to(tmp_path / "release", outcome, ReleaseOptions(shuffle=False))
        found = plain_csv(released.data)
        assert {"none", None} < {row[0] for row in found}
        assert below(found, 3) == 0
        with pytest.raises(UsageError, match="is a value of 'region' already"):
            anonymize(microdata, Plan(KAnonymity(3), known=KNOWN, missing_label="north"))
    assert verify(tmp_path / "release").holds


def test_words_for_no_value_become_empty_like_suppressed_cells(tmp_path: Path) -> None:
    rows = [(region, "NA" if age in {"98", "99"} else age, sex) for region, age, sex in survey()]
    source = written(tmp_path / "survey.csv", rows)
    with DuckDBEngine() as engine:
        outcome = anonymize(read(source, engine), Plan(KAnonymity(3), known=KNOWN))
        released = release_to(tmp_path / "release", outcome, ReleaseOptions(shuffle=False))
    assert "NA" not in {row[1] for row in plain_csv(released.data)}


@pytest.mark.parametrize(
    "changed",
    [
        ["--top", "age=30"],
        ["--intervals", "age=20"],
        ["--recode", "region=1"],
        ["--method", "local-recoding"],
        ["--method", "recoding"],
        ["--method", "auto"],
        ["--program", "cycle"],
        ["--measure", "keys"],
    ],
    ids=" ".join,
)
def test_codes_stay_what_they_are_whatever_is_changed(tmp_path: Path, changed: list[str]) -> None:
    written(tmp_path / "survey.csv", survey(60))
    (tmp_path / "regions.csv").write_text("region,part\nnorth,land\nsouth,land\nwest,land\n", encoding="utf-8")
    declared = 'category = "quasi-identifier"\nmissing = ["98", "99"]\n'
    text = f'format = 1\n[attributes.region]\n{declared}hierarchy = "regions.csv"\n[attributes.age]\n{declared}'
    text += '[attributes.sex]\ncategory = "quasi-identifier"\n'
    (tmp_path / "survey.dictionary.toml").write_text(text, encoding="utf-8")
    k = [] if {"--program", "--measure"} & set(changed) else ["-k", "2"]
    release = str(tmp_path / "release")
    assert run(["anonymize", str(tmp_path / "survey.csv"), *k, "--out", release, *changed]) == 0
    if k:
        assert below(plain_csv(tmp_path / "release" / "data.csv"), 2) == 0
    assert run(["verify", release]) == 0


def test_a_code_matches_nothing_else_in_an_assessment(tmp_path: Path) -> None:
    source = written(tmp_path / "survey.csv", survey())
    data = tc.read(source, missing=("98", "99")).with_roles(quasi=list(KNOWN))
    found = data.assess()
    plain = [tuple(row) for row in survey()]
    assert found.scenarios[0].alike.under == below(plain, 3)


def test_a_code_that_is_not_a_number_stands_for_the_same_number_whatever_others_occur() -> None:
    from tacita.engines.published_codes import _numbers
    from tacita.model.relation import Column, ColumnType

    age = Column("age", "c0", ColumnType.INTEGER)
    both = _numbers(age, [".a", ".b", "99"])
    assert both[".b"] == _numbers(age, [".b"])[".b"] != both[".a"]
    assert both["99"] == 99
