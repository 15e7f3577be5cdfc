"""MDAV with a tree is MDAV by comparing all records; in blocks it keeps its promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacita.masking.microaggregation.blocked_mdav import BlockedMdav
from tacita.masking.microaggregation.mdav import Mdav, mdav_groups
from tacita.masking.microaggregation.v_mdav import VMdav, v_mdav_groups

from .samples import column, groups_of, mdav_by_definition, treated

FEW = settings(max_examples=60, deadline=None)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("shape", [(20, 1), (300, 2), (1500, 4), (400, 12)])
@pytest.mark.parametrize("tail", [False, True])
def test_the_tree_finds_the_groups_of_the_definition(shape: tuple[int, int], k: int, tail: bool) -> None:
    points = np.random.default_rng(sum(shape) + k).normal(size=shape)
    points = np.exp(2 * points) if tail else points
    assert np.array_equal(mdav_groups(points, k), mdav_by_definition(points, k))


@pytest.mark.slow
@given(arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=st.integers(-3, 3)), st.integers(2, 4))
@FEW
def test_groups_have_k_to_2k_minus_1_with_many_ties(points: np.ndarray, k: int) -> None:
    if len(points) < k:
        return
    found = treated(Mdav(tuple(column(points).names), k, standardise=False), column(points))
    sizes = np.bincount(groups_of(found))
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    masked = found.records.matrix(found.records.names)
    assert masked.mean(axis=0) == pytest.approx(points.mean(axis=0), abs=1e-9)
    for group in range(len(sizes)):
        assert len(np.unique(masked[groups_of(found) == group], axis=0)) == 1


def test_fewer_than_3k_records_begin_with_the_end() -> None:
    """Steps 1 to 3 on 2k + 1 records would leave a group of one: document 001 assumes enough records."""
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0]])
    assert sorted(np.bincount(mdav_groups(points, 3)).tolist()) == [3, 4]
    assert np.bincount(mdav_groups(points[:5], 3)).tolist() == [5]
    assert np.bincount(mdav_groups(points[:3], 3)).tolist() == [3]


def test_identical_records_are_grouped() -> None:
    assert np.bincount(mdav_groups(np.ones((50, 2)), 4)).min() == 4


def test_standardising_lets_every_attribute_count() -> None:
    draw = np.random.default_rng(1)
    records = column(np.stack([draw.normal(0, 1e6, 200), draw.normal(0, 1, 200)], axis=1))
    together = treated(Mdav(("a", "b")), records)
    as_they_are = treated(Mdav(("a", "b"), standardise=False), records)
    assert together.figures["SSE"] < as_they_are.figures["SSE"]


@pytest.mark.parametrize("aggregate", ["mean", "median", "trimmed mean"])
def test_what_represents_a_group(aggregate: str) -> None:
    records = column(np.array([[1.0], [2.0], [3.0], [4.0], [100.0]]))
    found = treated(Mdav(("a",), 5, aggregate=aggregate), records)  # type: ignore[arg-type]
    assert found.records.numbers("a").values.tolist() == [{"mean": 22.0}.get(aggregate, 3.0)] * 5
    assert bool(found.notes) == (aggregate != "mean")


def test_progress_is_told_and_the_result_is_the_same() -> None:
    steps = []
    points = np.random.default_rng(5).normal(size=(3000, 3))
    records = column(points)
    one = Mdav(("a", "b", "c")).treated(records, np.random.default_rng(1), steps.append)
    other = treated(Mdav(("a", "b", "c")), records)
    assert np.array_equal(groups_of(one), groups_of(other))
    assert all(0 <= step.done <= step.total for step in steps)
    assert len(steps) > 3


def test_blocks_lose_little_and_keep_the_sizes() -> None:
    draw = np.random.default_rng(2)
    records = column(draw.normal(size=(4003, 3)))
    whole, blocked = treated(Mdav(("a", "b", "c"), 4), records), treated(BlockedMdav(("a", "b", "c"), 4, 500), records)
    sizes = np.bincount(groups_of(blocked))
    assert sizes.min() == 4
    assert (sizes > 4).sum() <= 1
    assert whole.figures["SSE"] < blocked.figures["SSE"] < 1.25 * whole.figures["SSE"]
    one = treated(BlockedMdav(("a", "b", "c"), 4, 5000), records)
    assert np.array_equal(groups_of(one), groups_of(whole))


def v_mdav_by_definition(points: np.ndarray, k: int, gamma: float) -> np.ndarray:
    """The steps of Solanas and Martinez-Balleste, comparing each record with all others."""
    apart = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
    middle = np.square(points - points.mean(axis=0)).sum(axis=1)
    groups, left, made = np.full(len(points), -1), list(range(len(points))), 0
    while len(left) >= k:
        centre = max(left, key=lambda i: (middle[i], -i))
        own = sorted(left, key=lambda i: (i != centre, apart[centre, i], i))[:k]
        left = [i for i in left if i not in own]
        while len(own) < 2 * k - 1 and len(left) > 1:
            gap, near = min((apart[i, j], j) for i in own for j in left)
            if not gap < gamma * min(apart[near, j] for j in left if j != near):
                break
            own.append(near)
            left.remove(near)
        groups[own] = made
        made += 1
    averages = np.stack([points[groups == group].mean(axis=0) for group in range(made)])
    for i in left:
        groups[i] = np.argmin(np.square(averages - points[i]).sum(axis=1))
    return groups


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.1, 5.0])
@pytest.mark.parametrize(("size", "k"), [(40, 3), (101, 2), (150, 5)])
def test_v_mdav_is_that_of_its_definition(size: int, k: int, gamma: float) -> None:
    points = np.random.default_rng(size).normal(size=(size, 2))
    found = v_mdav_groups(points, k, gamma)
    assert np.array_equal(found, v_mdav_by_definition(points, k, gamma))
    assert np.bincount(found).min() >= k


def test_v_mdav_keeps_clusters_together() -> None:
    """Document 002, figure of nine records: five on the left and four on the right, which groups of three would cut."""
    points = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5], [10, 0], [10, 1], [11, 0], [11, 1]])
    found = treated(VMdav(("a", "b"), 3, gamma=1.1, standardise=False), column(points))
    assert sorted(np.bincount(groups_of(found)).tolist()) == [4, 5]
    assert len({*groups_of(found)[:5].tolist()}) == 1
    assert np.bincount(groups_of(treated(Mdav(("a", "b"), 3, standardise=False), column(points)))).tolist() == [3, 3, 3]
