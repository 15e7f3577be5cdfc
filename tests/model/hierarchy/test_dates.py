from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError
from tacita.model.hierarchy import DateHierarchy
from tacita.model.hierarchy.dates import STEPS, as_date

ALL = DateHierarchy("birth", STEPS, star=True)


def fault_of(function, *arguments, **options):
    with pytest.raises(HierarchyError) as fault:
        function(*arguments, **options)
    return str(fault.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (date(2024, 5, 17), "2024-05-17"),
        (datetime(2024, 5, 17, 8, 30), "2024-05-17 08:30:00"),
        (datetime(2024, 5, 17, 8, 30, tzinfo=UTC), "2024-05-17 08:30:00+00:00"),
        ("2024-05-17", "2024-05-17"),
        ("2024-05-17T08:30:00Z", "2024-05-17T08:30:00Z"),
    ],
)
def test_dates_moments_and_texts(value, text):
    assert ALL.path(value) == (text, "2024-05-17", "2024-05", "2024-Q2", "2024", "2020s", "*")


def test_the_usual_levels():
    assert DateHierarchy("birth").levels == ("birth", "birth month", "birth quarter", "birth year", "birth decade")
    assert DateHierarchy("birth", ("month", "decade"), star=True).path("1999-12-31") == (
        *("1999-12-31", "1999-12", "1990s", "*"),
    )


@pytest.mark.parametrize("month", range(1, 13))
def test_quarters(month):
    assert ALL.generalise(date(2023, month, 1), 3) == f"2023-Q{(month - 1) // 3 + 1}"


def test_what_is_no_date_has_no_place():
    nowhere = ["17.5.2024", "2024-02-30", "", "2024", 20240517, 45000.0]
    assert ALL.uncovered([*nowhere, "2024-05-17", None]) == nowhere
    assert fault_of(ALL.check_covers, ["secret", "2024-05-17"]) == (
        "1 of 2 distinct values of 'birth' have no place in its hierarchy\n"
        "  what to do: they are no dates: write them as 2024-05-17, or declare them missing in the dictionary"
    )


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ((), "no steps are given"),
        (("week",), "no step 'week'"),
        (("year", "month"), "'month' stands after 'year', but is not coarser"),
        (("year", "year"), "'year' stands after 'year', but is not coarser"),
        (
            ("year", "mont", "day"),
            "2 faults:\n  - no step 'mont'; did you mean 'month'?\n  - 'day' stands after 'year', but is not coarser",
        ),
    ],
)
def test_faults(steps, fault):
    assert fault_of(DateHierarchy, "birth", steps) == (
        f"hierarchy of 'birth': {fault}\n  what to do: choose from day, month, quarter, year, decade, in that order"
    )


def test_a_domain_ends_after_it_begins():
    assert "the domain ends on 2020-01-01, before 2021-01-01" in fault_of(
        DateHierarchy, "birth", domain=(date(2021, 1, 1), date(2020, 1, 1))
    )


def test_shares_of_the_domain():
    year = DateHierarchy("day", STEPS, star=True, domain=(date(2023, 1, 1), date(2023, 12, 31)))
    shares = [("2023-05-17", 0), ("2023-05-17", 1), ("2023-05", 2), ("2023-Q1", 3), ("2023", 4), ("2020s", 5), ("*", 6)]
    assert [year.share(*at) * 365 for at in shares] == pytest.approx([1, 1, 31, 90, 365, 365, 365])
    assert year.share("2022", 4) == 0
    assert ALL.share("2022", 4) is None
    assert ALL.share("*", 6) == 1


@pytest.mark.parametrize(
    ("label", "level"),
    [("2023", 2), ("2023-13", 2), ("2023-Q5", 3), ("", 3), ("0000", 4), ("23", 4), ("2023s", 5), ("x", 0), ("2023", 6)],
)
def test_a_label_that_is_not_there_has_no_share(label, level):
    assert fault_of(ALL.share, label, level).startswith("the hierarchy of 'birth' has no such label at level")


@given(st.dates(), st.sampled_from(range(1, 6)))
def test_a_period_holds_its_days_and_no_others(day, level):
    """The shares of a day's neighbours tell whether the period that a label names has the right ends."""
    label = ALL.generalise(day, level)
    first = last = day
    while first > date.min and ALL.generalise(first - timedelta(days=1), level) == label and (day - first).days < 40:
        first -= timedelta(days=1)
    while last < date.max and ALL.generalise(last + timedelta(days=1), level) == label and (last - day).days < 40:
        last += timedelta(days=1)
    inside = DateHierarchy("d", STEPS, domain=(first, last))
    assert inside.share(label, level) == 1
    if first > date.min and ALL.generalise(first - timedelta(days=1), level) != label:
        assert DateHierarchy("d", STEPS, domain=(first - timedelta(days=1), first)).share(label, level) == 0.5
    if last < date.max and ALL.generalise(last + timedelta(days=1), level) != label:
        assert DateHierarchy("d", STEPS, domain=(last, last + timedelta(days=1))).share(label, level) == 0.5


@given(st.dates())
def test_a_date_and_its_text_are_the_same(day):
    assert as_date(day) == as_date(day.isoformat()) == day
    assert ALL.path(day) == ALL.path(day.isoformat())
