"""Whether what came of a recipe may be released, as far as the recipe sets limits."""

from __future__ import annotations

from tacita.attacks.microdata.attacker import Attacked
from tacita.model.figures import share
from tacita.recipes.defaults import risk_of
from tacita.recipes.evaluation import Evaluation
from tacita.recipes.recipe import Recipe

UNGATED = "the recipe sets no limit to the risk that attackers achieve"
"""Why a result without a limit is not released unless somebody says so."""


def has_limit(recipe: Recipe) -> bool:
    """Whether the recipe says which risk is accepted. Without that nothing is released unless a steward insists."""
    return recipe.judgement.accept is not None


def reasons_against(recipe: Recipe, evaluation: Evaluation) -> list[str]:
    """Return every limit of the recipe that is not kept, in words; nothing if it may be released."""
    most = recipe.judgement.accept
    reasons = []
    if most is not None:
        reasons += [_too_good(attack, most) for attack in evaluation.attacks if not risk_of(attack) <= most]
        reasons += [f"{name} could not attack, so that nothing is known of its success" for name in evaluation.unable]
        if not evaluation.attacks and not evaluation.unable:
            reasons.append("a limit of risk is set, but no attacker could attack")
        alone = evaluation.untouched
        if alone is not None and alone.unique and alone.share > recipe.judgement.accept_unique:
            reasons.append(
                f"{alone.sentence}; recode or suppress these attributes, or accept it "
                f"(accept_unique, now {recipe.judgement.accept_unique:g})"
            )
    models = zip(recipe.judgement.models, evaluation.models, strict=False)
    reasons += [
        f"the confidence intervals of the model {wish.formula} overlap by {share(1 - lost.figure)}, and "
        f"{share(wish.overlap)} are asked for"
        for wish, lost in models
        if wish.overlap is not None and not 1 - lost.figure >= wish.overlap
    ]
    return [*reasons, *evaluation.broken]


def _too_good(attack: Attacked, most: float) -> str:
    words = f"{attack.attacker} succeeds in {share(attack.success)} of its attempts"
    if attack.control is None:
        return f"{words} and has no control, so that this counts as its risk; {share(most)} are accepted"
    if attack.risk is None:
        words += ", its control in all of them, so that no risk can be measured and the success counts as the risk"
        return f"{words}; {share(most)} are accepted"
    words += f", its control in {share(attack.control.value)}: a risk of {share(risk_of(attack))}"
    return f"{words}; {share(most)} are accepted"
