"""Record layouts of tau-Argus (.rda): where the variables stand in a file, and what each of them is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tacita.errors import InputError, faults_text
from tacita.model.hierarchy.text_file import read_text
from tacita.tables.argus import ENCODING

_TOKEN = re.compile(r'"([^"]*)"|(<[^>]*>)|([^\s",]+)')
_ROLES = {
    "<RECODEABLE>": "recodeable",
    "<RECODABLE>": "recodeable",
    "<NUMERIC>": "numeric",
    "<WEIGHT>": "weight",
    "<HOLDING>": "holding",
    "<REQUEST>": "request",
    "<FREQUENCY>": "frequency",
    "<STATUS>": "status",
    "<MAXSCORE>": "largest",
    "<TOPN>": "largest",
    "<SHADOW>": "shadow",
    "<COST>": "cost",
    "<COSTVAR>": "cost",
    "<LOWERPL>": "lower level",
    "<UPPERPL>": "upper level",
    "<RECORDKEY>": "record key",
}


@dataclass(frozen=True, slots=True)
class ArgusVariable:
    """One variable: its place, the codes that mean missing, and its role."""

    name: str
    start: int | None = None
    """First column, from 1; None in a file with separators."""
    length: int | None = None
    missing: tuple[str, ...] = ()
    roles: frozenset[str] = frozenset()
    decimals: int = 0
    hierarchy: str = ""
    lead: str = "@"
    levels: tuple[int, ...] = ()
    """How many characters of the code each level adds."""
    code_list: str = ""
    total: str = "Total"
    request_codes: tuple[str, ...] = ()
    distance: tuple[int, ...] = ()

    @property
    def prefixes(self) -> tuple[int, ...]:
        """The lengths of the codes above a leaf.

        >>> ArgusVariable("nace", levels=(3, 1, 1, 0, 0)).prefixes
        (3, 4)
        """
        reached, lengths = 0, []
        for step in self.levels:
            reached += step
            if step:
                lengths.append(reached)
        return tuple(lengths[:-1])


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """All variables of a file; `separator` is None for fixed columns."""

    variables: tuple[ArgusVariable, ...]
    separator: str | None = None
    statuses: dict[str, str] = field(default_factory=dict)
    """How a file of cells spells ``safe``, ``unsafe`` and ``protect``."""
    notes: tuple[str, ...] = ()
    """What was read and is not used."""

    def of_role(self, role: str) -> tuple[ArgusVariable, ...]:
        """Return the variables with a role."""
        return tuple(variable for variable in self.variables if role in variable.roles)

    def name_of(self, role: str) -> str | None:
        """Return the name of the first variable with a role, if there is one."""
        return next((variable.name for variable in self.of_role(role)), None)


def read_record_layout(path: Path) -> RecordLayout:
    """Return the record layout of a file."""
    text = read_text(path, InputError, "a record layout of tau-Argus (.rda)", otherwise=ENCODING)
    return parse_record_layout(text, where=str(path))


def parse_record_layout(text: str, where: str = "the record layout") -> RecordLayout:
    r"""Return the record layout of a text; all faults at once.

    >>> layout = parse_record_layout('Size 9 2 99\n <RECODEABLE>\nVar2 28 10 9999999999\n <NUMERIC>\n <DECIMALS> 2')
    >>> layout.variables[0].start, layout.variables[1].decimals, layout.name_of("numeric")
    (9, 2, 'Var2')
    """
    variables: list[ArgusVariable] = []
    statuses: dict[str, str] = {}
    separator: str | None = None
    faults: list[str] = []
    notes: list[str] = []
    for number, tokens in _lines(text):
        word = tokens[0].upper()
        if word == "<SEPARATOR>" and len(tokens) > 1:
            separator = tokens[1]
        elif word in {"<SAFE>", "<UNSAFE>", "<PROTECT>"} and len(tokens) > 1:
            statuses[word.strip("<>").lower()] = tokens[1]
        elif not word.startswith("<"):
            try:
                variables.append(_variable(tokens, separator is not None))
            except ValueError as fault:
                faults.append(f"line {number}: {fault}")
        elif not variables:
            notes.append(f"{tokens[0]} before the first variable is not used (line {number})")
        else:
            try:
                changed = _with(variables[-1], [word, *tokens[1:]])
            except ValueError:
                faults.append(f"line {number}: {tokens[0]} needs whole numbers")
                continue
            if changed is None:
                notes.append(f"{tokens[0]} of variable '{variables[-1].name}' is not used (line {number})")
            else:
                variables[-1] = changed
    names = [variable.name for variable in variables]
    faults += [f"variable '{name}' stands there twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    if not variables:
        faults.append("there is no variable")
    if faults:
        raise InputError(faults_text(faults), where=where, do="correct the record layout")
    return RecordLayout(tuple(variables), separator, statuses, tuple(notes))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        tokens = [quoted or tag or word for quoted, tag, word in _TOKEN.findall(line)]
        if tokens:
            yield number, tokens


def _variable(tokens: list[str], free: bool) -> ArgusVariable:
    name, *rest = tokens
    if free:
        # Only the length may stand there, and after it the codes for missing.
        length = int(rest[0]) if rest and rest[0].isdigit() and len(rest) > 1 else None
        return ArgusVariable(name, None, length, tuple(rest[1:] if length is not None else rest))
    if len(rest) < 2 or not rest[0].isdigit() or not rest[1].isdigit() or int(rest[0]) < 1 or int(rest[1]) < 1:
        raise ValueError(f"variable '{name}' has no first column and length (or <SEPARATOR> is missing)")
    return ArgusVariable(name, int(rest[0]), int(rest[1]), tuple(rest[2:]))


def _with(variable: ArgusVariable, tokens: list[str]) -> ArgusVariable | None:
    """Return the variable with what a line says of it, None if the line says nothing that is known."""
    word, *rest = tokens
    if word in _ROLES:
        roles = {_ROLES[token.upper()] for token in tokens if token.upper() in _ROLES}
        codes = tuple(token for token in rest if not token.startswith("<")) if "request" in roles else ()
        return replace(variable, roles=variable.roles | roles, request_codes=codes or variable.request_codes)
    if word == "<HIERARCHICAL>":
        return variable
    if not rest:
        return None
    match word:
        case "<DECIMALS>":
            return replace(variable, decimals=int(rest[0]))
        case "<HIERCODELIST>":
            return replace(variable, hierarchy=rest[0])
        case "<HIERLEADSTRING>":
            return replace(variable, lead=rest[0])
        case "<HIERLEVELS>":
            return replace(variable, levels=tuple(int(token) for token in rest))
        case "<CODELIST>":
            return replace(variable, code_list=rest[0])
        case "<TOTCODE>":
            return replace(variable, total=rest[0])
        case "<DISTANCE>":
            return replace(variable, distance=tuple(int(token) for token in rest))
    return None
