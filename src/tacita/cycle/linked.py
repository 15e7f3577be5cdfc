"""Linked attributes: suppressed together with a key (ghost variables of sdcMicro).

A code, a name or a finer version of a key would give back what was suppressed. So in each record in which a key is
suppressed, the attributes that are linked with it are suppressed too. They do not count as known to the intruder: no
measure looks at them, and they cost nothing when cells are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tacita.cycle.household import filled_cells
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.errors import UsageError, did_you_mean, faults_text
from tacita.model.attribute import Category
from tacita.model.decision import Decision
from tacita.model.microdata import Microdata

_RULE = "suppressed with "


def is_linked(decision: Decision) -> bool:
    """Return whether a cell was suppressed only because another one was."""
    return decision.rule.startswith(_RULE)


def check_names(plan: Plan, known: tuple[str, ...], microdata: Microdata) -> None:
    """Raise if the plan names attributes that cannot be changed."""
    named = {
        "to be kept": plan.keep,
        "of importance": tuple(plan.importance),
        "of the household": plan.household,
        "to be recoded": tuple(plan.recode),
        "of a cell to be kept": tuple(dict.fromkeys(name for _, name in plan.keep_cells)),
    }
    faults = [
        f"'{name}' is named as an attribute {what}, but no intruder knows it{did_you_mean(name, known)}"
        for what, names in named.items()
        for name in names
        if name not in known
    ]
    if faults:
        raise UsageError(faults_text(faults), where=f"'{microdata.name}'", do=f"name some of: {', '.join(known)}")


def check_linked(plan: Plan, known: Sequence[str], microdata: Microdata) -> None:
    """Raise if attributes are linked that cannot be."""
    names, faults = microdata.dictionary.names, []
    coded = {*plan.recode, *plan.top, *plan.bottom, *plan.intervals}
    for key, others in plan.linked.items():
        if key not in known:
            faults.append(f"attributes are linked with '{key}', but no intruder knows it{did_you_mean(key, known)}")
        if key in coded:
            faults.append(f"'{key}' is recoded, and attributes that are linked with it would stay as fine as before")
        for name in others:
            if name not in names:
                faults.append(f"there is no attribute '{name}' to link with '{key}'{did_you_mean(name, names)}")
            elif name in known:
                faults.append(f"'{name}' is linked with '{key}', but the intruder is supposed to know it")
            elif microdata.attribute(name).category in {Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT}:
                faults.append(f"'{name}' is linked with '{key}', but it is the {microdata.attribute(name).category}")
    if plan.linked and plan.method is not ChangeMethod.SUPPRESSION:
        faults.append(f"the method {plan.method} recodes, and linked attributes can only be suppressed")
    if faults:
        raise UsageError(
            faults_text(faults),
            where=f"'{microdata.name}'",
            do="link attributes that are not quasi-identifiers with one that is suppressed; drop them (--drop) if it "
            "is recoded",
        )


def with_linked(microdata: Microdata, decisions: Sequence[Decision], plan: Plan) -> list[Decision]:
    """Return decisions with those that follow for linked attributes, each after its cause."""
    if not plan.linked or not decisions:
        return list(decisions)
    relation = microdata.relation
    filled: dict[str, set[int]] = {}
    for key, names in plan.linked.items():
        rows = {d.tuple_id for d in decisions if d.attribute == key and d.is_suppression}
        for name in names:
            filled[name] = filled.get(name, set()) | filled_cells(relation, name, rows)
    every: list[Decision] = []
    step = decisions[0].step
    for decision in decisions:
        every.append(replace(decision, step=step))
        step += 1
        for name in plan.linked.get(decision.attribute, ()) if decision.is_suppression else ():
            if decision.tuple_id not in filled[name]:
                continue
            filled[name].discard(decision.tuple_id)
            risk, rule = decision.risk_after, f"{_RULE}{decision.attribute}"
            every.append(Decision(step, decision.tuple_id, name, 0, None, rule, risk, risk))
            step += 1
    return every
