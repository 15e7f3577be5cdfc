import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary, DictionaryFact, MissingAs

QUASI, WEIGHT = Category.QUASI_IDENTIFIER, Category.WEIGHT
FIRMS = Dictionary(
    "I&G",
    (
        Attribute("Id", Category.IDENTIFIER, description="Company Identifier"),
        Attribute("Area", QUASI, description="Geographic Area"),
        Attribute("Sector", QUASI),
        Attribute("Weight", WEIGHT),
        Attribute("Notes"),
    ),
)


def test_what_a_dictionary_knows():
    assert FIRMS.names == ("Id", "Area", "Sector", "Weight", "Notes")
    assert [attribute.name for attribute in FIRMS] == list(FIRMS.names)
    assert FIRMS.quasi_identifiers == ("Area", "Sector")
    assert FIRMS.weight == "Weight"
    assert FIRMS.of(Category.SENSITIVE) == ()
    assert FIRMS.missing_as is MissingAs.UNKNOWN
    assert Dictionary("empty").weight is None


def test_the_facts_of_section_4_1():
    assert [str(fact) for fact in FIRMS.facts()][:4] == [
        'MicroDB("I&G").',
        'Att("I&G", "Id", "Company Identifier").',
        'Cat("I&G", "Id", "identifier").',
        'Att("I&G", "Area", "Geographic Area").',
    ]
    assert DictionaryFact("Cat", ("I&G", "Notes", "")) not in FIRMS.facts()
    assert not [fact for fact in FIRMS.facts() if fact.predicate == "Cat" and fact.terms[1] == "Notes"]


def test_a_fact_quotes_its_terms():
    assert str(DictionaryFact("Att", ('a"b', "c\\d"))) == r'Att("a\"b", "c\\d").'


names = st.text(min_size=1)


@pytest.mark.slow
@given(
    st.text(),
    st.lists(st.tuples(names, st.sampled_from([None, *Category]), st.text()), unique_by=lambda row: row[0]),
)
def test_facts_give_the_dictionary_back(name, rows):
    seen = [category for _, category, _ in rows].count(WEIGHT)
    rows = [row for row in rows if row[1] is not WEIGHT or seen == 1]
    dictionary = Dictionary(name, tuple(Attribute(n, c, description=d) for n, c, d in rows))
    assert Dictionary.from_facts(dictionary.facts()) == dictionary


def test_facts_without_a_description_are_read():
    facts = [DictionaryFact("MicroDB", ("I&G",)), DictionaryFact("Att", ("I&G", "Area"))]
    assert Dictionary.from_facts(facts) == Dictionary("I&G", (Attribute("Area"),))


def test_facts_of_two_databases_are_refused():
    with pytest.raises(DictionaryError) as fault:
        Dictionary.from_facts([DictionaryFact("MicroDB", ("a",)), DictionaryFact("MicroDB", ("b",))])
    assert str(fault.value) == (
        "the facts describe 2 microdata DBs\n  what to do: give the facts of exactly one MicroDB"
    )


def test_a_category_without_its_attribute_is_refused():
    with pytest.raises(DictionaryError) as fault:
        Dictionary.from_facts([DictionaryFact("MicroDB", ("a",)), DictionaryFact("Cat", ("a", "Area", "weight"))])
    assert str(fault.value) == (
        "Cat facts without an Att fact: Area\n  what to do: add the Att facts or drop the Cat facts"
    )


def test_all_faults_of_a_dictionary_come_at_once():
    with pytest.raises(DictionaryError) as fault:
        Dictionary(
            "firms",
            (Attribute("Area"), Attribute("Area"), Attribute("w1", WEIGHT), Attribute("w2", WEIGHT)),
            scenarios={"neighbour": ("Aera", "Area")},
        )
    assert str(fault.value) == (
        "dictionary of 'firms': 3 faults:\n"
        "  - attribute 'Area' stands there 2 times\n"
        "  - scenario 'neighbour' names 'Aera', which is no attribute; did you mean 'Area'?\n"
        "  - 2 attributes are weights (w1, w2); only one can be\n"
        "  what to do: correct these entries"
    )


def test_an_unknown_attribute_names_the_nearest_one():
    with pytest.raises(DictionaryError) as fault:
        FIRMS["Secto"]
    assert str(fault.value) == (
        "no attribute 'Secto' in the dictionary of 'I&G'; did you mean 'Sector'?\n"
        "  what to do: use one of: Id, Area, Sector, Weight, Notes"
    )


def test_categories_are_set_on_a_new_dictionary():
    changed = FIRMS.with_categories({"Notes": Category.SENSITIVE})
    assert changed["Notes"].category is Category.SENSITIVE
    assert FIRMS["Notes"].category is None
    assert changed["Area"] == FIRMS["Area"]
    with pytest.raises(DictionaryError, match=r"no attribute 'Note' .* did you mean 'Notes'"):
        FIRMS.with_categories({"Note": Category.SENSITIVE})
    with pytest.raises(DictionaryError, match="2 attributes are weights"):
        FIRMS.with_categories({"Notes": WEIGHT})


def test_mapped_passes_every_attribute_through():
    assert FIRMS.mapped(lambda a: a.with_(description="x")).attributes[1] == Attribute("Area", QUASI, description="x")


def test_scenarios_do_not_change():
    with pytest.raises(TypeError):
        FIRMS.scenarios["new"] = ("Area",)


def test_a_dictionary_that_fits_says_nothing():
    FIRMS.check_fits(FIRMS.names, where="firms.csv")
    FIRMS.check_fits(reversed(FIRMS.names), where="firms.csv")


def test_all_misfits_with_the_data_come_at_once():
    with pytest.raises(DictionaryError) as fault:
        FIRMS.check_fits(["Id", "Area", "Secctor", "Weight", "Notes"], where="firms.csv")
    assert str(fault.value) == (
        "firms.csv: 2 faults:\n"
        "  - the dictionary names 'Sector', which the data does not have; did you mean 'Secctor'?\n"
        "  - the data has 'Secctor', of which the dictionary says nothing\n"
        "  what to do: edit the dictionary, or make it anew with 'tacita categorize FILE --accept --force'"
    )
