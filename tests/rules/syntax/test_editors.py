"""The grammar for editors knows every word of the language."""

from __future__ import annotations

import json
import plistlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.syntax.words import ANNOTATIONS, COMPARISONS, KEYWORDS

EDITORS = Path(__file__).parents[3] / "editors"
GRAMMAR = json.loads((EDITORS / "vada.tmLanguage.json").read_text(encoding="utf-8"))


def patterns(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every pattern of the grammar, in the order in which an editor tries those of a list."""
    if isinstance(part, dict):
        if "match" in part or "begin" in part:
            yield part
        for inner in part.values():
            yield from patterns(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from patterns(inner)


def scope(text: str) -> str:
    """Return the scope that an editor gives to the beginning of a piece of code."""
    found = []
    for include in GRAMMAR["repository"]["code"]["patterns"]:
        found += list(patterns(GRAMMAR["repository"][include["include"][1:]]))
    matches = [(p, re.match(p.get("match", p.get("begin")), text)) for p in found if "escape" not in p["name"]]
    return next(str(p["name"]) for p, match in matches if match)


def test_all_expressions_compile() -> None:
    expressions = [p[key] for p in patterns(GRAMMAR) for key in ("match", "begin", "end") if key in p]
    assert len(expressions) > 20
    for expression in expressions:
        re.compile(expression)


def test_every_included_part_is_there() -> None:
    included = re.findall(r'"include": "#(\w+)"', json.dumps(GRAMMAR))
    assert set(included) <= GRAMMAR["repository"].keys()
    assert GRAMMAR["scopeName"] == "source.vada"
    assert plistlib.dumps(GRAMMAR)


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_keywords(word: str) -> None:
    assert scope(f"{word} X").startswith(("keyword.", "constant.language."))


@pytest.mark.parametrize("name", sorted(AGGREGATES))
def test_aggregates(name: str) -> None:
    assert scope(f"{name}(X)") == "support.function.aggregate.vada"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions(name: str) -> None:
    assert scope(f"{name} (X)") == "support.function.vada"


@pytest.mark.parametrize("name", sorted(ANNOTATIONS))
def test_annotations(name: str) -> None:
    known, other = GRAMMAR["repository"]["annotation"]["patterns"]
    assert re.fullmatch(known["match"], f"@{name}")
    assert not re.fullmatch(known["match"], f"@{name}x")
    assert re.fullmatch(other["match"], f"@{name}x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Own(X)", "entity.name.function.predicate.vada"),
        ("sums(X)", "entity.name.function.predicate.vada"),
        ("'a b'(X)", "entity.name.function.predicate.quoted.vada"),
        ("#risk(X)", "support.function.external.vada"),
        ("$k", "variable.parameter.vada"),
        ("VSet'", "variable.other.vada"),
        ("_", "variable.language.blank.vada"),
        ("1.5e-3", "constant.numeric.vada"),
        ('"a"', "string.quoted.double.vada"),
        ("% why", "comment.line.percentage.vada"),
        ("-> B(X)", "keyword.operator.arrow.vada"),
        ("<- B(X)", "keyword.operator.arrow.vada"),
        ("order = 1", "variable.other.key.vada"),
        *((sign, "keyword.operator.vada") for sign in (*COMPARISONS, "~", "+", "-", "*", "/", ":=")),
    ],
)
def test_scopes(text: str, expected: str) -> None:
    assert scope(text) == expected


def test_the_extension_starts_the_server() -> None:
    package = json.loads((EDITORS / "vscode" / "package.json").read_text(encoding="utf-8"))
    assert package["contributes"]["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
    assert json.loads((EDITORS / "vscode" / "language-configuration.json").read_text(encoding="utf-8"))
    program = (EDITORS / "vscode" / package["main"]).read_text(encoding="utf-8")
    assert '"rules", "serve"' in program
