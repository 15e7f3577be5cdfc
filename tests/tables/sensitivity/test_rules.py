"""Each rule by itself: against its definition, tried out in all ways, and on tables at the edge."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables.grids import crossed
from tests.tables.sensitivity.by_hand import cell, made, one_cell, with_waivers

from tacita.errors import InputError, UsageError
from tacita.model.table import Contributions, Dimension, Equations, Levels, Table
from tacita.tables.sensitivity.assess import OnHoldings, assess, assess_all, reason_of, reasons_of
from tacita.tables.sensitivity.contributors import owners
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.group_disclosure import GroupDisclosure
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.prior_posterior import PriorPosterior
from tacita.tables.sensitivity.rules.request import Request
from tacita.tables.sensitivity.rules.zero_cells import ZeroCells


def is_sensitive(table: Table, rule: SensitivityRule) -> bool:
    return bool(assess(table, [rule]).sensitive[0])


# -- p %, p-q, dominance -----------------------------------------------------------------------------------------------

AMOUNTS = st.lists(st.integers(0, 60), min_size=1, max_size=6)


@pytest.mark.slow
@given(
    amounts=AMOUNTS,
    weights=st.lists(st.integers(1, 3), min_size=6, max_size=6),
    consents=st.lists(st.booleans(), min_size=6, max_size=6),
    p=st.sampled_from([5, 10, 30, 150]),
    n=st.integers(0, 2),
)
@settings(max_examples=150, deadline=None)
def test_p_percent_is_what_some_coalition_can_estimate(
    amounts: list[int], weights: list[int], consents: list[bool], p: int, n: int
) -> None:
    amounts = sorted(amounts, reverse=True)
    table = one_cell(*map(float, amounts), weights=weights[: len(amounts)], kept=6)
    table = with_waivers(table, [at for at in range(len(amounts)) if consents[at]])
    people = [(x, consents[at]) for at, x in enumerate(amounts) for _ in range(weights[at])]
    total = sum(x for x, _ in people)
    lacking = -1.0
    for target, (x, consented) in enumerate(people):
        if consented:
            continue
        others = [y for at, (y, _) in enumerate(people) if at != target]
        for coalition in combinations(others, min(n, len(others))):
            lacking = max(lacking, p / 100 * x - (total - x - sum(coalition)))
    levels = assess(table, [PPercent(p, n)])
    assert levels.sensitive[0] == (lacking > 1e-9)
    if lacking > 1e-9:
        assert levels.upper[0] == pytest.approx(lacking)
        assert levels.lower[0] == pytest.approx(min(lacking, total))


@given(
    amounts=AMOUNTS,
    weights=st.lists(st.integers(1, 3), min_size=6, max_size=6),
    k=st.sampled_from([40, 75, 90]),
    n=st.integers(1, 3),
)
@settings(max_examples=100, deadline=None)
def test_dominance_is_the_share_of_the_largest(amounts: list[int], weights: list[int], k: int, n: int) -> None:
    amounts = sorted(amounts, reverse=True)
    table = one_cell(*map(float, amounts), weights=weights[: len(amounts)], kept=6)
    people = sorted((x for x, w in zip(amounts, weights, strict=False) for _ in range(w)), reverse=True)
    levels = assess(table, [Dominance(n, k)])
    assert levels.sensitive[0] == (100 * sum(people[:n]) > k * sum(people))
    if levels.sensitive[0]:
        # With so much more from somebody small, the cell would just be safe.
        more = levels.upper[0]
        assert 100 * sum(people[:n]) == pytest.approx(k * (sum(people) + more))


@pytest.mark.slow
@given(amounts=AMOUNTS, consents=st.lists(st.booleans(), min_size=6, max_size=6), kept=st.integers(3, 6))
@settings(max_examples=150, deadline=None)
def test_a_waiver_never_makes_a_cell_sensitive(amounts: list[int], consents: list[bool], kept: int) -> None:
    table = one_cell(*map(float, sorted(amounts, reverse=True)), kept=kept)
    waived = with_waivers(table, [at for at in range(kept) if consents[at]])
    for rule in (PPercent(20, 2), PriorPosterior(10, 40, 1), Dominance(1, 60), Dominance(2, 80), MinimumFrequency(4)):
        before, after = assess(table, [rule]), assess(waived, [rule])
        assert before.sensitive[0] or not after.sensitive[0]
        assert after.upper[0] <= before.upper[0] + 1e-9


def test_a_waiver_leaves_the_others_protected() -> None:
    """The largest consented; the second is still known to it, unless the rest is large enough."""
    close = one_cell(90.0, 10.0, 0.5)
    assert is_sensitive(with_waivers(close, [0]), PPercent(10))
    assert not is_sensitive(with_waivers(close, [0, 1, 2]), PPercent(10))
    dominated = one_cell(90.0, 3.0, 3.0, 2.0, 2.0)
    assert is_sensitive(dominated, Dominance(1, 80))
    assert not is_sensitive(with_waivers(dominated, [0]), Dominance(1, 80))
    assert is_sensitive(with_waivers(one_cell(90.0, 9.0, 1.0), [0]), Dominance(1, 80))
    assert not is_sensitive(with_waivers(one_cell(5.0), [0]), MinimumFrequency(3))
    assert is_sensitive(with_waivers(one_cell(5.0, 4.0), [0]), MinimumFrequency(3))


def test_in_doubt_whether_somebody_else_is_the_target_the_cell_is_sensitive() -> None:
    """All that are kept consented, and there are more: the next may be as large as the smallest that is kept."""
    amounts = 100.0, 10.0, 1.0
    assert is_sensitive(with_waivers(one_cell(*amounts, kept=2), [0, 1]), PPercent(150))
    assert not is_sensitive(with_waivers(one_cell(*amounts, kept=3), [0, 1]), PPercent(150))
    assert is_sensitive(with_waivers(one_cell(100.0, 1.0, 1.0, kept=2), [0]), Dominance(2, 90))


def test_prior_posterior_with_q_100_is_p_percent() -> None:
    for amounts in ((100.0, 20.0, 9.0), (100.0, 20.0, 11.0), (5.0,), (50.0, 50.0, 20.0)):
        one, other = assess(one_cell(*amounts), [PPercent(10)]), assess(one_cell(*amounts), [PriorPosterior(10, 100)])
        assert one.sensitive[0] == other.sensitive[0]
        assert one.upper[0] == pytest.approx(other.upper[0])
    # 19 left beside 100: within 9.5 % for who knows the rest to 50 %.
    levels = assess(one_cell(100.0, 20.0, 19.0), [PriorPosterior(10, 50)])
    assert levels.sensitive[0]
    assert levels.upper[0] == pytest.approx(1.0)
    assert "to within 9.5 %, 10 % are required" in reason_of(levels, 0)


def test_a_weight_stands_for_contributors_as_in_tau_argus() -> None:
    """The manual's example: 100 with weight 4 and 10 with weight 7: the two largest are 100 and 100 of 470."""
    weighted = one_cell(100.0, 10.0, weights=(4, 7))
    assert assess(weighted, [Dominance(2, 40)]).sensitive[0]
    assert not assess(weighted, [Dominance(2, 43)]).sensitive[0]  # 200 / 470 = 42.55 %
    assert not is_sensitive(weighted, PPercent(100))
    assert is_sensitive(one_cell(100.0, 10.0), PPercent(100))
    # One record and a bit: what is left of two contributors is nothing.
    assert is_sensitive(one_cell(100.0, weights=(1.7,)), PPercent(10))


