"""The forms of gates: what was decided in a run and why, plans, and the check of a folder of increments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted
from tacita.model.figures import figure
from tacita.views.release import VerificationView
from tacita.views.terminal import add, columns, lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.gate.outcome import GateRun, HeldGroup
    from tacita.gate.planning.plan import PlannedHold, ReleasePlan
    from tacita.release.kinds.increment.check import IncrementVerification

_SHOWN = 6
OBSERVERS = {
    "distance": "by distance",
    "exposure": "by exposure",
    "bayes-factor": "by Bayes factor",
    "second-distance": "by the second largest distance",
    "fewest-records": "by the fewest released records",
    "smallest-share": "by the smallest released share",
    "too-close": "by the closest fit to the baseline",
}
"""How observers name a target, in words."""


class GateRunView(View["GateRun"]):
    """The forms of a run of a gate. They name targets and values, and are for the steward."""

    def title(self, result: GateRun) -> str:
        """Return what the page is about."""
        return f"{result.name}: what the gate decided"

    def as_dict(self, result: GateRun) -> dict[str, Any]:
        """Return counts, reasons and what observers make of it."""
        return {
            "name": result.name,
            "trial": result.is_trial,
            "offered": result.offered,
            "released": result.released,
            "released_late": result.late,
            "decided_before": result.again,
            "refused": result.refused,
            "waiting": result.held_now,
            "released_in_all": result.released_in_all,
            "next_look": result.next_look,
            "cut_off": result.is_cut_off,
            "held": [
                {
                    "dependency": one.dependency,
                    "target": one.target,
                    "value": one.value,
                    "rule": one.rule,
                    "records": one.records,
                    "why": one.why,
                    "remedy": one.remedy or None,
                }
                for one in result.held_groups
            ],
            "refusals": [{"reason": one.reason, "records": one.records, "why": one.why} for one in result.refusals],
            "rules": [
                {"dependency": one.dependency, "rule": one.rule, "promise": one.promise, "weakness": one.weakness}
                for one in result.rules
            ],
            "observers": [
                {"dependency": dependency, "observer": observer, "names": target}
                for dependency, observer, target in result.named
            ],
            "folder": result.folder,
            "notes": list(result.notes),
        }

    def as_text(self, result: GateRun) -> RenderableType:
        """Return the counts first, then why records were held or refused."""
        from rich.console import Group

        said = [
            f"{result.name}: {counted(result.offered, 'record')} offered, {result.released - result.late:,} released, "
            f"{sum(one.records for one in result.held_groups):,} held, {result.refused:,} refused"
        ]
        if result.late:
            said.append(f"{counted(result.late, 'record')} that had been held left after all.")
        if result.again:
            said.append(f"{counted(result.again, 'record')} had been decided on before.")
        said.append(
            f"Released in all: {counted(result.released_in_all, 'record')}. Held now: {result.held_now:,}; they are "
            f"looked at again at {result.next_look:,} released ones."
        )
        if result.is_cut_off:
            said.append("The stream ended in the middle of a record, which was not decided on.")
        said += [line for one in result.held_groups[:_SHOWN] for line in _held_lines(one)]
        if len(result.held_groups) > _SHOWN:
            said.append(
                f"and {counted(len(result.held_groups) - _SHOWN, 'further group')} of held records; --json lists all"
            )
        said += [f"Refused, {counted(one.records, 'record')}: {one.why}" for one in result.refusals]
        said += ["", *_rule_lines(result), *_observer_lines(result)]
        if result.folder is not None:
            said += ["", f"Released records are in {result.folder}; check them with 'tacita verify {result.folder}'."]
        return Group(*lines(said), *notes(result.notes))


def _held_lines(one: HeldGroup) -> list[str]:
    head = f"Held, {counted(one.records, 'record')} of {one.target}, {one.value} ({one.rule}):"
    return [head, f"  {one.why}", *([f"  {one.remedy}"] if one.remedy else [])]


def _rule_lines(result: GateRun) -> list[str]:
    said = []
    for one in result.rules:
        said += [f"Rule {one.rule} for {one.dependency}: {one.promise}", f"  Not promised: {one.weakness}"]
    return said


def _observer_lines(result: GateRun) -> list[str]:
    """Return whom observers name, those that agree together."""
    said = []
    for dependency in dict.fromkeys(one[0] for one in result.named):
        by_target: dict[str, list[str]] = {}
        for name, observer, target in result.named:
            if name == dependency:
                by_target.setdefault(target, []).append(OBSERVERS[observer])
        named = "; ".join(f"{target} {', '.join(ways)}" for target, ways in by_target.items())
        said.append(f"An observer of everything released would name, for {dependency}: {named}.")
    return said


class ReleasePlanView(View["ReleasePlan"]):
    """The forms of a plan."""

    def title(self, result: ReleasePlan) -> str:
        """Return what the page is about."""
        return f"{result.name}: which records can leave"

    def as_dict(self, result: ReleasePlan) -> dict[str, Any]:
        """Return the counts, the order, and what stays behind."""
        return {
            "name": result.name,
            "records": result.records,
            "decided_before": result.decided,
            "refused": result.refused,
            "in_order": result.in_order,
            "planned": result.planned,
            "largest": result.is_largest,
            "targets": [
                {
                    "dependency": one.dependency,
                    "target": one.target,
                    "offered": one.offered,
                    "in_order": one.in_order,
                    "planned": one.planned,
                    "distance": one.distance,
                }
                for one in result.targets
            ],
            "held": [
                {
                    "dependency": one.dependency,
                    "target": one.target,
                    "value": one.value,
                    "records": one.records,
                    "remedy": one.remedy,
                }
                for one in result.holds
            ],
            "order": list(result.order),
        }

    def as_text(self, result: ReleasePlan) -> RenderableType:
        """Return the counts, a table of targets, and what would help those that stay behind."""
        from rich.console import Group

        head = [
            f"{result.name}: {result.planned:,} of {counted(result.records, 'record')} can leave; in the order of the "
            f"file {result.in_order:,} would"
        ]
        if result.decided:
            head.append(f"{counted(result.decided, 'record')} were decided on before, and are not planned.")
        if result.refused:
            head.append(f"{counted(result.refused, 'record')} would be refused.")
        head.append(
            "No larger subset of a target is safe, given what is seen of the others."
            if result.is_largest
            else "A larger subset may be safe: it is not known that this one is the largest."
        )
        table = columns("target", "offered", "in file order", "planned", "distance after", right=_NUMBERS)
        for one in result.targets:
            figures = (f"{one.offered:,}", f"{one.in_order:,}", f"{one.planned:,}", figure(one.distance))
            add(table, one.target, *figures)
        tail = [f"{_stays(one)} {one.remedy or ''}".rstrip() for one in result.holds[:_SHOWN]]
        if len(result.holds) > _SHOWN:
            tail.append(f"and {counted(len(result.holds) - _SHOWN, 'further group')}; --json lists all")
        return Group(*lines([*head, ""]), table, *lines(["", *tail] if tail else []))


_NUMBERS = ("offered", "in file order", "planned", "distance after")


def _stays(one: PlannedHold) -> str:
    return f"{counted(one.records, 'record')} of {one.target}, {one.value} cannot leave."


class IncrementVerificationView(VerificationView):
    """The forms of a check of a folder of increments."""

    question = "{} is what a gate released"

    def as_dict(self, result: IncrementVerification) -> dict[str, Any]:
        """Return the verdict, the faults and the counts."""
        counts = {"records": result.records, "with_ledger": result.with_ledger, "repeated": result.repeated}
        return super().as_dict(result) | counts | {"purged_entries": result.purged}

    def _figures(self, result: IncrementVerification) -> list[str]:
        said = []
        if result.with_proof and not result.with_ledger:
            said.append("  the ledger is not configured here: no decision was repeated")
        if result.purged:
            said.append(
                f"  the records of {counted(result.purged, 'entry')} were purged: their decisions cannot be repeated"
            )
        return said
