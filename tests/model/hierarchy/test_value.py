import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError, UsageError
from tacita.model.hierarchy import PrefixHierarchy, ValueHierarchy, text_of

PATHS = [
    ("Milano", "North", "Italy"),
    ("Torino", "North", "Italy"),
    ("Roma", "Center", "Italy"),
    ("Lyon", "South", "France"),
]
AREA = ValueHierarchy.from_paths("Area", PATHS, ["City", "Region", "Country"])


def fault_of(function, *arguments, **options):
    with pytest.raises(HierarchyError) as fault:
        function(*arguments, **options)
    return str(fault.value)


def test_a_value_is_generalised_level_by_level():
    assert [AREA.generalise("Milano", level) for level in range(3)] == ["Milano", "North", "Italy"]
    assert AREA.height == 2
    assert AREA.leaves == ("Milano", "Torino", "Roma", "Lyon")


def test_a_missing_value_stays_missing():
    assert AREA.generalise(None, 2) is None


def test_a_mapping_table_has_a_row_for_each_distinct_value():
    assert AREA.paths(["Roma", None, "Milano", "Roma"]) == [
        ("Roma", "Center", "Italy"),
        ("Milano", "North", "Italy"),
    ]


def test_a_mapping_table_keeps_the_type_of_the_values():
    ages = ValueHierarchy.from_paths("age", [("39", "30-39"), ("40", "40-49")])
    assert ages.paths([39, 40.0]) == [(39, "30-39"), (40.0, "40-49")]


def test_leaves_and_shares():
    assert AREA.leaves_below("North", 1) == ("Milano", "Torino")
    assert AREA.leaves_below("Roma", 0) == ("Roma",)
    assert [AREA.share(label, level) for label, level in [("Roma", 0), ("North", 1), ("Italy", 2)]] == [0.25, 0.5, 0.75]


@pytest.mark.parametrize("ask", [AREA.share, AREA.leaves_below])
def test_a_label_that_is_not_there_is_not_named(ask):
    assert fault_of(ask, "Secretville", 1) == (
        "the hierarchy of 'Area' has no such label at level 1 (Region)\n"
        "  what to do: give a label as generalise() returns it for that level"
    )


@pytest.mark.parametrize("level", [-1, 3])
def test_there_is_no_other_level(level):
    with pytest.raises(UsageError) as fault:
        AREA.generalise("Milano", level)
    assert str(fault.value) == (f"no level {level} in the hierarchy of 'Area'\n  what to do: give a level from 0 to 2")


def test_values_without_a_place_are_counted_and_never_named():
    message = fault_of(AREA.check_covers, ["Roma", "Secretville", "secretville", "roma ", None])
    assert message == (
        "3 of 4 distinct values of 'Area' have no place in its hierarchy\n"
        "  what to do: add a path for each of them to the hierarchy, correct them in the data "
        "(1 of them differ from it only by spaces or capitals), or declare them missing in the dictionary"
    )
    assert fault_of(AREA.paths, ["Roma", "Secretville"]) == (
        "1 of 2 distinct values of 'Area' have no place in its hierarchy\n"
        "  what to do: add a path for each of them to the hierarchy, correct them in the data, "
        "or declare them missing in the dictionary"
    )
    assert "Secretville" not in fault_of(AREA.generalise, "Secretville", 1)
    assert AREA.uncovered(["Roma", "Secretville"]) == ["Secretville"]
    AREA.check_covers(["Roma", None])


def test_a_top_level_is_added_only_if_asked_for_and_only_once():
    starred = ValueHierarchy.from_paths("Area", PATHS, star=True)
    assert starred.rows[0] == ("Milano", "North", "Italy", "*")
    assert starred.levels == ("Area", "Area level 1", "Area level 2", "any Area")
    assert starred.share("*", 3) == 1
    assert ValueHierarchy.from_paths("Area", starred.rows, starred.levels, star=True) == starred


