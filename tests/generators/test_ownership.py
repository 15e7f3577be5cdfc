from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import UsageError
from tacita.generators.firms import firms
from tacita.generators.oracle import oracle
from tacita.generators.ownership import ownership, planted_control

Graph = list[tuple[str, str, float]]


def edges_of(table: pa.Table) -> Graph:
    return list(zip(*(table[name].to_pylist() for name in ("Owner", "Owned", "Share")), strict=True))


def controlled(graph: Graph) -> set[tuple[str, str]]:
    """All pairs of control, by the two rules of section 4.4, naively."""
    shares = defaultdict(list)
    for owner, owned, share in graph:
        shares[owner].append((owned, share))
    control = set()
    for start in shares:
        group, held = {start}, defaultdict(float)
        waiting = [start]
        while waiting:
            for owned, share in shares.get(waiting.pop(), ()):
                held[owned] += share
                if held[owned] > 0.5 and owned not in group:
                    group.add(owned)
                    waiting.append(owned)
        control |= {(start, owned) for owned in group - {start}}
    return control


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return ownership("R6A4U", seed=0).table()


def assert_is_an_ownership_graph(table: pa.Table) -> None:
    share = table["Share"].to_numpy()
    assert share.size == 0 or 0 < share.min() <= share.max() <= 1
    sums = table.group_by("Owned").aggregate([("Share", "sum")])["Share_sum"].to_numpy()
    assert sums.size == 0 or sums.max() <= 1 + 1e-12
    assert table.group_by(["Owner", "Owned"]).aggregate([]).num_rows == table.num_rows
    assert not pc.any(pc.equal(table["Owner"], table["Owned"])).as_py()


@given(edges=st.integers(0, 20_000), seed=st.integers(0, 1_000))
@settings(max_examples=25, deadline=None)
def test_any_number_of_edges_is_exact_and_legal(edges: int, seed: int) -> None:
    table = ownership("R1A4W", seed=seed, edges=edges).table()
    assert table.num_rows == edges
    assert_is_an_ownership_graph(table)


def test_owners_and_owned_are_firms_of_the_survey(table) -> None:
    ids = set(firms("R6A4U", seed=0).table()["Id"].to_pylist())
    assert set(table["Owner"].to_pylist()) | set(table["Owned"].to_pylist()) <= ids
    assert table.num_rows == 7_200


@pytest.mark.slow
def test_the_graph_of_an_oracle_spans_communities() -> None:
    graph = ownership("R6A4U", seed=0, among="oracle")
    assert graph.rows == 144_000
    batches = list(graph.batches())
    assert len(batches) == 2
    whole = pa.Table.from_batches(batches)
    assert whole.num_rows == 144_000
    assert_is_an_ownership_graph(whole)
    ids = set(oracle("R6A4U", seed=0).table()["Id"].to_pylist())
    assert set(whole["Owner"].to_pylist()) | set(whole["Owned"].to_pylist()) <= ids


def test_the_seed_decides(table) -> None:
    assert table.equals(ownership("r6a4u", seed=0).table())
    assert not table.equals(ownership("R6A4U", seed=1).table())


def test_every_shape_is_there(table) -> None:
    graph = edges_of(table)
    majority_owner = {owned: owner for owner, owned, share in graph if share > 0.5}
    paths = [_upwards(firm, majority_owner) for firm in majority_owner]
    assert max(len(path) for path, closed in paths if not closed) >= 8, "majority chains"
    ring_lengths = {len(path) for path, closed in paths if closed}
    assert ring_lengths >= {3, 4, 5, 6}, "rings"
    assert max(Counter(majority_owner.values()).values()) >= 5, "stars"
    pairs = {(owner, owned) for owner, owned, _ in graph}
    assert sum((owned, owner) in pairs for owner, owned in pairs) > 100, "cross-holdings"
    direct = {(owner, owned) for owner, owned, share in graph if share > 0.5}
    jointly = {owned for _, owned in controlled(graph)} - {owned for _, owned in direct}
    assert len(jointly) > 50, "joint control"
    assert 1.0 in table["Share"].to_pylist(), "wholly owned"


def _upwards(firm: str, owner_of: dict[str, str]) -> tuple[list[str], bool]:
    """The majority owners above a firm, and whether they lead back to it."""
    path = [firm]
    while (owner := owner_of.get(path[-1])) is not None and owner not in path:
        path.append(owner)
    return path, owner == firm


@pytest.mark.parametrize("name", ["R25A4W", "R6A9V"])
@pytest.mark.parametrize("relationships", [0, 1, 100, 400])
def test_planted_control_is_exact(name: str, relationships: int) -> None:
    graph = planted_control(name, seed=0, relationships=relationships, minority=150)
    table = graph.table()
    assert graph.rows == table.num_rows == relationships + 150
    assert_is_an_ownership_graph(table)
    edges = edges_of(table)
    direct = {(owner, owned) for owner, owned, share in edges if share > 0.5}
    assert len(direct) == relationships
    assert controlled(edges) == direct
    assert 0.5 in table["Share"].to_pylist()


def test_more_relationships_begin_with_fewer() -> None:
    few, many = (planted_control("R25A4W", seed=3, relationships=n).table() for n in (100, 400))
    assert many.slice(0, 100).equals(few)


def test_one_relationship_in_ten_starts_at_a_sample_unique(frequencies) -> None:
    survey = firms("R25A4W", seed=0)
    sample = survey.table()
    f = frequencies(sample, survey.dictionary.quasi_identifiers)
    uniques = set(sample["Id"].filter(pa.array(f == 1)).to_pylist())
    graph = planted_control("R25A4W", seed=0, relationships=400).table()
    assert sum(owner in uniques for owner in graph["Owner"].to_pylist()) == 40
    assert not uniques & set(graph["Owned"].to_pylist())
    none = planted_control("R25A4W", seed=0, relationships=400, selective_share=0.0).table()
    assert not uniques & set(none["Owner"].to_pylist())


@pytest.mark.parametrize("edges", [-1, 20_001])
def test_impossible_numbers_of_edges_are_refused(edges: int) -> None:
    with pytest.raises(UsageError, match="edges between 1,000 firms"):
        ownership("R1A4W", seed=0, edges=edges)


@pytest.mark.parametrize("wrong", [{"relationships": 300}, {"relationships": 1, "selective_share": 1.1}])
def test_impossible_plantings_are_refused(wrong) -> None:
    with pytest.raises(UsageError, match="control relationships"):
        planted_control("R1A4W", seed=0, **wrong)


@pytest.mark.slow
def test_a_large_graph_stays_within_its_sums() -> None:
    table = ownership("R100A4U", seed=0, edges=500_000).table()
    assert table.num_rows == 500_000
    assert np.max(table.group_by("Owned").aggregate([("Share", "sum")])["Share_sum"].to_numpy()) <= 1 + 1e-12
