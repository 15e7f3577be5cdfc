"""What attackers achieve, in one sentence: the first that a steward reads of a result."""

from __future__ import annotations

from tacita.attacks.microdata.attacker import Attacked
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.recipes.defaults import risk_of
from tacita.recipes.evaluation import Evaluation
from tacita.recipes.scores import NO_CONTROL, per_cent

_SUCCEEDS = {
    "identity": "finds {} of the records",
    "attribute": "learns {} of the values",
    "membership": "tells members of the file from others in {} of the cases",
}
_OTHER = "succeeds in {} of its attempts"
_OWN_WORDS = {
    "linkability": "links two sources for {} of the people",
    "replicated-uniques": "shows {} of the unique records again",
    "singling-out": "describes exactly one person in {} of its attempts",
}
"""What attackers do that is not what others of the same threat do."""


def headline(evaluation: Evaluation) -> str:
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
    order = [*_SUCCEEDS, *(threat for threat in best if threat not in _SUCCEEDS)]
    said = [_said(best[threat], threat) for threat in order if threat in best]
    if not said:
        said = ["nobody attacked, so that nothing is known of the risk"]
    sentences = ["; ".join(said), evaluation.untouched.sentence if evaluation.untouched is not None else ""]
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in sentences if each)


def _said(attack: Attacked, threat: str) -> str:
    words = _OWN_WORDS.get(attack.attacker, _SUCCEEDS.get(threat, _OTHER))
    succeeds = words.format(per_cent(attack.success))
    beside = NO_CONTROL
    if attack.control is not None:
        risk = "no risk can be measured" if attack.risk is None else f"risk {per_cent(attack.risk.value)}"
        beside = f"control {per_cent(attack.control.value)}, {risk}"
    return f"{attack.attacker.replace('-', ' ')} {succeeds} ({beside})"
