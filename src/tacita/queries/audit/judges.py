"""Which judges a policy has."""

from __future__ import annotations

from tacita.queries.audit.beside_extremes import BesideExtremesJudge
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.extremes import ExtremesJudge
from tacita.queries.audit.judge import QueryJudge
from tacita.queries.audit.sensitivity import OverlapJudge, SensitivityJudge
from tacita.queries.audit.squares import SquaresJudge
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Statistic


def judges_of(cube: Cube, policy: QueryPolicy) -> tuple[QueryJudge, ...]:
    """Return the judges of a policy, those that take the least work first.

    With `simulatable` none looks at a value: there is no judge of intervals or of variances, and the others leave out
    the rules that do. They come without a history: `learn` gives them one.
    """
    rules = policy.rules
    judges: list[QueryJudge] = [SensitivityJudge(cube, policy)]
    if rules.overlap is not None:
        judges.append(OverlapJudge(cube, policy))
    judges += [BesideExtremesJudge(cube, policy), ExtremesJudge(cube, policy), ExactJudge(cube, policy)]
    if not rules.simulatable and any(Statistic.VARIANCE in one.statistics for one in policy.measures):
        judges.append(SquaresJudge(cube, policy))
    if rules.knows_bounds and not rules.simulatable:
        from tacita.queries.audit.interval import IntervalJudge

        judges.append(IntervalJudge(cube, policy))
    return tuple(judges)