def test_negative_contributions_count_by_their_size() -> None:
    cancelling = one_cell(100.0, -100.0, 1.0)
    assert cancelling.values[0] == 1.0
    levels = assess(cancelling, [PPercent(10)])
    assert levels.sensitive[0]
    assert levels.upper[0] == levels.lower[0] == pytest.approx(9.0)
    nothing = one_cell(50.0, -50.0)
    assert is_sensitive(nothing, PPercent(10))
    assert not is_sensitive(one_cell(10.0, -10.0, 10.0, -10.0), PPercent(10))
    few = assess(nothing, [MinimumFrequency(3)])
    assert few.lower[0] == few.upper[0] == pytest.approx(15.0)


def test_given_contributions_with_signs_and_out_of_order_are_ranked() -> None:
    table = one_cell(9.0, 5.0, 1.0, kept=3)
    held = table.contributions
    assert held is not None
    mixed = replace(
        table, contributions=replace(held, largest=np.array([[1.0, -9.0, 5.0]]), absolutes=np.array([15.0]))
    )
    assert assess(mixed, [PPercent(20)]).upper[0] == pytest.approx(assess(table, [PPercent(20)]).upper[0])


def test_exactly_at_the_limit_is_safe() -> None:
    assert not is_sensitive(one_cell(30.0, 20.0, 3.0), PPercent(10))
    assert not is_sensitive(one_cell(80.0, 20.0), Dominance(1, 80))
    assert not is_sensitive(one_cell(0.7, 0.1, 0.07), PPercent(10))


