from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.dictionary_file import dumps, loads, updated
from tacita.model.dictionary_file.writing import dotted, tables, value_text

EDITED = """\
# Survey of firms, wave 3. Ask Anna before changing anything.
format = 1

[microdata]
name = "firms"   # as in the register

# --- geography ---
[attributes.Area]
category = ""  # undecided since May
kind = "Categorical"
# hierarchy = "old.csv"

# money; see the mail of 3 May
[attributes."Residential Rev."]
category = "qi"
# from low to high
order = [
    "0-30",  # in millions
    "30-60",
]   # to be extended

# sampling
[attributes.w]
category = "weight"

# who might attack
[scenarios]
neighbour = ["Area"]
"""
BEFORE = loads(EDITED)


def changed(**fields):
    """Return the edited dictionary with fields of one attribute changed."""
    name = fields.pop("name")
    return BEFORE.mapped(lambda a: a.with_(**fields) if a.name == name else a)


def difference(dictionary):
    """Return the lines that go and the lines that come."""
    after = updated(EDITED, dictionary)
    assert loads(after) == dictionary
    old, new = EDITED.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_nothing_to_do_changes_nothing():
    assert updated(EDITED, BEFORE) == EDITED


def test_a_value_changes_and_its_comment_stays():
    assert difference(changed(name="Area", category=Category.SENSITIVE)) == (
        ['category = ""  # undecided since May'],
        ['category = "sensitive"  # undecided since May'],
    )


def test_a_list_over_many_lines_is_replaced_whole():
    assert difference(changed(name="Residential Rev.", order=("low", "high"))) == (
        ["order = [", '    "0-30",  # in millions', '    "30-60",', "]   # to be extended"],
        ['order = ["low", "high"]   # to be extended'],
    )


def test_a_field_that_is_gone_goes_alone():
    assert difference(changed(name="Residential Rev.", order=())) == (
        ["order = [", '    "0-30",  # in millions', '    "30-60",', "]   # to be extended"],
        [],
    )


def test_a_new_field_joins_its_table():
    after = updated(EDITED, changed(name="Area", description="Geographic Area"))
    assert 'kind = "Categorical"\ndescription = "Geographic Area"\n# hierarchy = "old.csv"\n\n# money;' in after


def test_a_new_attribute_comes_after_the_one_before_it():
    area, rev, w = BEFORE.attributes
    after = updated(EDITED, replace(BEFORE, attributes=(area, Attribute("Sector"), rev, w, Attribute("last"))))
    assert '# hierarchy = "old.csv"\n\n[attributes.Sector]\ncategory = ""\n\n# money; see the mail' in after
    assert 'category = "weight"\n\n[attributes.last]\ncategory = ""\n\n# who might attack\n[scenarios]' in after


def test_an_attribute_that_is_gone_leaves_the_comments_of_others():
    without = replace(BEFORE, attributes=BEFORE.attributes[:2])
    gone, come = difference(without)
    assert (gone, come) == (["[attributes.w]", 'category = "weight"'], [])
    assert updated(EDITED, without).endswith(
        ']   # to be extended\n\n# sampling\n\n# who might attack\n[scenarios]\nneighbour = ["Area"]\n'
    )


def test_a_table_that_goes_takes_one_blank_line_with_it():
    text = dumps(Dictionary("d", (Attribute("a"), Attribute("b"), Attribute("c"))))
    without = Dictionary("d", (Attribute("a"), Attribute("c")))
    assert updated(text, without) == dumps(without)


def test_a_comment_right_above_a_table_stays_above_it():
    text = '[microdata]\nname = "d"\n[attributes.a]\ncategory = ""\n# about c\n[attributes.c]\ncategory = ""\n'
    after = updated(text, Dictionary("d", (Attribute("a"), Attribute("b"), Attribute("c"))))
    assert after.endswith('\n[attributes.b]\ncategory = ""\n# about c\n[attributes.c]\ncategory = ""\n')


