"""Which mechanism gives the figures of a mode: the one place that knows all of them."""

from __future__ import annotations

from tacita.queries.cube.version import FrozenVersion
from tacita.queries.exactly import ExactFigures
from tacita.queries.mechanism import Mechanism
from tacita.queries.policy.policy import AnswerMode


def mechanism_of(version: FrozenVersion) -> Mechanism:
    """Return the mechanism of a version."""
    mode = version.policy.answers
    if mode is AnswerMode.EXACT:
        return ExactFigures(version.cube)
    if mode is AnswerMode.CAMOUFLAGE:
        from tacita.queries.camouflage.intervals import CamouflagedFigures

        return CamouflagedFigures(version)
    if mode is AnswerMode.PRIVATE:
        from tacita.queries.noise.private import PrivateFigures

        return PrivateFigures(version.cube)
    if mode is AnswerMode.PERTURBED:
        from tacita.queries.noise.perturbed import PerturbedFigures

        return PerturbedFigures(version)
    from tacita.queries.noise.sampled import SampledFigures

    return SampledFigures(version)