# -- frequency, zeros, singletons --------------------------------------------------------------------------------------

SEX, GRADE = Dimension.flat("sex", ["f", "m"]), Dimension.flat("grade", ["a", "b", "c"])


def test_minimum_frequency_is_never_weighted() -> None:
    records = [{"sex": "f", "w": 50.0}, {"sex": "f", "w": 50.0}, {"sex": "m", "w": 1.0}] + [{"sex": "m", "w": 1.0}] * 2
    table = replace(made((SEX,), records), values=np.array([103.0, 100, 3]))
    assert assess(table, [MinimumFrequency(3)]).sensitive.tolist() == [False, True, False]


def test_weighted_frequencies_without_counts_are_refused() -> None:
    table = crossed((SEX,), {("f",): 2.5, ("m",): 40})
    with pytest.raises(InputError, match="never weighted"):
        assess(table, [MinimumFrequency(3)])


def test_levels_of_small_magnitudes_are_a_share_of_the_value_and_the_largest_rule_wins() -> None:
    levels = assess(one_cell(80.0, 20.0), [MinimumFrequency(3, range=0.2), PPercent(30)])
    assert levels.upper[0] == pytest.approx(24.0)
    assert levels.rules == ("minimum frequency (3)", "p % (p = 30)")
    assert levels.rule[0] == 0
    assert levels.excess[0] == 1.0
    assert assess(one_cell(80.0, 20.0), [MinimumFrequency(3, range=0.3), PPercent(10)]).upper[0] == pytest.approx(30.0)


def test_levels_never_ask_for_less_than_nothing() -> None:
    """A value that cannot be negative cannot reach down by more than itself."""
    levels = assess(one_cell(80.0, 20.0), [Dominance(1, 20)])
    assert levels.upper[0] == pytest.approx(300.0)
    assert levels.lower[0] == pytest.approx(100.0)


def test_zeros_tell_unless_they_must_be() -> None:
    table = crossed((SEX, GRADE), {("f", "a"): 4, ("f", "b"): 2, ("m", "a"): 1})
    zeros = {cell(table, *codes) for codes in (("Total", "c"), ("f", "c"), ("m", "b"), ("m", "c"))}
    levels = assess(table, [ZeroCells()])
    assert set(np.flatnonzero(levels.sensitive).tolist()) == zeros
    assert not levels.lower.any()
    assert set(levels.upper[levels.sensitive]) == set(levels.sliding[levels.sensitive]) == {1.0}
    known = assess(table, [ZeroCells(structural=({"grade": "c"},))])
    assert np.flatnonzero(known.sensitive).tolist() == [cell(table, "m", "b")]
    with pytest.raises(InputError, match="not empty"):
        assess(table, [ZeroCells(structural=({"sex": "m"},))])
    with pytest.raises(UsageError, match="did you mean 'grade'"):
        assess(table, [ZeroCells(structural=({"grad": "c"},))])
    with pytest.raises(UsageError, match="no code 'd'"):
        assess(table, [ZeroCells(structural=({"grade": "d"},))])


def test_a_zero_magnitude_is_sensitive_only_with_contributors() -> None:
    records = [
        {"sex": "f", "grade": "a", "x": 0},
        {"sex": "m", "grade": "a", "x": 7},
        {"sex": "m", "grade": "b", "x": 3},
    ]
    table = made((SEX, GRADE), records, "x")
    levels = assess(table, [ZeroCells()])
    assert set(np.flatnonzero(levels.sensitive).tolist()) == {cell(table, "f", "Total"), cell(table, "f", "a")}
    assert levels.upper[cell(table, "f", "a")] == 3.0
    few = assess(table, [MinimumFrequency(2)])
    assert few.upper[cell(table, "f", "a")] > 0
    assert few.lower[cell(table, "f", "a")] == 0


def test_singletons_and_whose_they_are() -> None:
    table = crossed((SEX, GRADE), {("f", "a"): 4, ("f", "b"): 1, ("m", "a"): 1, ("m", "c"): 1})
    alone = assess(table, [MinimumFrequency(2)])
    assert alone.sensitive.sum() == 5
    who = owners(table)
    assert (who >= 0).tolist() == alone.sensitive.tolist()
    assert who[cell(table, "f", "b")] == who[cell(table, "Total", "b")]
    assert who[cell(table, "m", "c")] == who[cell(table, "Total", "c")] != who[cell(table, "f", "b")]
    assert who[cell(table, "m", "a")] not in {who[cell(table, "f", "b")], who[cell(table, "m", "c")]}


