"""Random sequences of tables, files and counts about a few people, for the judge and for brute force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from tests.oracles.joint import BruteForce, OracleStatement, Record

from tacita.joint.evidence import COUNT, JointEvidence, OutputLabel, Partition, PartitionColumn, Population, Statements

Values = dict[str, str]
Cell = list[dict[str, frozenset[str]]]
"""A union of products of codes by attribute."""


@dataclass
class Said:
    """A statement: what of, and what is known."""

    cell: Cell
    lower: float
    upper: float
    is_sensitive: bool = False
    needs_lower: float | None = None
    needs_upper: float | None = None
    needs_width: float = 0.0


@dataclass
class Output:
    """A release of one version: statements over attributes, or released values of each person."""

    version: int
    attributes: tuple[str, ...]
    said: list[Said] = field(default_factory=list)
    released: dict[int, tuple[str | None, ...]] | None = None
    """Of a file: the values of each person."""


@dataclass
class Scenario:
    """A population in versions, and what was released of it."""

    domain: dict[str, tuple[str, ...]]
    versions: list[dict[int, Values]]
    outputs: list[Output]
    coarse: dict[str, frozenset[str]]
    """What coarse values stand for."""

    def evidence(self, upto: int) -> tuple[list[JointEvidence], Population]:
        """Return the first outputs as the judge sees them."""
        persons = max(person for version in self.versions for person in version) + 1
        return [self._evidence(output, at) for at, output in enumerate(self.outputs[:upto])], Population.of(persons)

    def _evidence(self, output: Output, at: int) -> JointEvidence:
        people = self.versions[output.version]
        units = np.array(sorted(people), np.int64)
        if output.released is None:
            columns = tuple(
                PartitionColumn(
                    name,
                    self.domain[name],
                    np.array([self.domain[name].index(people[unit][name]) for unit in units.tolist()], np.int32),
                )
                for name in output.attributes
            )
            part = Partition(f"t{at}", units, columns, (self._statements(output),))
        else:
            part = file_partition(output.attributes, output.released, self.coarse)
        return JointEvidence(OutputLabel(at + 1), (part,))

    def _statements(self, output: Output) -> Statements:
        masks: list[list[list[bool]]] = [[] for _ in output.attributes]
        choices, of = [], []
        for number, said in enumerate(output.said):
            for term in said.cell:
                row = []
                for at, name in enumerate(output.attributes):
                    mask = [code in term.get(name, frozenset(self.domain[name])) for code in self.domain[name]]
                    if mask not in masks[at]:
                        masks[at].append(mask)
                    row.append(masks[at].index(mask))
                choices.append(row)
                of.append(number)
        return Statements(
            COUNT,
            np.array(choices, np.int32).reshape(len(choices), len(output.attributes)),
            np.array(of, np.int64),
            tuple(np.array(mask, np.bool_) for mask in masks),
            np.array([said.lower for said in output.said]),
            np.array([said.upper for said in output.said]),
            np.array([said.is_sensitive for said in output.said], np.bool_),
            np.array([np.nan if said.needs_lower is None else said.needs_lower for said in output.said]),
            np.array([np.nan if said.needs_upper is None else said.needs_upper for said in output.said]),
            np.array([said.needs_width for said in output.said]),
            output.attributes,
            tuple(tuple(str(at) for at in range(len(mask))) for mask in masks),
        )

    def brute_force(self, upto: int) -> BruteForce:
        """Return the same outputs for brute force."""
        statements = []
        for at, output in enumerate(self.outputs[:upto]):
            if output.released is None:
                statements += [
                    OracleStatement(
                        at,
                        lambda record, said=said, version=output.version: _is_in(record, version, said.cell),
                        said.lower,
                        said.upper,
                        said.is_sensitive,
                        said.needs_lower,
                        said.needs_upper,
                        said.needs_width,
                    )
                    for said in output.said
                ]
                continue
            combinations = frozenset(output.released.values())
            statements.append(
                OracleStatement(
                    at,
                    lambda record, at=at, combinations=combinations: (
                        record.get(f"f{at}") is not None and record[f"f{at}"] not in combinations
                    ),
                    0,
                    0,
                )
            )
            for labels in dict.fromkeys(output.released.values()):
                number = sum(some == labels for some in output.released.values())
                statements.append(
                    OracleStatement(
                        at, lambda record, at=at, labels=labels: record.get(f"f{at}") == labels, number, number
                    )
                )
        return BruteForce(list(self._possible(upto)), [self._record(p, upto) for p in self._people()], statements)

    def _people(self) -> list[int]:
        return sorted({person for version in self.versions for person in version})

    def _record(self, person: int, upto: int) -> Record:
        record: dict[str, Any] = {f"v{at}": version.get(person) for at, version in enumerate(self.versions)}
        for at, output in enumerate(self.outputs[:upto]):
            if output.released is not None:
                record[f"f{at}"] = output.released.get(person)
        return record

    def _possible(self, upto: int) -> Iterator[Record]:
        """Yield every record that an intruder holds possible."""
        files = [(at, output) for at, output in enumerate(self.outputs[:upto]) if output.released is not None]
        patterns = {tuple(person in version for version in self.versions) for person in self._people()}
        histories = {pattern: [self._histories(name, pattern) for name in self.domain] for pattern in patterns}
        for pattern in sorted(patterns):
            for chosen in product(*histories[pattern]):
                record: dict[str, Any] = {}
                for at, is_there in enumerate(pattern):
                    values = {name: history[at] for name, history in zip(self.domain, chosen, strict=True)}
                    record[f"v{at}"] = values if is_there else None
                options = [
                    [
                        labels
                        for labels in product(*map(dict.fromkeys, zip(*output.released.values(), strict=True)))
                        if self._fits(labels, output, record[f"v{output.version}"])
                    ]
                    if record[f"v{output.version}"] is not None
                    else [None]
                    for _, output in files
                ]
                for labels in product(*options):
                    yield record | {f"f{at}": one for (at, _), one in zip(files, labels, strict=True)}

    def _histories(self, name: str, pattern: tuple[bool, ...]) -> list[tuple[str | None, ...]]:
        """Return the values that an attribute may have in all versions: the same, or a change that occurs."""
        histories = dict.fromkeys(
            tuple(value if is_there else None for is_there in pattern) for value in self.domain[name]
        )
        for person in self._people():
            if tuple(person in version for version in self.versions) == pattern:
                row = tuple(version[person][name] if person in version else None for version in self.versions)
                histories[row] = None
        return list(histories)

    def _fits(self, labels: tuple[str | None, ...], output: Output, values: Values) -> bool:
        return all(
            label is None or values[name] in self.coarse.get(label, frozenset((label,)))
            for name, label in zip(output.attributes, labels, strict=True)
        )


def file_partition(
    attributes: tuple[str, ...], released: dict[int, tuple[str | None, ...]], coarse: dict[str, frozenset[str]]
) -> Partition:
    """Return a released file as the judge sees it."""
    units = np.array(sorted(released), np.int64)
    labels = [tuple(dict.fromkeys(released[unit][at] for unit in units.tolist())) for at in range(len(attributes))]
    columns = tuple(
        PartitionColumn(
            name,
            labels[at],
            np.array([labels[at].index(released[unit][at]) for unit in units.tolist()], np.int32),
            {label: coarse[label] for label in labels[at] if label in coarse},
        )
        for at, name in enumerate(attributes)
    )
    combinations = list(dict.fromkeys(released[unit] for unit in units.tolist()))
    number = np.array([sum(some == one for some in released.values()) for one in combinations], np.float64)
    none = np.zeros(len(combinations))
    statements = Statements(
        COUNT,
        np.array([[labels[at].index(label) for at, label in enumerate(one)] for one in combinations], np.int32).reshape(
            len(combinations), len(attributes)
        ),
        np.arange(len(combinations)),
        (None,) * len(labels),
        number,
        number,
        none.astype(np.bool_),
        none + np.nan,
        none + np.nan,
        none,
        attributes,
        tuple(tuple(map(str, some)) for some in labels),
    )
    return Partition("", units, columns, (statements,), is_file=True)


def _is_in(record: Record, version: int, cell: Cell) -> bool:
    values = record[f"v{version}"]
    return values is not None and any(all(values[name] in codes for name, codes in term.items()) for term in cell)


def random_scenario(draw: np.random.Generator) -> Scenario:
    """Return a few people, perhaps in two versions, and two to four outputs about them."""
    domain = {"a": ("a0", "a1", "a2")[: draw.integers(2, 4)], "b": ("b0", "b1", "b2")[: draw.integers(2, 4)]}
    if draw.random() < 0.3:
        domain["c"] = ("c0", "c1")
    persons = int(draw.integers(3, 8))
    first = {at: {name: str(draw.choice(codes)) for name, codes in domain.items()} for at in range(persons)}
    versions = [first]
    if draw.random() < 0.4:
        versions.append(_changed(draw, first, domain, persons))
    coarse = {"a1+a2": frozenset(("a1", "a2")), "b0+b1": frozenset(("b0", "b1"))}
    scenario = Scenario(domain, versions, [], coarse)
    for _ in range(int(draw.integers(2, 5))):
        version = int(draw.integers(0, len(versions)))
        names = sorted(
            draw.choice(list(domain), int(draw.integers(1, min(3, len(domain) + 1))), replace=False).tolist()
        )
        kind = draw.choice(["table", "table", "rounded", "file", "count"])
        people = versions[version]
        if not people:
            continue
        if kind == "file":
            scenario.outputs.append(_file(draw, scenario, version, tuple(names)))
        elif kind == "count":
            scenario.outputs.append(_count(draw, scenario, version, tuple(names)))
        else:
            scenario.outputs.append(_table(draw, scenario, version, tuple(names), kind == "rounded"))
    return scenario


def _changed(
    draw: np.random.Generator, first: dict[int, Values], domain: dict[str, tuple[str, ...]], persons: int
) -> dict[int, Values]:
    later = {at: dict(values) for at, values in first.items() if draw.random() < 0.85}
    for values in later.values():
        if draw.random() < 0.1:
            name = str(draw.choice(list(domain)))
            values[name] = str(draw.choice(domain[name]))
    for at in range(persons, persons + int(draw.integers(0, 3))):
        later[at] = {name: str(draw.choice(codes)) for name, codes in domain.items()}
    return later


def _table(
    draw: np.random.Generator, scenario: Scenario, version: int, names: tuple[str, ...], is_rounded: bool
) -> Output:
    people, output = scenario.versions[version], Output(version, names)
    options = [[frozenset((code,)) for code in scenario.domain[name]] + [None] for name in names]
    for choice in product(*options):
        term = {name: codes for name, codes in zip(names, choice, strict=True) if codes is not None}
        value = sum(all(values[name] in codes for name, codes in term.items()) for values in people.values())
        is_total = not term
        if is_rounded:
            base = 3
            low = base * round(value / base)
            said = Said([term], max(0, low - 1), low + 1, value in (1, 2), needs_width=1.0)
        elif 0 < value < 3 and not is_total and draw.random() < 0.8:
            said = Said([term], 0, np.inf, True, needs_width=1.0)
            if draw.random() < 0.5:
                said = Said([term], 0, np.inf, True, max(value - 1.0, 0.0), value + 1.0)
        elif draw.random() < 0.35 and not is_total:
            said = Said([term], 0, np.inf)
        else:
            said = Said([term], value, value)
        output.said.append(said)
    return output


def _count(draw: np.random.Generator, scenario: Scenario, version: int, names: tuple[str, ...]) -> Output:
    cell = [
        {
            name: frozenset(
                draw.choice(scenario.domain[name], int(draw.integers(1, len(scenario.domain[name]) + 1)), replace=False)
                .astype(str)
                .tolist()
            )
            for name in names
        }
        for _ in range(int(draw.integers(1, 3)))
    ]
    record = [{f"v{version}": values} for values in scenario.versions[version].values()]
    value = sum(_is_in(one, version, cell) for one in record)
    return Output(version, names, [Said(cell, value, value)])


def _file(draw: np.random.Generator, scenario: Scenario, version: int, names: tuple[str, ...]) -> Output:
    is_coarse = {name: draw.random() < 0.3 for name in names}
    released = {}
    for person, values in scenario.versions[version].items():
        row: list[str | None] = []
        for name in names:
            label: str | None = values[name]
            if is_coarse[name]:
                label = next((one for one, codes in scenario.coarse.items() if label in codes), label)
            if draw.random() < 0.25:
                label = None
            row.append(label)
        released[person] = tuple(row)
    return Output(version, names, released=released)
