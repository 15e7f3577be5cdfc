"""What a recipe costs and what it still tells: losses, attacks, and the two figures of the R-U map.

Information loss IL and disclosure risk DR go from 0 to 100. IL is the mean of the bounded losses that fit the data, in
per cent. DR is the mean, over the threats that were tried, of the success of the best attacker of each: finding the
record of a person (identity), and learning a value (attribute). For masked files with numbers that is half the share
of correct links plus half the interval disclosure, by which Domingo-Ferrer and Torra ("A quantitative comparison of
disclosure control methods for microdata", 2001) rank methods, and the score is theirs: (IL + DR) / 2.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.engines.records import records_of
from tacita.errors import TacitaError, listed
from tacita.model.figures import share
from tacita.model.records import Numbers, Records
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent
from tacita.recipes.attacking import attack_recipe, risk_of
from tacita.recipes.carry_out import MaskedMicrodata
from tacita.recipes.ground import Ground
from tacita.recipes.recipe import Recipe
from tacita.recipes.untouched import Untouched, untouched
from tacita.utility import columns
from tacita.utility.catalogue import LOSSES
from tacita.utility.loss import Lost

if TYPE_CHECKING:
    from tacita.utility.analyses.indicators import Preserved


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """What came of a recipe."""

    losses: tuple[Lost, ...]
    attacks: tuple[Attacked, ...]
    models: tuple[Lost, ...] = ()
    indicators: tuple[Preserved, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be measured, and why."""
    unable: tuple[str, ...] = ()
    """Attackers that should have attacked and could not."""
    untouched: Untouched | None = None
    """Known attributes that are released as they are, and the records that are unique on them."""

    def _in_short(self) -> str:
        figures = (self.information_loss, self.disclosure_risk, self.score)
        loss, risk, score = (f"{value:.1f}" if is_number(value) else "not measured" for value in figures)
        return f"information loss {loss}, disclosure risk {risk}, score {score}"

    @property
    def information_loss(self) -> float:
        """IL, from 0 to 100."""
        figures = [lost.figure for lost in self.bounded_losses if lost.figure == lost.figure]
        return 100 * fmean(figures) if figures else float("nan")

    @property
    def bounded_losses(self) -> tuple[Lost, ...]:
        """The losses that make the information loss."""
        return tuple(lost for lost in self.losses if LOSSES.fact(lost.measure, "bounded"))

    @property
    def disclosure_risk(self) -> float:
        """DR, from 0 to 100: the mean over threats of the best attack of each."""
        best: dict[str, float] = {}
        for attack in self.attacks:
            threat = ATTACKERS.fact(attack.attacker, "threat")
            best[threat] = max(best.get(threat, 0.0), risk_of(attack))
        return 100 * fmean(best.values()) if best else float("nan")

    @property
    def score(self) -> float:
        """(IL + DR) / 2: the lower, the better the compromise."""
        return (self.information_loss + self.disclosure_risk) / 2

    @property
    def broken(self) -> tuple[str, ...]:
        """What had to be kept and was not, in words."""
        return tuple(indicator.sentence for indicator in self.indicators if not indicator.holds)


def evaluate(
    masked: MaskedMicrodata,
    ground: Ground,
    *,
    paired: bool = True,
    progress: Progress = silent,
) -> Evaluation:
    """Return what a recipe costs and what it still tells.

    `paired` says whether measures that need pairs of records may be used: not if another recipe of a comparison
    invents its records.
    """
    has_pairs = masked.origin is not None
    seed = masked.recipe.seed or 0  # so that a recipe is judged alike alone and beside others
    paired = paired and has_pairs
    names = list(dict.fromkeys((*ground.attributes, *ground.known, *ground.secret, *ground.left_out)))
    there = {column.name for column in masked.released.columns}
    original = records_of(masked.original, names)
    released = records_of(masked.released, [name for name in names if name in there])
    pairs = original.taken(masked.origin) if masked.origin is not None else None
    notes: list[str] = []
    kept = [name for name in ground.attributes if name in there]
    if gone := [name for name in ground.attributes if name not in there]:
        notes.append(f"{listed(gone)} is not beside the others any more, and that is not counted as a loss")
    lost = _losses(_Files(original, pairs, released, paired), kept, ground, notes, progress)
    known = tuple(name for name in ground.known if name in there)
    scene = Scene(original, released, masked.origin, known, ground.secret)
    # Where one recipe has no pairs, all meet who asks for members: risks over other threats would not compare.
    attacks = attack_recipe(masked, scene, ground.wishes, paired=paired, seed=seed, progress=progress)
    notes += attacks.notes
    alone = untouched(original, released, masked.origin, [name for name in ground.left_out if name in there])
    if alone.sentence:
        notes.append(f"the recipe takes for granted that the intruder does not know them, and {alone.sentence}")
    return Evaluation(
        tuple(lost),
        attacks.done,
        tuple(_models(original, released, ground, notes)),
        _indicators(masked, ground),
        tuple(dict.fromkeys(notes)),
        attacks.unable,
        untouched(original, released, masked.origin, known),
    )


