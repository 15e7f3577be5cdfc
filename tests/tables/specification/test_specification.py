"""A specification: read with all its faults at once, and written so that it reads back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from tacita.errors import InputError
from tacita.model.table import Table
from tacita.tables.sensitivity.catalogue import RULES
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.prior_posterior import PriorPosterior
from tacita.tables.sensitivity.rules.request import Request
from tacita.tables.sensitivity.rules.user_rules import UserRules
from tacita.tables.specification.reading import parse_specification, read_specification
from tacita.tables.specification.writing import specification_text, write_specification

FULL = """
title = "Turnover by sector and size"

[data]
microdata = "firms.csv"
weight = "w"
contributor = "group"
request = "asked"
request_codes = ["1"]

[dimension.sector]
hierarchy = "sector.hrc"
total = "All"
missing = "X"

[dimension.size]
tree = { Total = { small = ["1-9", "10-49"], large = [] } }

[dimension.region]
hierarchies = ["county.csv", "kind.csv"]

[dimension.nace]
prefixes = [1, 3]

[dimension.place]
columns = ["province", "town"]

[[table]]
name = "sector_by_size"
dimensions = ["sector", "size"]
response = ["turnover", "profit"]

[[table]]
dimensions = ["region", "nace", "place"]
response = "turnover"
hierarchy = { region = "kind.csv" }

[sensitivity]
minimum_frequency = 3
dominance = [{ n = 2, k = 85 }, { n = 1, k = 70 }]
p_percent = { p = 10 }
prior_posterior = { p = 10, q = 50 }
zeros = true
request = { share = 70 }
group_disclosure = true
waivers = ["group 17"]
range = 0.2

[attacker]
lower = "none"
within = 0.5

[protect]
method = "cell_key"
cost = "unity"
seed = 1
time = 5
keep = [{ sector = "All" }]
suppress = [{ sector = "A1", size = "1-9" }]
apriori = "cells.hst"

[protect.cell_key]
variance = 3

[history]
cells = "earlier.csv"
period = "earlier"
within = 0.25
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("firms.csv", "sector.hrc", "county.csv", "kind.csv", "cells.hst", "earlier.csv"):
        (tmp_path / name).write_text("a\n")
    return tmp_path


def test_everything_that_can_be_said(folder: Path) -> None:
    found = parse_specification(FULL, folder=folder)
    assert found.data.microdata == folder / "firms.csv"
    assert found.dimensions["sector"].hierarchies == (folder / "sector.hrc",)
    assert found.dimensions["sector"].total == "All"
    assert found.dimensions["place"].column == "town"
    assert [plan.name for plan in found.tables] == ["sector_by_size", "turnover by region, nace, place"]
    assert found.responses == ("turnover", "profit")
    assert [plan.name for plan in found.tables_of("profit")] == ["sector_by_size"]
    sensitivity = found.sensitivity
    assert sensitivity.named("dominance") == (Dominance(2, 85), Dominance(1, 70))
    assert sensitivity.named("p_percent") == (PPercent(10, 1),)
    assert sensitivity.named("prior_posterior") == (PriorPosterior(10, 50),)
    assert sensitivity.named("request") == (Request(70, range=0.2),)
    assert found.sensitivity.needs_contributions == 2
    assert found.attacker.lower is None and found.attacker.within == 0.5
    assert found.protect.options == {"variance": 3}
    assert found.protect.suppress == ({"sector": "A1", "size": "1-9"},)
    assert found.history is not None and found.history.within == 0.25


def test_written_and_read_again_it_is_the_same(folder: Path) -> None:
    found = parse_specification(FULL, folder=folder)
    write_specification(found, folder / "again.toml")
    assert read_specification(folder / "again.toml") == found
    assert str(folder) not in specification_text(found)


