"""Evaluations and comparisons in words of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.attacks.microdata.attacker import Attacked, Rate
from tacita.recipes.comparison import Comparison
from tacita.recipes.evaluation import Evaluation
from tacita.recipes.headline import headline
from tacita.recipes.untouched import RARE, Untouched
from tacita.utility.loss import Lost


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return what came of a recipe; a figure that is not defined is null."""
    return {
        "headline": headline(evaluation),
        "information_loss": told(evaluation.information_loss),
        "disclosure_risk": told(evaluation.disclosure_risk),
        "score": told(evaluation.score),
        "losses": [_lost(lost) for lost in evaluation.losses],
        "attacks": [attack_dict(attack) for attack in evaluation.attacks],
        "untouched": _untouched(evaluation.untouched),
        "models": [_lost(lost) for lost in evaluation.models],
        "indicators": [
            {"name": each.indicator.name, "holds": each.holds, "deviation": told(each.deviation), "groups": each.groups}
            for each in evaluation.indicators
        ],
        "broken": list(evaluation.broken),
        "notes": list(evaluation.notes),
    }


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """Return all points of a comparison, and which of them no other beats."""
    return {
        "known": list(comparison.ground.known),
        "secret": list(comparison.ground.secret),
        "points": [
            {
                "number": number,
                "recipe": point.recipe.label,
                "on_frontier": number - 1 in comparison.frontier,
                "better_than_unmasked": number - 1 in comparison.better,
                "against": list(point.against),
                "steps": [{"step": done.label, "figures": _plain(done.figures)} for done in point.steps],
                "notes": list(point.notes),
                "failed": point.failed,
                **(evaluation_dict(point.evaluation) if point.evaluation is not None else {}),
            }
            for number, point in enumerate(comparison.points, 1)
        ],
        "baseline": evaluation_dict(comparison.baseline) if comparison.baseline is not None else None,
        "best": comparison.best + 1 if comparison.best is not None else None,
        "verdict": comparison.verdict,
        "notes": list(comparison.notes),
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
    attributes = {name: _plain(figures) for name, figures in lost.attributes.items()}
    return {"measure": lost.measure, "figures": _plain(lost.figures), "attributes": attributes}


def attack_dict(attack: Attacked) -> dict[str, Any]:
    """Return how far an attacker got."""
    return {
        "attacker": attack.attacker,
        "success": told(attack.success),
        "interval": [told(attack.lower), told(attack.upper)],
        "control": _rate(attack.control, by=attack.control_by),
        "risk": _rate(attack.risk),
        "guess": told(attack.guess),
        "attempts": attack.attempts,
        "figures": _plain(attack.figures),
        "notes": list(attack.notes),
    }


def _rate(rate: Rate | None, **more: str) -> dict[str, Any] | None:
    """Return a rate with its interval; None if there is none."""
    if rate is None:
        return None
    return {"rate": told(rate.value), "interval": [told(rate.lower), told(rate.upper)], **more}


def _plain(figures: Mapping[str, float]) -> dict[str, float | None]:
    return {name: told(value) for name, value in figures.items()}


def told(value: float) -> float | None:
    """Return a figure, or None where it is not defined."""
    return float(value) if value - value == 0 else None
