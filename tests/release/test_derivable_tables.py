"""Tables whose withheld cells follow from each other because dimensions or responses determine each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from tests.conftest import Run

import tacita as tc
from tacita.api.tables import ProtectionOptions, TableOptions, protect_to
from tacita.release.kinds.tables.derivable import DerivableCellsError
from tacita.release.verify import verify

N = 400
_HEAD = """
[data]
microdata = "firms.csv"
{dimensions}
[sensitivity]
minimum_frequency = 3
p_percent = {{ p = 10 }}
[protect]
time = 60
{protect}
"""
_TABLE = """
[[table]]
name = "{name}"
dimensions = {dimensions}
{response}
"""


def _firms() -> dict[str, Any]:
    random = np.random.default_rng(12)
    town = np.minimum(random.geometric(0.22, N) - 1, 11)
    turnover = random.lognormal(6, 1.4, N).round()
    domestic = (turnover * random.uniform(0.2, 0.8, N)).round()
    return {
        "town": np.array([f"T{t:02}" for t in town]),
        "town_code": 100 + (town * 7) % 12,
        "county": np.array([f"C{t // 3}" for t in town]),
        "sector": np.array(list("abcd"))[random.choice(4, N, p=[0.5, 0.3, 0.15, 0.05])],
        "size": np.array(["s", "m", "l"])[random.choice(3, N, p=[0.6, 0.3, 0.1])],
        "turnover": turnover,
        "dollars": (turnover * 1.25).round(2),
        "domestic": domestic,
        "exports": turnover - domestic,
        "employees": random.integers(1, 300, N),
    }


def _with_weights() -> dict[str, Any]:
    """Return the firms with their turnover times a weight that is constant in each sector."""
    firms = _firms()
    return firms | {
        "expanded": np.array([10.0, 5.5, 2.25, 1])[np.searchsorted(list("abcd"), firms["sector"])] * firms["turnover"]
    }


def _specification(folder: Path, *tables: tuple[str, list[str], str], dimensions: str = "", protect: str = "") -> Path:
    pa.csv.write_csv(pa.table(_firms()), folder / "firms.csv")
    text = _HEAD.format(dimensions=dimensions, protect=protect) + "".join(
        _TABLE.format(name=name, dimensions=json.dumps(names), response=response) for name, names, response in tables
    )
    (folder / "tables.toml").write_text(text)
    return folder / "tables.toml"


def _refused(folder: Path, specification: Path) -> DerivableCellsError:
    with pytest.raises(DerivableCellsError) as refused:
        protect_to(folder / "out", specification)
    assert not (folder / "out").exists() and not (folder / "out.internal").exists()
    return refused.value


TURNOVER = 'response = "turnover"'
BY_TOWN, BY_SECTOR = ("by_town", ["town", "sector"], TURNOVER), ("by_size", ["size", "sector"], TURNOVER)
BY_CODE, BY_COUNTY = ("by_code", ["town_code", "size"], TURNOVER), ("by_county", ["county", "sector"], TURNOVER)


@pytest.mark.slow
def test_tables_that_do_not_tell_of_each_other_go_out(tmp_path: Path) -> None:
    attempt = protect_to(tmp_path / "out", _specification(tmp_path, BY_TOWN, BY_SECTOR))
    assert attempt.release is not None and not attempt.release.is_derivable
    inside = json.loads((tmp_path / "out.internal" / "manifest.json").read_text())
    assert inside["derivable"] == []


@pytest.mark.slow
def test_a_code_of_a_dimension_in_another_table_is_refused(tmp_path: Path) -> None:
    error = _refused(tmp_path, _specification(tmp_path, BY_TOWN, BY_CODE))
    assert {one.by for one in error.derivations} == {"dimension"}
    assert {frozenset(one.tells) for one in error.derivations} == {frozenset({"town", "town_code"})}
    assert all("town" in cell for one in error.derivations for cell in one.cells)
    actions = [remedy.action for remedy in error.remedies]
    assert "leave out the table 'by_code'" in actions and "leave out the table 'by_town'" in actions
    for tables in ((BY_TOWN,), (BY_CODE,)):
        assert protect_to(tmp_path / tables[0][0], _specification(tmp_path, *tables)).release is not None


@pytest.mark.slow
def test_a_coarser_dimension_in_another_table_is_refused(tmp_path: Path) -> None:
    """Each remedy of the message is followed: one dimension for both, or one table less."""
    error = _refused(tmp_path, _specification(tmp_path, BY_TOWN, BY_COUNTY))
    assert [(one.by, one.tells) for one in error.derivations] == [("dimension", ("town", "county"))]
    assert error.remedies[0].action.startswith('link the tables: columns = ["county", "town"] in [dimension.town]')
    linked = _specification(tmp_path, BY_TOWN, dimensions='[dimension.town]\ncolumns = ["county", "town"]\n')
    assert protect_to(tmp_path / "linked", linked).release is not None
    assert {remedy.action for remedy in error.remedies[1:]} == {
        "leave out the table 'by_county'",
        "leave out the table 'by_town'",
    }
    assert protect_to(tmp_path / "dropped", _specification(tmp_path, BY_COUNTY)).release is not None


@pytest.mark.slow
def test_what_is_allowed_is_recorded_inside_only(tmp_path: Path) -> None:
    specification = _specification(tmp_path, BY_TOWN, BY_COUNTY)
    attempt = protect_to(tmp_path / "out", specification, options=TableOptions(allow_derivable=True))
    released = attempt.release
    assert released is not None and released.is_derivable and "each 'town' has one 'county'" in released.notes[0]
    inside = json.loads((released.internal / "manifest.json").read_text())
    (derived,) = inside["derivable"]
    assert derived["from"] == ["town", "county"] and derived["cells"]
    assert "each &#x27;town&#x27;" in (released.internal / "tables.html").read_text().replace("&#39;", "&#x27;")
    assert not any("deriv" in path.read_text() for path in released.folder.iterdir() if path.suffix != ".parquet")
    assert verify(released.folder).verdict.endswith("Hidden values can be derived (allowed).")


@pytest.mark.slow
def test_a_total_and_its_parts_are_refused(tmp_path: Path) -> None:
    """Where one response is withheld, the others are published; without one of them nothing is told."""

    def table(*responses: str) -> tuple[str, list[str], str]:
        return "firms", ["town", "sector"], f"response = {json.dumps(responses)}"

    error = _refused(tmp_path, _specification(tmp_path, table("turnover", "domestic", "exports")))
    assert {one.sentence for one in error.derivations} == {"exports = turnover - domestic"}
    assert {one.by for one in error.derivations} == {"response"}
    for left_out in ("turnover", "domestic", "exports"):
        assert f"leave out the response '{left_out}'" in [remedy.action for remedy in error.remedies]
        rest = [name for name in ("turnover", "domestic", "exports") if name != left_out]
        assert protect_to(tmp_path / left_out, _specification(tmp_path, table(*rest))).release is not None


@pytest.mark.slow
def test_a_second_currency_in_another_table_is_refused(tmp_path: Path) -> None:
    """The totals of towns are in both tables: cells are the same if their records are."""
    by_size = ("by_size", ["town", "size"], 'response = "dollars"')
    error = _refused(tmp_path, _specification(tmp_path, BY_TOWN, by_size))
    assert {one.sentence for one in error.derivations} <= {"turnover = 0.8 dollars", "dollars = 1.25 turnover"}
    assert all("town=" in cell for one in error.derivations for cell in one.cells)


@pytest.mark.slow
def test_weights_of_strata_in_another_response_are_refused(tmp_path: Path) -> None:
    expanded = ("expanded", ["town", "sector"], 'response = "expanded"')
    specification = _specification(tmp_path, BY_TOWN, expanded)
    pa.csv.write_csv(pa.table(_with_weights()), tmp_path / "firms.csv")
    error = _refused(tmp_path, specification)
    assert {one.sentence for one in error.derivations} <= {
        "turnover = expanded times a factor of each 'sector'",
        "expanded = turnover times a factor of each 'sector'",
    }
    assert {remedy.action for remedy in error.remedies} >= {"leave out the response 'expanded'"}


def test_withheld_cells_that_two_sums_solve_are_refused(tmp_path: Path) -> None:
    """The same two cells of a row are withheld in both tables: x + y and 10 x + 5.5 y are told by their totals."""
    firms = _with_weights()
    keep = np.isin(firms["town"], ["T00", "T01"]) & np.isin(firms["sector"], ["a", "b"])
    small = np.flatnonzero(keep & (firms["town"] == "T01") & (firms["sector"] == "b"))
    keep[small[2:]] = False  # two firms: the cell is sensitive
    firms = {name: column[keep] for name, column in firms.items()}
    expanded = ("expanded", ["town", "sector"], 'response = "expanded"')
    cells = ", ".join(f'{{town = "{t}", sector = "{s}"}}' for t in ("T00", "T01") for s in "ab")
    specification = _specification(tmp_path, BY_TOWN, expanded, protect=f"suppress = [{cells}]")
    pa.csv.write_csv(pa.table(firms), tmp_path / "firms.csv")
    error = _refused(tmp_path, specification)
    assert {cell for one in error.derivations for cell in one.cells} == {"town=T01, sector=b"}
    assert all(not remedy.action.startswith("protect all alike") for remedy in error.remedies)


@pytest.mark.slow
def test_responses_protected_alike_go_out(tmp_path: Path) -> None:
    table = ("firms", ["town", "sector"], 'response = ["turnover", "domestic", "exports"]')
    error = _refused(tmp_path, _specification(tmp_path, table))
    (alike,) = [remedy for remedy in error.remedies if remedy.action.startswith("protect all alike: ")]
    assert alike == error.remedies[0], "it costs the fewest cells"
    suppress = alike.action.removeprefix("protect all alike: ").removesuffix(" in [protect]")
    done = protect_to(tmp_path / "out", _specification(tmp_path, table, protect=suppress))
    assert done.release is not None


def test_two_roundings_of_one_figure_are_refused(tmp_path: Path) -> None:
    tables = (("by_town", ["town", "sector"], ""), ("by_code", ["town_code", "sector"], ""))
    specification = _specification(tmp_path, *tables, protect='method = "random_rounding"')
    specification.write_text(specification.read_text().replace("p_percent = { p = 10 }", ""))
    with pytest.raises(DerivableCellsError, match="each 'town' has one 'town_code'"):
        protect_to(tmp_path / "out", specification, ProtectionOptions(seed=5))


def test_records_of_a_data_set_are_looked_at_too(tmp_path: Path) -> None:
    specification = _specification(tmp_path, BY_TOWN, BY_COUNTY)
    protected = tc.read(pa.table(_firms()), name="firms").tabulate(specification).protect()
    with pytest.raises(DerivableCellsError):
        tc.release_to(tmp_path / "out", protected)


def test_the_command_says_what_to_do(tacita: Run, tmp_path: Path) -> None:
    _specification(tmp_path, BY_TOWN, BY_COUNTY)
    refused = tacita("table", "protect", "tables.toml", "--out", "release", "--json")
    assert refused.returncode == 4
    error = json.loads(refused.stderr.splitlines()[-1])["error"]
    assert "each 'town' has one 'county'" in error["found"] and "link the tables" in error["do"]
    allowed = tacita("table", "protect", "tables.toml", "--out", "release", "--allow-derivable")
    assert allowed.returncode == 0 and "allowed by --allow-derivable" in allowed.stdout
    linked = _specification(tmp_path, BY_TOWN, dimensions='[dimension.town]\ncolumns = ["county", "town"]\n')
    assert tacita("table", "protect", linked.name, "--out", "linked").returncode == 0