def test_all_faults_are_told_with_their_lines(folder: Path) -> None:
    with pytest.raises(InputError) as told:
        parse_specification(
            """
[data]
microdta = "firms.csv"
cells = "firm.csv"
weight = 3

[dimension.sector]
hierarchy = "sectr.hrc"
tree = { Total = ["A"] }

[[table]]
dimensions = ["size"]

[[table]]
dimensions = "size"

[sensitivity]
dominance = { n = 2 }
p_percent = { p = -1 }
prior_posterior = { p = 60, q = 50 }
zeros = "yes"

[attacker]
lower = "nothing"

[protect]
method = "supression"
keep = [{ sise = "A" }]
gap = -1
""",
            folder=folder,
        )
    text = str(told.value)
    for said in (
        "line 3: unknown key 'microdta' in [data]; did you mean 'microdata'?",
        "line 4: 'cells' in [data] names no file that is there: 'firm.csv'; did you mean 'firms.csv'?",
        "line 5: 'weight' in [data] must be a text that is not empty, not a number",
        "line 8: 'hierarchy' in [dimension.sector] names no file that is there: 'sectr.hrc'; did you mean 'sector.hrc",
        "line 9: dimension 'sector' has 'hierarchy' and 'tree'; give one of them",
        "no table has the dimension 'sector'",
        "two tables are called 'frequencies by size'",
        "line 18: 'dominance' lacks 'k'",
        "'p' in [sensitivity.p_percent] is -1, but must be more than 0",
        "needs p below q",
        "'zeros' in [sensitivity] must be true or false, not a text",
        "'lower' in [attacker] must be a number, not a text",
        "'method' in [protect] cannot be 'supression'; did you mean 'suppression'?",
        "'keep' names 'sise', which is no dimension; did you mean 'size'?",
        "'gap' in [protect] is -1, but must be at least 0",
    ):
        assert said in text, said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[data\n", "this is not TOML"),
        ("", "names neither microdata nor cells"),
        ('[data]\nmicrodata = "firms.csv"\ncells = "firms.csv"\n', "names both microdata and cells"),
        ('[data]\nmicrodata = "firms.csv"\n', "there is no table"),
        (
            '[data]\nmicrodata = "firms.csv"\nvalue = "x"\n[[table]]\ndimensions = ["a"]\n',
            "is for a file of cells only",
        ),
        ('[data]\nmicrodata = "firms.csv"\n[[table]]\ndimensions = []\n', "table 1 has no dimensions"),
        (
            '[data]\nmicrodata = "firms.csv"\n[[table]]\ndimensions = ["a"]\n[history]\nwithin = 0.2\n',
            "[history] names no cells",
        ),
        (
            '[data]\ncells = "firms.csv"\n[dimension.a]\ncolumns = ["b", "a"]\n[[table]]\ndimensions = ["a"]\n',
            "a hierarchy from 'columns' needs microdata",
        ),
    ],
)
def test_a_fault_says_what_to_do(folder: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as told:
        parse_specification(text, folder=folder)
    assert said in str(told.value)


def test_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text("")
    with pytest.raises(InputError, match=r"there is no such file; did you mean 'spec.toml'"):
        read_specification(tmp_path / "spek.toml")


@pytest.mark.parametrize(
    ("method", "entry", "said"),
    [
        ("adjustment", "wieght = 'unity'", "unknown key 'wieght' in \\[protect.adjustment\\]; did you mean 'weight'"),
        ("intervals", "ends = 'open'", "'ends' in \\[protect.intervals\\] cannot be 'open'"),
        ("cell_key", "maximum = 'three'", "'maximum' in \\[protect.cell_key\\] must be a whole number"),
        ("suppression", "gap = 1", "this method has no settings of its own"),
    ],
)
def test_settings_of_a_method_are_checked_where_they_stand(tmp_path: Path, method: str, entry: str, said: str) -> None:
    text = '[data]\nmicrodata = "x.csv"\n[[table]]\ndimensions = ["a"]\n'
    text += f'[protect]\nmethod = "{method}"\n[protect.{method}]\n{entry}\n'
    with pytest.raises(InputError, match=said):
        parse_specification(text, folder=tmp_path)


@dataclass(frozen=True)
class Crowded:
    """A rule of one's own: a cell with more than `most` contributors."""

    most: int
    name: ClassVar[str] = "crowded"

    @property
    def label(self) -> str:
        return f"crowded ({self.most})"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        raise NotImplementedError


def test_a_rule_of_ones_own_is_a_key_like_any_other(folder: Path) -> None:
    text = FULL.replace("[sensitivity]", "[sensitivity]\ncrowded = { most = 9 }")
    with pytest.raises(InputError, match="unknown key 'crowded'"):
        parse_specification(text, folder=folder)
    RULES.enter(Crowded)
    try:
        found = parse_specification(text, folder=folder)
        assert found.sensitivity.named("crowded") == (Crowded(9),)
        assert parse_specification(specification_text(found), folder=folder) == found
        with pytest.raises(InputError, match="'crowded' lacks 'most'"):
            parse_specification(text.replace("most = 9", ""), folder=folder)
    finally:
        RULES.withdraw("crowded")


def test_a_program_is_a_rule_like_any_other(folder: Path) -> None:
    (folder / "own.vada").write_text('Sensitive(I, "few") :- Cell(I, V, N), N < 5.\n')
    text = FULL.replace("[sensitivity]", '[sensitivity]\nrules = "own.vada"\noptions = { rules = { p = 3 } }')
    (rule,) = parse_specification(text, folder=folder).sensitivity.named("rules")
    assert (rule.label, dict(rule.parameters), rule.range) == ("own.vada", {"p": 3}, 0.2)
    by_name = RULES.make(str(folder / "own.vada"), {"p": 3})
    assert by_name == UserRules.of(folder / "own.vada", {"p": 3})
