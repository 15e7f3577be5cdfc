"""The attacker on tables that others published or protected: document 002, GaussSuppression, sdcTable."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from tests.attacks.tables.made import hidden, number

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Dimension, Equations, Knowledge, Levels, Table, table_of_leaves
from tacita.tables.build.hierarchy_files import read_hierarchy

RESEARCH = {
    "Agriculture and fishing": (22196, 0, 22196),
    "Chemical": (593301, 1425519, 2018820),
    "Rubber and plastics": (388895, 486771, 875666),
    "Metal": (834529, 2962455, 3796984),
    "Machinery": (2274677, 2740140, 5014817),
    "Materials and manufacturing": (4032117, 8563599, 12595716),
    "Energy and construction": (207072, 350013, 557085),
    "Other activities": (16535820, 1726625, 18262444),
    "Other services": (171819, 0, 171819),
    "Total": (25060426, 18255122, 43315548),
}
"""Expenditure on research of document 002, as printed: one row and one column miss their total by a unit."""

SMALL, LARGE = "<= 100 workers", "> 100 workers"


def research() -> tuple[Table, np.ndarray]:
    activity = Dimension.flat("activity", [name for name in RESEARCH if name != "Total"])
    size = Dimension.flat("size", (SMALL, LARGE))
    table = table_of_leaves("research", (activity, size), np.zeros((9, 2)))
    for name, (small, large, total) in RESEARCH.items():
        for code, value in ((SMALL, small), (LARGE, large), ("Total", total)):
            table.values[number(table, name, code)] = value
    pattern = hidden(
        table,
        *((name, code) for name in ("Agriculture and fishing", "Other services") for code in (SMALL, "Total")),
        *((name, code) for name in ("Energy and construction", "Other activities") for code in (SMALL, LARGE)),
    )
    return table, pattern


def test_research_example_is_found_underprotected():
    table, pattern = research()
    activities, services = number(table, "Other activities", LARGE), number(table, "Other services", SMALL)
    fishing = number(table, "Agriculture and fishing", SMALL)
    sensitive = np.zeros(len(table), bool)
    sensitive[[activities, services, fishing]] = True
    reach = 0.3 * table.values * sensitive
    levels = Levels(
        sensitive, reach, reach, 0 * reach, np.where(sensitive, 0, -1).astype(np.int16), ("n,k",), 0 * reach
    )
    found = audit(table, pattern, levels, Knowledge.of(len(table)))
    intervals = found.intervals
    assert (intervals.lower[activities], intervals.upper[activities]) == (1_519_553, 2_076_638)
    assert (intervals.lower[services], intervals.upper[services]) == (0, 194_015)
    assert {(each.cell, each.what) for each in found.violations} == {
        (activities, "lower"),
        (activities, "upper"),
        (services, "upper"),
    }
    upper = next(each for each in found.violations if each.cell == activities and each.what == "upper")
    assert upper.reached == 2_076_638
    assert upper.steps == (
        "[1] (activity=Energy and construction, size=> 100 workers) + (activity=Other activities, size=> 100 workers) "
        "= 2,076,638 (from (activity=Total, size=> 100 workers) less what is published)",
        "at least 0: (activity=Energy and construction, size=> 100 workers)",
        "so (activity=Other activities, size=> 100 workers) is at most 2,076,638",
    )
    assert any("roundings" in note for note in found.notes)


def test_research_example_without_true_values_is_judged_by_what_is_disclosed():
    table, pattern = research()
    shown = Table(
        table.name,
        table.dimensions,
        table.codes,
        np.where(pattern, np.nan, table.values),
        table.equations,
        table.is_count,
    )
    found = audit(shown, pattern, Levels.none(len(table)), Knowledge.of(len(table)))
    cell = number(table, "Other activities", LARGE)
    assert (found.intervals.lower[cell], found.intervals.upper[cell]) == (1_519_553, 2_076_638)
    assert found.passed
    assert any("true values are not at hand" in note for note in found.notes)
    wide = audit(shown, pattern, Levels.none(len(table)), Knowledge.of(len(table)), options=AuditOptions(share=0.3))
    assert cell in {each.cell for each in wide.violations if each.what == "disclosed"}


def test_a_cell_that_follows_exactly_is_reported_without_true_values():
    table, pattern = research()
    pattern = hidden(table, ("Metal", SMALL))
    values = np.where(pattern, np.nan, table.values)
    shown = Table(table.name, table.dimensions, table.codes, values, table.equations, table.is_count)
    found = audit(shown, pattern, Levels.none(len(table)), Knowledge.of(len(table)))
    assert [(each.what, each.reached) for each in found.violations] == [("disclosed", 0.0)]
    assert found.violations[0].steps[-1].endswith("is at most 834,529")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def filled(table: Table, given: list[dict[str, str]], names: tuple[str, ...], value: str) -> np.ndarray:
    """Put the values of a file into a table; return the row of each cell, -1 where the file has none."""
    place = {table.cell_codes(cell): cell for cell in range(len(table))}
    found = np.full(len(table), -1)
    for at, row in enumerate(given):
        cell = place[tuple(row[name] for name in names)]
        found[cell], table.values[cell] = at, float(row[value])
    return found


def test_intervals_of_gausssuppression(shared: Path):
    given = rows(shared / "tables" / "gauss_magnitude1_pPercent10_intervals.csv")
    sector = Dimension.tree(
        "sector4", {"Total": {"private": ["Agriculture", "Entertainment", "Industry"], "public": ["Governmental"]}}
    )
    geo = Dimension.tree("geo", {"Total": {"EU": ["Portugal", "Spain"], "nonEU": ["Iceland"]}})
    table = table_of_leaves("magnitude1", (sector, geo), np.zeros((4, 3)))
    at = filled(table, given, ("sector4", "geo"), "value")
    pattern = np.array([row >= 0 and given[row]["suppressed"] == "TRUE" for row in at])
    primary = np.array([row >= 0 and given[row]["primary"] == "TRUE" for row in at])
    found = audit(table, pattern, Levels.none(len(table)), Knowledge.of(len(table)))
    assert primary.sum() == 19
    for cell in np.flatnonzero(primary):
        expected = float(given[at[cell]]["lo"]), float(given[at[cell]]["up"])
        assert (found.intervals.lower[cell], found.intervals.upper[cell]) == pytest.approx(expected, abs=1e-6)


def z3(shared: Path, method: str) -> tuple[Table, np.ndarray, np.ndarray]:
    names = ("region", "hovedint", "mnd")
    dimensions = [read_hierarchy(shared / "data" / "tables" / f"z3_dimlist_{name}.csv", name) for name in names]
    table = table_of_leaves("z3", dimensions, np.zeros([len(each.leaves) for each in dimensions]), is_count=True)
    given = rows(shared / "tables" / f"sdcTable_ssb_z3_freq_{method}.csv")
    at = filled(table, given, names, "Freq")
    assert (at >= 0).all()
    status = np.array([given[row]["sdcStatus"] for row in at])
    return table, np.isin(status, ("u", "x")), status == "u"


@pytest.mark.parametrize(
    ("method", "suppressed"), [("OPT", 383), ("GAUSS", 483), ("SIMPLEHEURISTIC", 414), ("HYPERCUBE", 847)]
)
def test_patterns_of_sdctable_are_judged(shared: Path, method: str, suppressed: int):
    table, pattern, primary = z3(shared, method)
    levels = Levels.of(len(table), np.flatnonzero(primary), lower=0, upper=1)
    found = audit(table, pattern, levels, Knowledge.of(len(table)), options=AuditOptions(unions=False))
    assert pattern.sum() == suppressed
    assert found.intervals.exact[pattern].all()
    assert found.passed


def test_an_earlier_publication_is_more_knowledge():
    """Another table showed one of the cells: with it, the rest of its row follows."""
    table, pattern = research()
    cell = number(table, "Other activities", LARGE)
    levels = Levels.of(len(table), np.array([cell]), lower=1, upper=1)
    assert audit(table, pattern, levels, Knowledge.of(len(table))).passed
    knowledge = Knowledge.of(len(table))
    knowledge.known[number(table, "Energy and construction", SMALL)] = True
    found = audit(table, pattern, levels, knowledge)
    assert {(each.cell, each.what, each.reached) for each in found.violations} == {
        (cell, "lower", 1_726_625.0),
        (cell, "upper", 1_726_625.0),
    }


def test_a_linked_table_is_more_sums():
    """A second table that shows the sum of two suppressed cells narrows a third one.

    Energy (small) is the shown sum less services, which are between 0 and 194,015; other activities (large) are
    1,519,553 more than energy (small).
    """
    table, pattern = research()
    energy, services = number(table, "Energy and construction", SMALL), number(table, "Other services", SMALL)
    sums, shown = table.equations, table.values[energy] + table.values[services]
    linked = Table(
        "linked",
        table.dimensions,
        np.vstack((table.codes, table.codes[:1])),
        np.append(table.values, shown),
        Equations(
            np.append(sums.starts, sums.starts[-1] + 3),
            np.append(sums.cells, (energy, services, len(table))),
            np.append(sums.coefficients, (1.0, 1.0, -1.0)),
        ),
        table.is_count,
    )
    cell = number(table, "Other activities", LARGE)
    found = audit(linked, np.append(pattern, False), Levels.none(len(linked)), Knowledge.of(len(linked))).intervals
    assert (found.lower[cell], found.upper[cell]) == (1_519_553 + shown - 194_015, 1_519_553 + shown)
