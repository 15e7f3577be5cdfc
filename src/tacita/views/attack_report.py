"""The forms of attacks on a released file: what the intruder knows and wants, success, control and risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.views.evaluation import attack_dict, attacks_table, control_notes
from tacita.views.terminal import lines
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.api.attacking import AttackReport

BY_ORDER = "The records are taken to stand in the order of the original; if they do not, the shares are too low"


class AttackReportView(View["AttackReport"]):
    """The forms of an attack."""

    def as_dict(self, result: AttackReport) -> dict[str, Any]:
        """Return each attack, and whether the accepted risk is kept."""
        return {
            "known": list(result.known),
            "secret": list(result.secret),
            "notes": [*result.notes, *([BY_ORDER] if result.is_by_order else [])],
            "attacks": [attack_dict(attack) for attack in result.attacks],
            "accepted": not result.too_good,
        }

    def as_text(self, result: AttackReport) -> RenderableType:
        """Return a line for each attack, then what there is to know about them."""
        from rich.console import Group

        said = [f"The intruder knows {', '.join(result.known) or 'nothing'}."]
        said += [f"The intruder wants to learn {', '.join(result.secret)}."] if result.secret else []
        said += control_notes(result.attacks)
        said += [f"note: {note}" for attack in result.attacks for note in attack.notes]
        said += [f"note: {note}" for note in result.notes]
        said += [BY_ORDER] if result.is_by_order else []
        said += [f"Not accepted: {attack.attacker}." for attack in result.too_good]
        return Group(attacks_table(result.attacks), *lines(["", *dict.fromkeys(said)]))
