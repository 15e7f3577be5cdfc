from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError
from tacita.model.hierarchy import IntervalHierarchy
from tacita.model.hierarchy.classes import class_label, exact, label_ends, number_text

by_width, by_bounds = IntervalHierarchy.by_width, IntervalHierarchy.by_bounds


def fault_of(function, *arguments, **options):
    with pytest.raises(HierarchyError) as fault:
        function(*arguments, **options)
    return str(fault.value)


def labels(hierarchy, values, level):
    return [hierarchy.generalise(value, level) for value in values]


def test_ages_with_a_bottom_and_a_top_class():
    age = by_width("age", [5, 10, 20], bottom=15, top=85, star=True)
    assert age.levels == ("age", "age by 5", "age by 10", "age by 20", "any age")
    assert labels(age, [0, 14, 15, 19, 20, 84, 85, 120], 1) == [
        *["<15", "<15", "15-19", "15-19", "20-24"],
        *["80-84", "85+", "85+"],
    ]
    assert labels(age, [14, 15, 24, 25, 84, 85], 2) == ["<15", "15-24", "15-24", "25-34", "75-84", "85+"]
    assert labels(age, [14, 15, 34, 75, 84, 85], 3) == ["<15", "15-34", "15-34", "75-84", "75-84", "85+"]
    assert labels(age, [3, 99], 4) == ["*", "*"]
    assert age.generalise(37, 0) == "37"


def test_classes_are_counted_from_zero_or_from_a_start():
    assert labels(by_width("x", [10]), [-1, 0, 29], 1) == ["-10 to -1", "0-9", "20-29"]
    assert labels(by_width("x", [10], start=5), [4, 5, 29], 1) == ["-5 to 4", "5-14", "25-34"]
    assert labels(by_width("x", [10], bottom=15, top=85, start=0), [14, 15, 20, 84], 1) == [
        *["<15", "15-19", "20-29", "80-84"]
    ]


def test_numbers_that_are_not_whole_have_half_open_labels():
    income = by_width("income", [1000], top=5000, integer=False)
    assert labels(income, [0, 999.99, 1000, 5000.5], 1) == ["[0, 1000)", "[0, 1000)", "[1000, 2000)", "5000+"]
    ratio = by_width("ratio", [0.1, 0.5])
    assert labels(ratio, [0.3, 0.7, 0.29999, "0.1", Decimal("0.10")], 1) == [
        *["[0.3, 0.4)", "[0.7, 0.8)", "[0.2, 0.3)", "[0.1, 0.2)", "[0.1, 0.2)"]
    ]
    assert labels(ratio, [0.3, -0.1], 2) == ["[0, 0.5)", "[-0.5, 0)"]


def test_bounds_of_ones_own():
    age = by_bounds("age", [[6, 18, 30, 65], [18, 65]])
    assert age.levels == ("age", "age in 5 classes", "age in 3 classes")
    assert labels(age, [5, 6, 17, 18, 30, 64, 65], 1) == ["<6", "6-17", "6-17", "18-29", "30-64", "30-64", "65+"]
    assert labels(age, [5, 17, 18, 64, 65], 2) == ["<18", "<18", "18-64", "18-64", "65+"]


def test_a_class_of_one_number_is_that_number():
    assert labels(by_bounds("n", [[1, 2, 5]]), [0, 1, 2, 5], 1) == ["<1", "1", "2-4", "5+"]


def test_numbers_come_as_text_too_and_the_rest_has_no_place():
    age = by_width("age", [10])
    assert labels(age, ["37", " 37 ", "3.7e1", 37.0, Decimal(37)], 1) == ["30-39"] * 5
    nowhere = ["", "n/a", "1_000", "37.5", 37.5, float("nan"), float("inf"), True, "1e99999", object(), "٣٧"]
    assert age.uncovered([*nowhere, 37, None]) == nowhere
    assert fault_of(age.check_covers, [37, "secret"]) == (
        "1 of 2 distinct values of 'age' have no place in its hierarchy\n"
        "  what to do: its intervals are for whole numbers: say 'integer = false' in the rule if others are right, "
        "else correct them in the data or declare them missing in the dictionary"
    )
    assert fault_of(by_width("x", [0.5]).check_covers, ["secret"]).endswith(
        "what to do: they are no numbers: correct them in the data, or declare them missing in the dictionary"
    )


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"widths": []}, "no intervals are given"),
        ({"widths": [0]}, "width 0 (level 1) is not above 0"),
        (
            {"widths": [5, 12]},
            "width 12 (level 2) is no multiple of width 5 (level 1): its intervals would cut across those below",
        ),
        ({"widths": [5, 5]}, "width 5 (level 2) is not above width 5 (level 1)"),
        ({"widths": [5], "bottom": 85, "top": 15}, "bottom 85 is not below top 15"),
        ({"widths": [2.5], "integer": True}, "the attribute has whole numbers, but the rule has 2.5"),
        ({"widths": [5], "domain": (9, 9)}, "the domain ends at 9, not above 9"),
        (
            {"widths": [-5, 12], "bottom": 1.5, "top": 1, "integer": True},
            "3 faults:\n  - width -5 (level 1) is not above 0\n  - bottom 1.5 is not below top 1\n"
            "  - the attribute has whole numbers, but the rule has 1.5",
        ),
    ],
)
def test_faults_of_widths(options, fault):
    assert fault_of(by_width, "age", **options) == (
        f"hierarchy of 'age': {fault}\n  what to do: correct these intervals"
    )


