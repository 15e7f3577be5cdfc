import pytest

from tacita.toml.statements import Lines, last_line, statements

TEXT = '''# [not.a.table]
format = 1   # one

[attributes."a.b"]  # dots
labels = { "x = 1" = "#", y = "]" }
order = [
    "low",  # ]
    "high",
]
description = """
[attributes.fake]
category = "weight"
"""
hierarchy.intervals = [5]
'quoted = key' = 'it''s'
[[list]]
z = 1
'''


def test_every_statement_knows_its_place():
    found = [(s.line, s.keys, s.value) for s in statements(TEXT.replace("'it''s'", "'it'"))]
    assert found[:6] == [
        (2, ("format",), 1),
        (4, ("attributes", "a.b"), None),
        (5, ("attributes", "a.b", "labels"), {"x = 1": "#", "y": "]"}),
        (6, ("attributes", "a.b", "order"), ["low", "high"]),
        (10, ("attributes", "a.b", "description"), '[attributes.fake]\ncategory = "weight"\n'),
        (14, ("attributes", "a.b", "hierarchy", "intervals"), [5]),
    ]
    assert found[6] == (15, ("attributes", "a.b", "quoted = key"), "it")


def test_what_is_no_toml_is_left_out():
    assert [s.line for s in statements(TEXT)][:7] == [2, 4, 5, 6, 10, 14, 16]


@pytest.mark.parametrize(
    ("text", "value", "comment"),
    [
        ("a = 1  # one", " 1", "  # one"),
        ("a=[1, # in\n2] # out", "[1, # in\n2]", " # out"),
        ('a = "#"', ' "#"', ""),
        ('"=" = {}\t', " {}", "\t"),
    ],
)
def test_values_and_comments_are_told_apart(text, value, comment):
    (statement,) = statements(text)
    assert text[statement.equals + 1 : statement.comment] == value
    assert text[statement.comment : statement.end] == comment


def test_the_line_of_something_inside_or_around_a_statement():
    lines = Lines(statements(TEXT))
    assert lines.of(("attributes", "a.b", "labels", "y")) == 5
    assert lines.of(("attributes", "a.b", "hierarchy")) == 14
    assert lines.of(("attributes", "a.b")) == lines.of(("attributes",)) == 4
    assert lines.of(("nowhere",)) == 1


def test_the_last_line_that_begins_something():
    assert last_line("a = 1\nb = [\n1,\n") == 2
    assert last_line("") == 1