def test_the_same_label_may_stand_at_two_levels():
    sector = ValueHierarchy.from_paths("Sector", [("Other", "Other", "*"), ("Textiles", "Industry", "*")])
    assert sector.path("Other") == ("Other", "Other", "*")


def test_a_line_that_stands_there_twice_counts_once():
    area = ValueHierarchy.from_paths("Area", [*PATHS, PATHS[0]], AREA.levels)
    assert area == AREA
    assert area.share("North", 1) == 0.5


def test_all_faults_of_a_hierarchy_come_at_once():
    paths = [
        ("Milano", "North", "Italy"),
        ("Roma", "Center"),
        ("Torino", "North", "Italia"),
        ("Lyon", "", "France"),
        ("Milano", "North", "France"),
        ("Nice", "South", ""),
        ("Pisa",),
        ("Bari",),
    ]
    assert fault_of(ValueHierarchy.from_paths, "Area", paths) == (
        "hierarchy of 'Area': 6 faults:\n"
        "  - paths 7, 8 have 1 field, the others have 3\n"
        "  - path 2 has 2 fields, the others have 3\n"
        "  - path 4 has no value at level 1\n"
        "  - path 6 has no value at level 2\n"
        "  - 'Milano' stands on path 1 and on path 5 with different paths\n"
        "  - 'North' at level 1 has 2 parents: 'Italy' (path 1), 'Italia' (path 3)\n"
        "  what to do: correct these paths"
    )


@pytest.mark.parametrize(
    ("paths", "levels", "fault"),
    [
        ([], (), "there is nothing in it"),
        ([("Milano",), ("Roma",)], (), "there is no level above the values"),
        (PATHS, ("City", "Region"), "2 levels are named, but the paths have 3 values"),
        (PATHS, ("City", "Region", "Region"), "two levels have the same name"),
    ],
)
def test_other_faults(paths, levels, fault):
    assert fault_of(ValueHierarchy.from_paths, "Area", paths, levels) == (
        f"hierarchy of 'Area': {fault}\n  what to do: correct these paths"
    )


def test_thousands_of_faults_do_not_make_thousands_of_lines():
    paths = [(f"{city}", f"region {city % 30}", f"country {city}") for city in range(3000)]
    message = fault_of(ValueHierarchy.from_paths, "Area", paths)
    assert message.startswith("hierarchy of 'Area': 21 faults:\n")
    assert message.endswith("  - and 10 more of this kind\n  what to do: correct these paths")
    assert "'country 0' (path 1), " in message
    assert " and 92 more\n" in message


def test_a_rule_over_values_has_leaves_and_shares():
    postcode = ValueHierarchy.over(PrefixHierarchy("postcode", (3,), star=True), ["00184", "00185", None, "20121"])
    assert postcode.rows == (("00184", "001**", "*"), ("00185", "001**", "*"), ("20121", "201**", "*"))
    assert postcode.share("201**", 1) == pytest.approx(1 / 3)


labels = st.text(min_size=1, max_size=3)


@given(st.dictionaries(labels, st.integers(0, 3), min_size=1), st.booleans())
def test_shares_of_each_level_add_up_to_one(parents, star):
    paths = [(leaf, f"p{number}", f"g{number // 2}") for leaf, number in parents.items()]
    hierarchy = ValueHierarchy.from_paths("a", paths, star=star)
    for level in range(hierarchy.height + 1):
        used = {row[level] for row in hierarchy.rows}
        assert sum(hierarchy.share(label, level) for label in used) == pytest.approx(1)
        assert sum(len(hierarchy.leaves_below(label, level)) for label in used) == len(hierarchy.rows)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (39, "39"),
        (39.0, "39"),
        (0.5, "0.5"),
        (True, "true"),
        (False, "false"),
        ("x", "x"),
        (float("inf"), "inf"),
        (1e23, "1e+23"),
    ],
)
def test_how_a_hierarchy_spells_a_value(value, text):
    assert text_of(value) == text
