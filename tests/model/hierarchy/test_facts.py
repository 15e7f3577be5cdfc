import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError
from tacita.model.dictionary import DictionaryFact
from tacita.model.hierarchy import ValueHierarchy, facts_of, from_facts


def facts(text):
    """Facts as the paper prints them: ``TypeOf(Area, City). IsA(Milano, North).``"""
    parts = [part.strip().removesuffix(")").split("(") for part in text.split(".") if part.strip()]
    return [DictionaryFact(predicate, tuple(term.strip() for term in terms.split(","))) for predicate, terms in parts]


# Section 4.3, "Global Recoding", word for word.
PAPER = facts(
    "Att(I&G, Area). TypeOf(Area, City). SubTypeOf(City, Region)."
    "InstOf(Milano, City). InstOf(Torino, City)."
    "InstOf(North, Region). IsA(Milano, North). IsA(Torino, North)."
)
COUNTRY = facts("SubTypeOf(Region, Country). InstOf(Italy, Country). IsA(North, Italy).")


def fault_of(attribute, given_facts, **options):
    with pytest.raises(HierarchyError) as fault:
        from_facts(attribute, given_facts, **options)
    return str(fault.value)


def said(faults):
    return f"facts about 'Area': {faults}\n  what to do: correct the facts TypeOf, SubTypeOf, InstOf and IsA"


def test_the_area_of_the_paper():
    area = from_facts("Area", PAPER)
    assert area == ValueHierarchy("Area", ("City", "Region"), (("Milano", "North"), ("Torino", "North")))


def test_several_levels_are_climbed():
    area = from_facts("Area", PAPER + COUNTRY, star=True)
    assert area.path("Torino") == ("Torino", "North", "Italy", "*")
    assert area.levels == ("City", "Region", "Country", "any Area")


def test_predicates_are_known_in_both_spellings_of_the_paper():
    lower = [DictionaryFact(f.predicate[0].lower() + f.predicate[1:], f.terms) for f in PAPER]
    assert from_facts("Area", lower) == from_facts("Area", PAPER)


def test_further_facts_do_no_harm():
    more = facts(
        "IsA(Milano, Italy). IsA(Milano, Lombardy). InstOf(Lombardy, Province)."
        "TypeOf(Sector, Nace). InstOf(Rome, Nace)."
    )
    assert from_facts("Area", PAPER + COUNTRY + more) == from_facts("Area", PAPER + COUNTRY)


def test_a_single_type_is_enough_for_a_star():
    sex = facts("TypeOf(Sex, S). InstOf(m, S). InstOf(f, S).")
    assert from_facts("Sex", sex, star=True).rows == (("m", "*"), ("f", "*"))


def test_all_faults_come_at_once():
    wrong = facts(
        "InstOf(Roma, City). IsA(Roma, Nrth). InstOf(Pisa, City). InstOf(Bari, City). IsA(Bari, North)."
        "InstOf(South, Region). IsA(Bari, South). InstOf(Nice). InstOf(Asti, City). IsA(Asti, East)."
        "InstOf(East, Region)."
    )
    assert fault_of("Area", PAPER + COUNTRY + wrong) == said(
        "5 faults:\n"
        '  - InstOf("Nice"). has 1 terms instead of 2\n'
        "  - 'Roma' is a 'Nrth', which is no instance of any type; did you mean 'North'?\n"
        "  - 'Pisa' has no parent of type 'Region'\n"
        "  - 'Bari' has 2 parents of type 'Region': North, South\n"
        "  - 'East' has no parent of type 'Country'"
    )


@pytest.mark.parametrize(
    ("given_facts", "fault"),
    [
        (facts("TypeOf(Aera, City)."), "no TypeOf fact names the attribute 'Area'; did you mean 'Aera'?"),
        (facts("TypeOf(Area, City). TypeOf(Area, Town)."), "'Area' has 2 types: City, Town"),
        (
            facts("TypeOf(Area, City). SubTypeOf(City, Region). SubTypeOf(City, Zone)."),
            "type 'City' has 2 supertypes: Region, Zone",
        ),
        (
            facts("TypeOf(Area, City). SubTypeOf(City, Region). SubTypeOf(Region, City)."),
            "the types go round in a circle: City -> Region -> City",
        ),
        (facts("TypeOf(Area, City)."), "type 'City' has no supertype, so there is no level above the values"),
        (facts("TypeOf(Area, City). SubTypeOf(City, Region)."), "type 'City' has no instances"),
    ],
)
def test_other_faults(given_facts, fault):
    assert fault_of("Area", given_facts) == said(fault)


def test_a_hierarchy_as_facts():
    assert [str(fact) for fact in facts_of(from_facts("Area", PAPER))] == [
        'TypeOf("Area", "City").',
        'SubTypeOf("City", "Region").',
        'InstOf("Milano", "City").',
        'InstOf("Torino", "City").',
        'InstOf("North", "Region").',
        'IsA("Milano", "North").',
        'IsA("Torino", "North").',
    ]


def test_two_hierarchies_share_one_knowledge_base():
    area = ValueHierarchy.from_paths("Area", [("Other", "Other"), ("Roma", "Center")], star=True)
    sector = ValueHierarchy.from_paths("Sector", [("Other", "Rest"), ("Textiles", "Industry")], star=True)
    together = [*facts_of(area), *facts_of(sector)]
    assert from_facts("Area", together) == area
    assert from_facts("Sector", together) == sector


def test_labels_that_facts_cannot_tell_apart_are_refused():
    twisted = ValueHierarchy.from_paths("a", [("x", "p", "t"), ("y", "x", "q"), ("z", "q", "t")])
    with pytest.raises(HierarchyError) as fault:
        list(facts_of(twisted))
    assert str(fault.value) == (
        "hierarchy of 'a': the same label stands at two levels in such a way that IsA facts would be ambiguous\n"
        "  what to do: give the labels of the two levels different names"
    )


leaf = st.text(min_size=1, max_size=4).map("leaf {}".format)


@pytest.mark.slow
@given(st.dictionaries(leaf, st.integers(0, 5), min_size=1), st.booleans())
def test_facts_give_the_hierarchy_back(parents, star):
    paths = [(name, f"p{n}", f"g{n // 3}") for name, n in parents.items()]
    hierarchy = ValueHierarchy.from_paths("attribute", paths, star=star)
    assert from_facts("attribute", facts_of(hierarchy)) == hierarchy


@pytest.mark.slow
@given(st.dictionaries(leaf, st.integers(0, 5), min_size=1), st.randoms())
def test_the_order_of_facts_decides_only_the_order_of_the_paths(parents, random):
    hierarchy = ValueHierarchy.from_paths("attribute", [(name, f"p{n}") for name, n in parents.items()])
    shuffled = list(facts_of(hierarchy))
    random.shuffle(shuffled)
    again = from_facts("attribute", shuffled)
    assert set(again.rows) == set(hierarchy.rows)
    assert again.levels == hierarchy.levels
