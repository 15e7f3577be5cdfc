import tomllib
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.dictionary_file import dumps, loads

FIRMS = Dictionary(
    "firms",
    (
        Attribute("Area", Category.QUASI_IDENTIFIER, Kind.CATEGORICAL, "Geographic Area", hierarchy="area.csv"),
        Attribute("Residential Rev.", kind=Kind.ORDINAL, order=("0-30", "30-60")),
        Attribute("age", hierarchy_rule={"intervals": [5, 10], "bottom": 15, "star": True}),
        Attribute("q17", labels={"1": "yes", "2": "no"}, missing=("9", "90..99"), format="F8.2"),
    ),
    scenarios={"neighbour": ("Area", "age"), "nobody": ()},
)


def test_the_text_of_a_dictionary():
    assert (
        dumps(FIRMS)
        == """\
# What each attribute of the microdata is, and how it may be used. Made by Tacita; yours to edit.
# category: identifier, quasi-identifier, sensitive, non-identifying, weight, cluster-key; "" while undecided
# kind: categorical, ordinal, continuous, date, text
format = 1

[microdata]
name = "firms"
description = ""
missing-as = "unknown"        # an empty cell is "unknown" or a "category"; "empty": codes are unknown, too

[attributes.Area]
category = "quasi-identifier"
kind = "categorical"
description = "Geographic Area"
hierarchy = "area.csv"

[attributes."Residential Rev."]
category = ""
kind = "ordinal"
order = ["0-30", "30-60"]

[attributes.age]
category = ""
hierarchy = { intervals = [5, 10], bottom = 15, star = true }

[attributes.q17]
category = ""
format = "F8.2"
labels = { 1 = "yes", 2 = "no" }
missing = ["9", "90..99"]

[scenarios]
neighbour = ["Area", "age"]
nobody = []
"""
    )


def test_long_lists_and_tables_have_a_line_for_each_entry():
    codes = [f"code number {n}" for n in range(9)]
    long = Dictionary("d", (Attribute("q", order=tuple(codes), labels=dict.fromkeys(codes, "x")), Attribute("r")))
    text = dumps(long)
    assert 'order = [\n    "code number 0",\n    "code number 1",\n' in text
    assert '\n]\n\n[attributes.q.labels]\n"code number 0" = "x"\n' in text
    assert loads(text) == long


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8) | st.sampled_from(
    [
        "a.b",
        'a"b',
        "a'b",
        "a\nb",
        "a\r\nb",
        "a\\b",
        "#",
        "[x]",
        " ",
        "é",
        "表",
        "😀",
        "👩‍👧",
        "true",
        "1",
        "\0",
        "\x7f",
        "=",
    ]
)
texts = st.just("") | names
few = st.lists(texts, max_size=3).map(tuple)
rules = st.sampled_from(
    [
        {},
        {"intervals": [5, 10], "bottom": 15, "top": 85},
        {"intervals": [0.1, 0.5], "integer": False, "star": True},
        {"bounds": [[6, 18, 65], [18, 65]]},
        {"dates": ["month", "year"], "domain": [date(1900, 1, 1), date(1999, 12, 31)]},
        {"prefixes": [4, 3], "mask": ""},
    ]
)


@st.composite
def attributes(draw):
    rule = draw(rules)
    return Attribute(
        draw(names),
        draw(st.sampled_from([None, *(c for c in Category if c is not Category.WEIGHT)])),
        draw(st.sampled_from([None, *Kind])),
        draw(texts),
        draw(st.dictionaries(texts, texts, max_size=3)),
        draw(few),
        draw(few),
        "" if rule else draw(texts),
        rule,
        draw(texts),
    )


@st.composite
def dictionaries(draw):
    found = draw(st.lists(attributes(), max_size=5, unique_by=lambda attribute: attribute.name))
    if found and draw(st.booleans()):
        found[-1] = found[-1].with_(category=Category.WEIGHT)
    known = st.lists(st.sampled_from([a.name for a in found]), max_size=3) if found else st.just([])
    scenarios = draw(st.dictionaries(texts, known.map(tuple), max_size=2))
    return Dictionary(draw(texts), tuple(found), draw(texts), draw(st.sampled_from(MissingAs)), scenarios)


@pytest.mark.slow
@given(dictionaries())
@settings(max_examples=60)
def test_what_is_written_is_read_back(dictionary):
    text = dumps(dictionary)
    assert loads(text) == dictionary
    assert loads(text.replace("\n", "\r\n")) == dictionary
    assert loads(text).names == dictionary.names
    text.encode("utf-8")
    tomllib.loads(text)


def test_half_a_character_is_refused_before_a_disk_sees_it():
    with pytest.raises(DictionaryError) as fault:
        dumps(Dictionary("d", (Attribute("caf\udce9"),)))
    assert str(fault.value) == (
        "a text of the dictionary holds half a character, which no file can hold\n"
        "  what to do: read the data again in its right encoding"
    )


def test_a_rule_that_toml_cannot_hold_is_refused():
    with pytest.raises(DictionaryError) as fault:
        dumps(Dictionary("d", (Attribute("a", hierarchy_rule={"intervals": [None]}),)))
    assert str(fault.value) == (
        "a hierarchy rule holds a NoneType, which TOML does not know\n"
        "  what to do: use texts, numbers, dates, lists and tables"
    )
