"""Figures 4 to 11: attributes that are hidden, by heuristic, by relaxation, and by the number of confidential ones.

The paper relaxes in two ways: every attribute has the distance threshold 1, and the g3 error is up to 10 %. Codes and
words are compared by equality here: a threshold of 1 on a code with the values 1 and 2 makes all pairs alike. Unlike
the paper, choices are repaired until no chain of dependencies leads to a confidential attribute. An attribute that the
empty set determines (it has one value in nine of ten records) cannot be kept confidential, whatever else is hidden.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import tacita as tc
from experiments.gdpr.data import CONFIDENTIAL, NOMINAL, PEOPLE
from experiments.gdpr.points import METHODS, Hidden, Searched, Setting
from tacita.dependencies.dependency import Dependency, Discovery
from tacita.dependencies.discovery.options import MIN_GAIN, DiscoveryOptions
from tacita.dependencies.hiding.choice import ChoiceMethod, HidingChoice, choose
from tacita.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

TOLERANCE, THRESHOLD = 0.1, 1.0
_WIDE = 14
"""Joins have more attributes than this."""
_LARGEST_OF_WIDE = 4
"""The largest left-hand sides that are looked for in joins: the others are too many, and say less and less."""


@dataclass(frozen=True, slots=True, repr=False)
class Dependencies:
    """The dependencies of a data set that count in a setting, without those of the empty set."""

    setting: Setting
    attributes: tuple[str, ...]
    counted: tuple[Dependency, ...]
    constant: frozenset[str]
    """The attributes that the empty set determines."""


def dependencies_of(
    name: str, table: pa.Table, progress: Progress = silent
) -> Iterator[tuple[Searched | None, Dependencies]]:
    """Yield for each setting what was found, and the dependencies that count."""
    data = tc.read(table, name=name)
    for setting, options in _options(table.column_names).items():
        started = time.process_time()
        discovery = data.discover_dependencies(DiscoveryOptions(**options), progress=progress)
        yield _searched(name, setting, discovery, time.process_time() - started), _counted(setting, discovery)
        if setting is Setting.FULL:
            everything = replace(discovery, dependencies=tuple(_as_threat(one) for one in discovery.dependencies))
            yield None, _counted(Setting.WITH_KEYS, everything)
        telling = {Setting.CERTAINTY: Setting.CERTAINTY_TELLING, Setting.BOTH: Setting.BOTH_TELLING}
        if setting in telling:
            some = tuple(one for one in discovery.dependencies if (one.gain or 0.0) >= MIN_GAIN)
            yield None, _counted(telling[setting], replace(discovery, dependencies=some))


def one_by_one(name: str, given: Dependencies) -> Iterator[Hidden]:
    """Yield for each method how many attributes are hidden besides one, on average over all that can be kept."""
    names = [one for one in given.attributes if one not in given.constant]
    for method in METHODS:
        choices = [_choice([one], given, method) for one in names]
        mean = sum(len(one.extra) for one in choices) / max(1, len(choices))
        repaired = sum(_is_repaired(one) for one in choices)
        yield Hidden(name, given.setting, method, 0, mean, len(names), len(given.attributes), repaired)


def growing(name: str, given: Dependencies) -> Iterator[Hidden]:
    """Yield how many attributes are hidden in all as those of Tables 6 to 11 become confidential."""
    order = CONFIDENTIAL[name]
    for method in METHODS:
        for number in range(1, len(order) + 1):
            choice = _choice(order[:number], given, method)
            kept = sum(one not in given.constant for one in order[:number])
            repaired = int(_is_repaired(choice))
            yield Hidden(name, given.setting, method, number, len(choice.hidden), kept, number, repaired)


def _choice(confidential: Sequence[str], given: Dependencies, method: ChoiceMethod) -> HidingChoice:
    return choose(confidential, given.attributes, given.counted, method=method)


def _is_repaired(choice: HidingChoice) -> bool:
    return any(len(one.chain) > 1 for one in choice.disclosures)


def _options(names: Sequence[str]) -> Mapping[Setting, dict[str, Any]]:
    equal = {name: 0.0 for name in names if name in NOMINAL}
    # A date that most records do not have is alike in most pairs; this is what the paper asks for all the same.
    bound: dict[str, Any] = {"max_left": _LARGEST_OF_WIDE} if len(names) > _WIDE else {}
    near: dict[str, Any] = {"within_all": THRESHOLD, "within": equal, "force": True, **bound}
    tolerant = {"tolerance": TOLERANCE, "min_gain": float("-inf"), **bound}
    return {
        Setting.FULL: bound,
        Setting.ACCURACY: near,
        Setting.CERTAINTY: tolerant,
        Setting.BOTH: {**near, **tolerant},
    }


def _as_threat(one: Dependency) -> Dependency:
    return replace(one, support=max(one.support, 1))


def _counted(setting: Setting, discovery: Discovery) -> Dependencies:
    threats = discovery.threats
    constant = frozenset(one.right for one in threats if not one.left)
    return Dependencies(setting, discovery.attributes, tuple(one for one in threats if one.left), constant)


def _searched(name: str, setting: Setting, discovery: Discovery, seconds: float) -> Searched:
    return Searched(
        name,
        discovery.records,
        len(discovery.attributes),
        setting,
        len(discovery.dependencies),
        len(discovery.threats),
        len(discovery.undecided),
        sum(one.right in PEOPLE for one in discovery.threats),
        " ".join(discovery.bounds),
        seconds,
    )
