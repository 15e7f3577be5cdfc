"""What a pass makes remembers where it comes from, so that no fault is without a place."""

from __future__ import annotations

from tacita.rules.logic.terms import walk
from tacita.rules.passes.modules import link
from tacita.rules.passes.parameters import term_of
from tacita.rules.passes.specialise import Known, specialised
from tacita.rules.syntax import parse


def test_the_value_of_a_parameter_stands_where_the_parameter_stood() -> None:
    program = parse("A(X), X in $k -> B(X, $k).").program
    rule = link(program, parameters={"k": term_of(["a"])}).program.rules[0]
    (atom,) = rule.head
    assert atom.arguments[1].origin == program.rules[0].head[0].arguments[1].origin  # type: ignore[union-attr]
    assert rule.body[1].collection.origin.column == 12  # type: ignore[union-attr]


def test_rules_about_the_data_say_in_words_what_they_are_about() -> None:
    program = parse("Val(M, I, A, V), Tuple(M, I, R), riskInput(I) -> P(I, A, V, R).").program
    known = Known(("Age", "Area"), ("Age",), frozenset(), lambda *_: [])
    added = specialised(program, known).rules[1:]
    words = {str(node.origin) for rule in added for item in (*rule.body, *rule.head) for node in walk(item)}
    assert words == {
        'the data, read as Val(M, I, "Age", V)',
        'the data, read as Val(M, I, "Area", V)',
        "the data, read as Tuple(M, I, VSet)",
        "the tuples of the data, read as riskInput(I)",
    }
    assert {str(rule.origin) for rule in added} == words