def test_singletons_of_a_magnitude_table_are_its_contributors() -> None:
    records = [{"sex": "f", "firm": "x", "t": 3}, {"sex": "f", "firm": "x", "t": 4}, {"sex": "m", "firm": "y", "t": 5}]
    table = made((SEX,), records, "t", holder="firm")
    assert owners(table).tolist() == [-1, 0, 1]


# -- requests, holdings ------------------------------------------------------------------------------------------------


def with_requests(table: Table, *ranks: int) -> Table:
    held = table.contributions
    assert held is not None
    requested = np.zeros(held.largest.shape, bool)
    requested[0, list(ranks)] = True
    return replace(table, contributions=replace(held, requested=requested))


def test_a_request_counts_from_a_share() -> None:
    table = one_cell(75.0, 20.0, 5.0)
    assert is_sensitive(with_requests(table, 0), Request(70))
    assert not is_sensitive(with_requests(table, 0), Request(75))
    assert not is_sensitive(with_requests(table, 1), Request(70))
    assert not is_sensitive(with_requests(table), Request(0))
    assert assess(with_requests(table, 0), [Request(70)]).upper[0] == pytest.approx(15.0)
    with pytest.raises(InputError, match="does not say"):
        assess(table, [Request(70)])
    with pytest.raises(InputError, match="somebody who asked"):
        assess(with_requests(one_cell(5.0, 4.0, 3.0, 2.0, kept=2), 0), [Request(20)])


def test_rules_on_holdings_beside_rules_on_enterprises() -> None:
    """Three enterprises, two of them of one holding: safe as enterprises, one contributor fewer as holdings."""
    table = one_cell(30.0, 30.0, 40.0)
    rules = [MinimumFrequency(3), OnHoldings(MinimumFrequency(3))]
    with pytest.raises(InputError, match="needs the contributions of holdings"):
        assess(table, rules)
    both = replace(table, holdings=one_cell(60.0, 40.0).contributions)
    levels = assess(both, rules)
    assert levels.sensitive[0]
    assert levels.rules[levels.rule[0]] == "minimum frequency (3) of holdings"


# -- group disclosure --------------------------------------------------------------------------------------------------


def test_everybody_in_one_category() -> None:
    table = crossed((SEX, GRADE), {("f", "a"): 5, ("m", "a"): 3, ("m", "b"): 2})
    found = assess(table, [GroupDisclosure(dimensions=("grade",))])
    assert set(np.flatnonzero(found.sensitive).tolist()) == {cell(table, "f", grade) for grade in "abc"}
    assert found.lower[cell(table, "f", "a")] == 1
    assert found.upper[cell(table, "f", "b")] == found.upper[cell(table, "f", "c")] == 1
    alone = assess(table, [GroupDisclosure(dimensions=("grade",), others=False)])
    assert np.flatnonzero(alone.sensitive).tolist() == [cell(table, "f", "a")]
    # That nobody has b or c could not have been otherwise.
    certain = GroupDisclosure(
        dimensions=("grade",), structural=({"sex": "f", "grade": "b"}, {"sex": "f", "grade": "c"})
    )
    assert not assess(table, [certain]).sensitive.any()


def test_all_but_a_few() -> None:
    table = crossed((SEX, GRADE), {("f", "a"): 5, ("f", "b"): 1, ("m", "a"): 3, ("m", "b"): 2, ("m", "c"): 4})
    assert not assess(table, [GroupDisclosure()]).sensitive[cell(table, "f", "a")]
    found = assess(table, [GroupDisclosure(outside=1, dimensions=("grade",))])
    assert found.sensitive[cell(table, "f", "a")]
    assert not found.sensitive[cell(table, "m", "a")]
    two = assess(table, [GroupDisclosure(categories=2, dimensions=("grade",), others=False)])
    assert set(np.flatnonzero(two.sensitive).tolist()) == {cell(table, "f", "a"), cell(table, "f", "b")}


def test_group_disclosure_is_for_frequency_tables() -> None:
    with pytest.raises(InputError, match="rule for frequency tables"):
        assess(one_cell(3.0), [GroupDisclosure()])
    with pytest.raises(UsageError, match="did you mean 'grade'"):
        assess(crossed((SEX, GRADE), {("f", "a"): 5}), [GroupDisclosure(dimensions=("grad",))])


# -- reasons, refusals -------------------------------------------------------------------------------------------------


