"""One dependency of a policy file: target, values with their baseline, start and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacita.errors import TacitaError, counted, listed
from tacita.gate.picture.evidence import concentration_at
from tacita.gate.picture.measures import ExposureTable
from tacita.gate.policy.baseline_table import POPULATION, values_of
from tacita.gate.policy.cells import folded
from tacita.gate.policy.columns import Columns
from tacita.gate.policy.policy import GateRuleName, RuleParameters, ValueDependency
from tacita.gate.policy.values import ValueScheme
from tacita.gate.rules.start import StartOptions
from tacita.toml.checked import Checked

KNOWN = (
    *("name", "target", "targets", "sizes", "slack", "x", "bins", "labels", "show", "missing", "baseline", "count"),
    *("population", "merge_below", "merge_records", "zeros", "pseudo_count", "unlisted", "rule", "start"),
    *("crowd", "martingale", "variation"),
)
_START = ("records", "accuracy", "fit", "begin")
_PARAMETERS = {
    GateRuleName.CROWD: ("others", "comparable", "evidence"),
    GateRuleName.MARTINGALE: ("alarm", "share_alarm", "concentration", "distance"),
    GateRuleName.VARIATION: ("limit", "ordinary", "concentration", "distance"),
}
LEAST_TARGETS = 3
CROWD_EVIDENCE = 20.0


def read_dependency(
    given: Mapping[str, Any], keys: tuple[str, ...], top: Checked, columns: Columns, *, knows_sizes: bool
) -> ValueDependency | None:
    """Return a dependency, or None after noting faults."""
    table = Checked.of(dict(given), keys, top.faults, top.folder, KNOWN)
    before = len(top.faults.notes)
    target, x = table.text("target", None), table.texts("x", single=True)
    if target is None and "target" not in given:
        table.fault("target", "a dependency needs a 'target': the attribute that names what must not stand out")
    if not x and "x" not in given:
        table.fault("x", "a dependency needs 'x': the attribute, or attributes, whose distribution tells something")
    if target in x:
        table.fault("x", f"'{target}' is target and value at once")
    targets = _targets(table)
    rules = _rules(table)
    values = values_of(table, x, columns) if x else None
    begin = _start_table(table, rules)
    if values is None or target is None:
        return None
    counts = _population(table, target, targets, values, columns)
    parameters = _parameters(table, rules, len(values.labels), targets)
    start = _start(table, begin, targets, counts, values)
    sizes, slack = _sizes(table, targets, knows_sizes=knows_sizes)
    fits = None
    if GateRuleName.FIT in rules:
        fits = _needed(table, "rule", "the rule 'fit'", counts)
    if len(top.faults.notes) > before:
        return None
    name = table.text("name", f"{', '.join(x)} ~> {target}")
    fitted = None if fits is None else _fits(fits, values)
    return ValueDependency(name, target, targets, values, rules, start, parameters, sizes, slack, fitted)


def _targets(table: Checked) -> tuple[str, ...] | None:
    given = table.table.get("targets")
    if given == "any":
        return None
    if given is None:
        table.fault("targets", "list the 'targets', or say targets = \"any\" to take whatever the records name")
        return None
    targets = table.texts("targets")
    spellings = Counter(map(folded, targets))
    if double := [name for name in targets if spellings[folded(name)] > 1]:
        table.fault("targets", f"{listed(double)} are spellings of one target")
    if targets and len(targets) < LEAST_TARGETS:
        table.fault(
            "targets",
            f"{counted(len(targets), 'target')}, but at least {LEAST_TARGETS} are needed: among fewer, one is always "
            "the most unusual",
        )
    return targets


def _rules(table: Checked) -> tuple[GateRuleName, ...]:
    known = [member.value for member in GateRuleName]
    if "rule" not in table.table:
        return (GateRuleName.CROWD,)
    names = table.texts("rule", single=True)
    if not names:
        table.fault("rule", f"name a rule: {', '.join(known)}")
    for name in names:
        if name not in known:
            table.text("rule", None, among=known) if isinstance(table.table["rule"], str) else table.fault(
                "rule", f"no rule '{name}'; use some of {', '.join(known)}"
            )
    return tuple(GateRuleName(name) for name in names if name in known)


def _population(
    table: Checked, target: str, targets: tuple[str, ...] | None, values: ValueScheme, columns: Columns
) -> ExposureTable | None:
    """Return the counts of all records by target and value, if a file of them is named."""
    path = table.file(POPULATION)
    if path is None or not path.is_file():
        return None
    if targets is None:
        table.fault(POPULATION, "list the 'targets' to use a population")
        return None
    try:
        names, *cells = columns(path, [target, *values.attributes])
    except TacitaError as error:
        table.faults.add_error((*table.keys, POPULATION), error)
        return None
    places = {folded(name): place for place, name in enumerate(targets)}
    counts = np.zeros((len(targets), len(values.labels)), dtype=np.int64)
    for name, row in zip(names, zip(*cells, strict=True), strict=True):
        place, value = places.get(folded(name), -1), values.place(row)
        if place >= 0 and value >= 0:
            counts[place, value] += 1
    return ExposureTable(counts, values.baseline)


def _needed(table: Checked, key: str, what: str, counts: ExposureTable | None) -> ExposureTable | None:
    if counts is None and POPULATION not in table.table:
        table.fault(key, f"{what} needs 'population', a file of all records that the targets have")
    return counts


def _fits(counts: ExposureTable, values: ValueScheme) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, row)) for row in counts.fits())


def _start_table(table: Checked, rules: Sequence[GateRuleName]) -> Checked:
    """Return what is said of the start; a fault is noted if it is missing, or given and not needed."""
    below = table.below("start", _START)
    controlled = [rule for rule in rules if rule in (GateRuleName.CROWD, GateRuleName.DEFINITION_5)]
    if controlled and not {"records", "accuracy", "fit"} & set(below.table):
        table.fault(
            "start",
            f"the rule '{controlled[0]}' needs a start: under control from the first record on, nothing would ever "
            "leave. Say for example start = {records = 10}",
        )
    if not controlled and below.table:
        table.fault("start", f"the rule '{', '.join(rules)}' needs no start: leave it out")
    return below


def _start(
    table: Checked,
    below: Checked,
    targets: tuple[str, ...] | None,
    counts: ExposureTable | None,
    values: ValueScheme,
) -> StartOptions:
    records = _start_records(below, targets)
    accuracy = below.number("accuracy", None, least=0, most=1, above=True)
    exposures: tuple[float, ...] = ()
    if accuracy is not None:
        whole = _needed(table, "start", "accuracy", counts)
        exposures = () if whole is None else tuple(map(float, whole.exposures()))
    fits = None
    if below.truth("fit", False):
        whole = _needed(table, "start", "fit", counts)
        fits = None if whole is None else _fits(whole, values)
    is_first = below.text("begin", "first", among=("first", "last")) == "first"
    return StartOptions(records, accuracy, exposures, fits, is_first)


def _start_records(below: Checked, targets: tuple[str, ...] | None) -> int | tuple[int, ...] | None:
    given = below.table.get("records")
    if not isinstance(given, dict):
        return below.whole("records", None, least=1)
    by_target = below.open("records")
    numbers = {name: by_target.whole(name, None, least=1) for name in by_target.table}
    if targets is None:
        below.fault("records", "numbers for single targets need a list of 'targets'")
        return None
    if set(numbers) != set(targets):
        below.fault("records", f"give a number for each target: {listed(targets, 20)}")
        return None
    return tuple(numbers[name] or 1 for name in targets)


def _parameters(
    table: Checked, rules: Sequence[GateRuleName], values: int, targets: tuple[str, ...] | None
) -> RuleParameters:
    for rule in _PARAMETERS:
        if rule.value in table.table and rule not in rules:
            table.fault(rule.value, f"[{'.'.join(table.keys)}.{rule}] is there, but the rule is not named in 'rule'")
    crowd, martingale, variation = (table.below(rule.value, known) for rule, known in _PARAMETERS.items())
    others = crowd.whole("others", 1, least=1)
    if targets is not None and others >= max(len(targets), LEAST_TARGETS):
        crowd.fault("others", f"{others} other targets must be as distant, but there are {len(targets) - 1}")
    alarm = martingale.number("alarm", 0.05, least=0, most=0.5, above=True)
    shared = martingale.truth("share_alarm", True)
    if GateRuleName.MARTINGALE in rules and shared and targets is None:
        martingale.fault("share_alarm", "a shared false alarm rate needs a list of 'targets', or share_alarm = false")
    limit = variation.number("limit", 20.0, least=1, above=True)
    ordinary = variation.number("ordinary", None, least=0, above=True)
    if GateRuleName.VARIATION in rules and ordinary is None and "ordinary" not in variation.table:
        variation.fault("ordinary", "say how far 'ordinary' targets are from the baseline, in bits, such as 0.02")
    concentrations = [_concentration(one, values) for one in (martingale, variation)]
    concentration = next((one for one in concentrations if one is not None), None)
    if None not in concentrations and len(set(concentrations)) > 1:
        variation.fault("concentration", "martingale and variation suppose different unusual targets")
    return RuleParameters(
        others,
        crowd.number("comparable", 0.25, least=0, most=1),
        _odds(crowd, "evidence", CROWD_EVIDENCE),
        alarm,
        shared,
        limit,
        concentration,
        None if ordinary is None else concentration_at(ordinary, values),
    )


def _odds(table: Checked, key: str, usual: float | None) -> float | None:
    """Return a limit of evidence; 0 stands for none."""
    odds = table.number(key, usual, least=0)
    if odds is not None and 0 < odds <= 1:
        table.fault(key, f"'{key}' must be more than 1, or 0 for no limit")
    return odds if odds is not None and odds > 1 else None


def _concentration(table: Checked, values: int) -> float | None:
    concentration = table.number("concentration", None, least=0, above=True)
    distance = table.number("distance", None, least=0, above=True)
    if concentration is not None and distance is not None:
        table.fault("distance", "give the distance of unusual targets in bits, or a concentration, not both")
    return concentration if distance is None else concentration_at(distance, values)


def _sizes(
    table: Checked, targets: tuple[str, ...] | None, *, knows_sizes: bool
) -> tuple[tuple[int, ...] | None, float]:
    slack = table.number("slack", None, least=0, most=1, above=True)
    if not knows_sizes:
        for key in ("sizes", "slack"):
            if key in table.table:
                table.fault(key, f"'{key}' is for observers who know the sizes: say sizes = \"known\" in [observer]")
        return None, 0.0
    if "sizes" not in table.table or "slack" not in table.table or targets is None:
        table.fault(
            "sizes",
            "observers know the sizes of the targets: list 'targets', give 'sizes' (records of each target) and "
            "'slack' (by how much released shares may differ, such as 0.02)",
        )
        return None, 0.0
    below = table.open("sizes")
    sizes = {name: below.whole(name, None, least=1) for name in below.table}
    if set(sizes) != set(targets):
        table.fault("sizes", f"give a size for each target: {listed(targets, 20)}")
        return None, 0.0
    return tuple(sizes[name] or 1 for name in targets), slack or 0.0
