import dataclasses

import pytest

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category, Kind


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("identifier", Category.IDENTIFIER),
        ("Direct Identifier", Category.IDENTIFIER),
        ("QUASI_IDENTIFIER", Category.QUASI_IDENTIFIER),
        ("  quasi   identifier ", Category.QUASI_IDENTIFIER),
        ("key", Category.QUASI_IDENTIFIER),
        ("confidential", Category.SENSITIVE),
        ("non sensitive", Category.NON_IDENTIFYING),
        ("sampling weight", Category.WEIGHT),
        ("household", Category.CLUSTER_KEY),
    ],
)
def test_a_category_is_found_under_the_names_that_people_use(text, category):
    assert Category.parse(text) is category


@pytest.mark.parametrize("member", [*Category, *Kind])
def test_every_category_and_kind_parses_back_from_its_own_name(member):
    assert type(member).parse(str(member)) is member


def test_an_unknown_category_names_the_nearest_one():
    with pytest.raises(DictionaryError) as fault:
        Category.parse("quasi-identifer")
    assert str(fault.value) == (
        "no category 'quasi-identifer'; did you mean 'quasi-identifier'?\n"
        "  what to do: use one of identifier, quasi-identifier, sensitive, non-identifying, weight, cluster-key"
    )


def test_an_unknown_kind_lists_them_all():
    with pytest.raises(DictionaryError) as fault:
        Kind.parse("zzz")
    assert str(fault.value) == ("no kind 'zzz'\n  what to do: use one of categorical, ordinal, continuous, date, text")


def test_an_attribute_needs_a_name():
    with pytest.raises(DictionaryError, match="an attribute has an empty name"):
        Attribute("")


def test_an_attribute_has_a_hierarchy_file_or_a_rule_but_not_both():
    with pytest.raises(DictionaryError) as fault:
        Attribute("age", hierarchy="age.csv", hierarchy_rule={"intervals": [5]})
    assert str(fault.value) == (
        "attribute 'age' has a hierarchy file and a hierarchy rule\n  what to do: keep one of the two"
    )


def test_only_a_quasi_identifier_is_one():
    assert [c for c in Category if Attribute("a", c).is_quasi_identifier] == [Category.QUASI_IDENTIFIER]
    assert not Attribute("a").is_quasi_identifier


def test_an_attribute_does_not_change():
    labels = {"1": "yes"}
    attribute = Attribute("q", labels=labels)
    labels["2"] = "no"
    assert attribute.labels == {"1": "yes"}
    with pytest.raises(TypeError):
        attribute.labels["2"] = "no"
    with pytest.raises(dataclasses.FrozenInstanceError):
        attribute.name = "r"


def test_a_change_is_a_new_attribute_and_is_checked():
    attribute = Attribute("age", hierarchy="age.csv", labels={"1": "yes"})
    assert attribute.with_(kind=Kind.CONTINUOUS) == Attribute(
        "age", kind=Kind.CONTINUOUS, hierarchy="age.csv", labels={"1": "yes"}
    )
    assert attribute.kind is None
    with pytest.raises(DictionaryError):
        attribute.with_(hierarchy_rule={"intervals": [5]})
