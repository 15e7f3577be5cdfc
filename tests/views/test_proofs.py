"""Proofs as a tree, as sentences, as JSON, for Graphviz and as a picture."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from tacita.rules.reasoner import ReasoningOptions, reason
from tacita.views.proofs.as_json import SCHEMA
from tacita.views.proofs.layers import placed

CONTROL = """
@model("Control", ["a", "b"], "[a] controls [b]").
@model("Own", ["owner", "company", "share"], "[owner] owns [share] of [company]").
[1] Own(X, _, _) -> Control(X, X).
[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""
OWN = [("A", "B", 0.6), ("A", "C", 0.3), ("B", "C", 0.25)]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def control():
    return reason(CONTROL, {"Own": OWN}).why('Control("A", "C")')


# -- text --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_tree(control):
    assert str(control) == (
        """\
Control("A", "C")  by rule [2]
├─ the total of W is 0.55  [msum(W, <Z>)]
│  ├─ Z = "A": 0.3
│  │  ├─ Control("A", "A")  by rule [1]
│  │  │  └─ Own("A", "B", 0.6)  given as input
│  │  └─ Own("A", "C", 0.3)  given as input
│  └─ Z = "B": 0.25
│     ├─ Control("A", "B")  by rule [2]
│     │  ├─ the total of W is 0.6  [msum(W, <Z>)]
│     │  │  └─ Z = "A": 0.6
│     │  │     ├─ Control("A", "A")  see above
│     │  │     └─ Own("A", "B", 0.6)  given as input
│     │  └─ 0.6 is more than 0.5  [msum(W, <Z>) > 0.5]
│     └─ Own("B", "C", 0.25)  given as input
└─ 0.55 is more than 0.5  [msum(W, <Z>) > 0.5]"""
    )


def test_long_lines_are_folded_under_their_beginning():
    result = reason("E(X, Y) -> P(X, Y).", {"E": [("word " * 30, "b")]})
    lines = result.why("P(_, _)").as_text(width=60).splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert lines[-1].startswith("     ")


def test_a_condition_that_says_nothing_of_the_facts_is_not_shown():
    program = "[1] A(X), $own = true, X > 1 -> P(X). [2] A(X), count() >= 2 -> Q(1)."
    result = reason(program, {"A": [(1,), (2,)]}, options=ReasoningOptions(parameters={"own": True}))
    assert str(result.why("P(2)")) == (
        """\
P(2)  by rule [1]
├─ A(2)  given as input
└─ 2 is more than 1  [X > 1]"""
    )
    assert result.why("P(2)").as_sentences() == "P(2) holds, because A(2) and 2 is more than 1."
    assert "2 is at least 2  [count() >= 2]" in str(result.why("Q(1)"))


# -- sentences ---------------------------------------------------------------------------------------------------------


def test_sentences_come_from_the_models(control):
    assert control.as_sentences().splitlines()[0] == (
        "A controls C, because A controls A and A owns 0.3 of C, and A controls B and B owns 0.25 of C: "
        "together 0.55, which is more than 0.5."
    )


def test_without_models_facts_are_written_as_they_are():
    result = reason("[1] E(X, Y), X < Y, not N(Y) -> P(X, Y).", {"E": [(1, 2)], "N": [(9,)]})
    assert result.why("P(1, 2)").as_sentences() == (
        "P(1, 2) holds, because E(1, 2), nothing like N(2) was found and 1 is less than 2."
    )
    assert result.why("E(1, 2)").as_sentences() == "E(1, 2) holds: it is given."


def test_explanations_fill_their_gaps_with_variables_terms_and_parameters():
    program = """
    @param("k", 3).
    @explain("[1]", "[X] has [N] of at least [k], twice that is [N * 2]").
    [1] E(X, Y), N = mcount(<Y>), N >= $k -> Big(X).
    @explain("[S] is [length(S)] letters long")
    [2] L(S), length(S) > 2 -> Long(S).
    """
    result = reason(
        program, {"E": [("a", i) for i in range(4)], "L": [("word",)]}, options=ReasoningOptions(parameters={"k": 4})
    )
    assert result.why('Big("a")').as_sentences() == 'Big("a") holds: a has 4 of at least 4, twice that is 8.'
    assert result.why('Long("word")').as_sentences() == 'Long("word") holds: word is 4 letters long.'


# -- JSON --------------------------------------------------------------------------------------------------------------


def valid(value, schema, root):
    """Return whether a value is what a schema describes: as much of JSON Schema as the schema of proofs uses."""
    if "$ref" in schema:
        return valid(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "oneOf" in schema:
        return sum(valid(value, one, root) for one in schema["oneOf"]) == 1
    if "const" in schema:
        return value == schema["const"]
    types = schema.get("type")
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    name = "null" if value is None else names[type(value)]
    wanted = [types] if isinstance(types, str) else types
    if name not in wanted and not (name == "integer" and "number" in wanted):
        return False
    if name == "array":
        return all(valid(item, schema["items"], root) for item in value)
    if name == "object":
        told = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        return all(key in value for key in schema.get("required", ())) and all(
            valid(part, told[key], root) if key in told else isinstance(rest, dict) and valid(part, rest, root)
            for key, part in value.items()
        )
    return True


PROGRAMS = [
    (CONTROL, {"Own": OWN}, "Control(_, _)"),
    ("A(X) -> exists Z: C(X, Z). C(X, Z), K(X, V) -> Z = V.", {"A": [(1,)], "K": [(1, "k")]}, "C(1, _)"),
    (
        "A(X, V), not B(X), S = munion((X, V)) -> R(S, {1, 2}).",
        {"A": [("a", 1), ("b", None)], "B": [("c",)]},
        "R(_, _)",
    ),
    ('@versioned("V", key = ["K"]). S(K, X) -> V(K, X). V(K, X), X < 3 -> V(K, X + 1).', {"S": [(1, 1)]}, "V(1, _)"),
    (
        'D(date("2026-01-31"), timestamp("2026-01-31 12:00:00"), true). D(X, Y, B), Z = (X, 1) -> P(Z, Y, B).',
        {},
        "P(_, _, _)",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("program", "inputs", "question"), PROGRAMS)
def test_json_is_what_its_schema_says(program, inputs, question):
    proof = reason(program, inputs).why(question)
    told = json.loads(json.dumps(proof.as_json(), allow_nan=False))
    assert valid(told, SCHEMA, SCHEMA)
    assert told["facts"][told["goal"]]["text"] == str(proof.goal)
    assert not valid({**told, "goal": "x"}, SCHEMA, SCHEMA)
    told["facts"][0]["kind"] = "other"
    assert not valid(told, SCHEMA, SCHEMA)


def test_json_names_facts_by_number(control):
    told = control.as_json()
    by_number = {fact["id"]: fact for fact in told["facts"]}
    goal = by_number[told["goal"]]
    contributor = goal["premises"][0]["contributors"][1]
    assert contributor["names"] == {"Z": "B"}
    assert [by_number[p["id"]]["text"] for p in contributor["premises"]] == ['Control("A", "B")', 'Own("B", "C", 0.25)']
    assert goal["sentence"] == "A controls C"


# -- pictures ----------------------------------------------------------------------------------------------------------


def test_the_picture_is_well_formed_and_shows_every_fact(control):
    root = ET.fromstring(control.as_svg())
    assert root.tag == f"{SVG}svg"
    texts = ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
    for fact in control.steps:
        assert str(fact) in texts
    assert texts.count("rule [2]") == 2
    assert not list(root.iter(f"{SVG}script"))
    assert not re.findall(r"(?:href|url\()", control.as_svg())  # nothing is fetched


def test_boxes_of_the_picture_do_not_overlap(control):
    root = ET.fromstring(control.as_svg())
    boxes = [
        tuple(float(rect.get(name)) for name in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
        if rect.get("x") is not None
    ]
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_markup_in_values_stays_text():
    nasty = '<script>alert("x")</script> & \\N "quoted"\ufffe'
    proof = reason("E(X) -> P(X).", {"E": [(nasty,)]}).why("P(_)")
    root = ET.fromstring(proof.as_svg())
    assert not list(root.iter(f"{SVG}script"))
    dot = proof.as_dot()
    for line in dot.splitlines():
        assert len(re.sub(r"\\.", "", line).split('"')) % 2 == 1  # every quote is closed in its line


def test_graphviz_gets_every_edge_once(control):
    dot = control.as_dot()
    edges = re.findall(r"n\d+ -> n\d+;", dot)
    assert len(edges) == len(set(edges))
    assert dot.startswith("digraph proof {") and dot.endswith("}\n")


def test_layers_lead_downwards_and_lines_need_not_cross():
    edges = [(0, 1), (0, 2), (1, 3), (2, 4), (0, 5), (5, 6), (1, 6)]
    plan = placed([30.0] * 7, edges, 10.0)
    assert all(plan.layer[a] < plan.layer[b] for a, b in edges)
    for nodes in plan.layers:
        places = [plan.x[n] for n in nodes]
        assert places == sorted(places)
