import pytest

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.dictionary_file import load, loads

QUASI = Category.QUASI_IDENTIFIER
FIRMS = """\
# What each attribute of the microdata is, and how it may be used. Made by Tacita; yours to edit.
format = 1

[microdata]
name = "firms"
description = ""
missing-as = "unknown"        # a missing value counts as a category of its own, or as "unknown"

[attributes.Area]
category = "quasi-identifier"
kind = "categorical"
description = "Geographic Area"
hierarchy = "area.csv"

[attributes."Residential Rev."]
category = "quasi-identifier"
kind = "ordinal"
order = ["0-30", "30-60", "60-90", "90+"]

[attributes.age]
hierarchy = { intervals = [5, 10, 20], bottom = 15, top = 85 }

[attributes.q17]
labels = { "1" = "yes", "2" = "no" }
missing = ["9", "90..99", ".a"]
format = "F8.2"

[scenarios]
neighbour = ["Area", "age"]
"""
EXPECTED = Dictionary(
    "firms",
    (
        Attribute("Area", QUASI, Kind.CATEGORICAL, "Geographic Area", hierarchy="area.csv"),
        Attribute("Residential Rev.", QUASI, Kind.ORDINAL, order=("0-30", "30-60", "60-90", "90+")),
        Attribute("age", hierarchy_rule={"intervals": [5, 10, 20], "bottom": 15, "top": 85}),
        Attribute("q17", labels={"1": "yes", "2": "no"}, missing=("9", "90..99", ".a"), format="F8.2"),
    ),
    scenarios={"neighbour": ("Area", "age")},
)


def fault_of(text):
    with pytest.raises(DictionaryError) as fault:
        loads(text, where="firms.dictionary.toml")
    return str(fault.value)


def test_a_dictionary_is_read():
    assert loads(FIRMS) == EXPECTED


@pytest.mark.parametrize("change", [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_marks_and_line_ends_of_windows_do_not_matter(change):
    assert loads(change(FIRMS)) == EXPECTED


def test_other_ways_to_write_the_same():
    assert loads(
        """
        microdata = { name = "m", missing-as = "unknown" }
        attributes.Area.category = "QI"
        [attributes.age]
        kind = ""
        hierarchy = ""
        [attributes.w.labels]
        1 = "one"
        """
    ) == Dictionary(
        "m",
        (Attribute("Area", QUASI), Attribute("age"), Attribute("w", labels={"1": "one"})),
        missing_as=MissingAs.UNKNOWN,
    )


def test_an_empty_file_is_an_empty_dictionary():
    assert loads("", name="firms") == Dictionary("firms")


def test_the_name_comes_from_the_file_if_the_file_gives_none(tmp_path):
    path = tmp_path / "firms.dictionary.toml"
    path.write_text('[attributes.Area]\ncategory = ""\n')
    assert load(path) == load(str(path)) == Dictionary("firms", (Attribute("Area"),))


SYNTAX_ADVICE = (
    "  what to do: correct that line; texts stand in double quotes, and so do names with spaces or dots, "
    'such as [attributes."Residential Rev."]'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "format = 1\n[attributes.Area]\ncategory = weight\n",
            "line 3, column 12: this is not TOML: invalid value\n    category = weight\n               ^\n",
        ),
        (
            "[attributes.Residential Rev.]\n",
            "line 1, column 25: this is not TOML: expected ']' at the end of a table declaration\n"
            "    [attributes.Residential Rev.]\n                            ^\n",
        ),
        (
            '[attributes.Area]\n\tkind\t= "x\n',
            'line 2, column 11: this is not TOML: a text is not closed\n    \tkind\t= "x\n    \t    \t    ^\n',
        ),
        (
            '[attributes.Area]\norder = [\n  "a"',
            "line 2, column 1: this is not TOML: unclosed array\n    order = [\n    ^\n",
        ),
        (
            '[attributes.Area]\ndescription = "' + "x" * 300 + '" y',
            "line 2, column 318: this is not TOML: expected newline or end of document after a statement\n"
            f'    {"x" * 47}" y\n    {" " * 49}^\n',
        ),
    ],
)
def test_faults_of_syntax_show_the_line(text, message):
    assert fault_of(text) == f"firms.dictionary.toml, {message}{SYNTAX_ADVICE}"


