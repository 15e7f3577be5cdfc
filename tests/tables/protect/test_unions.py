"""Sums of withheld cells, judged by the rules for cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacita.errors import InputError
from tacita.tables.auditing import audit_table as audit_table
from tacita.tables.protect.cases import cases_of
from tacita.tables.protect.protect import protect_table
from tacita.tables.protect.ways import by_suppression
from tacita.tables.specification.reading import read_specification
from tacita.tables.suppression.suppress import SuppressionOptions, suppress
from tacita.tables.suppression.suppression import Suppression

# One holding has nearly all of two cells in one row; each of them is sensitive, and so is their sum.
FIRMS = """sector,region,group,turnover
A,x,big,900
A,x,s1,20
A,y,big,800
A,y,s2,15
A,z,s3,300
A,z,s4,280
A,z,s5,310
B,x,s6,400
B,x,s7,410
B,x,s8,390
B,y,s9,420
B,y,t1,380
B,y,t2,400
B,z,t3,410
B,z,t4,405
B,z,t5,390
C,x,t6,300
C,x,t7,330
C,x,t8,340
C,y,t9,310
C,y,u1,320
C,y,u2,330
C,z,u3,350
C,z,u4,360
C,z,u5,340
"""

SPECIFICATION = """
[data]
microdata = "firms.csv"
contributor = "group"
[[table]]
name = "turnover"
dimensions = ["sector", "region"]
response = "turnover"
[sensitivity]
p_percent = {{ p = 10 }}
[sensitivity.options]
unions = {unions}
[attacker]
singletons = false
"""


def specification(folder: Path, unions: str) -> Path:
    (folder / "firms.csv").write_text(FIRMS)
    file = folder / f"unions_{unions}.toml"
    file.write_text(SPECIFICATION.format(unions=unions))
    return file


def test_a_sum_of_one_holding_stays_unknown(tmp_path: Path):
    with_unions = protect_table(specification(tmp_path, "true")).tables[0]
    without = protect_table(specification(tmp_path, "false")).tables[0]
    row = [with_unions.case.table.cell_codes(c)[0] == "A" for c in range(len(with_unions.case.table))]
    assert int((np.array(row) & (without.status != 0)).sum()) == 2
    assert int((np.array(row) & (with_unions.status != 0)).sum()) > 2
    assert with_unions.audit.passed


def test_the_audit_sees_it(tmp_path: Path):
    case = cases_of(read_specification(specification(tmp_path, "true")))[0]
    assert case.union_is_sensitive is not None
    secret = np.flatnonzero(case.levels.sensitive)
    assert case.union_is_sensitive(secret)
    published = np.flatnonzero(~case.levels.sensitive)
    assert not case.union_is_sensitive(published[:2])
    verdict = audit_table(specification(tmp_path, "true"))
    assert not verdict.passed


def test_who_asked_to_stop_waits_for_no_better_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The sums that the attacker finds need another search: with no time once the first was interrupted."""
    given = []

    def interrupted(*table: Any, options: SuppressionOptions, **wishes: Any) -> Suppression:
        given.append(options.seconds)
        return replace(suppress(*table, options=options, **wishes), is_stopped=len(given) == 1)

    monkeypatch.setattr(by_suppression, "suppress", interrupted)
    found = protect_table(specification(tmp_path, "true"), seconds=40).tables[0]
    assert given[0] > 15
    assert len(given) > 1
    assert set(given[1:]) == {0.0}
    assert found.audit.passed


def test_cells_with_one_largest_contribution_are_protected(tmp_path: Path):
    """Contributors of given cells have no numbers; sums are judged by how much one of them can have of all."""
    rows = [line.split(",") for line in FIRMS.splitlines()[1:]]
    cells: dict[tuple[str, str], list[int]] = {}
    for sector, region, _, amount in rows:
        cells.setdefault((sector, region), []).append(int(amount))
    lines = [f"{a},{b},{sum(x)},{max(x)}" for (a, b), x in cells.items()]
    (tmp_path / "cells.csv").write_text("\n".join(["sector,region,turnover,first", *lines]))
    given = SPECIFICATION.format(unions="true").replace(
        'microdata = "firms.csv"\ncontributor = "group"', 'cells = "cells.csv"\nlargest = ["first"]'
    )
    (tmp_path / "given.toml").write_text(given.replace("p_percent = { p = 10 }", "dominance = { n = 1, k = 85 }"))
    protected = protect_table(tmp_path / "given.toml").tables[0]
    assert protected.audit.passed
    assert protected.case.levels.sensitive.sum() == 2
    (tmp_path / "given.toml").write_text(given)
    with pytest.raises(InputError, match=r"p % .* needs the 2 largest contributions"):
        protect_table(tmp_path / "given.toml")


