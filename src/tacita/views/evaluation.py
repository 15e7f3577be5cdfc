"""The forms of an evaluation: what attackers achieve, beside their control, and what is lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacita.attacks.microdata.attacker import THREATS, Attacked, Rate
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.errors import listed, printable
from tacita.model.figures import Share, figure, share
from tacita.recipes.attacking import risk_of
from tacita.recipes.evaluation import Evaluation
from tacita.recipes.untouched import RARE, Untouched
from tacita.utility.loss import Lost
from tacita.views.markup import Html, items, tag
from tacita.views.page import style
from tacita.views.tables import Cell, table
from tacita.views.terminal import columns
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from tacita.recipes.carry_out import StepReport

HEADS = ("attacker", "success (95 %)", "control (95 %)", "risk (95 %)", "attempts")
NO_CONTROL = "no control"


class EvaluationView(View[Evaluation]):
    """The forms of an evaluation."""

    def title(self, result: Evaluation) -> str:
        """Return what the page is about."""
        return "What a recipe costs, and what it still tells"

    def as_dict(self, result: Evaluation) -> dict[str, Any]:
        """Return losses, attacks and the figures of the map."""
        return evaluation_dict(result)

    def as_text(self, result: Evaluation) -> RenderableType:
        """Return losses and attacks as tables, under a sentence that sums them up."""
        from rich.console import Group
        from rich.text import Text

        return Group(Text(printable(headline(result)), style="bold"), *evaluation_text(result))

    def as_fragment(self, result: Evaluation) -> Html:
        """Return the same as tables of a page."""
        first = tag("p", tag("strong", headline(result)))
        return tag("div", style("fragment"), first, *evaluation_parts(result), class_="tacita-report")


def headline(evaluation: Evaluation, *, is_derivable: bool = False) -> str:
    """Return the best attack of each threat, beside its control, and how many are unique on what stays as it was.

    >>> link = Attacked("distance-linkage", 0.98, 0.97, 0.99, 0.001, 1000)
    >>> headline(Evaluation((), (link,)))
    'Distance linkage finds 98 % of the records (no control).'
    """
    best: dict[str, Attacked] = {}
    for attack in evaluation.attacks:
        threat = ATTACKERS.fact(attack.attacker, "threat")
        if threat not in best or risk_of(attack) > risk_of(best[threat]):
            best[threat] = attack
    said = [_said(best[threat], threat) for threat in THREATS if threat in best]
    if not said:
        said = ["nobody attacked, so that nothing is known of the risk"]
    sentences = ["; ".join(said), evaluation.untouched.sentence if evaluation.untouched is not None else ""]
    sentences += ["hidden values can be derived (allowed)"] if is_derivable else []
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence)


def _said(attack: Attacked, threat: str) -> str:
    words = ATTACKERS.fact(attack.attacker, "succeeds") or THREATS[threat]
    succeeds = words.format(share(attack.success))
    beside = NO_CONTROL
    if attack.control is not None:
        risk = "no risk can be measured" if attack.risk is None else f"risk {share(attack.risk.value)}"
        beside = f"control {share(attack.control.value)}, {risk}"
    return f"{attack.attacker.replace('-', ' ')} {succeeds} ({beside})"


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return what came of a recipe; a figure that is not defined is null."""
    return {
        "headline": headline(evaluation),
        "information_loss": evaluation.information_loss,
        "disclosure_risk": evaluation.disclosure_risk,
        "score": evaluation.score,
        "losses": [_lost(lost) for lost in evaluation.losses],
        "attacks": [attack_dict(attack) for attack in evaluation.attacks],
        "untouched": _untouched(evaluation.untouched),
        "models": [_lost(lost) for lost in evaluation.models],
        "indicators": [
            {
                "name": preserved.indicator.name,
                "holds": preserved.holds,
                "deviation": preserved.deviation,
                "groups": preserved.groups,
            }
            for preserved in evaluation.indicators
        ],
        "broken": list(evaluation.broken),
        "notes": list(evaluation.notes),
    }


def _untouched(alone: Untouched | None) -> dict[str, Any] | None:
    if alone is None:
        return None
    return {
        "attributes": list(alone.attributes),
        "records": alone.records,
        "unique": alone.unique,
        f"shared_by_fewer_than_{RARE}": alone.rare,
    }


def _lost(lost: Lost) -> dict[str, Any]:
    attributes = {**lost.attributes}
    return {"measure": lost.measure, "figures": lost.figures, "attributes": attributes}


def attack_dict(attack: Attacked) -> dict[str, Any]:
    """Return how far an attacker got."""
    return {
        "attacker": attack.attacker,
        "success": attack.success,
        "interval": [attack.lower, attack.upper],
        "control": _rate(attack.control, by=attack.control_by),
        "risk": _rate(attack.risk),
        "guess": attack.guess,
        "attempts": attack.attempts,
        "figures": attack.figures,
        "notes": list(attack.notes),
    }


def _rate(rate: Rate | None, **more: str) -> dict[str, Any] | None:
    """Return a rate with its interval; None if there is none."""
    if rate is None:
        return None
    return {"rate": rate.value, "interval": [rate.lower, rate.upper], **more}


def rate_text(rate: Rate) -> str:
    """Return a share with its interval; alone if it is exact.

    >>> rate_text(Rate(0.265, 0.239, 0.293)), rate_text(Rate(0.5, 0.5, 0.5))
    ('26.5 % (23.9 to 29.3)', '50 %')
    """
    if rate.lower == rate.upper:
        return share(rate.value)
    return f"{share(rate.value)} ({figure(100 * rate.lower, 3)} to {figure(100 * rate.upper, 3)})"


