"""How far attackers got, in the words that text and pages share: success, control and risk, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacita.attacks.microdata.attacker import Attacked, Rate

HEADS = ("attacker", "success (95 %)", "control (95 %)", "risk (95 %)", "attempts")
NO_CONTROL = "no control"


def per_cent(share: float) -> str:
    """Return a share for people.

    >>> per_cent(0.1234), per_cent(float("nan"))
    ('12.3 %', '–')
    """
    return f"{100 * share:.3g} %" if math.isfinite(share) else "–"


def rate_text(rate: Rate) -> str:
    """Return a share with its interval; alone if it is exact.

    >>> rate_text(Rate(0.265, 0.239, 0.293)), rate_text(Rate(0.5, 0.5, 0.5))
    ('26.5 % (23.9 to 29.3)', '50 %')
    """
    if rate.lower == rate.upper:
        return per_cent(rate.value)
    return f"{per_cent(rate.value)} ({100 * rate.lower:.3g} to {100 * rate.upper:.3g})"


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
    for each in attacks:
        by.setdefault(each.control_by if each.control is not None else "", []).append(each.attacker)
    bare = by.pop("", [])
    said = [f"control of {', '.join(names)}: {words}" for words, names in by.items() if words]
    if bare:
        verb = "has no control: its" if len(bare) == 1 else "have no control: their"
        said.append(
            f"{', '.join(bare)} {verb} success includes what any statistic tells (give a control file, or a hold-out)"
        )
    return said
