"""Tables of the paper, public data, and data without any dependency.

Table 1 and Table 3 are those of L. Caruccio et al., "GDPR Compliant Information Confidentiality Preservation in Big
Data Processing", IEEE Access 2020. Example 2 names three determinants of Occupation, and Table 1 has five; Example 4
calls AB -> D minimal on Table 3(a), where A -> D holds: the tables are right, and the sentences are not.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.dependencies.discovery.tables import coded, discovered

import tacita as tc
from tacita.dependencies.discovery.comparing import compared_table
from tacita.dependencies.discovery.exact import exact_dependencies
from tacita.dependencies.discovery.options import DiscoveryOptions
from tacita.dependencies.discovery.search import Effort

CREDIT = ["LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "BILL_AMT1"]
TABLE_3A = {"A": [1, 1, 3, 1], "B": [2, 2, 2, 3], "C": [7, 8, 6, 9], "D": ["True", "True", "False", "True"]}
TABLE_3C = {"A": [1, 3, 3, 1], "B": [2, 2, 2, 4], "C": [7, 8, 6, 9], "D": ["True", "False", "False", "False"]}


def test_the_determinants_of_occupation() -> None:
    discovery = tc.sample("customers").discover_dependencies()
    lefts = {one.left: one.is_key for one in discovery.of("Occupation")}
    assert {left for left, is_key in lefts.items() if not is_key} == {
        ("Name",),
        ("Age", "Sex"),
        ("Age", "Street"),
        ("Age", "City"),
        ("Age", "ZipCode"),
    }
    assert {left for left, is_key in lefts.items() if is_key} == {("SSN",)}


def test_table_3a() -> None:
    discovery = discovered(TABLE_3A)
    assert {one.left for one in discovery.of("D")} == {("A",), ("C",)}
    assert [one.support for one in discovery.of("D")] == [3, 0]


def test_table_3c() -> None:
    discovery = discovered(TABLE_3C)
    assert {one.left for one in discovery.of("D")} == {("A", "B"), ("C",)}
    assert [one.witness for one in discovery.of("D")] == [None, (2, 3)]


def test_london(shared: Path) -> None:
    discovery = tc.read(shared / "data" / "gdpr" / "london_merged.csv").discover_dependencies()
    assert (discovery.records, len(discovery.attributes)) == (17_414, 10)
    # 19 by desbordante 2.5 (HyFD), too.
    assert (len(discovery.dependencies), len(discovery.threats), discovery.is_complete) == (19, 10, True)
    assert {one.left for one in discovery.of("hum") if one.is_key} == {("timestamp",)}


def test_adult_has_no_exact_dependency(shared: Path) -> None:
    discovery = tc.read(shared / "data" / "adult" / "adult.csv", delimiter=";").discover_dependencies()
    assert (discovery.records, len(discovery.attributes)) == (30_162, 9)
    assert discovery.dependencies == () and discovery.is_complete
    assert "predicted" in discovery.to_text()  # nothing found does not mean that it is safe


def with_invented(file: Path, columns: list[str] | None = None) -> dict[str, list[Any]]:
    """A file with three more columns: first name, last name and street, drawn with a fixed seed."""
    data = pd.read_csv(file)
    data = data if columns is None else data[columns]
    random = np.random.default_rng(1)
    for name, number in (("first", 500), ("last", 1000), ("street", 700)):
        data[name] = random.integers(0, number, len(data))
    return {name: pd.factorize(data[name], sort=True)[0].tolist() for name in data.columns}


def by_grouping(cells: dict[str, list[Any]]) -> set[tuple[int, int]]:
    """All minimal dependencies, from the smallest left-hand sides up: X -> A holds if A splits no group of X."""
    columns = [np.array(column) for column in cells.values()]
    groups: dict[int, tuple[np.ndarray, int]] = {0: (np.zeros(len(columns[0]), np.int64), 1)}
    found: dict[int, list[int]] = {right: [] for right in range(len(columns))}
    for size in range(len(columns)):
        for places in combinations(range(len(columns)), size):
            left = sum(1 << place for place in places)
            open_ = [r for r in range(len(columns)) if r not in places and not any(x & ~left == 0 for x in found[r])]
            if not open_:
                continue
            group, number = _grouped(left, columns, groups)
            for right in open_:
                if _number(group, columns[right]) == number:
                    found[right].append(left)
    return {(left, right) for right, lefts in found.items() for left in lefts}


def _grouped(left: int, columns: list[np.ndarray], known: dict[int, tuple[np.ndarray, int]]) -> tuple[np.ndarray, int]:
    if left not in known:
        last = left.bit_length() - 1
        group, _ = _grouped(left ^ 1 << last, columns, known)
        different, codes = np.unique(group * (int(columns[last].max()) + 1) + columns[last], return_inverse=True)
        known[left] = codes, len(different)
    return known[left]


def _number(group: np.ndarray, column: np.ndarray) -> int:
    return len(np.unique(group * (int(column.max()) + 1) + column))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "columns", "number"),
    [
        ("UCI_Credit_Card.csv", CREDIT, 148),
        ("london_merged.csv", None, 600),
    ],
    ids=["credit-10", "london-13"],
)
def test_public_data_with_invented_names(shared: Path, file: str, columns: list[str] | None, number: int) -> None:
    # desbordante 2.5 (HyFD) finds as many in the same columns: 148 and 600.
    cells = with_invented(shared / "data" / "gdpr" / file, columns)
    table, _, _ = compared_table(coded(cells), DiscoveryOptions())
    minimal = exact_dependencies(table.codes, table.counts, None, Effort())
    assert len(minimal.lefts) == number
    few = {name: column[:2_000] for name, column in cells.items()}
    table, _, _ = compared_table(coded(few), DiscoveryOptions())
    minimal = exact_dependencies(table.codes, table.counts, None, Effort())
    assert set(zip(minimal.lefts.tolist(), minimal.rights.tolist(), strict=True)) == by_grouping(few)


@pytest.mark.slow
def test_desbordante_agrees(shared: Path) -> None:
    """Where it is installed by hand: the same minimal dependencies of both files and of their join."""
    algorithms = pytest.importorskip("desbordante", reason="desbordante is not installed").fd.algorithms
    folder = shared / "data" / "gdpr"
    credit, london = with_invented(folder / "UCI_Credit_Card.csv", CREDIT), with_invented(folder / "london_merged.csv")
    records = len(london["cnt"])
    joined = {**{name: column[:records] for name, column in credit.items() if name in CREDIT}, **london}
    for cells in (credit, london, joined):
        table, _, _ = compared_table(coded(cells), DiscoveryOptions())
        minimal = exact_dependencies(table.codes, table.counts, None, Effort())
        search = algorithms.HyFD()
        search.load_data(table=pd.DataFrame(cells))
        search.execute()
        theirs = {(sum(1 << place for place in one.lhs_indices), one.rhs_index) for one in search.get_fds()}
        assert set(zip(minimal.lefts.tolist(), minimal.rights.tolist(), strict=True)) == theirs


def test_independent_columns_depend_on_nothing() -> None:
    """At g3 10 % almost every larger set determines everything by accident, and none tells more than the mode."""
    random = np.random.default_rng(8)
    sizes = (2, 3, 5, 10, 20, 50, 100, 300)
    cells = {f"x{number}": random.integers(0, number, 20_000).tolist() for number in sizes}
    discovery = discovered(cells, tolerance=0.1)
    assert discovery.dependencies == ()
    assert discovery.left_out > 50
    assert f"{discovery.left_out} dependencies within the tolerance are not listed" in discovery.to_text()


def test_a_dependency_stands_out_among_independent_columns() -> None:
    random = np.random.default_rng(8)
    cells = {f"x{number}": random.integers(0, number, 5_000) for number in (2, 3, 10, 30)}
    is_noise = random.random(5_000) < 0.05
    cells["y"] = np.where(is_noise, random.integers(0, 7, 5_000), cells["x30"] % 7)
    discovery = discovered({name: column.tolist() for name, column in cells.items()}, tolerance=0.1)
    assert [(one.left, one.right) for one in discovery.dependencies] == [(("x30",), "y")]
    assert discovery.dependencies[0].gain == pytest.approx(0.94, abs=0.02)
