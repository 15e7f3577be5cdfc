"""What attackers achieve, in one sentence: the first that a steward reads of a result."""

from __future__ import annotations

from tacita.attacks.microdata.attacker import Attacked
from tacita.choosing.defaults import THREATS, risk_of
from tacita.choosing.evaluation import Evaluation
from tacita.choosing.scores import per_cent

_SUCCEEDS = {
    "identity": "finds {} of the records",
    "attribute": "learns {} of the values",
    "membership": "tells members of the file from others in {} of the cases",
}
_OTHER = "succeeds in {} of its attempts"


def headline(evaluation: Evaluation) -> str:
    """Return the best attack of each threat, beside random guessing, and who stands alone on what no step changes.

    >>> link = Attacked("distance-linkage", 0.98, 0.97, 0.99, 0.001, 1000)
    >>> headline(Evaluation((), (link,)))
    'Distance linkage finds 98 % of the records (random guessing: 0.1 %).'
    """
    best: dict[str, Attacked] = {}
    for attack in evaluation.attacks:
        threat = THREATS.get(attack.attacker, attack.attacker)
        if threat not in best or risk_of(attack) > risk_of(best[threat]):
            best[threat] = attack
    order = [*_SUCCEEDS, *(threat for threat in best if threat not in _SUCCEEDS)]
    said = [_said(best[threat], threat) for threat in order if threat in best]
    if not said:
        said = ["nobody attacked, so that nothing is known of the risk"]
    sentences = ["; ".join(said), evaluation.untouched.sentence if evaluation.untouched is not None else ""]
    return " ".join(f"{each[0].upper()}{each[1:]}." for each in sentences if each)


def _said(attack: Attacked, threat: str) -> str:
    succeeds = _SUCCEEDS.get(threat, _OTHER).format(per_cent(attack.success))
    beside = f"random guessing: {per_cent(attack.guess)}"
    if attack.control is not None and per_cent(attack.control.value) != per_cent(attack.guess):
        beside += f"; control: {per_cent(attack.control.value)}"
    return f"{attack.attacker.replace('-', ' ')} {succeeds} ({beside})"
