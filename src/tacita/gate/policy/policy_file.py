"""The policy of a gate as a TOML file, read with every fault in one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.errors import InputError, did_you_mean
from tacita.gate.policy.columns import Columns, columns_of_file
from tacita.gate.policy.dependency_table import read_dependency
from tacita.gate.policy.policy import RETRY, GatePolicy, HoldVisibility, ObserverModel, ObserverReach, ValueDependency
from tacita.model.hierarchy.text_file import read_text
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of

_TOP = ("name", "source", "key", "attributes", "recipients", "retry", "observer", "dependency")
_OBSERVER = ("gathers", "holds", "sizes")
_SIZES = ("unknown", "known")
_DO = "correct the policy; docs/reference/gate-policy.md lists every key"


def read_policy(path: str | PathLike[str], columns: Columns = columns_of_file) -> GatePolicy:
    """Return the policy of a TOML file; `columns` reads the data files that it names."""
    path = Path(path)
    text = read_text(path, InputError, "the policy of a gate, a TOML file")
    return parse_policy(text, where=str(path), folder=path.parent, columns=columns)


def parse_policy(
    text: str, *, where: str = "the policy", folder: Path = Path(), columns: Columns = columns_of_file
) -> GatePolicy:
    """Return the policy of a text; files that it names are in `folder`.

    >>> policy = parse_policy('''
    ... name = "soldiers"
    ... key = "id"
    ... attributes = ["id", "rank", "location"]
    ... [observer]
    ... gathers = "all"
    ... holds = "silent"
    ... sizes = "unknown"
    ... [[dependency]]
    ... target = "location"
    ... targets = ["L1", "L2", "L3"]
    ... x = "rank"
    ... baseline = {private = 8, officer = 2}
    ... rule = "crowd"
    ... start = {records = 10}
    ... ''')
    >>> policy.dependencies[0].name, policy.dependencies[0].values.shares
    ('rank ~> location', (0.8, 0.2))
    """
    faults = Faults()
    top = Checked.of(tables_of(text, where=where), (), faults, folder, _TOP)
    name = top.text("name", None)
    if name is None and "name" not in top.table:
        top.fault("name", "a gate needs a 'name', under which the ledger knows it")
    attributes, key = top.texts("attributes"), top.texts("key", single=True)
    if not attributes and "attributes" not in top.table:
        top.fault("attributes", "say which 'attributes' are released; all others stay inside")
    if not key and "key" not in top.table:
        top.fault("key", "say by which 'key' a record is known: it is counted once, however often it is asked for")
    observer = _observer(top)
    retry = top.number("retry", RETRY, least=0.05)
    dependencies = _dependencies(top, attributes, columns, knows_sizes=observer.knows_sizes)
    source, recipients = top.text("source", ""), top.texts("recipients", single=True)
    if top.table.get("recipients") == []:
        top.fault("recipients", "'recipients' names nobody: without the key, whoever the ledger knows may receive")
    faults.raise_any(text, where=where, do=_DO)
    return GatePolicy(
        name or "",
        key,
        attributes,
        observer,
        dependencies,
        source,
        recipients,
        retry,
        text,
    )


def _observer(top: Checked) -> ObserverModel:
    table = top.below("observer", _OBSERVER)
    asked_for = {
        "gathers": (
            [member.value for member in ObserverReach],
            "what can an observer put together: 'all' that is released, or what one 'recipient' gets",
        ),
        "holds": (
            [member.value for member in HoldVisibility],
            "does nobody but trusted people learn that a record was held ('silent'), or may observers ('visible')",
        ),
        "sizes": (_SIZES, "are the numbers of records of the targets 'unknown' to observers, or 'known'"),
    }
    answers: dict[str, Any] = {}
    for key, (choices, question) in asked_for.items():
        answers[key] = table.text(key, None, among=choices)
        if key not in table.table:
            table.fault(key, f"[observer] does not say '{key}': {question}?")
    return ObserverModel(
        ObserverReach(answers["gathers"] or ObserverReach.ALL),
        HoldVisibility(answers["holds"] or HoldVisibility.SILENT),
        answers["sizes"] == "known",
    )


def _dependencies(
    top: Checked, attributes: Sequence[str], columns: Columns, *, knows_sizes: bool
) -> tuple[ValueDependency, ...]:
    dependencies: list[ValueDependency] = []
    for number, given in top.tables("dependency"):
        keys = ("dependency", str(number))
        for name in _attributes_of(given):
            if attributes and name not in attributes:
                near = did_you_mean(name, attributes)
                top.faults.add(keys, f"'{name}' is not released: name it in 'attributes', or drop the dependency{near}")
        one = read_dependency(given, keys, top, columns, knows_sizes=knows_sizes)
        if one is None:
            continue
        if one.name in [other.name for other in dependencies]:
            top.faults.add(keys, f"two dependencies are called '{one.name}': give one of them a 'name'")
        dependencies.append(one)
    if not dependencies and not top.faults.notes:
        top.fault("dependency", "the policy has no [[dependency]]: say which values tell something of which targets")
    return tuple(dependencies)


def _attributes_of(dependency: Mapping[str, Any]) -> list[str]:
    """Return the attributes that a dependency names, whatever else is wrong with it."""
    x = dependency.get("x")
    named = [dependency.get("target"), *(x if isinstance(x, list) else [x])]
    return list(dict.fromkeys(map(str, filter(None, named))))
