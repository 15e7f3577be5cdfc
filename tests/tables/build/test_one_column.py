"""Linked tables whose dimensions are of one column, or of columns that group each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacita.engines.context import Context
from tacita.errors import HierarchyError
from tacita.tables.build.from_specification import gather
from tacita.tables.specification.reading import read_specification

ROWS = "town,county,kind,sex\n" + "".join(
    f"t{town},c{town % 3},{'big' if town < 3 else 'small'},{'fm'[at % 2]}\n"
    for town in range(6)
    for at in range(town + 1)
)
HEAD = (
    '[data]\nmicrodata = "people.csv"\n[[table]]\ndimensions = ["{}", "sex"]\n[[table]]\ndimensions = ["{}", "sex"]\n'
)


def gathered(folder: Path, text: str):
    (folder / "people.csv").write_text(ROWS)
    (folder / "spec.toml").write_text(text)
    return gather(read_specification(folder / "spec.toml"), Context.shared().engine)[0]


@pytest.mark.parametrize("second", ['columns = ["kind", "town"]', 'column = "town"', 'column = "county"'])
def test_the_same_column_under_two_names_is_refused(tmp_path: Path, second: str) -> None:
    text = HEAD.format("place", "other") + '[dimension.place]\ncolumns = ["county", "town"]\n'
    with pytest.raises(HierarchyError, match="'place' and 'other' are of the same column"):
        gathered(tmp_path, f"{text}[dimension.other]\n{second}\n")


def test_columns_that_group_each_other_are_told(tmp_path: Path) -> None:
    notes = gathered(tmp_path, HEAD.format("town", "county")).notes
    assert len(notes) == 1 and "each 'town' has one 'county' only" in notes[0]
    assert 'columns = ["county", "town"]' in notes[0]


def test_a_table_that_crosses_both_binds_them(tmp_path: Path) -> None:
    text = HEAD.format("town", "county") + '[[table]]\ndimensions = ["town", "county"]\n'
    assert gathered(tmp_path, text).notes == ()


def test_columns_that_do_not_group_each_other_are_no_matter(tmp_path: Path) -> None:
    assert gathered(tmp_path, HEAD.format("county", "kind")).notes == ()