@dataclass(frozen=True, slots=True, repr=False)
class _Files:
    """The file before and after."""

    original: Records
    pairs: Records | None
    """The originals of the released records, in their order; None if these are invented."""
    released: Records
    is_paired: bool
    """Whether measures that need pairs may be used."""


def _losses(
    files: _Files, attributes: Sequence[str], ground: Ground, notes: list[str], progress: Progress
) -> list[Lost]:
    """Return the losses: beside the record that each comes from if pairs are needed, otherwise beside the whole file.

    A sample has its records as they were, and yet not the statistics of the file.
    """
    names = ground.wishes.measures or default_losses(files.original, attributes, paired=files.is_paired)
    results = []
    for place, name in enumerate(names):
        progress(Step(f"measuring what is lost: {name}", place, len(names)))
        loss = LOSSES.make(name, LOSSES.fact(name, "settings"))
        before = files.pairs if loss.needs_pairs else files.original
        if before is None:
            notes.append(f"{name} needs pairs of records, and these are invented")
            continue
        try:
            lost = loss.lost(before, files.released, attributes)
        except TacitaError as error:
            if ground.wishes.measures:
                raise
            notes.append(f"{name} could not be measured: {error.found}")
            continue
        # A measure that was not asked for by name leaves out what does not fit it as a matter of course.
        notes += lost.notes if ground.wishes.measures else ()
        results.append(_with_statistics_that_are_gone(lost, files.original, files.released, attributes))
    return results


def _with_statistics_that_are_gone(lost: Lost, original: Records, released: Records, attributes: Sequence[str]) -> Lost:
    """Count 1, all that can be lost, for each number of which only intervals are left: it has no mean any more."""
    numbers = [name for name in attributes if isinstance(original[name], Numbers)]
    gone = sum(not columns.is_number(released, name) for name in numbers)
    if not LOSSES.fact(lost.measure, "counts_lost_numbers") or not gone:
        return lost
    first, *_ = lost.figures
    left = 0.0 if gone == len(numbers) else lost.figure * (len(numbers) - gone)
    return dataclasses.replace(lost, figures={**lost.figures, first: (left + gone) / len(numbers)})


def _models(before: Records, released: Records, ground: Ground, notes: list[str]) -> list[Lost]:
    results = []
    for model in ground.wishes.models:
        regression = LOSSES.make("regression", {"formula": model.formula, "kind": model.kind, "by": list(model.by)})
        lost = regression.lost(before, released, before.names)
        notes += lost.notes
        label = model.formula + (f" within {', '.join(model.by)}" if model.by else "")
        results.append(dataclasses.replace(lost, measure=label))
    return results


def _indicators(masked: MaskedMicrodata, ground: Ground) -> tuple[Preserved, ...]:
    if not ground.wishes.indicators:
        return ()
    from tacita.utility.analyses.indicators import Indicator, preserved

    wishes = [Indicator(wish.name, wish.sql, wish.tolerance) for wish in ground.wishes.indicators]
    return tuple(preserved(masked.original, masked.released, wishes))


def is_number(value: float) -> bool:
    """Whether a figure could be measured."""
    return bool(np.isfinite(value))


def default_losses(before: Records, attributes: Sequence[str], *, paired: bool) -> tuple[str, ...]:
    """Return the losses that fit the attributes: those of the information loss first."""
    kinds = {"numbers" if isinstance(before[name], Numbers) else "categories" for name in attributes} | {"all"}
    return tuple(
        name
        for name in LOSSES.names()
        if LOSSES.fact(name, "by_default")
        and LOSSES.fact(name, "treats") in kinds
        and (paired or not LOSSES.named(name).needs_pairs)
    )


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
