"""Judging tables that exist already: published files against their records, cells with marks, figures left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tables.grids import PLENTY

from tacita.errors import InputError, UsageError
from tacita.tables.auditing import audit_table, write_intervals
from tacita.tables.example import write_example
from tacita.tables.protect.protect import protect_table

SPEC = '[data]\ncells = "cells.csv"\n{data}[[table]]\nname = "t"\ndimensions = ["a", "b"]\nresponse = "v"\n{more}'
INVESTMENT = """a,b,v
Total,Total,190
Total,I,45
Total,II,101
Total,III,44
A,Total,80
A,I,20
A,II,50
A,III,10
B,Total,49
B,I,{bi}
B,II,19
B,III,{biii}
C,Total,61
C,I,{ci}
C,II,32
C,III,{ciii}
"""


def investment(folder: Path, more: str = "", **cells: str) -> Path:
    told = {"bi": "x", "biii": "x", "ci": "x", "ciii": "x"} | cells
    (folder / "cells.csv").write_text(INVESTMENT.format(**told))
    (folder / "spec.toml").write_text(SPEC.format(data="", more=more))
    return folder / "spec.toml"


def intervals(specification: Path) -> dict[tuple[str, ...], tuple[float, float]]:
    (found,) = audit_table(specification).tables
    table, attacked = found.case.table, found.audit.intervals
    return {
        table.cell_codes(int(cell)): (float(attacked.lower[cell]), float(attacked.upper[cell]))
        for cell in np.flatnonzero(~np.isnan(attacked.lower))
    }


def test_the_interval_of_the_printed_table_is_found(tmp_path: Path) -> None:
    """The 3x3 table of document 002 with its four starred cells: the attacker's interval for 22 is [5, 30]."""
    assert intervals(investment(tmp_path))["B", "III"] == pytest.approx((5, 30))


def test_who_knows_more_beforehand_finds_more(tmp_path: Path) -> None:
    """The same when every withheld cell is known to within 50 %: [18, 26]."""
    specification = investment(tmp_path, bi="8", biii="22", ci="17", ciii="12")
    starred = {("B", "I"), ("B", "III"), ("C", "I"), ("C", "III")}
    lines = (tmp_path / "cells.csv").read_text().splitlines()
    marked = [f"{line},{'u' if tuple(line.split(',')[:2]) in starred else 's'}" for line in lines[1:]]
    (tmp_path / "cells.csv").write_text("\n".join([f"{lines[0]},status", *marked]) + "\n")
    specification.write_text(SPEC.format(data='status = "status"\n', more="[attacker]\nwithin = 0.5\n"))
    assert intervals(specification)["B", "III"] == pytest.approx((18, 26))


def test_a_cell_withheld_alone_is_calculated(tmp_path: Path) -> None:
    found = audit_table(investment(tmp_path, bi="8", ci="17", ciii="12"))
    assert not found.passed
    (violation,) = found.violations()
    assert violation.sentence == "Everybody can calculate a=B, b=III exactly."
    assert not [step for step in violation.steps if "22" in step]
    assert [step for step in found.violations(figures=True)[0].steps if "22" in step]


def test_one_end_at_the_value_is_not_called_exact(tmp_path: Path) -> None:
    """A cell in [5, 9]: nothing below its value is possible, and much above it is."""
    (tmp_path / "cells.csv").write_text(
        "a,v,status,least,low,up\nTotal,10,s,,,\nA,5,u,5,1,1\nB,4,x,,,\nC,1,s,,,\n",
    )
    (tmp_path / "spec.toml").write_text(
        '[data]\ncells = "cells.csv"\nstatus = "status"\nlower = "least"\nlower_level = "low"\nupper_level = "up"\n'
        '[[table]]\nname = "t"\ndimensions = ["a"]\nresponse = "v"\n[attacker]\nsingletons = false\n'
    )
    (violation,) = audit_table(tmp_path / "spec.toml").violations()
    assert (violation.what, violation.reached, violation.is_exact) == ("lower", 0.0, False)
    said = "Everybody can exclude every value of a=A below the true one; 20 % below it are needed."
    assert violation.sentence == said


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return write_example(tmp_path / "firms")


@pytest.mark.slow
def test_a_published_file_is_compared_with_its_records(example: Path, tmp_path: Path) -> None:
    protected = protect_table(example, seconds=PLENTY)
    file = tmp_path / "published.csv"
    file.write_text(protected.to_csv())
    assert audit_table(example, file).passed
    lines = file.read_text().splitlines()
    total = next(at for at, line in enumerate(lines) if line.startswith("Total,Total,"))
    lines[total] = "Total,Total,1,"
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"1 figure is not that of the table: \(sector=Total, region=Total\)"):
        audit_table(example, file)


@pytest.mark.slow
def test_a_cell_that_is_not_in_the_file_is_withheld(example: Path, tmp_path: Path) -> None:
    protected = protect_table(example, seconds=PLENTY)
    lines = protected.to_csv().splitlines()
    (tmp_path / "short.csv").write_text("\n".join(line for line in lines if not line.endswith(",x")) + "\n")
    (found,) = audit_table(example, tmp_path / "short.csv").tables
    assert found.audit.passed
    assert int((found.status > 0).sum()) == int(protected.tables[0].withheld.sum())


def test_one_file_for_several_tables_is_refused(example: Path, tmp_path: Path) -> None:
    second = '[[table]]\nname = "by_region"\ndimensions = ["region"]\nresponse = "turnover"\n[sensitivity]'
    example.write_text(example.read_text().replace("[sensitivity]", second))
    (tmp_path / "one.csv").write_text("sector,region,value\n")
    with pytest.raises(UsageError, match="one file is given for 2 tables"):
        audit_table(example, tmp_path / "one.csv")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"no file for the tables turnover.csv, by_region.csv"):
        audit_table(example, tmp_path / "folder")


def test_intervals_are_written_with_true_values(example: Path, tmp_path: Path) -> None:
    found = audit_table(example)
    write_intervals(found, tmp_path / "intervals.csv", force=False)
    lines = (tmp_path / "intervals.csv").read_text().splitlines()
    assert lines[0].startswith("sector,region,value,status,lower,upper,exact,rule")
    assert len(lines) == 11
    with pytest.raises(UsageError, match="no intervals in the format"):
        write_intervals(found, tmp_path / "intervals.txt", force=False)
