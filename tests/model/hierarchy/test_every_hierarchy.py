"""What holds for every hierarchy, whatever it is made from."""

from datetime import date, datetime
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.model.hierarchy import (
    DateHierarchy,
    IntervalHierarchy,
    PrefixHierarchy,
    ValueHierarchy,
    csv_text,
    facts_of,
    from_facts,
    parse_csv,
)
from tacita.model.hierarchy.dates import STEPS

star = st.booleans()
small = st.integers(-50, 50)
widths = st.lists(st.integers(2, 4), min_size=1, max_size=3).map(lambda factors: list(accumulate(factors, int.__mul__)))
tenths = widths.map(lambda whole: [width / 10 for width in whole])


@st.composite
def even(draw):
    bottom, top = draw(st.none() | small), draw(st.none() | st.integers(51, 99))
    start = draw(st.none() | small)
    given_widths = draw(widths | tenths)
    integer = draw(st.booleans()) if isinstance(given_widths[0], int) else False
    return IntervalHierarchy.by_width(
        "x", given_widths, bottom=bottom, top=top, start=start, integer=integer, star=draw(star), domain=(-9, 9)
    )


@st.composite
def bounded(draw):
    bounds = [sorted(draw(st.sets(small, min_size=4, max_size=9)))]
    while len(bounds[-1]) > 1 and draw(st.booleans()):
        bounds.append(bounds[-1][:: draw(st.integers(2, 3))])
    return IntervalHierarchy.by_bounds("x", bounds, star=draw(star), domain=(-9, 9))


@st.composite
def with_values(draw):
    """A hierarchy and values that have a place in it."""
    match draw(st.sampled_from(["paths", "even", "bounded", "dates", "prefixes"])):
        case "paths":
            parents = draw(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 5), min_size=1))
            paths = [(leaf, f"p{n}", f"g{n // 2}") for leaf, n in parents.items()]
            return ValueHierarchy.from_paths("x", paths, star=draw(star)), draw(
                st.lists(st.sampled_from(sorted(parents)), min_size=1)
            )
        case "even" | "bounded" as kind:
            hierarchy = draw(even() if kind == "even" else bounded())
            whole = st.integers(-150, 150)
            values = whole if hierarchy.integer else whole | st.floats(-150, 150) | st.decimals(-150, 150, places=2)
            return hierarchy, draw(st.lists(values, min_size=1))
        case "dates":
            steps = [step for step in STEPS if draw(st.booleans())] or ["year"]
            days = st.dates(date(1990, 1, 1), date(2010, 12, 31)) | st.datetimes(
                datetime(1990, 1, 1), datetime(2010, 1, 1)
            )
            values = days | days.map(lambda day: day.isoformat())
            return DateHierarchy("x", tuple(steps), star=draw(star)), draw(st.lists(values, min_size=1))
    lengths = sorted(draw(st.sets(st.integers(1, 5), min_size=1)), reverse=True)
    codes = st.text("01*", min_size=1, max_size=6)
    mask = draw(st.sampled_from(["*", "", "x"]))
    return PrefixHierarchy("x", tuple(lengths), mask, star=draw(star)), draw(st.lists(codes, min_size=1))


@pytest.mark.slow
@given(with_values())
def test_generalising_is_monotone(pair):
    """Equal at a level implies equal at the next: a coarser level never tells more."""
    hierarchy, values = pair
    for level in range(hierarchy.height):
        parent = {}
        for value in values:
            above = hierarchy.generalise(value, level + 1)
            assert parent.setdefault(hierarchy.generalise(value, level), above) == above


@pytest.mark.slow
@given(with_values())
def test_paths_are_equally_long_and_say_the_same_as_generalise(pair):
    hierarchy, values = pair
    hierarchy.check_covers(values)
    rows = hierarchy.paths([*values, None])
    assert [row[0] for row in rows] == list(dict.fromkeys(values))
    for row in rows:
        assert len(row) == hierarchy.height + 1 == len(hierarchy.levels)
        assert list(row[1:]) == [hierarchy.generalise(row[0], level) for level in range(1, hierarchy.height + 1)]


@given(with_values())
def test_the_top_is_a_star_if_asked_for(pair):
    hierarchy, values = pair
    if getattr(hierarchy, "star", False):
        assert {hierarchy.generalise(value, hierarchy.height) for value in values} == {"*"}
        assert hierarchy.share("*", hierarchy.height) == 1
    assert len(set(hierarchy.levels)) == len(hierarchy.levels)


@pytest.mark.slow
@given(with_values())
def test_a_coarser_label_never_has_a_smaller_share(pair):
    hierarchy, values = pair
    for value in values:
        path = hierarchy.path(value)
        shares = [hierarchy.share(label, level) for level, label in enumerate(path)]
        known = [share for share in shares if share is not None]
        assert known == sorted(known)
        assert all(0 <= share <= 1 for share in known)


@given(even() | bounded())
@settings(max_examples=40)
def test_the_classes_of_a_level_share_out_the_domain(hierarchy):
    step = 1 if hierarchy.integer else 0.1
    values = [round(-9 + step * n, 1) for n in range(int(18 / step) + 1)]
    for level in range(1, hierarchy.height + 1):
        labels = {hierarchy.generalise(value, level) for value in values}
        assert abs(sum(hierarchy.share(label, level) for label in labels) - 1) < 1e-9


@pytest.mark.slow
@given(with_values())
def test_over_its_values_a_hierarchy_is_explicit(pair):
    hierarchy, values = pair
    explicit = ValueHierarchy.over(hierarchy, values)
    for value in values:
        assert explicit.path(value) == hierarchy.path(value)
    if all(label.strip() for row in explicit.rows for label in row):
        assert parse_csv(csv_text(explicit, header=True), "x", header=True, delimiter=";") == explicit


@pytest.mark.slow
@given(even() | bounded(), st.lists(st.integers(-150, 150), min_size=1))
def test_intervals_over_values_are_facts(hierarchy, values):
    explicit = ValueHierarchy.over(hierarchy, values)
    assert from_facts("x", facts_of(explicit)) == explicit
