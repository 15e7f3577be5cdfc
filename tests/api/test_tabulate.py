"""Tables from records in memory: keywords instead of a file, and the same bytes as through the file they become."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita as tc
from tacita.api import tables
from tacita.errors import UsageError
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.specification.keywords import TableKeywords
from tacita.tables.specification.reading import parse_specification, read_specification
from tacita.tables.specification.reading_plans import ATTACKER_KEYS, DATA_KEYS, PROTECT_KEYS
from tacita.tables.specification.sensitivity import sensitivity_keys

SECTORS = {"Industry": ["07", "08"], "Services": ("15",)}


def records() -> pa.Table:
    """Firms of three sectors, whose codes have a zero in front, and three regions; one cell has a single firm."""
    rows = [
        {"sector": sector, "region": region, "turnover": 10.5 + 7 * i + j, "jobs": 2 + i, "group": f"g{i}{j}{k}"}
        for i, sector in enumerate(("07", "08", "15"))
        for j, region in enumerate("NSE")
        for k in range(1 if (i, j) == (1, 2) else 4)
    ]
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize(
    "frame", [records(), records().to_pandas(), pl.from_arrow(records())], ids=lambda f: f.__class__.__module__
)
def test_every_kind_of_frame_gives_the_same_table(frame: object) -> None:
    tabulation = tc.read(frame).tabulate(["sector", "region"], response="turnover", minimum_frequency=3)
    protected = tabulation.protect(time=5)
    assert protected.passed
    shown = protected.to_arrow().to_pandas().set_index(["sector", "region"])["value"]
    assert shown["07", "Total"] == 4 * (10.5 + 11.5 + 12.5) and pd.isna(shown["08", "E"])
    assert repr(tabulation) == "<Tabulation of 'data': 1 table>" and "10.5" not in repr(protected)


@pytest.mark.slow
def test_the_file_that_is_written_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tabulation = tc.read(records()).tabulate(
        [["sector", "region"], ["sector"]],
        response=["turnover", "jobs"],
        p_percent=10,
        dominance=(1, 85),
        minimum_frequency=3,
        contributor="group",
        hierarchy={"sector": SECTORS},
        title="Firms",
        keep=[{"sector": "Total"}],
        seed=3,
    )
    with pytest.raises(UsageError, match="the records came from memory"):
        tabulation.write("firms.toml")
    assert tabulation.write("firms.toml", microdata="firms.csv") == (Path("firms.toml"), Path("firms.csv"))
    again = read_specification("firms.toml")
    assert again.dimensions == tabulation.specification.dimensions and again.tables == tabulation.specification.tables
    assert again.sensitivity == tabulation.specification.sensitivity
    assert again.protect == tabulation.specification.protect
    protected = tabulation.protect(time=5)
    tc.release_to("frame", protected)
    tables.protect_to(Path("file"), "firms.toml", tables.ProtectionOptions(time=5))
    names = sorted(path.name for path in Path("frame").iterdir())
    assert names == sorted(path.name for path in Path("file").iterdir()) and len(names) == 6
    for name in names:
        assert (Path("frame") / name).read_bytes() == (Path("file") / name).read_bytes(), name
    # What the internal folder keeps is a specification too; the file of the records is named where there is one.
    kept = Path("frame.internal/specification.toml").read_text()
    assert parse_specification(kept.replace("\n[data]", '\n[data]\nmicrodata = "firms.csv"')).tables == again.tables
    from_file = tc.read("firms.csv").tabulate(["region"], minimum_frequency=3)
    assert from_file.write("of-file.toml") == (Path("of-file.toml"),)
    assert read_specification("of-file.toml").data.microdata == Path("firms.csv")
    with pytest.raises(UsageError, match="was read with options"):
        tc.read("firms.csv", types={"jobs": "text"}).tabulate(["region"]).write("of-file.toml", force=True)


def test_rules_by_their_numbers() -> None:
    data = tc.read(records())
    given = data.tabulate(["sector"], "turnover", p_percent=10, dominance=[(1, 85), {"n": 2, "k": 90}], range=0.2)
    plan = given.specification.sensitivity
    assert plan.rules == (Dominance(1, 85), Dominance(2, 90), PPercent(10)) and plan.range == 0.2
    text = '[data]\nmicrodata = "sqlite:///x.db"\n[[table]]\ndimensions = ["s"]\nresponse = "t"\n[sensitivity]\n'
    typed = parse_specification(f"{text}p_percent = 10\ndominance = [[1, 85], {{ n = 2, k = 90 }}]\nrange = 0.2\n")
    assert typed.sensitivity == plan
    column = data.tabulate(["sector"], "turnover", request=70, data={"request": "group"})
    assert column.specification.data.request == "group" and column.specification.sensitivity.named("request")


def test_hierarchies_in_memory(tmp_path: Path) -> None:
    data = tc.read(records().append_column("division", pa.array(["I"] * 21 + ["S"] * 12)))
    (tmp_path / "sector.hrc").write_text("Industry\n@07\n@08\nServices\n@15\n")
    same = [
        {"hierarchy": {"sector": SECTORS}},
        {"hierarchy": {"sector": {"Total": SECTORS}}},
        {"hierarchy": {"sector": tmp_path / "sector.hrc"}},
        {"dimension": {"sector": {"tree": {"Total": {"Industry": ["07", "08"], "Services": ["15"]}}}}},
    ]
    built: list[Any] = [data.tabulate(["sector"], **keywords).build().to_dict() for keywords in same]  # type: ignore[arg-type]
    assert built.count(built[0]) == len(built)
    nested = data.tabulate(["sector"], hierarchy={"sector": ["division", "sector"]}).build()
    assert nested.tables[0].table.dimensions[0].codes == ("Total", "I", "07", "08", "S", "15")
    prefixes = data.tabulate(["sector"], hierarchy={"sector": [1]}).build()
    assert set(prefixes.tables[0].table.dimensions[0].codes) == {"Total", "0", "1", "07", "08", "15"}


def test_faults_of_keywords_come_together_before_anything_is_computed() -> None:
    data = tc.read(records())

    def said(*arguments: Any, **keywords: Any) -> str:
        with pytest.raises(UsageError) as raised:
            data.tabulate(*arguments, **keywords)
        return str(raised.value)

    columns = said(["sectr"], response="turnovr", weight="w", cost="job")
    assert "'sectr'; did you mean 'sector'?" in columns and "'turnovr'; did you mean" in columns
    assert "no column 'w'" in columns and "'job'; did you mean 'jobs'?" in columns
    assert "no keyword 'p_precent'; did you mean 'p_percent'?" in said(["sector"], p_precent=10)
    assert "'margin'; it is a setting of adjustment: protect=" in said(["sector"], margin=2)
    assert "unknown key 'union' in [sensitivity.options]; did you mean 'unions'?" in said(
        ["sector"], zeros=True, options={"union": True}
    )
    assert "'unions' in [sensitivity.options] must be" in said(["sector"], zeros=True, options={"unions": "yes"})
    with pytest.raises(UsageError, match="no keyword 'seconds'"):
        data.tabulate(["sector"], minimum_frequency=3).protect(seconds=3)
    assert "p % (p = 10) looks at contributions" in said(["sector"], p_percent=10)
    wrong = said(["sector"], "turnover", dominance=(1, 185), p_percent="ten", minimum_frequency=0)
    assert "'k' in [sensitivity.dominance] is 185" in wrong and "'p_percent' in [sensitivity] must be" in wrong
    assert "'minimum_frequency' in [sensitivity] is 0" in wrong
    assert "'dominance' lacks 'k'" in said(["sector"], "turnover", dominance=85)
    assert "must be a table" in said(["sector"], "turnover", dominance=[(1, 85), (2, "x")])
    assert 'tabulate(["sector"])' in said("sector", response="turnover")
    assert "a specification is given, and keywords beside it" in said("firms.toml", minimum_frequency=3)
    assert "'weight' is given twice" in said(["sector"], weight="jobs", data={"weight": "jobs"})
    assert "'cells' in [data] is for files" in said(["sector"], data={"cells": "x.csv"})
    for dimensions in (None, 7, {"sector": 1}):
        assert "the dimensions are not a list" in said(dimensions)
    (case,) = (table.case for table in data.tabulate(["sector"], "turnover").protect().tables)
    assert case.notes == ("no rule says which cells are sensitive, so none of them is",)


def test_codes_that_are_whole_numbers() -> None:
    data = tc.read(pd.DataFrame({"size": [1, 1, 2, 2, 3, 3, 3] * 3, "turnover": range(1, 22)}))
    tabulation = data.tabulate(
        ["size"],
        "turnover",
        hierarchy={"size": {"small": [1, 2], "large": [3]}},
        keep=[{"size": 3}],
        minimum_frequency=2,
    )
    assert tabulation.specification.protect.keep == ({"size": "3"},)
    assert tabulation.build().tables[0].table.dimensions[0].leaves == ("1", "2", "3")


def test_a_rule_of_a_program_that_finds_nothing_is_a_rule(tmp_path: Path) -> None:
    (tmp_path / "few.vada").write_text('Sensitive(I, "few") :- Cell(I, V, N), N < 2, N > 0.\n')
    built = tc.read(records()).tabulate(["region"], "turnover", rules=tmp_path / "few.vada").assess()
    assert built.tables[0].case.notes == ()


def test_every_key_of_a_specification_is_a_keyword() -> None:
    keys = {*sensitivity_keys(), *ATTACKER_KEYS, *PROTECT_KEYS, *DATA_KEYS[: DATA_KEYS.index("format")]}
    keys -= {"microdata", "cells", "layout"}
    whole = {"title", "name", "hierarchy", "dimension", "history", "data", "sensitivity", "attacker", "protect"}
    assert set(typing.get_type_hints(TableKeywords)) == keys | whole
