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
    raise NotImplementedError(mode)