def test_contributions_that_cannot_be_are_refused(tmp_path: Path):
    (tmp_path / "cells.csv").write_text("sector,region,turnover,first\nA,x,10,12\nA,y,30,5\n")
    text = SPECIFICATION.format(unions="true").replace(
        'microdata = "firms.csv"\ncontributor = "group"', 'cells = "cells.csv"\nlargest = ["first"]\nvalue = "turnover"'
    )
    (tmp_path / "given.toml").write_text(text)
    with pytest.raises(InputError, match=r"more than the value: \(sector=A, region=x\)"):
        protect_table(tmp_path / "given.toml")
    (tmp_path / "given.toml").write_text(text.replace('response = "turnover"', ""))
    with pytest.raises(InputError, match="largest contributions to a table of frequencies"):
        protect_table(tmp_path / "given.toml")


def test_published_intervals_keep_such_sums_unknown(tmp_path: Path):
    """Two firms that stand behind two cells: with ends as narrow as can be, the cells would hide each other alone."""
    firms = ["firm,a,v", "A,a0,100", "B,a0,60", "A,a1,90", "B,a1,70"]
    firms += [f"F{a}{k},a{a},{50 + k}" for a in (2, 3) for k in range(5)]
    (tmp_path / "firms.csv").write_text("\n".join(firms) + "\n")
    (tmp_path / "firms.toml").write_text(
        '[data]\nmicrodata = "firms.csv"\ncontributor = "firm"\n[[table]]\ndimensions = ["a"]\nresponse = "v"\n'
        '[sensitivity]\nminimum_frequency = 3\n[protect]\nmethod = "intervals"\n'
        '[protect.intervals]\nends = "exact"\n'
    )
    protected = protect_table(tmp_path / "firms.toml", seconds=40).tables[0]
    assert protected.withheld.sum() == 3
    assert "union" not in {violation.what for violation in protected.audit.violations}
    assert protected.notes[-1] == "1 sum of cells kept unknown, too"


def crowded(folder: Path) -> Path:
    """Write firms of many sizes, so that a sum of withheld cells can be changed by many a small cell."""
    draw = np.random.default_rng(54)
    lines = ["sector,region,turnover"]
    for _ in range(12 * 6 * 5):
        sector, region = int(12 * draw.random() ** 1.5), int(6 * draw.random() ** 1.5)
        lines.append(f"s{sector},r{region},{max(1, round(float(np.exp(draw.normal(6, 1.8)))))}")
    (folder / "firms.csv").write_text("\n".join(lines) + "\n")
    specification = """
        [data]
        microdata = "firms.csv"
        [[table]]
        name = "turnover"
        dimensions = ["sector", "region"]
        response = "turnover"
        [sensitivity]
        minimum_frequency = 3
        p_percent = { p = 10 }
        [protect]
        time = 0
    """
    (folder / "t.toml").write_text(specification)
    return folder / "t.toml"


@pytest.mark.slow
def test_small_cells_are_not_exchanged_in_a_sum_until_there_is_no_round_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specification = crowded(tmp_path)
    monkeypatch.setattr(by_suppression, "_ROUNDS", 6)
    gentle = protect_table(specification)
    assert not gentle.passed
    monkeypatch.setattr(by_suppression, "_GENTLE", 2)
    firm = protect_table(specification)
    assert firm.passed
    # What is asked for beyond need is no bound of what costs the least.
    bounds = [protected.tables[0].figures["bound"] for protected in (gentle, firm)]
    assert bounds[1] is None or bounds[0] is None or bounds[1] <= bounds[0] * (1 + 1e-9)