def test_long_labels_get_a_table_of_their_own():
    labels = {str(n): "label" * 3 for n in range(9)}
    after = updated(EDITED, changed(name="Area", labels=labels))
    assert '# hierarchy = "old.csv"\n\n[attributes.Area.labels]\n0 = "labellabellabel"\n' in after
    again = updated(after, changed(name="Area", labels={**labels, "3": "x", "77": "new"}))
    assert '\n3 = "x"\n4 = "labellabellabel"\n' in again
    assert '\n8 = "labellabellabel"\n77 = "new"\n\n# money' in again
    assert loads(updated(again, BEFORE)) == BEFORE


def test_scenarios_come_and_go():
    assert difference(replace(BEFORE, scenarios={"insider": ("Area", "w")})) == (
        ['neighbour = ["Area"]'],
        ['insider = ["Area", "w"]'],
    )
    bare = '[attributes.a]\ncategory = ""\n'
    more = replace(loads(bare, name="d"), scenarios={"n": ("a",)})
    assert updated(bare, more) == f'{bare}\n[microdata]\nname = "d"\n\n[scenarios]\nn = ["a"]\n'


def test_what_is_said_of_the_microdata():
    assert difference(replace(BEFORE, name="Firms", description="x", missing_as=MissingAs.CATEGORY)) == (
        ['name = "firms"   # as in the register'],
        ['name = "Firms"   # as in the register', 'description = "x"', 'missing-as = "category"'],
    )


def test_a_hierarchy_changes_from_a_table_to_a_file_and_back():
    text = (
        '[microdata]\nname = "d"\n[attributes.age]\n[attributes.age.hierarchy]\nintervals = [5]  # years\nstar = true\n'
    )
    file = replace(loads(text), attributes=(Attribute("age", hierarchy="age.csv"),))
    assert updated(text, file) == '[microdata]\nname = "d"\n[attributes.age]\nhierarchy = "age.csv"\n'
    wider = replace(file, attributes=(Attribute("age", hierarchy_rule={"intervals": [5, 10], "star": True}),))
    assert updated(text, wider) == text.replace("[5]", "[5, 10]")
    assert updated(updated(text, file), wider).endswith("hierarchy = { intervals = [5, 10], star = true }\n")


def test_line_ends_of_windows_are_kept():
    windows = EDITED.replace("\n", "\r\n")
    assert updated(windows, BEFORE) == windows
    after = updated(windows, changed(name="Area", description="x"))
    assert after == updated(EDITED, changed(name="Area", description="x")).replace("\n", "\r\n")


def test_what_we_do_not_know_is_left_alone():
    text = '[microdata]\nname = "d"\nowner = "Anna"\n[attributes.a]\ncolour = "red"\n[elsewhere]\nx = 1\n'
    after = updated(text, Dictionary("e", (Attribute("a", kind=Kind.TEXT),)))
    assert after == text.replace('"d"', '"e"').replace('"red"\n', '"red"\nkind = "text"\n')


def test_an_empty_text_becomes_a_dictionary():
    dictionary = Dictionary("d", (Attribute("a"), Attribute("b")), scenarios={"n": ("a",)})
    assert loads(updated("", dictionary)) == dictionary


def test_a_text_that_is_no_toml_is_not_touched():
    with pytest.raises(DictionaryError, match="this is not TOML"):
        updated("[attributes.Area\n", BEFORE)


# Any layout that a person may choose, brought to any other content.

words = st.sampled_from(["a", "b c", "d.e", "é", '"', "labels", "#"])
texts = st.just("") | words
rules = st.sampled_from([{}, {"intervals": [5]}, {"intervals": [5, 10], "star": True}, {"prefixes": [2], "mask": ""}])


