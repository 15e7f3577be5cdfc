"""Whether what came of a recipe may be released, as far as the recipe sets limits."""

from __future__ import annotations

from tacita.choosing.evaluation import Evaluation
from tacita.recipes.recipe import Recipe


def reasons_against(recipe: Recipe, evaluation: Evaluation) -> list[str]:
    """Return every limit of the recipe that is not kept, in words; nothing if it may be released."""
    most = recipe.judgement.accept
    found = []
    if most is not None:
        found += [
            f"{attack.attacker} succeeds in {100 * attack.success:.3g} % of its attempts, and {100 * most:.3g} % are "
            f"accepted (guessing: {100 * attack.guess:.3g} %)"
            for attack in evaluation.attacks
            if not attack.success <= most
        ]
        found += [f"{name} could not attack, so that nothing is known of its success" for name in evaluation.unable]
        if not evaluation.attacks and not evaluation.unable:
            found.append("a limit of risk is set, but no attacker could attack")
    return [*found, *evaluation.broken]
