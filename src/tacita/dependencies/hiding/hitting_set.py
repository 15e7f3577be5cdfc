"""The cheapest attributes that break every determining set: a minimum hitting set, by integer programming.

minimise sum c(a) x(a) subject to sum over a in X of x(a) >= 1 for each set X, x(a) in {0, 1}. Solved by HiGHS to
optimality by one thread. Of several optima one is preferred whose attributes come early in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tacita.errors import UsageError

Attributes = frozenset[str]
_DIGITS = 3
_TIE = 1e-6
"""What a place in the order of the file costs: far less than the smallest difference of costs, which are rounded."""


def smallest_hitting_set(
    sets: Collection[Attributes], costs: Mapping[str, float], order: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the attributes of least cost such that each set has one of them, in the given order; None if none exist.

    An attribute without a cost costs 1. One with an infinite cost is not chosen. Costs are rounded to three digits.

    >>> smallest_hitting_set([frozenset("AB"), frozenset("AC"), frozenset("BC")], {}, "ABC")
    ('A', 'B')
    >>> smallest_hitting_set([frozenset("AB")], {"A": 5}, "ABC")
    ('B',)
    >>> smallest_hitting_set([frozenset()], {}, "ABC") is None
    True
    """
    check_costs(costs)
    free = [a for a in order if costs.get(a, 1.0) != float("inf")]
    wanted = minimal_sets([one & frozenset(free) for one in sets])
    if any(not one for one in wanted):
        return None
    chosen = {a for one in wanted if len(one) == 1 for a in one}
    wanted = [one for one in wanted if not one & chosen]
    if wanted:
        chosen |= _solve(wanted, costs, [a for a in free if any(a in one for one in wanted)])
    return tuple(a for a in order if a in chosen)


def minimal_sets(sets: Collection[Attributes]) -> list[Attributes]:
    """Return the sets that contain no other one, smallest first, each once.

    >>> [sorted(one) for one in minimal_sets([frozenset("AB"), frozenset("A"), frozenset("BC")])]
    [['A'], ['B', 'C']]
    """
    minimal: list[Attributes] = []
    for one in sorted(set(sets), key=lambda one: (len(one), sorted(one))):
        if not any(other <= one for other in minimal):
            minimal.append(one)
    return minimal


def check_costs(costs: Mapping[str, float]) -> None:
    """Raise if a cost is not a number above 0."""
    for name, cost in costs.items():
        if not round(cost, _DIGITS) > 0:
            raise UsageError(f"hiding '{name}' costs {cost:g}", do="give costs of 0.001 and more")


def _solve(sets: Sequence[Attributes], costs: Mapping[str, float], names: Sequence[str]) -> set[str]:
    import highspy
    import numpy as np

    place = {name: i for i, name in enumerate(names)}
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(names), len(sets)
    lp.col_cost_ = np.array([round(costs.get(n, 1.0), _DIGITS) + _TIE * (i + 1) / len(names) for n, i in place.items()])
    lp.col_lower_, lp.col_upper_ = np.zeros(len(names)), np.ones(len(names))
    lp.row_lower_, lp.row_upper_ = np.ones(len(sets)), np.full(len(sets), highspy.kHighsInf)
    columns = [sorted(place[a] for a in one) for one in sets]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *map(len, columns)])
    lp.a_matrix_.index_ = np.array([i for row in columns for i in row])
    lp.a_matrix_.value_ = np.ones(sum(map(len, columns)))
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(names)
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 1e-9}.items():
        solver.setOptionValue(option, value)
    solver.passModel(lp)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError("a hitting set exists, and the solver found none")
    values = solver.getSolution().col_value
    return {name for name, i in place.items() if values[i] > 0.5}
