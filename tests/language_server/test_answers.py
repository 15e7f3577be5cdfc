"""Answers about programs in every state of being typed, without the protocol in between."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import UsageError
from tacita.knowledge import programs as shipped
from tacita.knowledge.programs import ProgramText
from tacita.reasoning.editor.completions import completions
from tacita.reasoning.editor.document import Document
from tacita.reasoning.editor.grammar import grammar
from tacita.reasoning.editor.hovers import hover
from tacita.reasoning.editor.navigation import definitions, renameable, renaming_edits, symbols
from tacita.reasoning.editor.text_lines import CursorPlace, TextLines
from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.syntax.words import ANNOTATIONS, KEYWORDS

PROGRAM = """\
@input("Own", ["owner", "company", "share:number"]).
@use("company_control").  @bind_module("risk", "k_anonymity").
@explain("[X] owns a part of [Y]")
[1] Own(X, Y, W), W > $k, not (Own(Y, X, _), Y != X) -> exists Z: 'Résidence %'(X, Z), near(Z).
[2] near(X), #risk(X, R), N = msum(R, <X>), S = {"a", X}, length("x\\"y") > 1 -> false "no, never".
near(X), near(Y) -> X = Y.   % a comment with "quotes
"""


def document(text: str, folder: Path = Path()) -> Document:
    return Document(ProgramText(text, "p.vada", folder))


def all_answers(text: str, place: CursorPlace) -> None:
    found = document(text)
    hover(found, place)
    definitions(found, place)
    completions(found, place)
    symbols(found)
    if renameable(found, place):
        renaming_edits(found, place, "Fresh")
    assert all(fault.origin.line <= len(text.splitlines()) + 1 for fault in found.diagnosis.faults)


@pytest.mark.slow
def test_no_state_of_typing_is_too_early() -> None:
    """Every beginning of a program, with the cursor at its end."""
    for end in range(0, len(PROGRAM), 2):
        text = PROGRAM[:end]
        all_answers(text, TextLines(text)._place(end))


def test_no_place_is_wrong() -> None:
    """The cursor on every character, and far outside the text."""
    found = document(PROGRAM)
    for offset in range(len(PROGRAM) + 1):
        place = found.lines._place(offset)
        hover(found, place)
        definitions(found, place)
        completions(found, place)
    for place in (CursorPlace(1, 1000), CursorPlace(1000, 1), CursorPlace(0, 0)):
        assert hover(found, place) is None
        completions(found, place)
        assert definitions(found, place) == []


@given(st.text(alphabet=st.sampled_from(list("AXx(),.->[]{}\"'%@$#_ \n\t\\:=<*😀1\u2028")), max_size=40))
def test_no_text_is_too_strange(text: str) -> None:
    all_answers(text, TextLines(text)._place(len(text) // 2))


@given(
    st.text(alphabet=st.sampled_from(list("ab😀é\n\r\u2028\x0b")), max_size=30), st.sampled_from(["utf-8", "utf-16"])
)
def test_places_survive_the_way_to_the_editor_and_back(text: str, encoding: str) -> None:
    lines = TextLines(text, encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # inside a line end there is no place
        ours = lines._place(offset)
        assert lines.offset_of(*ours) == offset
        assert lines.offset(*lines.theirs(*ours)) == offset


def test_hovers() -> None:
    found = document(PROGRAM)

    def said(word: str, more: int = 0) -> str:
        offset = PROGRAM.index(word) + more
        answer = hover(found, found.lines._place(offset))
        assert answer is not None, word
        return answer.text

    assert "(owner, company, share: number)" in said("Own(X")
    assert "a parameter without a default" in said("$k")
    assert said("length(").startswith("**length**(text) gives integer: the number of characters")
    assert said("msum(").startswith("**msum**")
    assert "a module whose rules are included" in said("@use")
    assert "Which company controls which" in said("company_control")
    assert "derived by [1]" in said("'Résidence %'")
    assert said("Y, W)") == "**Y**: company of Own, owner of Own"


@pytest.mark.parametrize("name", shipped.names())
def test_shipped_programs_have_an_outline_and_no_faults(name: str) -> None:
    text, source = shipped.find(name) or ("", "")
    found = Document(ProgramText(text, source))
    assert found.diagnosis.is_sound, [fault.message for fault in found.diagnosis.faults]
    assert any(symbol.sort == "rule" for symbol in symbols(found))


def test_renaming_changes_the_sentence_too_and_only_this_rule() -> None:
    found = document(PROGRAM)
    place = found.lines._place(PROGRAM.index("Own(X, Y, W)") + 4)
    tokens = renaming_edits(found, place, "Owner")
    lines = PROGRAM.splitlines()
    assert {lines[t.line - 1][t.column - 1 : t.column] for t in tokens} == {"X"}
    assert {t.line for t in tokens} == {3, 4}
    assert len(tokens) == 5
    for wrong in ("owner", "", "a b", "X-1", "_"):
        with pytest.raises(UsageError, match="is no variable"):
            renaming_edits(found, place, wrong)
    with pytest.raises(UsageError, match="only variables"):
        renaming_edits(found, found.lines._place(PROGRAM.index("Own(X") + 1), "A")


@pytest.mark.slow
def test_a_large_program_is_answered(tmp_path: Path) -> None:
    text = 'P0("a").\n' + "".join(f"[r{i}] P{i}(X) -> P{i + 1}(X).\n" for i in range(2000))
    found = document(text)
    assert found.diagnosis.faults == ()
    assert len(symbols(found)) == 2001
    assert len(definitions(found, CursorPlace(1000, 8))) == 1


# -- colours -----------------------------------------------------------------------------------------------------------


def _scope(line: str, word: str) -> str:
    """Return the scope of the first pattern that matches where a word stands, as an editor would find it."""
    at = 0
    while at < len(line):
        best = None
        for pattern in grammar()["patterns"]:
            found = re.compile(pattern.get("match") or f"{pattern['begin']}.*?{pattern['end']}").search(line, at)
            if found and found[0] and (best is None or found.start() < best[0].start()):
                best = (found, pattern["name"])
        if best is None:
            return ""
        if best[0].start() <= line.index(word) < best[0].end():
            return best[1]
        at = best[0].end()
    return ""


@pytest.mark.parametrize(
    ("line", "word", "scope"),
    [
        ("Own(X, Y) -> B(X). % why", "why", "comment.line.percentage.vada"),
        ('A("x % y", X)', "%", "string.quoted.double.vada"),
        ("[6a] Own(X)", "6a", "entity.name.tag.label.vada"),
        ("Own(X)", "Own", "entity.name.function.vada"),
        ("Own(Xa)", "Xa", "variable.other.vada"),
        ("N = msum(W)", "msum", "support.function.aggregate.vada"),
        ("#risk(I)", "risk", "entity.name.function.external.vada"),
        ("X > $k", "k", "variable.parameter.vada"),
        ("not A(X)", "not", "keyword.operator.word.vada"),
        ("@output(1)", "output", "keyword.control.annotation.vada"),
        ("@outputt(1)", "outputt", "invalid.illegal.annotation.vada"),
        ("A(true)", "true", "constant.language.vada"),
        ("A(1.5e-3)", "1.5e-3", "constant.numeric.vada"),
    ],
)
def test_colours(line: str, word: str, scope: str) -> None:
    assert _scope(line, word) == scope


def test_the_grammar_knows_every_word() -> None:
    text = json.dumps(grammar())
    assert all(word in text for word in (*KEYWORDS, *FUNCTIONS, *AGGREGATES, *ANNOTATIONS))


@pytest.mark.slow
def test_without_pygls_the_rest_works_and_the_server_says_what_is_missing() -> None:
    script = (
        "import sys; sys.modules['pygls'] = None; sys.modules['lsprotocol'] = None\n"
        "from tacita.cli.main import run\n"
        "sys.exit(run(['rules', 'serve']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert "pip install 'tacita[editor]'" in done.stderr
