"""Merges: a table that is recoded is the table that would be built from recoded records; and what merges bring."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.tables.grids import crossed
from tests.tables.recoding.research import ROWS, SIZES, TOTALS, research
from tests.tables.sensitivity.by_hand import cell, made

from tacita.errors import InputError, UsageError
from tacita.model.table import Dimension, Equations, Sum, Table
from tacita.progress import Step
from tacita.tables.recoding.merge import Merge, neighbours, subtree
from tacita.tables.recoding.proposals import figures, propose_recodings, recode
from tacita.tables.recoding.recoded import recoded
from tacita.tables.sensitivity.assess import assess
from tacita.tables.sensitivity.rules.group_disclosure import GroupDisclosure
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent

FREQUENCY = [MinimumFrequency(3)]
REGION = Dimension.tree("region", {"Total": {"north": ["n1", "n2", "n3"], "south": {"s1": ["s11", "s12"], "s2": []}}})
SIZE = Dimension.flat("size", ["small", "medium", "large"])


def records(seed: int, many: int = 60) -> list[dict[str, Any]]:
    draw = np.random.default_rng(seed)
    return [
        {
            "region": draw.choice(REGION.leaves),
            "size": draw.choice(SIZE.leaves),
            "firm": f"f{draw.integers(20)}",
            "x": int(draw.pareto(1) * 20) + 1,
        }
        for _ in range(many)
    ]


def assert_same(one: Table, other: Table) -> None:
    """Every cell of one is in the other, with the same value and the same contributors; both add up."""
    assert {one.cell_codes(at) for at in range(len(one))} == {other.cell_codes(at) for at in range(len(other))}
    to = np.array([cell(other, *one.cell_codes(at)) for at in range(len(one))])
    np.testing.assert_allclose(one.values, other.values[to])
    np.testing.assert_allclose(one.equations.residuals(one.values), 0, atol=1e-9)
    assert rows_of(one) == rows_of(other)
    if one.counts is not None and other.counts is not None:
        np.testing.assert_array_equal(one.counts, other.counts[to])
    if one.contributions is not None and other.contributions is not None:
        np.testing.assert_allclose(one.contributions.largest, other.contributions.largest[to])
        np.testing.assert_array_equal(one.contributions.counts, other.contributions.counts[to])
        np.testing.assert_allclose(one.contributions.totals, other.contributions.totals[to])


def rows_of(table: Table) -> set[frozenset[tuple[tuple[str, ...], float]]]:
    return {
        frozenset((table.cell_codes(int(at)), float(sign)) for at, sign in zip(*table.equations.row(row), strict=True))
        for row in range(len(table.equations))
    }


# -- recoded -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", ["north", "south", "s1"])
def test_a_subtree_becomes_its_top_without_microdata(top: str) -> None:
    data = records(1)
    before = made((REGION, SIZE), data, "x", holder="firm")
    merge = subtree(REGION, top)
    leaves = REGION.leaves_under()[top]
    trees = {
        "north": {"Total": {"north": [], "south": {"s1": ["s11", "s12"], "s2": []}}},
        "south": {"Total": {"north": ["n1", "n2", "n3"], "south": []}},
        "s1": {"Total": {"north": ["n1", "n2", "n3"], "south": {"s1": [], "s2": []}}},
    }
    anew = [{**each, "region": top if each["region"] in leaves else each["region"]} for each in data]
    assert_same(recoded(before, merge), made((Dimension.tree("region", trees[top]), SIZE), anew, "x", holder="firm"))


def test_neighbours_become_one_in_a_frequency_table() -> None:
    data = records(2)
    merge = neighbours(SIZE, "small", "medium", into="not large")
    size = Dimension("size", ("Total", "not large", "large"), (Sum("Total", ("not large", "large")),))
    anew = [{**each, "size": "large" if each["size"] == "large" else "not large"} for each in data]
    assert_same(recoded(made((REGION, SIZE), data), merge), made((REGION, size), anew))


def test_neighbours_become_one_in_a_magnitude_table_whose_contributors_are_all_kept() -> None:
    data = records(3)
    merge = neighbours(REGION, "n2", "n3")
    tree = {"Total": {"north": ["n1", "n2 + n3"], "south": {"s1": ["s11", "s12"], "s2": []}}}
    anew = [{**each, "region": "n2 + n3" if each["region"] in {"n2", "n3"} else each["region"]} for each in data]
    after = recoded(made((REGION, SIZE), data, "x", holder="firm", kept=20), merge)
    assert_same(after, made((Dimension.tree("region", tree), SIZE), anew, "x", holder="firm", kept=20))


def test_neighbours_of_magnitudes_are_refused_where_contributors_are_missing() -> None:
    table = made((REGION, SIZE), records(3), "x", holder="firm", kept=2)
    merge = neighbours(REGION, "n2", "n3")
    with pytest.raises(InputError, match=r"not all of their contributors(.|\n)*from the microdata"):
        recoded(table, merge)
    with pytest.raises(InputError, match="not known"):
        recoded(replace(table, contributions=None), merge)
    with pytest.raises(InputError, match="not all of their contributors"):
        propose_recodings(table, [PPercent(10)], ordered=["region"])


def test_requests_and_consents_go_with_their_contributors() -> None:
    table = made(
        (SIZE,),
        [
            {"size": s, "firm": f, "x": x}
            for s, f, x in (("small", "a", 5), ("medium", "b", 9), ("medium", "a", 1), ("large", "c", 3))
        ],
        "x",
        holder="firm",
    )
    held = table.contributions
    assert held is not None
    asked = held.holders == 0
    after = recoded(
        replace(table, contributions=replace(held, requested=asked, waived=asked)), neighbours(SIZE, "small", "medium")
    )
    assert after.contributions is not None
    at = cell(after, "small + medium")
    assert after.contributions.holders[at, :3].tolist() == [1, 0, -1]
    assert after.contributions.largest[at, :2].tolist() == [9, 6]
    for mask in (after.contributions.requested, after.contributions.waived):
        assert mask is not None
        assert mask[at, :3].tolist() == [False, True, False]


def test_missing_cells_and_parts_of_linked_tables_survive() -> None:
    """Without one cell of 'small', the sum over regions of 'small + medium' still has the region of 'medium'."""
    whole = crossed(
        (REGION, SIZE), {(r, s): 2 for r in REGION.leaves for s in SIZE.leaves if (r, s) != ("n1", "small")}
    )
    gone = cell(whole, "n1", "small")
    keep = np.arange(len(whole)) != gone
    number = np.cumsum(keep) - 1
    rows = [whole.equations.row(row)[0] for row in range(len(whole.equations))]
    sums = [(int(number[row[0]]), [int(number[at]) for at in row[1:] if at != gone]) for row in rows]
    table = replace(
        whole,
        codes=whole.codes[keep],
        values=whole.values[keep],
        equations=Equations.of(sums),
        parts={"all": np.ones(keep.sum(), bool), "none": np.zeros(keep.sum(), bool)},
    )
    merge = neighbours(SIZE, "small", "medium")
    after = recoded(table, merge)
    assert_same(after, recoded(whole, merge))
    assert after.parts["all"].all()
    assert not after.parts["none"].any()
    assert not recoded(table, subtree(REGION, "north")).parts["none"].any()


def test_merges_that_do_not_fit_are_refused() -> None:
    table = crossed((REGION, SIZE), {("n1", "small"): 3})
    with pytest.raises(UsageError, match="did you mean 'size'"):
        recoded(table, Merge("siz", ("small", "medium"), "x"))
    with pytest.raises(UsageError, match="did you mean 'small'"):
        recoded(table, Merge("size", ("smal", "medium"), "x"))
    for codes, into in ((("small",), "x"), (("small", "small"), "x"), (("n1", "s2"), "x"), (("north", "south"), "x")):
        with pytest.raises(InputError):
            recoded(table, Merge("size" if "small" in codes else "region", codes, into))
    with pytest.raises(InputError, match="is a code already"):
        recoded(table, Merge("region", ("n1", "n2"), "north"))
    with pytest.raises(InputError, match="nothing is below"):
        subtree(SIZE, "small")


def test_a_subtree_that_another_hierarchy_needs_is_kept() -> None:
    two = Dimension(
        "region",
        ("Total", "coast", "inland", "a", "b", "c"),
        (
            Sum("Total", ("coast", "inland")),
            Sum("coast", ("a", "b")),
            Sum("inland", ("c",)),
            Sum("Total", ("a", "b", "c")),
        ),
    )
    table = crossed((two,), {("a",): 1, ("b",): 1, ("c",): 9})
    with pytest.raises(InputError, match="parts of other sums"):
        recoded(table, subtree(two, "coast"))
    assert propose_recodings(table, FREQUENCY) == ()


# -- proposals ---------------------------------------------------------------------------------------------------------


def test_the_research_table_is_as_printed() -> None:
    table = research()
    assert [table.values[cell(table, "Total", size)] for size in SIZES] == list(TOTALS)
    assert table.values[0] == 313
    found = assess(table, FREQUENCY).sensitive
    assert found.sum() == 44  # as many as are printed in bold type
    assert found[cell(table, "Agriculture and fishing", "Total")]


def test_the_research_table_can_be_recoded_until_nothing_is_sensitive() -> None:
    """The document goes to 9 x 2 categories and has sensitive cells still; 10 x 4 are enough for none."""
    table = research()
    told: list[Step] = []
    result = recode(table, FREQUENCY, ordered=("activity", "size"), progress=told.append)
    assert result.sensitive[0] == 44
    assert result.sensitive[-1] == 0
    assert list(result.sensitive) == sorted(result.sensitive, reverse=True)
    assert [len(each.leaves) for each in result.table.dimensions] == [10, 4]
    assert result.table.values[0] == 313
    np.testing.assert_allclose(result.table.equations.residuals(result.table.values), 0)
    assert figures(result.table, FREQUENCY).critical_rows == 0
    assert told[-1].done == told[-1].total == 44
    few = recode(table, FREQUENCY, ordered=("activity", "size"), sensitive=10)
    assert few.sensitive[-1] <= 10 < few.sensitive[-2]
    kept = recode(table, FREQUENCY, ordered=("activity", "size"), at_least={"size": 7, "activity": 17})
    assert [len(each.leaves) for each in kept.table.dimensions] == [17, 7]
    assert recode(table, FREQUENCY, ordered=("size",), steps=2).sensitive[-1] > 0


def test_proposals_are_ranked_and_tell_before_and_after() -> None:
    found = propose_recodings(research(), FREQUENCY, ordered=("activity", "size"), limit=5)
    assert len(found) == 5
    assert [each.gain for each in found] == sorted((each.gain for each in found), reverse=True)
    assert str(found[0]) == (
        "size: '250-499', '500-999' become '250-499 + 500-999': sensitive cells 44 -> 35, safe cells 69 -> 70"
    )
    for each in found:
        after = recoded(research(), each.merge)
        assert each.after == figures(after, FREQUENCY)
        assert each.removed == 44 - assess(after, FREQUENCY).sensitive.sum()
    assert "19 x 8 codes, 113 occupied cells, 44 sensitive" in str(found[0].before)


def test_no_candidate_is_better_than_the_first_proposal() -> None:
    table = crossed(
        (REGION, SIZE),
        dict(
            zip(
                [(r, s) for r in REGION.leaves for s in SIZE.leaves],
                [3, 1, 9, 2, 2, 7, 1, 8, 9, 4, 1, 3, 9, 9, 2, 6, 5, 4],
                strict=True,
            )
        ),
    )
    best = propose_recodings(table, FREQUENCY, ordered=["region", "size"])[0]
    tops = [subtree(REGION, top) for top in ("north", "south", "s1")]
    pairs = [neighbours(REGION, *pair) for pair in (("n1", "n2"), ("n2", "n3"))]
    pairs += [neighbours(SIZE, *pair) for pair in (("small", "medium"), ("medium", "large"))]
    before = figures(table, FREQUENCY)
    for merge in (*tops, *pairs):
        after = figures(recoded(table, merge), FREQUENCY)
        assert (before.sensitive - after.sensitive) / (1 + max(before.safe - after.safe, 0)) <= best.gain


def test_hierarchical_merges_of_magnitudes_need_no_microdata() -> None:
    table = made((REGION, SIZE), records(5, 90), "x", holder="firm", kept=2)
    rules = [PPercent(10), *FREQUENCY]
    result = recode(table, rules)
    assert result.sensitive[-1] < result.sensitive[0]
    assert all(each.merge.into in REGION for each in result.steps)


def test_a_safe_table_needs_no_recoding() -> None:
    table = crossed((SIZE,), {("small",): 9, ("medium",): 9, ("large",): 9})
    assert propose_recodings(table, FREQUENCY, ordered=["size"]) == ()
    result = recode(table, FREQUENCY, ordered=["size"])
    assert result.steps == ()
    assert result.sensitive == ()
    assert propose_recodings(research(), [GroupDisclosure(others=False)], ordered=["activity"])[0].removed > 0


def test_bad_requests() -> None:
    with pytest.raises(UsageError, match="did you mean 'size'"):
        propose_recodings(research(), FREQUENCY, ordered=["siz"])
    with pytest.raises(UsageError):
        propose_recodings(research(), FREQUENCY, limit=0)
    with pytest.raises(UsageError):
        recode(research(), FREQUENCY, steps=-1)
    assert len(ROWS) == 18