@st.composite
def dictionaries(draw):
    found = []
    for name in draw(st.lists(words, max_size=4, unique=True)):
        rule = draw(rules)
        found.append(
            Attribute(
                name,
                draw(st.sampled_from([None, Category.SENSITIVE, Category.QUASI_IDENTIFIER])),
                draw(st.sampled_from([None, *Kind])),
                draw(texts),
                draw(st.dictionaries(texts, texts, max_size=3)),
                draw(st.lists(texts, max_size=2).map(tuple)),
                (),
                "" if rule else draw(texts),
                rule,
            )
        )
    names = [attribute.name for attribute in found]
    scenarios = st.dictionaries(
        texts, st.lists(st.sampled_from(names), max_size=2).map(tuple) if names else st.just(())
    )
    return Dictionary(draw(texts), tuple(found), draw(texts), draw(st.sampled_from(MissingAs)), draw(scenarios))


@st.composite
def layouts(draw, dictionary):
    """A text of the dictionary in some layout, with comments everywhere."""
    root, blocks, number = [], [], iter(range(10_000))

    def comment():
        return draw(st.sampled_from(["", "\n", f"# comment {next(number)}\n", f"\n# comment {next(number)}\n\n"]))

    def entry(keys, value):
        note = draw(st.sampled_from(["", f"  # note {next(number)}"]))
        return f"{comment()}{draw(st.sampled_from(['', '  ']))}{dotted(keys)} = {value_text(value)}{note}\n"

    def lay(keys, table):
        """Lay out a table: under a header, inline, or by dots in the table above or at the root."""
        way = draw(st.sampled_from(["header", "inline", "dots"])) if len(keys) > 1 else "header"
        if way == "inline" and table:
            return [(keys, table)]
        if way == "dots" and table:
            return [((*keys, key), value) for key, value in table.items()]
        lines, deeper = [], []
        for key, value in table.items():
            if isinstance(value, dict) and draw(st.booleans()):
                deeper += [(k, v) for k, v in lay((*keys, key), value)]
            else:
                lines.append(entry((key,), value))
        lines += [entry(k[len(keys) :], v) for k, v in deeper]
        blocks.append(f"{comment()}[{dotted(keys)}]\n{''.join(lines)}")
        return []

    content = tables(dictionary)
    lay(("microdata",), content["microdata"])
    above = [item for name, table in content["attributes"].items() for item in lay(("attributes", name), table)]
    if draw(st.booleans()):
        root += [entry(keys, value) for keys, value in above]
    elif above:
        lines = [entry(keys[1:], value) for keys, value in above]
        blocks.append(f"{comment()}[attributes]\n{''.join(lines)}")
    lay(("scenarios",), content["scenarios"])
    blocks = draw(st.permutations(blocks))
    return "".join([*root, *blocks, comment()])


def ordered(dictionary):
    return replace(dictionary, attributes=tuple(sorted(dictionary, key=lambda a: a.name)))


@pytest.mark.slow
@given(st.data(), dictionaries(), dictionaries())
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_any_layout_is_brought_to_any_content(data, before, after):
    text = data.draw(layouts(before))
    assert ordered(loads(text)) == ordered(before)
    assert updated(text, before) == text
    result = updated(text, after)
    assert ordered(loads(result)) == ordered(after)
    assert updated(result, after) == result


@given(st.data(), dictionaries())
@settings(max_examples=20)
def test_comments_stay_whatever_changes(data, before):
    text = data.draw(layouts(before))
    after = before.mapped(lambda a: a.with_(kind=Kind.TEXT, description="new"))
    kept = updated(text, after)
    assert [line for line in text.splitlines() if line.startswith("# comment")] == [
        line for line in kept.splitlines() if line.startswith("# comment")
    ]


@pytest.mark.slow
@given(dictionaries(), dictionaries())
@settings(max_examples=30)
def test_our_own_text_is_brought_to_any_content(before, after):
    assert ordered(loads(updated(dumps(before), after))) == ordered(after)
