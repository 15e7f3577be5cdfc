"""Reads a case from its folder: a program, its inputs, what must follow. See README.md beside this file."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.oracles.rules import Null, Result, interpret, record
from tests.rules.generated import _value

from tacita.generators.samples import SAMPLES
from tacita.knowledge import programs
from tacita.model.attribute import Kind
from tacita.rules.passes.modules import link
from tacita.rules.passes.parameters import term_of
from tacita.rules.reasoner import Reasoned, ReasoningOptions, reason
from tacita.rules.reasoner.similar import JaroWinkler
from tacita.rules.syntax import parse

CASES = Path(__file__).with_name("cases")
Row = tuple[Any, ...]
Facts = dict[str, list[Row]]
_INTEGER, _NUMBER, _NULL = re.compile(r"-?(0|[1-9]\d*)"), re.compile(r"-?\d*\.\d+"), re.compile(r"_:(\d+)")


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What ``case.toml`` says."""
        return tomllib.loads((self.folder / "case.toml").read_text(encoding="utf-8"))

    @property
    def program(self) -> tuple[str, str]:
        """The text of the program and its source: ``program.vada``, else the shipped one of the folder above."""
        own = self.folder / "program.vada"
        if own.exists():
            return own.read_text(encoding="utf-8"), "program.vada"
        found = programs.find(self.folder.parent.name)
        assert found is not None
        return found

    @property
    def parameters(self) -> dict[str, Any]:
        """What the caller gives as parameters."""
        return dict(self.settings.get("parameters", {}))

    @property
    def inputs(self) -> Facts:
        """The facts of the printed data set that the case names, and of the files in ``input``."""
        facts: Facts = {}
        if "sample" in self.settings:
            facts |= sample_facts(self.settings["sample"])
        for file in sorted(self.folder.glob("input/*.csv")):
            facts.setdefault(file.stem, []).extend(rows(file))
        return facts

    @property
    def expected(self) -> Facts:
        """What must follow, by predicate: all of it, and nothing else of these predicates."""
        return {file.stem: rows(file) for file in sorted(self.folder.glob("expected/*.csv"))}

    def reasoned(self) -> Reasoned:
        """What the reasoner makes of it."""
        text, source = self.program
        return reason(
            text, self.inputs, options=ReasoningOptions(parameters=self.parameters, find=programs.find, source=source)
        )

    def interpreted(self) -> Result:
        """What the oracle makes of it."""
        text, source = self.program
        linked = link(parse(text, source).program, programs.find, {n: term_of(v) for n, v in self.parameters.items()})
        assert not linked.faults
        return interpret(linked.program, self.inputs, parameters=self.parameters, similarity=alike)


def all_cases() -> list[Case]:
    """Return all cases, in the order of their names."""
    return [Case(file.parent) for file in sorted(CASES.glob("*/*/case.toml"))]


def as_values(facts: Iterable[Row]) -> set[Row]:
    """Return facts of the reasoner as values of the oracle."""
    return {tuple(_value(part) for part in row) for row in facts}


def alike(a: str, b: str) -> bool:
    """Return whether two texts are alike as the reasoner sees it by default."""
    return bool(list(JaroWinkler(0.9).pairs([a], [b])))


def sample_facts(name: str) -> Facts:
    """Return a printed data set as facts; its records are numbered from 1 as the print does."""
    sample = SAMPLES[name]
    facts: Facts = {"Val": [], "Cat": []}
    for attribute in sample.attributes:
        assert attribute.category is not None
        facts["Cat"].append((name, attribute.name, attribute.category.value.capitalize()))
    for number, row in enumerate(sample.rows, 1):
        for attribute, value in zip(sample.attributes, row, strict=True):
            held = int(value) if attribute.kind is Kind.CONTINUOUS else value
            facts["Val"].append((name, number, attribute.name, held))
    return facts


def rows(file: Path) -> list[Row]:
    """Return the facts of a file; columns whose name begins with a star make up a record."""
    with file.open(encoding="utf-8", newline="") as lines:
        names, *below = csv.reader(lines)
    starred = [place for place, name in enumerate(names) if name.startswith("*")]
    found: list[Row] = []
    for line in below:
        assert len(line) == len(names), f"{file}: {line}"
        plain = tuple(_cell(cell) for place, cell in enumerate(line) if place not in starred)
        attributes = {names[place][1:]: _cell(line[place]) for place in starred if line[place]}
        found.append((*plain, record(attributes)) if starred else plain)
    return found


def _cell(text: str) -> Any:
    if not text:
        return None
    if null := _NULL.fullmatch(text):
        return Null(int(null[1]))
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