def score_cells(attack: Attacked) -> tuple[str, str, str, str, str]:
    """Return what `HEADS` name: without a control there is no risk, and the success is not read as one.

    >>> score_cells(Attacked("mine", 0.5, 0.4, 0.6, 0.1, 90))
    ('mine', '50 % (40 to 60)', 'no control', '–', '90')
    """
    control = NO_CONTROL if attack.control is None else rate_text(attack.control)
    risk = "–" if attack.risk is None else rate_text(attack.risk)
    success = rate_text(Rate(attack.success, attack.lower, attack.upper))
    return attack.attacker, success, control, risk, f"{attack.attempts:,}"


def control_notes(attacks: Sequence[Attacked]) -> list[str]:
    """Return what each control is, and what it means that there is none.

    >>> control_notes([Attacked("mine", 0.5, 0.4, 0.6, 0.1, 90)])
    ['mine has no control: its success includes what any statistic tells (give a control file, or a hold-out)']
    """
    by: dict[str, list[str]] = {}
    for attack in attacks:
        by.setdefault(attack.control_by if attack.control is not None else "", []).append(attack.attacker)
    bare = by.pop("", [])
    said = [f"control of {', '.join(names)}: {words}" for words, names in by.items() if words]
    if bare:
        verb = "has no control: its" if len(bare) == 1 else "have no control: their"
        said.append(
            f"{', '.join(bare)} {verb} success includes what any statistic tells (give a control file, or a hold-out)"
        )
    return said


def of_hundred(value: float) -> str:
    """Return a figure from 0 to 100 for people.

    >>> of_hundred(12.345)
    '12.3'
    """
    return f"{value:.1f}" if math.isfinite(value) else "–"


def steps_text(steps: Sequence[StepReport]) -> list[RenderableType]:
    """Return what each step did, promises and does not."""
    from rich.padding import Padding
    from rich.text import Text

    said: list[RenderableType] = []
    for place, done in enumerate(steps, 1):
        figures = ", ".join(f"{name} {figure(value)}" for name, value in done.figures.items())
        said.append(Text(printable(f"{place}. {done.label}{f' ({figures})' if figures else ''}"), style="bold"))
        lines = [f"changed: {listed(done.attributes, 20) or 'nothing'}", f"holds: {done.promises}"]
        lines += [f"limits: {done.limits}", *(f"note: {note}" for note in done.notes)]
        said += [
            Padding(Text(printable(line), style="dim" if at else ""), (0, 0, 0, 3)) for at, line in enumerate(lines)
        ]
    return said


def attacks_table(attacks: Sequence[Attacked]) -> Table:
    """Return how far each attacker got, its control, and the risk that is left of both."""
    table = columns(*HEADS, right=["attempts"])
    for attack in attacks:
        table.add_row(*score_cells(attack))
    return table


def evaluation_text(evaluation: Evaluation) -> list[RenderableType]:
    """Return losses and attacks as tables, and the figures of the map."""
    from rich.text import Text

    parts: list[RenderableType] = [
        Text(""),
        Text(
            f"information loss {of_hundred(evaluation.information_loss)}, disclosure risk "
            f"{of_hundred(evaluation.disclosure_risk)}, score {of_hundred(evaluation.score)} (0 to 100, the lower the "
            "better)",
            style="bold",
        ),
    ]
    if evaluation.attacks:
        parts += [Text(""), attacks_table(evaluation.attacks)]
        parts += [Text(printable(note), style="dim") for note in control_notes(evaluation.attacks)]
    if evaluation.losses:
        table = columns("what is lost", "figure", "more", right=["figure"])
        for lost in evaluation.losses:
            more = list(lost.figures.items())
            rest = "; ".join(f"{name}: {figure(value)}" for name, value in more[1:6])
            table.add_row(printable(lost.measure), figure(lost.figure), printable(rest))
        parts += [Text(""), table]
    for lost in evaluation.models:
        figures = ", ".join(f"{name} {figure(value)}" for name, value in lost.figures.items())
        parts.append(Text(printable(f"The model {lost.measure}: {figures}")))
    parts += [Text(printable(preserved.sentence)) for preserved in evaluation.indicators]
    parts += [Text(printable(f"note: {note}"), style="dim") for note in evaluation.notes]
    return parts


def evaluation_parts(evaluation: Evaluation) -> list[Html]:
    """Return attacks and losses as tables of a page."""
    parts: list[Html] = []
    if evaluation.attacks:
        rows: list[list[Cell]] = [
            [name, Share(success), Share(control), Share(risk), Share(attempts)]
            for name, success, control, risk, attempts in map(score_cells, evaluation.attacks)
        ]
        parts.append(table(list(HEADS), rows))
        parts.append(items(control_notes(evaluation.attacks)))
    if evaluation.losses:
        parts.append(
            table(["what is lost", "figure"], [[e.measure, Share(figure(e.figure))] for e in evaluation.losses])
        )
        lost: list[list[Cell]] = [
            [e.measure, k, Share(figure(v))] for e in evaluation.losses for k, v in e.figures.items()
        ]
        every = table(["measure of loss", "figure of", "value"], lost)
        parts.append(tag("details", tag("summary", "All figures"), every))
    for model in evaluation.models:
        coefficients: list[list[Cell]] = [
            [name, *(Share(figure(value)) for value in figures.values())] for name, figures in model.attributes.items()
        ]
        heads = list(next(iter(model.attributes.values()))) if model.attributes else []
        parts.append(table([model.measure, *heads], coefficients))
    if evaluation.indicators:
        parts.append(items([preserved.sentence for preserved in evaluation.indicators]))
    if evaluation.notes:
        parts.append(items(evaluation.notes))
    return parts
