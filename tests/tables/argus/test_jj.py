"""The JJ format: what is read is what was written, and what does not fit is named by line and column."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.api import tables
from tacita.errors import InputError, UsageError
from tacita.model.table import Dimension, Equations, Status, table_of_leaves
from tacita.tables.argus.jj_format import JJProblem, jj_text, parse_jj
from tacita.tables.argus.jj_grid import grid_of
from tacita.tables.example import write_example

TEXT = """\
0
4
0 10 10 z 0 100 0 0 0
1 4 4 u 0 100 1 2.5 0
2 4 6 s 0 100 0 0 0
3 2 6 m 0 100 0 0 0
1
0 4 : 0 (-1) 1 (1) 2 (1) 3 (1)
"""

STATUSES = (Status.PUBLISHED, Status.PRIMARY, Status.SECONDARY, Status.KEPT)
numbers = st.floats(0, 1e12, allow_nan=False).map(lambda number: number + 0.0)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(numbers, numbers, st.sampled_from(sorted("suzm")), numbers, numbers, numbers), min_size=1, max_size=9
    )
)
def test_what_is_written_reads_back_to_the_last_digit(
    cells: list[tuple[float, float, str, float, float, float]],
) -> None:
    values = np.array([0.0, *(cell[0] for cell in cells)])
    status = np.array([0, *("suzm".index(cell[2]) for cell in cells)], np.int8)
    status = np.array([0, 1, 4, 2], np.int8)[status]
    columns = [np.array([1.0, *(cell[at] for cell in cells)]) for at in (1, 3, 4, 5)]
    sums = Equations.of([(0, tuple(range(1, len(values))))])
    cost, lower, upper, sliding = columns
    problem = JJProblem(values, cost, status, values - 1.5, values + 0.1, lower, upper, sliding, sums)
    again = parse_jj(jj_text(problem))
    for name in ("values", "costs", "status", "lower", "upper", "lower_level", "upper_level", "sliding_level"):
        assert getattr(again, name).tolist() == getattr(problem, name).tolist(), name
    assert again.equations.cells.tolist() == sums.cells.tolist()
    assert again.equations.coefficients.tolist() == sums.coefficients.tolist()


def test_spellings_of_other_programs() -> None:
    problem = parse_jj(TEXT)
    assert problem.status.tolist() == [Status.KEPT, Status.PRIMARY, Status.PUBLISHED, Status.SECONDARY]
    sdctable = TEXT.replace("0 4 : 0 (-1) 1 (1) 2 (1) 3 (1)", "0.0 4 : 0(-1) 1(1) 2(1) 3(1)")
    turned = TEXT.replace("0 (-1) 1 (1) 2 (1) 3 (1)", "1 (-1) 2 (-1) 0 (1) 3 (-1)")
    comma = TEXT.replace(" 4 4 u", " 4,0 4 U").replace("2.5", "2,5")
    for text in (
        sdctable,
        turned,
        comma,
        "\ufeff".join(("", TEXT)).lstrip("\ufeff"),
        TEXT.replace("\n", "\r\n") + "\r\n",
    ):
        again = parse_jj(text)
        assert again.values.tolist() == problem.values.tolist() and again.upper_level[1] == 2.5
        assert again.equations.row(0)[0][0] == 0 and again.equations.coefficients[0] == -1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("^0\n4", "1\n4", "line 1, column 1: a JJ file begins with '0'"),
        ("^0\n4", "0\nmany", "line 2, column 1: the number of cells is expected"),
        ("^0\n4", "0\n" + "9" * 5000, "line 2, column 1: the number of cells is expected"),
        (" 10 10 z", " 10 000 10 z", "line 3, column 1: a cell has 9 fields, and this line has 10 fields"),
        (" 4 4 u", " 1.004,5 4 u", "line 4, column 3: the value is not a number"),
        (" 4 4 u", " nan 4 u", "line 4, column 3: the value is not a number"),
        (" 4 4 u", " 4 4 x", "line 4, column 7: the status is one of s, u, m, z"),
        (" 4 4 u", " 4 -4 u", "line 4, column 5: the cost is below zero"),
        (" 4 4 u 0", " 4 4 u 5", "line 4, column 9: the value is not between its bounds"),
        (" 1 2.5 0", " 1 -2 0", "line 4, column 17: the upper level is below zero"),
        ("\n2 4 6", "\n3 4 6", "line 5, column 1: cell 2 is expected"),
        ("^0 4 :", "7 4 :", "line 8, column 1: only sums that are 0 in all are known"),
        ("^0 4 :", "0 5 :", "line 8, column 3: the sum says it has 5 cells, and there are 4"),
        (r" 3 \(1\)$", " 9 (1)", "line 8, column 26: there is no cell 9"),
        (r" 3 \(1\)$", " 3 (2)", "line 8, column 26: a cell with 1 or -1 in brackets is expected"),
        (r" 3 \(1\)$", " 3 (1", "line 8, column 26: a cell with 1 or -1 in brackets is expected"),
        (r" 3 \(1\)$", " 2 (1)", "line 8, column 6: a cell stands in the sum twice"),
        (r" 3 \(1\)$", " 3 (-1)", "line 8, column 6: a total with -1 and its parts with 1 are expected"),
        (r"\n1\n0 4.*", "", "the file ends after line 6, where the number of sums is expected"),
        (r"\n3 2 6(.|\n)*", "", "the file ends after line 5, where cell 3 of 4 is expected"),
        (r"\n0 4 :.*", "", "the file ends after line 7, where a sum is expected"),
        (r"\Z", "and more", "line 9 is beyond the last sum"),
    ],
)
def test_what_does_not_fit_is_named_by_line_and_column(old: str, new: str, said: str) -> None:
    text, times = re.subn(old, new, TEXT, count=1, flags=re.MULTILINE)
    assert times == 1
    with pytest.raises(InputError) as raised:
        parse_jj(text, "table.jj")
    assert said in str(raised.value)


def test_all_faults_come_together_and_tell_no_value() -> None:
    text = TEXT.replace(" 4 4 u 0", " 4 4 u 5").replace("3 2 6 m", "3 2 6 w")
    with pytest.raises(InputError) as raised:
        parse_jj(text)
    assert "2 faults" in str(raised.value) and "100" not in str(raised.value)


def test_the_grid_behind_the_cells() -> None:
    size = Dimension.tree("size", {"Total": {"small": ["1-9", "10-49"], "large": []}})
    region, kind = Dimension.flat("region", "NS"), Dimension.flat("kind", "abc")
    table = table_of_leaves("t", (region, size, kind), np.arange(18).reshape(2, 3, 3))
    grid = grid_of(len(table), table.equations)
    assert [len(one.codes) for one in grid] == [3, 5, 4]
    assert [sum_.parts for sum_ in grid[1].sums] == [("1", "4"), ("2", "3")]
    # A sum that lies along no dimension, or along one at some codes only, is of no grid.
    for sums in ([(0, (1, 2, 4))], [(0, (1, 2)), (3, (4, 5)), (0, (3, 6)), (1, (4, 7)), (2, (5, 8))]):
        assert grid_of(9, Equations.of(sums)) == ()
    assert grid_of(4, Equations.of([])) == ()


@pytest.mark.slow
def test_a_table_goes_out_and_comes_back(tmp_path: Path) -> None:
    specification = write_example(tmp_path / "firms")
    protected = tc.protect_table(specification, seconds=5)
    tc.release_to(tmp_path / "released", protected)
    target, source = tmp_path / "firms.jj", tmp_path / "firms.toml"
    exported = tables.export_jj(target, specification, tmp_path / "released")
    assert exported.to_dict()["status"] == {"s": 37, "u": 10, "m": 8, "z": 0}
    assert "true values, not for publication" in " ".join(exported.to_text().split())
    assert (tmp_path / "firms.cells.csv").read_text().splitlines()[1:3] == ["0,Total,Total", "1,Total,Centre"]
    imported = tables.import_tables(target, source)
    assert imported.specification.tables[0].dimensions == ("d1", "d2")
    (given,) = tc.audit_table(source).tables
    (case,) = (one.case for one in protected.tables)
    assert given.audit.passed and given.judged == "as given"
    assert given.case.table.values.tolist() == case.table.values.tolist()
    assert given.case.costs.tolist() == case.costs.tolist()
    for name in ("sensitive", "lower", "upper", "sliding"):
        assert getattr(given.case.levels, name).tolist() == getattr(case.levels, name).tolist(), name
    assert given.status.tolist() == protected.status.tolist()
    assert tables.export_jj(tmp_path / "again.jj", source).problem.status.tolist() == exported.problem.status.tolist()
    assert (tmp_path / "again.jj").read_bytes() == target.read_bytes()
    with pytest.raises(UsageError, match=r"does not end in \.jj"):
        tables.export_jj(tmp_path / "firms.csv", specification)


def test_a_file_by_hand(tmp_path: Path) -> None:
    file, specification = tmp_path / "T.JJ", tmp_path / "t.toml"
    file.write_text(TEXT.replace("1 2.5 0\n", "0 0 0\n").replace("3 2 6 m", "3 2 5 s"))
    table = '[data]\ncells = "T.JJ"\n[[table]]\ndimensions = ["index"]\nresponse = "value"\n[protect]\ncost = "cost"\n'
    specification.write_text(table)
    (found,) = tc.protect_table(specification, seconds=1).tables
    assert found.audit.passed and found.status.tolist() == [Status.KEPT, Status.PRIMARY, 0, Status.SECONDARY]
    assert any("without a protection level must not be known exactly" in note for note in found.case.notes)
    assert found.case.levels.sliding[1] == 1
    for old, new, said in (
        ('cells = "T.JJ"', 'cells = "T.JJ"\nvalue = "v"', "'value' in .data. is for files with columns"),
        ('["index"]', '["a", "b"]', "the order of its cells has 1 dimension, and 2 are named"),
        ("[protect]", '[dimension.index]\ncodes = ["1"]\n[protect]', "with dimensions of its own"),
    ):
        specification.write_text(table.replace(old, new))
        with pytest.raises(UsageError, match=said):
            tc.build_table(specification)
    file.write_text(TEXT.replace("3 2 6", "3 3 6"))
    specification.write_text(table)
    with pytest.raises(InputError, match="does not add up: the parts of index=0 exceed it"):
        tc.build_table(specification)