@pytest.mark.parametrize(
    ("bounds", "fault"),
    [
        ([[]], "level 1 has no bounds"),
        ([[18, 6]], "the bounds of level 1 do not increase"),
        ([[6, 18], [6, 18]], "level 2 has the same bounds as level 1"),
        (
            [[6, 18, 65], [20, 65]],
            "bound 20 of level 2 is not among those of level 1: its intervals would cut across those below",
        ),
        (
            [[6, 6], [20.5, 40]],
            "2 faults:\n  - the bounds of level 1 do not increase\n"
            "  - bounds 20.5, 40 of level 2 are not among those of level 1: its intervals would cut across those below",
        ),
    ],
)
def test_faults_of_bounds(bounds, fault):
    assert fault_of(by_bounds, "age", bounds) == (f"hierarchy of 'age': {fault}\n  what to do: correct these intervals")


def test_levels_are_of_one_kind_and_count_from_one_place():
    even, bounded = by_width("a", [5]).classes, by_bounds("a", [[5]]).classes
    assert "some levels have widths and others have bounds" in fault_of(IntervalHierarchy, "a", even + bounded, True)
    other = by_width("a", [10], start=5).classes
    assert "the levels differ in start, bottom or top" in fault_of(IntervalHierarchy, "a", even + other, True)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "abc", None])
def test_what_is_no_number_is_no_width(wrong):
    assert fault_of(by_width, "age", [wrong]) == (
        "a width or a bound is no finite number\n  what to do: give numbers only"
    )
    assert "an end of the domain is no number" in fault_of(by_width, "age", [5], domain=(0, wrong))


def test_shares_of_the_domain():
    age = by_width("age", [5, 10], bottom=15, top=85, domain=(0, 99), star=True)
    assert [age.share(label, 2) for label in ("<15", "15-24", "85+")] == [0.15, 0.1, 0.15]
    assert (age.share("37", 0), age.share("*", 3)) == (0.01, 1.0)
    income = by_width("income", [1000], integer=False, domain=(500, 2500))
    assert [income.share(label, 1) for label in ("[0, 1000)", "[1000, 2000)", "[9000, 10000)")] == [0.25, 0.5, 0]
    assert income.share("700", 0) == 0


def test_without_a_domain_there_is_no_share_except_of_everything():
    age = by_width("age", [5], star=True)
    assert (age.share("15-19", 1), age.share("37", 0), age.share("*", 2)) == (None, None, 1.0)


@pytest.mark.parametrize(
    ("label", "level"),
    [
        ("15-18", 1),
        ("abc", 1),
        ("<", 1),
        ("<15", 1),
        ("85+", 1),
        ("15-19", 2),
        ("x", 0),
        ("*", 1),
        ("[15, 20)", 1),
        ("15.5", 0),
    ],
)
def test_a_label_that_is_not_there_has_no_share(label, level):
    age = by_width("age", [5], star=True, domain=(0, 99))
    assert fault_of(age.share, label, level).startswith("the hierarchy of 'age' has no such label at level")


numbers = st.integers(-(10**6), 10**6) | st.decimals(-1000, 1000, places=3).map(exact)


@given(numbers)
def test_numbers_are_written_and_read_exactly(number):
    assert exact(number_text(number)) == number
    assert exact(Fraction(1, 3)) is None


@given(numbers, numbers, st.booleans())
def test_labels_are_read_back_as_classes(a, b, whole):
    low, high = sorted([a, b])
    if whole:
        low, high = int(low), int(high)
    for ends in [(low, high), (None, high), (low, None)]:
        if low < high:
            assert label_ends(class_label(ends, whole=whole)) == ends


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([[5, 10], [1, 3]]))
def test_floats_fall_where_their_digits_say(value, widths):
    fast = by_width("x", widths, integer=False)
    assert fast.path(value)[1:] == fast.path(repr(value))[1:]
