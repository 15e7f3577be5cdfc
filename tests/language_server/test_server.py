"""The language server as an editor meets it: the real command, the real protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """\
% Who controls whom.
@input("Own", ["owner", "company", "share"]).
@model("Own", ["owner", "company", "share"], "[owner] owns [share] of [company]").
@output("Control").
@param("half", 0.5).
[1] if Own(X, Y, W) and W > $half then Control(X, Y).
[2] if Control(X, Z) and Own(Z, Y, W) and msum(W, <Z>) > $half then Control(X, Y).
"""


def labels(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["label"]: item for item in answer["result"]["items"]}


def test_a_whole_conversation(editor) -> None:
    """One conversation, because a server takes a second to start: every question, then goodbye."""
    offered = editor.server["capabilities"]
    for provider in ("hover", "definition", "completion", "documentFormatting", "documentSymbol", "rename"):
        assert offered.get(f"{provider}Provider"), provider
    assert editor.open(PROGRAM) == []

    hover = editor.ask("textDocument/hover", editor.at(5, 8))["result"]
    assert hover["contents"]["value"].startswith("**Own**(owner, company, share)\n\n[owner] owns [share] of [company]")
    assert hover["range"] == {"start": {"line": 5, "character": 7}, "end": {"line": 5, "character": 10}}
    assert "= `0.5`" in editor.ask("textDocument/hover", editor.at(5, 31))["result"]["contents"]["value"]
    assert "the sum" in editor.ask("textDocument/hover", editor.at(6, 44))["result"]["contents"]["value"]
    assert "a result" in editor.ask("textDocument/hover", editor.at(3, 1))["result"]["contents"]["value"]
    assert "owner of Own" in editor.ask("textDocument/hover", editor.at(5, 11))["result"]["contents"]["value"]
    assert editor.ask("textDocument/hover", editor.at(0, 3))["result"] is None

    found = editor.ask("textDocument/definition", editor.at(6, 9))["result"]
    assert [place["range"]["start"] for place in found] == [{"line": 5, "character": 39}, {"line": 6, "character": 68}]
    found = editor.ask("textDocument/definition", editor.at(5, 8))["result"]
    assert [place["range"]["start"]["line"] for place in found] == [1]

    outline = editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": editor.uri("p.vada")}})["result"]
    assert [one["name"] for one in outline][-2:] == ["[1] Control", "[2] Control"]

    edit = editor.ask("textDocument/rename", editor.at(6, 15, newName="Z"))
    assert "the rule has a variable Z already" in edit["error"]["message"]
    edit = editor.ask("textDocument/rename", editor.at(6, 18, newName="Middle"))["result"]
    starts = [e["range"]["start"]["character"] for e in edit["changes"][editor.uri("p.vada")]]
    assert starts == [18, 29, 51]
    assert {e["newText"] for e in edit["changes"][editor.uri("p.vada")]} == {"Middle"}

    code, said = editor.close()
    assert (code, said) == (0, "")


def test_faults_while_typing(editor) -> None:
    (fault,) = editor.open('Own("a", "b", 0.6).\nown(X, Y, W), W > 0.5 -> Control(X, Y).\n')
    assert (fault["code"], fault["severity"], fault["source"]) == ("R201", 1, "tacita")
    assert fault["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 12}}
    assert "did you mean 'Own'?" in fault["message"]
    assert "what to do:" in fault["message"]
    for half in ("Ow", "Own(", "Own(X", "Own(X, Y", 'Own(X, "', "Own(X, Y, W) ->", "Own(X, Y, W) -> C(X).", ""):
        editor.change(half)
    assert editor.diagnostics() == []
    editor.change('Own("a", "b", 0.6).\nOwn(X, Y, W), W > 0.5, -> Control(X, Y).\n')
    assert [fault["range"]["start"]["line"] for fault in editor.diagnostics()] == [1]
    assert editor.ask("textDocument/hover", editor.at(1, 1))["result"]["contents"]["value"].startswith("**Own**")
    formatting = {"textDocument": {"uri": editor.uri("p.vada")}, "options": {"tabSize": 4, "insertSpaces": True}}
    assert editor.ask("textDocument/formatting", formatting)["result"] is None


def test_completion_and_layout(editor, tmp_path: Path) -> None:
    (tmp_path / "firms.dictionary.toml").write_text(
        'format = 1\n[microdata]\nname = "firms"\n[attributes.Sector]\ncategory = "quasi-identifier"\n'
        'description = "line of business"\nlabels = { "1" = "secret label" }\n'
    )
    (tmp_path / "links.vada").write_text('@model("Kin", ["one", "other"], "[one] knows [other]").\nKin("a", "b").\n')
    text = '@use("links").\nKin(X,Y)->Near(X , Y).\n\n'
    assert editor.open(text) == []
    found = labels(editor.ask("textDocument/completion", editor.at(2, 0)))
    assert found["Kin"]["insertText"] == "Kin(${1:One}, ${2:Other})"
    assert "[one] knows [other]" in found["Kin"]["detail"]
    assert {"Near", "Cat", "msum", "length", "exists"} <= set(found)

    editor.change(text + "@o\n$")
    assert "@output" in labels(editor.ask("textDocument/completion", editor.at(3, 2)))
    editor.change(text + '@use("')
    found = labels(editor.ask("textDocument/completion", editor.at(3, 6)))
    assert {"links", "company_control"} <= set(found)
    editor.change(text + 'Cat(M, "')
    answer = editor.ask("textDocument/completion", editor.at(3, 8))
    assert "quasi-identifier of firms: line of business" in labels(answer)["Sector"]["detail"]
    assert "Quasi-identifier" in labels(answer)
    assert "secret" not in str(answer)

    editor.change(text)
    place = editor.ask("textDocument/definition", editor.at(1, 1))["result"]
    assert [one["uri"] for one in place] == [editor.uri("links.vada")]
    place = editor.ask("textDocument/definition", editor.at(0, 8))["result"]
    assert [one["uri"] for one in place] == [editor.uri("links.vada")]
    formatting = {"textDocument": {"uri": editor.uri("p.vada")}, "options": {"tabSize": 4, "insertSpaces": True}}
    (edit,) = editor.ask("textDocument/formatting", formatting)["result"]
    assert edit["newText"] == '@use("links").\nKin(X, Y) -> Near(X, Y).\n'
    assert edit["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}}


def test_characters_are_counted_as_the_editor_counts_them(editor) -> None:
    (fault,) = editor.open('A("😀😀"). A(X), nope(X) -> B(X).\n')
    assert fault["range"]["start"] == {"line": 0, "character": 17}


def test_a_module_that_is_open_counts_as_it_stands_there(editor, tmp_path: Path) -> None:
    (tmp_path / "m.vada").write_text("Old(1).\n")
    assert [f["code"] for f in editor.open('@use("m").\nNew(X) -> B(X).\n')] == ["R201"]
    editor.open("New(1).\n", "m.vada")
    editor.change('@use("m").\nNew(X) -> C(X).\n')
    assert editor.diagnostics() == []
