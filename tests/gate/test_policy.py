"""The policy file: everything that it asks, all faults at once with their lines, values and their baseline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.soldiers import AGES, BASELINE, policy_text, soldiers
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.gate.policy.policy import GatePolicy, GateRuleName, HoldVisibility, ObserverReach
from tacita.gate.policy.policy_file import parse_policy, read_policy
from tacita.gate.policy.policy_payload import policy_of, policy_payload
from tacita.gate.policy.values import Bins, NoValue

BINS = "bins = [18, 20, 25, 30, 35, 40, 45, 50, 55]\n"


def faults(text: str, folder: Path = Path()) -> str:
    with pytest.raises(InputError) as raised:
        parse_policy(text, folder=folder)
    return str(raised.value)


def with_(more: str = "", **changes: str) -> str:
    """Return the policy of the soldiers with keys of the dependency replaced."""
    text = policy_text(more=more)
    for key, value in changes.items():
        lines = [f"{key} = {value}" if line.startswith(f"{key} = ") else line for line in text.splitlines()]
        text = "\n".join(line for line in lines if value or not line.startswith(f"{key} = ")) + "\n"
    return text


def test_a_policy_is_read() -> None:
    policy = parse_policy(policy_text())
    one = policy.dependencies[0]
    assert (policy.name, policy.key, policy.attributes) == ("soldiers", ("id",), ("id", "age", "location"))
    assert policy.observer.gathers is ObserverReach.ALL
    assert policy.observer.holds is HoldVisibility.SILENT
    assert one.rules == (GateRuleName.CROWD,)
    assert one.values.labels == AGES
    assert one.values.shares == pytest.approx(BASELINE)
    assert one.start.records == 10


def test_all_faults_at_once_with_their_lines() -> None:
    said = faults(
        """
