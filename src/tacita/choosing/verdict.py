"""Whether what came of a recipe may be released, as far as the recipe sets limits."""

from __future__ import annotations

from tacita.attacks.microdata.attacker import Attacked
from tacita.choosing.defaults import risk_of
from tacita.choosing.evaluation import Evaluation
from tacita.recipes.recipe import Recipe


def reasons_against(recipe: Recipe, evaluation: Evaluation) -> list[str]:
    """Return every limit of the recipe that is not kept, in words; nothing if it may be released."""
    most = recipe.judgement.accept
    found = []
    if most is not None:
        found += [_too_good(attack, most) for attack in evaluation.attacks if not risk_of(attack) <= most]
        found += [f"{name} could not attack, so that nothing is known of its success" for name in evaluation.unable]
        if not evaluation.attacks and not evaluation.unable:
            found.append("a limit of risk is set, but no attacker could attack")
    models = zip(recipe.judgement.models, evaluation.models, strict=False)
    found += [
        f"the confidence intervals of the model {wish.formula} overlap by {100 * (1 - lost.figure):.3g} %, and "
        f"{100 * wish.overlap:.3g} % are asked for"
        for wish, lost in models
        if wish.overlap is not None and not 1 - lost.figure >= wish.overlap
    ]
    return [*found, *evaluation.broken]


def _too_good(attack: Attacked, most: float) -> str:
    told = f"{attack.attacker} succeeds in {100 * attack.success:.3g} % of its attempts, where guessing does in "
    told += f"{100 * attack.guess:.3g} %"
    risk = risk_of(attack)
    if risk != attack.success:
        told += f": {100 * risk:.3g} % of what guessing leaves"
    return f"{told}; {100 * most:.3g} % are accepted"
