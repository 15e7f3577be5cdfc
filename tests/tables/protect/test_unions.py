"""Sums of withheld cells, judged by the rules for cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