def test_all_faults_come_at_once_by_line():
    text = """\
format = 1
[microdata]
nam = "firms"
missing-as = "categry"
description = 3
[attributes.Area]
categry = "quasi-identifier"
category = "quasi-identifer"
kind = "zzz"
hierarchy = 5
[attributes.age]
category = true
hierarchy = { intervals = [5, 12], botom = 15 }
labels = { "1" = 1 }
order = "low"
missing = ["9", 99]
[attributes.w1]
category = "weight"
description = ["x"]
[attributes.w2]
category = "weight"
labels = "x"
[attributes]
Sector = "quasi-identifier"
[attributes.""]
[attributes.Resid.Revenue]
category = ""
[scenarios]
neighbour = ["Aera", "age", "zzz"]
journalist = "age"
[scenaros]
"""
    assert fault_of(text) == (
        "firms.dictionary.toml: 23 faults:\n"
        "  - line 3: unknown key 'nam' in 'microdata'; did you mean 'name'?\n"
        "  - line 4: 'missing-as' of the microdata cannot be 'categry'; did you mean 'category'?\n"
        "  - line 5: 'description' of the microdata must be a text, not a number\n"
        "  - line 7: unknown key 'categry' in attribute 'Area'; did you mean 'category'?\n"
        "  - line 8: 'category' of attribute 'Area' cannot be 'quasi-identifer'; did you mean 'quasi-identifier'?\n"
        "  - line 9: 'kind' of attribute 'Area' cannot be 'zzz'; "
        "use one of categorical, ordinal, continuous, date, text\n"
        "  - line 10: 'hierarchy' of attribute 'Area' must be the name of a file or a table, not a number\n"
        "  - line 12: 'category' of attribute 'age' must be a text, not true or false\n"
        "  - line 13: hierarchy of attribute 'age': unknown key 'botom'; did you mean 'bottom'?\n"
        "  - line 13: hierarchy of attribute 'age': width 12 (level 2) is no multiple of width 5 (level 1): "
        "its intervals would cut across those below\n"
        "  - line 14: 'labels.1' of attribute 'age' must be a text, not a number\n"
        "  - line 15: 'order' of attribute 'age' must be a list of texts, such as [\"low\", \"high\"], not a text\n"
        "  - line 16: 'missing' of attribute 'age' must be a list of texts, such as [\"9\", \"90..99\"]; "
        "item 2 is a number\n"
        "  - line 19: 'description' of attribute 'w1' must be a text, not a list\n"
        "  - line 21: attribute 'w2' is a weight, and so is 'w1'; only one can be\n"
        "  - line 22: 'labels' of attribute 'w2' must be a table of codes and texts, "
        'such as { "1" = "yes" }, not a text\n'
        "  - line 24: attribute 'Sector' must be a table, not a text\n"
        "  - line 25: an attribute has an empty name\n"
        "  - line 26: unknown key 'Revenue' in attribute 'Resid'; "
        'if it is part of the name, quote it: [attributes."Resid.Revenue"]\n'
        "  - line 29: scenario 'neighbour' names 'Aera', which is no attribute; did you mean 'Area'?\n"
        "  - line 29: scenario 'neighbour' names 'zzz', which is no attribute\n"
        '  - line 30: scenario \'journalist\' must be a list of texts, such as ["Area", "age"], not a text\n'
        "  - line 31: unknown key 'scenaros'; did you mean 'scenarios'?\n"
        "  what to do: correct the file"
    )


@pytest.mark.parametrize("given", ["attributes = 3", "microdata = []", "scenarios = 1979-05-27"])
def test_a_section_must_be_a_table(given):
    key = given.split()[0]
    kind = {"attributes": "a number", "microdata": "a list", "scenarios": "a date or a time"}[key]
    assert fault_of(given) == (
        f"firms.dictionary.toml: line 1: '{key}' must be a table, not {kind}\n  what to do: correct the file"
    )


def test_what_is_said_twice_is_named_with_both_lines():
    text = """\
[attributes.Area]
category = ""
kind = "text"
kind = "date"
[scenarios]
n = []
[attributes.Area]
kind = "text"
[scenarios]
"""
    assert fault_of(text) == (
        "firms.dictionary.toml: 3 faults:\n"
        "  - line 4: 'kind' of attribute 'Area' stands there twice, first on line 3\n"
        "  - line 7: attribute 'Area' stands there twice, first on line 1\n"
        "  - line 9: 'scenarios' stands there twice, first on line 5\n"
        "  what to do: keep one of each"
    )


def test_a_file_of_the_future_is_not_read_half():
    assert fault_of('format = 2\n[attributes.Area]\ncolour = "red"\n') == (
        "firms.dictionary.toml: line 1: format 2 is newer than what this Tacita knows (1)\n"
        "  what to do: install a newer Tacita"
    )


@pytest.mark.parametrize("given", ['"1"', "true", "0", "1.0"])
def test_the_format_is_a_number(given):
    assert fault_of(f"format = {given}") == (
        "firms.dictionary.toml: line 1: 'format' must be 1, without quotes\n  what to do: correct the file"
    )


def test_hostile_nesting_does_not_crash():
    assert fault_of("a = " + "[" * 5000 + "]" * 5000).startswith(
        "firms.dictionary.toml: the brackets are nested too deeply\n"
    )


def test_a_missing_file(tmp_path):
    with pytest.raises(DictionaryError) as fault:
        load(tmp_path / "firms.dictionary.toml")
    assert str(fault.value) == (
        f"{tmp_path}/firms.dictionary.toml: there is no such file\n"
        "  what to do: give the path of a dictionary, a TOML file"
    )


def test_a_wrong_encoding(tmp_path):
    path = tmp_path / "firms.dictionary.toml"
    path.write_text('[microdata]\nname = "città"\n', encoding="latin-1")
    with pytest.raises(DictionaryError) as fault:
        load(path)
    assert str(fault.value) == (f"{path}: line 2 is not UTF-8 text\n  what to do: save the file in the encoding UTF-8")
