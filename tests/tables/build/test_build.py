"""Tables from microdata against the slow way, in every combination of weights and contributors."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.tables.build.naive import naive, tree

import tacita as tc
from tacita.errors import HierarchyError, InputError, UsageError
from tacita.model.table import Dimension
from tacita.tables.build.microdata.from_microdata import build
from tacita.tables.build.microdata.layout import MicrodataLayout


def microdata(rows):
    return tc.read(pa.table({name: [row[name] for row in rows] for name in rows[0]})).microdata


def random_rows(seed: int, number: int = 60):
    draw = random.Random(seed)
    return [
        {
            "a": f"a{draw.randrange(5)}",
            "b": f"b{draw.randrange(4)}",
            "x": round(draw.expovariate(0.01), 2),
            "w": draw.choice([1.0, 1.5, 2.25]),
            "who": draw.choice(["k1", "k2", "k3", "k4", "k5", None]),
        }
        for _ in range(number)
    ]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("contributor", [None, "who"])
@pytest.mark.parametrize("response", [None, "x"])
def test_every_cell_is_that_of_the_slow_way(seed: int, weight, contributor, response) -> None:
    rows = random_rows(seed)
    dimensions = (tree("a", 5), tree("b", 4))
    layout = MicrodataLayout("t", dimensions, response, weight, contributor, largest=3)
    table = build(microdata(rows), [layout])
    expected = naive(rows, dimensions, response=response, weight=weight, contributor=contributor)
    assert len(table) == len(expected)
    assert table.contributions is not None and table.counts is not None
    for cell in range(len(table)):
        slow = expected[table.cell_codes(cell)]
        assert table.values[cell] == pytest.approx(slow.value, abs=1e-6)
        assert table.counts[cell] == slow.contributors
        if response or contributor:
            assert np.round(table.contributions.largest[cell], 6).tolist() == slow.largest(3)
            ours = table.contributions.largest[cell] * table.contributions.weights[cell]
            assert ours.sum() <= table.values[cell] + 1e-6
    assert np.abs(table.equations.residuals(table.values)).max() < 1e-6
    assert table.is_count == (response is None and weight is None)


def test_negative_responses_are_ranked_by_size_and_need_a_free_attacker() -> None:
    rows = [{"a": "a0", "x": value} for value in (-90.0, 40.0, 5.0)] + [{"a": "a1", "x": 7.0}]
    dimension = Dimension.flat("a", ["a0", "a1"])
    with pytest.raises(InputError, match=r"1 record in which the response 'x' is negative"):
        build(microdata(rows), [MicrodataLayout("t", (dimension,), "x")])
    table = build(microdata(rows), [MicrodataLayout("t", (dimension,), "x", largest=2, negative=True)])
    assert table.contributions is not None and table.contributions.absolutes is not None
    assert table.values.tolist() == [-38, -45, 7]
    assert table.contributions.largest.tolist() == [[90, 40], [90, 40], [7, 0]]
    assert table.contributions.absolutes.tolist() == [142, 135, 7]


def test_linked_tables_share_cells_and_equations() -> None:
    rows = random_rows(5)
    a, b = tree("a", 5), tree("b", 4)
    flat_b = Dimension.flat("b", b.leaves)
    layouts = [
        MicrodataLayout("by both", (a, b), "x"),
        MicrodataLayout("by b", (flat_b,), "x"),
        MicrodataLayout("by a", (a,), "x"),
    ]
    together = build(microdata(rows), layouts)
    alone = build(microdata(rows), [MicrodataLayout("one", (a, b), "x")])
    assert [each.tolist() for each in together.codes.T] == [each.tolist() for each in alone.codes.T]
    assert together.values.tolist() == alone.values.tolist()
    shown = {
        name: [together.cell_codes(cell) for cell in np.flatnonzero(mask)] for name, mask in together.parts.items()
    }
    assert shown["by b"] == [("Total", code) for code in flat_b.codes]
    assert shown["by a"] == [(code, "Total") for code in a.codes]
    # The flat table of b adds one sum of leaves, over all of a; the one over a is there already.
    assert len(together.equations) == len(alone.equations) + 1
    rows_seen = {
        (tuple(cells), tuple(signs)) for cells, signs in map(together.equations.row, range(len(together.equations)))
    }
    assert len(rows_seen) == len(together.equations)


def test_alternative_hierarchies_must_hold_the_same_leaves() -> None:
    one = Dimension.tree("a", {"Total": {"p": ["a0", "a1"], "q": ["a2"]}})
    other = Dimension.tree("a", {"Total": {"r": ["a0", "a2"], "s": ["a1"]}})
    short = Dimension.tree("a", {"Total": {"r": ["a0"], "s": ["a1"]}})
    rows = [{"a": f"a{k % 3}", "x": float(k)} for k in range(9)]
    table = build(microdata(rows), [MicrodataLayout("one", (one,), "x"), MicrodataLayout("other", (other,), "x")])
    values = dict(zip([table.cell_codes(cell)[0] for cell in range(len(table))], table.values.tolist(), strict=True))
    assert values == {"Total": 36, "p": 21, "a0": 9, "a1": 12, "q": 15, "a2": 15, "r": 24, "s": 12}
    assert len(table.equations) == 6
    with pytest.raises(HierarchyError, match=r"dimension 'a'.*differ in 'a2'"):
        build(microdata(rows), [MicrodataLayout("one", (one,), "x"), MicrodataLayout("short", (short,), "x")])


def test_holdings_stand_beside_contributors() -> None:
    rows = [
        {"a": "a0", "x": 10.0, "firm": "f1", "group": "g"},
        {"a": "a0", "x": 8.0, "firm": "f2", "group": "g"},
        {"a": "a0", "x": 12.0, "firm": "f3", "group": None},
        {"a": "a1", "x": 1.0, "firm": "f3", "group": None},
    ]
    layout = MicrodataLayout(
        "t", (Dimension.flat("a", ["a0", "a1"]),), "x", contributor="firm", holding="group", largest=2
    )
    table = build(microdata(rows), [layout])
    assert table.contributions is not None and table.holdings is not None
    assert table.contributions.largest.tolist() == [[13, 10], [12, 10], [1, 0]]
    assert table.holdings.largest.tolist() == [[18, 13], [18, 12], [1, 0]]
    assert table.holdings.counts.tolist() == [2, 2, 1]
    assert table.counts is not None and table.counts.tolist() == [3, 3, 1]


def test_requests_and_waivers_are_those_of_the_contributor() -> None:
    rows = [
        {"a": "a0", "x": 5.0, "who": "p", "asked": "1", "gave": "yes"},
        {"a": "a0", "x": 4.0, "who": "q", "asked": "0", "gave": "no"},
        {"a": "a1", "x": 3.0, "who": "q", "asked": "2", "gave": "yes"},
    ]
    layout = MicrodataLayout(
        "t", (Dimension.flat("a", ["a0", "a1"]),), "x", contributor="who", request="asked", waiver="gave", largest=2
    )
    table = build(microdata(rows), [layout])
    assert table.contributions is not None
    assert table.contributions.largest.tolist() == [[7, 5], [5, 4], [3, 0]]
    assert table.contributions.requested is not None and table.contributions.waived is not None
    assert table.contributions.requested.tolist() == [[True, True], [True, False], [True, False]]
    assert table.contributions.waived.tolist() == [[False, True], [True, False], [True, False]]
    named = build(microdata(rows), [MicrodataLayout("t", layout.dimensions, "x", contributor="who", waivers=("q",))])
    assert named.contributions is not None and named.contributions.waived is not None
    assert named.contributions.waived[:, 0].tolist() == [True, False, True]
    coded = build(
        microdata(rows), [MicrodataLayout("t", layout.dimensions, "x", request="asked", request_codes=("2",))]
    )
    assert coded.contributions is not None and coded.contributions.requested is not None
    assert coded.contributions.requested[:, 0].tolist() == [False, False, True]


def test_the_owner_of_a_single_record_is_the_same_in_every_total() -> None:
    rows = [{"a": "a0", "b": "b0"}, {"a": "a1", "b": "b1"}, {"a": "a1", "b": "b2"}]
    table = build(
        microdata(rows),
        [MicrodataLayout("t", (Dimension.flat("a", ["a0", "a1"]), Dimension.flat("b", ["b0", "b1", "b2"])))],
    )
    assert table.contributions is not None
    owners = {table.cell_codes(c): int(who) for c, who in enumerate(table.contributions.sole_contributors())}
    assert owners["a0", "Total"] == owners["a0", "b0"] == owners["Total", "b0"] != -1
    assert owners["a1", "b1"] == owners["Total", "b1"] != owners["a1", "b2"]
    assert owners["a1", "Total"] == owners["Total", "Total"] == owners["a0", "b1"] == -1


def test_rows_that_stand_for_several_records() -> None:
    rows = [{"a": "a0", "n": 3}, {"a": "a1", "n": 1}, {"a": "a2", "n": 0}]
    layout = MicrodataLayout("t", (Dimension.flat("a", ["a0", "a1", "a2"]),), frequency="n")
    table = build(microdata(rows), [layout])
    assert table.values.tolist() == [4, 3, 1, 0] and table.is_count
    assert table.contributions is not None
    assert (table.contributions.sole_contributors() >= 0).tolist() == [False, False, True, False]
    sparse = build(microdata(rows), [layout], empty=False)
    assert [sparse.cell_codes(cell)[0] for cell in range(len(sparse))] == ["Total", "a0", "a1"]


def test_every_unusable_record_is_counted_and_told_at_once() -> None:
    data = pa.table({"a": ["a0", "a0", None, "zz"], "x": [1.0, None, float("inf"), 2.0], "w": [1.0, 0.0, 1.0, -1.0]})
    layout = MicrodataLayout("t", (Dimension.flat("a", ["a0"]),), "x", "w")
    with pytest.raises(InputError) as told:
        build(tc.read(data).microdata, [layout])
    for said in (
        "1 record without the response 'x'",
        "1 record in which the response 'x' is not finite",
        "1 record in which the weight 'w' is zero",
        "1 record in which the weight 'w' is negative",
    ):
        assert said in str(told.value)
    with pytest.raises(InputError) as told:
        build(tc.read(data.select(["a"])).microdata, [MicrodataLayout("t", layout.dimensions)])
    assert "1 record with codes that its hierarchy does not cover: zz" in str(told.value)
    assert "1 record without a code" in str(told.value)


def test_missing_codes_and_responses_as_declared() -> None:
    data = pa.table({"a": ["a0", None, "a0"], "x": [4.0, 2.0, None]})
    layout = MicrodataLayout(
        "t", (Dimension.flat("a", ["a0", "?"]),), "x", missing={"a": "?"}, missing_response="zero", largest=2
    )
    table = build(tc.read(data).microdata, [layout])
    assert table.values.tolist() == [6, 4, 2]
    assert table.counts is not None and table.counts.tolist() == [3, 2, 1]
    less = build(
        tc.read(data).microdata,
        [MicrodataLayout("t", layout.dimensions, "x", missing={"a": "?"}, missing_response="leave_out")],
    )
    assert less.counts is not None and less.counts.tolist() == [2, 1, 1]


def test_a_record_with_the_code_of_a_sum_is_refused() -> None:
    rows = [{"a": "p"}, {"a": "a0"}]
    with pytest.raises(InputError, match="codes that are sums: p"):
        build(microdata(rows), [MicrodataLayout("t", (Dimension.tree("a", {"Total": {"p": ["a0", "a1"]}}),))])


def test_a_table_of_one_cell_and_one_category() -> None:
    rows = [{"a": "a0", "b": "only"}, {"a": "a0", "b": "only"}]
    table = build(microdata(rows), [MicrodataLayout("t", (Dimension.flat("b", ["only"]),))])
    assert table.values.tolist() == [2, 2] and len(table.equations) == 1
    one = build(microdata(rows), [MicrodataLayout("t", (Dimension("b", ("only",)),))])
    assert one.values.tolist() == [2] and len(one.equations) == 0


def test_of_a_large_table_only_what_occurs_is_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = random_rows(4, 12)
    layout = MicrodataLayout("t", (tree("a", 5), tree("b", 4)), "x")
    whole = build(microdata(rows), [layout])
    monkeypatch.setattr("tacita.tables.build.microdata.from_microdata.MOST_CELLS", 10)
    sparse = build(microdata(rows), [layout])
    assert whole.counts is not None and sparse.counts is not None
    occurring = np.flatnonzero(whole.counts > 0)
    assert len(sparse) == len(occurring) < len(whole)
    assert sparse.values.tolist() == whole.values[occurring].tolist()
    assert np.abs(sparse.equations.residuals(sparse.values)).max() < 1e-9


def test_layouts_that_make_no_sense() -> None:
    size = Dimension.flat("a", ["a0"])
    with pytest.raises(UsageError, match="has no dimension; keeps 0"):
        MicrodataLayout("t", (), largest=0)
    with pytest.raises(UsageError, match="linked tables differ in response"):
        build(microdata([{"a": "a0", "x": 1.0}]), [MicrodataLayout("s", (size,), "x"), MicrodataLayout("t", (size,))])


def test_the_same_data_gives_the_same_table_in_any_order() -> None:
    rows = random_rows(9, 200)
    layout = MicrodataLayout("t", (tree("a", 5), tree("b", 4)), "x", "w", "who")
    first = build(microdata(rows), [layout])
    second = build(microdata(rows[::-1]), [layout])
    assert first.values.tolist() == second.values.tolist()
    assert first.contributions is not None and second.contributions is not None
    assert first.contributions.largest.tolist() == second.contributions.largest.tolist()
