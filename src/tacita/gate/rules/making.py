"""The judge of a dependency, made of what the policy says."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.gate.picture.evidence import usual_concentration
from tacita.gate.picture.fixed_point import Growth
from tacita.gate.picture.picture import Picture
from tacita.gate.policy.policy import GateRuleName, ValueDependency
from tacita.gate.rules.crowd import CrowdRule
from tacita.gate.rules.definition_5 import Definition5
from tacita.gate.rules.evidence_limits import EvidenceLimit, MartingaleRule, VariationRule
from tacita.gate.rules.fit import FitRule
from tacita.gate.rules.judge import Judge
from tacita.gate.rules.rule import GateRule
from tacita.gate.rules.shares import LevelShares
from tacita.gate.rules.start import Start


def judge_of(
    dependency: ValueDependency,
    growth: Growth | None = None,
    counts: Sequence[Sequence[int]] | None = None,
    is_accurate: Sequence[bool] = (),
) -> Judge:
    """Return the judge of a dependency.

    `counts` are the records by target and value that were released before; `is_accurate` says of which targets the
    exposure was accurate once (see `Start`).
    """
    picture = Picture(dependency.values.baseline, len(dependency.targets or ()), growth)
    if counts is not None:
        picture.load(counts)
    rules = [_rule(name, dependency, picture) for name in dependency.rules]
    given = dependency.parameters
    if GateRuleName.CROWD in dependency.rules and given.evidence is not None:
        k = given.concentration or usual_concentration(len(dependency.values.labels))
        rules.append(EvidenceLimit(picture, given.evidence, k))
    if dependency.sizes is not None:
        rules.append(LevelShares(picture, dependency.sizes, dependency.slack))
    return Judge(picture, Start(picture, dependency.start, is_accurate), rules)


def _rule(name: GateRuleName, dependency: ValueDependency, picture: Picture) -> GateRule:
    given = dependency.parameters
    concentration = given.concentration or usual_concentration(len(dependency.values.labels))
    if name is GateRuleName.CROWD:
        return CrowdRule(picture, given.others, _settled(dependency), given.comparable)
    if name is GateRuleName.MARTINGALE:
        targets = len(dependency.targets or ()) if given.shares_alarm else 1
        return MartingaleRule(picture, max(targets, 1) / given.alarm, concentration)
    if name is GateRuleName.VARIATION:
        assert given.ordinary is not None, "the policy says how far ordinary targets are from the baseline"
        return VariationRule(picture, given.limit, concentration, given.ordinary)
    if name is GateRuleName.FIT:
        assert dependency.fits is not None, "the policy names a population"
        return FitRule(picture, dependency.fits)
    return Definition5(picture)


def _settled(dependency: ValueDependency) -> int:
    """Return from how many records on a target is one that others may hide behind: when its start is over."""
    records = dependency.start.records
    if records is None:
        return 1
    return records if isinstance(records, int) else max(records)