name = "soldiers"
key = "id"
attributes = ["id", "location"]
colour = "red"
[observer]
gathers = "everybody"
holds = "silent"
[[dependency]]
target = "location"
targets = ["L1", "L2"]
x = "age"
baseline = {young = 0, old = 3}
rule = "crowd"
"""
    )
    assert said.count("\n  - ") == 7
    for expected in (
        "line 5: unknown key 'colour'",
        "line 7: 'gathers' in [observer] cannot be 'everybody'",
        "line 6: [observer] does not say 'sizes'",
        "line 9: 'age' is not released",
        "line 11: 2 targets, but at least 3 are needed",
        "line 13: 1 value with a share of 0: young",
        "line 9: the rule 'crowd' needs a start",
    ):
        assert expected in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (with_(start=""), "needs a start"),
        (policy_text("definition-5", ""), "needs a start"),
        (policy_text("martingale", "{records = 10}"), "needs no start"),
        (with_(start="{records = 0}"), "is 0, but must be at least 1"),
        (with_(targets='["L1", "L2"]'), "at least 3 are needed"),
        (with_(targets='["L1", "L2", "l1 ", "L4"]'), "spellings of one target"),
        (with_(targets=""), "list the 'targets'"),
        (with_(baseline='{"<18" = 0, "20-24" = 5}'), "share of 0"),
        (with_(baseline='{"a" = 1, "A " = 5}'), "spellings of one value"),
        (with_(baseline='{"a" = -1, "b" = 5}'), "must be at least 0"),
        (with_(baseline='{"a" = 5}'), "fewer than two values"),
        (with_(baseline="[1, 2, 3]"), "a list has a number for each bin"),
        (with_(baseline=""), "needs a 'baseline'"),
        (with_(baseline='"nowhere.csv"'), "names no file"),
        (with_(baseline='"population"'), "needs 'population'"),
        (with_(x='"location"'), "target and value at once"),
        (with_(x='"rank"'), "'rank' is not released"),
        (with_(rule='"crowds"'), "did you mean 'crowd'"),
        (with_(rule='["crowd", "crowds"]'), "no rule 'crowds'"),
        (with_("martingale = {alarm = 0.1}"), "is not named in 'rule'"),
        (policy_text("variation", ""), "how far 'ordinary' targets are"),
        (policy_text("fit", ""), "needs 'population'"),
        (policy_text("definition-5", "{accuracy = 0.1}"), "needs 'population'"),
        (with_("crowd = {others = 5}"), "there are 4"),
        (with_("crowd = {evidence = 0.5}"), "more than 1"),
        (with_(BINS, baseline="[1, 2]"), "2 numbers for 10 values"),
        (with_(BINS, baseline="[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"), "do released records show the 'bins'"),
        (with_('show = "bins"'), "no bins to show"),
        (with_("bins = [20, 10]"), "must be numbers that ascend"),
        (with_('unlisted = "merge"'), "needs pseudo_count"),
        (with_("merge_below = 5"), "belong together"),
        (with_('missing = "value"'), 'needs an entry "(missing)"'),
        (with_("slack = 0.1"), "observers who know the sizes"),
        (policy_text(observer='gathers = "all"\nholds = "silent"\nsizes = "known"'), "give 'sizes'"),
        (policy_text(top="retry = 0.0"), "must be at least 0.05"),
        (policy_text(top="recipients = [3]"), "must be a list of texts"),
        (policy_text(top="recipients = []"), "'recipients' names nobody"),
        (policy_text(top="source = 3"), "'source' must be a text"),
        (with_(x='"rank"', start="", rule='"crowds"'), "'rank' is not released"),
        (policy_text().replace('key = "id"\n', ""), "by which 'key'"),
        (policy_text().replace('attributes = ["id", "age", "location"]\n', ""), "which 'attributes'"),
    ],
)
def test_a_fault(text: str, expected: str) -> None:
    assert expected in faults(text)


def test_a_start_rule_for_single_targets_names_all_of_them() -> None:
    text = policy_text(start="{records = {L1 = 5, L2 = 5, L3 = 5, L4 = 5, L5 = 7}}")
    assert parse_policy(text).dependencies[0].start.records == (5, 5, 5, 5, 7)
    assert "a number for each target" in faults(policy_text(start="{records = {L1 = 5}}"))


# -- values
# --------------------------------------------------------------------------------------------------------------


def test_numbers_are_binned_by_stated_rules() -> None:
    text = with_(
        BINS + f'show = "values"\nlabels = {json.dumps(AGES)}',
        baseline=str(list(map(float, BASELINE * 10_000))),
    )
    values = parse_policy(text).dependencies[0].values
    assert values.labels == AGES
    cells = ("17.99", "18", "19.5", "55", "1e2", "-3", "", "nan", "inf", "old", "1_8", " 20")
    assert [values.place((cell,)) for cell in cells] == [0, 1, 1, 9, 9, 0, -1, -3, -3, -3, -3, 2]


@given(st.floats(allow_nan=False, allow_infinity=False), st.lists(st.integers(-100, 100), min_size=1, unique=True))
def test_a_bin_has_the_numbers_from_its_edge_to_under_the_next(number: float, edges: list[int]) -> None:
    bins = Bins(tuple(map(float, sorted(edges))))
    code = bins.code(repr(number))
    low = [float("-inf"), *sorted(edges)][code]
    high = [*sorted(edges), float("inf")][code]
    assert low <= number < high or number == low == high
    assert len(bins.labels) == len(edges) + 1


def test_rare_bins_are_merged_with_their_neighbours() -> None:
    text = with_('bins = [10, 20, 30]\nshow = "bins"\nmerge_below = 5\nmerge_records = 100', baseline="[60, 3, 36, 1]")
    values = parse_policy(text).dependencies[0].values
    assert values.labels == ("below 10", "10 to under 20 + 20 to under 30 + 30 and over")
    assert values.shares == pytest.approx([0.6, 0.4])
    assert [values.place((cell,)) for cell in ("5", "15", "25", "35")] == [0, 1, 1, 1]
    assert values.shown(("35",)) == ("10 to under 20 + 20 to under 30 + 30 and over",)
    assert values.place_of_shown(values.shown(("35",))) == 1


def test_rare_categories_are_merged_with_the_next_rarest() -> None:
    text = with_('show = "values"\nmerge_below = 5\nmerge_records = 100', baseline="{a = 60, b = 1, c = 36, d = 3}")
    values = parse_policy(text).dependencies[0].values
    assert values.labels == ("a", "b + d + c")
    assert values.shown(("d",)) == ("d",)


def test_a_baseline_zero_is_merged_or_gets_a_pseudo_count_if_the_policy_says_so() -> None:
    zero = {"baseline": "{a = 6, b = 0, c = 4}"}
    merged = parse_policy(with_('zeros = "merge"\nshow = "values"', **zero)).dependencies[0].values
    assert merged.labels == ("a", "b + c")
    added = parse_policy(with_("pseudo_count = 0.5", **zero)).dependencies[0].values
    assert added.shares == pytest.approx([6.5 / 11.5, 0.5 / 11.5, 4.5 / 11.5])


def test_unlisted_values_are_refused_or_one_value_if_the_policy_says_so() -> None:
    assert parse_policy(policy_text()).dependencies[0].values.place(("centenarian",)) == NoValue.UNLISTED
    text = with_('pseudo_count = 0.5\nunlisted = "merge"', baseline="{a = 6, b = 4}")
    values = parse_policy(text).dependencies[0].values
    assert values.labels == ("a", "b", "(other)")
    # nobody gets another value by writing its label
    assert [values.place((cell,)) for cell in ("a", "A ", "z", "(other)", "(missing)", "")] == [0, 0, 2, 2, 2, -1]


def test_a_missing_value_is_a_value_if_the_policy_says_so() -> None:
    text = with_('missing = "value"', baseline='{a = 6, "(missing)" = 4}')
    values = parse_policy(text).dependencies[0].values
    assert [values.place((cell,)) for cell in ("", "(missing)")] == [1, NoValue.UNLISTED]


def test_a_baseline_from_a_file_and_a_population(tmp_path: Path) -> None:
    rows = "".join(",".join(row) + "\n" for row in soldiers(0))
    (tmp_path / "all.csv").write_text("id,age,location\n" + rows)
    text = with_(
        'population = "all.csv"', baseline='"population"', rule='["definition-5", "fit"]', start="{fit = true}"
    )
    (tmp_path / "gate.toml").write_text(text)
    one = read_policy(tmp_path / "gate.toml").dependencies[0]
    assert sorted(one.values.shares) == pytest.approx(sorted(BASELINE))
    assert one.fits is not None
    assert [sum(row) // 10 for row in one.fits] == [49, 57, 94, 94, 94]  # 500, 579, 952, ... less what rounding takes
    assert one.start.fits == one.fits


def test_a_baseline_of_several_attributes(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("sex,age,n\nF,17,10\nM,17,20\nF,44,30\nM,44,40\n")
    text = with_('bins = {age = [18]}\nshow = "bins"\ncount = "n"', x='["sex", "age"]', baseline='"all.csv"').replace(
        '"age", "location"]', '"age", "sex", "location"]'
    )
    values = parse_policy(text, folder=tmp_path).dependencies[0].values
    assert dict(zip(values.labels, values.shares, strict=True)) == pytest.approx(
        {"F | below 18": 0.1, "F | 18 and over": 0.3, "M | below 18": 0.2, "M | 18 and over": 0.4}
    )
    assert values.shown(("M", "44")) == ("M", "18 and over")
    assert values.place_of_shown(("M", "18 and over")) == values.place(("m", "60"))
    assert values.place(("M", "")) == NoValue.MISSING


def test_a_file_that_lacks_an_attribute_is_a_fault_beside_others(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("ages\n17\n")
    said = faults(with_(baseline='"all.csv"', targets='["L1"]'), tmp_path)
    assert "no attribute 'age'; did you mean 'ages'?" in said
    assert "at least 3 are needed" in said


@pytest.mark.parametrize(
    "text",
    [
        policy_text(),
        policy_text("variation", "", "variation = {ordinary = 0.02}"),
        with_('missing = "value"\npseudo_count = 1\nunlisted = "merge"', baseline='{a = 6, "(missing)" = 4}'),
        with_('bins = [10, 20]\nshow = "bins"\nmerge_below = 5\nmerge_records = 50', baseline="[60, 3, 36]"),
        policy_text(start='{records = {L1 = 5, L2 = 5, L3 = 5, L4 = 5, L5 = 7}, begin = "last"}'),
    ],
)
def test_a_policy_survives_the_ledger(text: str) -> None:
    policy = parse_policy(text)
    again = policy_of(policy_payload(policy))
    assert again == GatePolicy(**{name: getattr(policy, name) for name in _fields()} | {"text": ""})
    assert again.hash == policy.hash


def _fields() -> list[str]:
    from dataclasses import fields

    return [field.name for field in fields(GatePolicy)]