def test_reasons_tell_how_much_and_no_figure_of_the_cell() -> None:
    table = one_cell(1000.0, 234.0, 40.0)
    rules = [PPercent(10), Dominance(2, 85), MinimumFrequency(4)]
    levels = assess(table, rules)
    assert reason_of(levels, 0) == (
        "p % (p = 10): the largest contributor can be estimated to within 4 %, 10 % are required"
    )
    told = reasons_of(assess_all(table, rules), 0)
    assert told[1] == (
        "dominance (n = 2, k = 85): the 2 largest contributors hold 12 points more than the 85 % of the cell "
        "that are allowed"
    )
    assert told[2] == "minimum frequency (4): fewer than 4 contributors stand behind it"
    assert not any(figure in " ".join(told) for figure in ("1000", "234", "1274"))
    assert reason_of(Levels.none(1), 0) == ""


def test_a_reason_in_a_frequency_table_does_not_tell_the_count() -> None:
    table = crossed((SEX,), {("f",): 2, ("m",): 40})
    levels = assess(table, [MinimumFrequency(7)])
    assert reason_of(levels, 1) == "minimum frequency (7): fewer than 7 contributors stand behind it"
    assert levels.excess[1] == 0


def test_rules_on_contributions_refuse_tables_without_them() -> None:
    frequencies = crossed((SEX,), {("f",): 2, ("m",): 40})
    with pytest.raises(InputError, match=r"needs the 2 largest contributions.*frequency table") as caught:
        assess(frequencies, [PPercent(10)])
    assert 'largest = ["max1", "max2"]' in str(caught.value)
    with pytest.raises(InputError, match="keeps 2"):
        assess(one_cell(5.0, 4.0, 3.0, kept=2), [Dominance(3, 80)])
    assert is_sensitive(one_cell(5.0, 4.0, kept=2), Dominance(3, 80))
    bare = replace(one_cell(5.0), contributions=None, counts=None)
    with pytest.raises(InputError, match="number of contributors"):
        assess(bare, [MinimumFrequency(3)])


def test_given_cells_with_their_two_largest_need_no_holders() -> None:
    held = Contributions(
        np.array([[50.0, 30.0], [50.0, 2.0], [30.0, 0.0]]),
        np.full((3, 2), -1, np.int64),
        np.ones((3, 2)),
        np.full(3, -1, np.int64),
        np.array([90.0, 60.0, 30.0]),
    )
    codes = np.arange(3, dtype=np.int32)[:, None]
    table = Table("given", (SEX,), codes, held.totals, Equations.of([(0, (1, 2))]), is_count=False, contributions=held)
    assert assess(table, [PPercent(10)]).sensitive.tolist() == [False, False, True]
    # However many the file says: 10 of the 90 are from somebody who is not kept.
    for counts in (held.counts, np.array([2, 2, 1])):
        told = replace(table, contributions=replace(held, counts=counts))
        with pytest.raises(InputError, match="keeps 2"):
            assess(told, [PPercent(10, n=2)])
        with pytest.raises(InputError, match="number of contributors"):
            assess(told, [MinimumFrequency(3)])


def test_a_table_all_of_whose_cells_are_sensitive() -> None:
    records = [{"sex": "f", "t": 3}, {"sex": "m", "t": 5}]
    assert assess(made((SEX,), records, "t"), [MinimumFrequency(3), PPercent(10)]).sensitive.all()


def test_without_rules_nothing_is_sensitive_and_values_must_be_known() -> None:
    table = one_cell(5.0)
    assert not assess(table, []).sensitive.any()
    with pytest.raises(InputError, match="no finite value"):
        assess(replace(table, values=np.array([np.nan])), [PPercent(10)])


@pytest.mark.parametrize(
    "make",
    [
        lambda: PPercent(0),
        lambda: PPercent(10, -1),
        lambda: PPercent(float("nan")),
        lambda: PriorPosterior(50, 10),
        lambda: PriorPosterior(10, 120),
        lambda: Dominance(0, 80),
        lambda: Dominance(1.5, 80),  # type: ignore[arg-type]
        lambda: Dominance(1, 100),
        lambda: MinimumFrequency(1),
        lambda: MinimumFrequency(3, range=0),
        lambda: MinimumFrequency(True),
        lambda: ZeroCells(level=0),
        lambda: Request(100),
        lambda: Request(-0.5),
        lambda: GroupDisclosure(categories=0),
        lambda: GroupDisclosure(outside=-1),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(InputError):
        make()
