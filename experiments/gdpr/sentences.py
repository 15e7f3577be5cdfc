"""What the paper says of its Figures 4 to 12, beside what was measured here, and why the two differ.

The figures print no numbers, and the authors' invented names are not known: only sentences can be compared. A line of
five numbers grows *linearly* if it rises in at least three of its four steps, and *sub-linearly* if it rises in fewer.
The paper gives no such criteria: these, and those of "similar" and "small", are ours, and were set after a first run. A
verdict is an aid to read the figures beside it, not a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from experiments.gdpr.data import CREDIT, HEALTH, INTEGRATED, LONDON, SINGLE
from experiments.gdpr.points import COUNT, HEURISTICS, MFVS, PRINTED, WEIGHTED, GdprResults, Setting
from tacita.dependencies.hiding.choice import ChoiceMethod
from tacita.model.figures import figure

AGREES, DIFFERS = "agrees", "differs"
_FULL, _CERTAINTY, _ACCURACY, _BOTH = PRINTED
_SHORT = {COUNT: "counting", WEIGHTED: "weighted", MFVS: "MFVS"}
_SMALL = 0.25
"""An information gain that changes by less than this share of itself changes little."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the paper, what was measured, and why the two differ."""

    figure: str
    printed: str
    ours: str
    verdict: str
    why: str = ""


_Measured = tuple[str, bool]
"""What was measured in words, and whether it agrees with the sentence."""


@dataclass(frozen=True, slots=True)
class _Claim:
    figure: str
    needs: tuple[str, ...]
    """The data sets without which nothing can be said."""
    printed: str
    measure: Callable[[GdprResults], _Measured]
    why: str


def sentences(results: GdprResults) -> list[Sentence]:
    """Return every sentence whose data sets were looked at; reasons are given where the two differ."""
    compared = []
    for claim in _CLAIMS:
        if {*claim.needs} <= {*results.data}:
            ours, agrees = claim.measure(results)
            verdict, why = (AGREES, "") if agrees else (DIFFERS, claim.why)
            compared.append(Sentence(claim.figure, claim.printed, ours, verdict, why))
    return compared


# -- Figures 4 and 5: one confidential attribute -----------------------------------------------------------------------


def _mean(results: GdprResults, data: str, setting: Setting, method: ChoiceMethod) -> float:
    value = results.mean(data, setting, method)
    assert value is not None, f"{data} was looked at"
    return value


def _means(results: GdprResults, data: str, setting: Setting) -> list[float]:
    return [_mean(results, data, setting, method) for method in HEURISTICS]


def _told(results: GdprResults, data: str, settings: Iterable[Setting] = PRINTED) -> str:
    """Return the means of the three heuristics by setting."""
    parts = (f"{setting} {' / '.join(f'{m:.2f}' for m in _means(results, data, setting))}" for setting in settings)
    return "; ".join(parts)


def _similar_heuristics(results: GdprResults) -> _Measured:
    across = [max(one) - min(one) for one in (_means(results, CREDIT, setting) for setting in PRINTED)]
    middle = [sum(_means(results, CREDIT, setting)) / len(HEURISTICS) for setting in PRINTED]
    return _told(results, CREDIT), max(across) < max(middle) - min(middle)


def _mfvs_on_credit(results: GdprResults) -> _Measured:
    both, certainty = (_means(results, CREDIT, setting) for setting in (_BOTH, _CERTAINTY))
    agrees = both[2] <= min(both[:2]) and certainty[2] > max(certainty[:2])
    return _told(results, CREDIT, (_CERTAINTY, _BOTH)), agrees


def _mfvs_on_health(results: GdprResults) -> _Measured:
    lines = {setting: _means(results, HEALTH, setting) for setting in PRINTED}
    better = all(max(line[:2]) < line[2] for setting, line in lines.items() if setting is not _BOTH)
    return _told(results, HEALTH), better and len({round(mean, 9) for mean in lines[_BOTH]}) == 1


def _mfvs_is_worst(data: str) -> Callable[[GdprResults], _Measured]:
    def measure(results: GdprResults) -> _Measured:
        lines = [_means(results, data, setting) for setting in PRINTED]
        return _told(results, data), all(line[2] >= max(line[:2]) for line in lines)

    return measure


def _no_variability(results: GdprResults) -> _Measured:
    lines = [[_mean(results, LONDON, setting, method) for setting in PRINTED] for method in HEURISTICS]
    return _told(results, LONDON), all(max(line) - min(line) < 0.5 for line in lines)


def _relaxation_adds(results: GdprResults) -> _Measured:
    cases = [
        _mean(results, data, setting, method) > _mean(results, data, _FULL, method)
        for data in SINGLE
        for method in HEURISTICS
        for setting in (_CERTAINTY, _ACCURACY, _BOTH)
    ]
    return f"in {sum(cases)} of {len(cases)} cases", 2 * sum(cases) > len(cases)


def _weighted_is_best(results: GdprResults) -> _Measured:
    lines = [_means(results, "CreditHealth", setting) for setting in (_CERTAINTY, _BOTH)]
    agrees = all(line[1] <= min(line) for line in lines) and any(line[1] < min(line[0], line[2]) for line in lines)
    return _told(results, "CreditHealth", (_CERTAINTY, _BOTH)), agrees


def _integration(results: GdprResults) -> _Measured:
    more: dict[bool, list[bool]] = {True: [], False: []}
    for data, parts in INTEGRATED.items():
        for setting in PRINTED:
            alone = max(_mean(results, part, setting, WEIGHTED) for part in parts)
            more[setting is _FULL].append(_mean(results, data, setting, WEIGHTED) > alone)
    words = (
        f"more than in either part: exact in {sum(more[True])} of {len(more[True])} joins, relaxed in "
        f"{sum(more[False])} of {len(more[False])} (weighted)"
    )
    return words, not any(more[True]) and 2 * sum(more[False]) > len(more[False])


# -- Figures 6 to 11: more confidential attributes ---------------------------------------------------------------------


def _rises(line: Sequence[float]) -> int:
    return sum(after > before for before, after in pairwise(line))


def _line(line: Sequence[float]) -> str:
    return ", ".join(figure(value) for value in line)


def _growth(
    data: str, linear: Sequence[Setting], sub_linear: Sequence[Setting], methods: Sequence[ChoiceMethod] = HEURISTICS
) -> Callable[[GdprResults], _Measured]:
    def measure(results: GdprResults) -> _Measured:
        lines = {(s, m): results.growth(data, s, m) for s in (*linear, *sub_linear) for m in methods}
        agrees = all((_rises(line) >= 3) == (setting in linear) for (setting, _), line in lines.items())
        words = "; ".join(f"{s}: {_line(lines[s, methods[-1]])}" for s in (*linear, *sub_linear))
        return f"{words} ({_SHORT[methods[-1]]})", agrees

    return measure


def _decreases(results: GdprResults) -> _Measured:
    falling = [
        f"{data}, {setting}, {_SHORT[method]}: {_line(line)}"
        for data in SINGLE
        for setting in PRINTED
        for method in HEURISTICS
        for line in (results.growth(data, setting, method),)
        if any(after < before for before, after in pairwise(line))
    ]
    return "; ".join(falling) or "never", bool(falling)


def _counting_hides_more(results: GdprResults) -> _Measured:
    lines = [(results.growth(LONDON, setting, COUNT), results.growth(LONDON, setting, WEIGHTED)) for setting in PRINTED]
    more = sum(sum(one) > sum(other) for one, other in lines)
    fewer = sum(sum(one) < sum(other) for one, other in lines)
    return f"more in {more}, fewer in {fewer} of {len(lines)} configurations", more > fewer


def _same_trend(data: str, pairs: Sequence[tuple[Setting, Setting]], method: ChoiceMethod) -> Callable[..., _Measured]:
    def measure(results: GdprResults) -> _Measured:
        lines = [tuple(results.growth(data, setting, method) for setting in pair) for pair in pairs]
        told = zip(pairs, lines, strict=True)
        words = "; ".join(f"{pair[0]}: {_line(one)}, {pair[1]}: {_line(two)}" for pair, (one, two) in told)
        close = all(abs(a - b) <= 1 for one, two in lines for a, b in zip(one, two, strict=True))
        return words, close

    return measure


def _most_with_both(results: GdprResults) -> _Measured:
    lines = {setting: results.growth("HealthLondon", setting, WEIGHTED) for setting in PRINTED}
    words = "; ".join(f"{setting}: {_line(line)}" for setting, line in lines.items())
    most = all(sum(lines[_BOTH]) >= sum(line) for line in lines.values())
    return f"{words} (weighted)", most and max(lines[_BOTH]) - min(lines[_BOTH]) <= 2


# -- Figure 12: information gain ---------------------------------------------------------------------------------------


def _gains(results: GdprResults) -> Iterator[tuple[str, float, float]]:
    yield from ((one.attribute, one.before, one.after) for one in results.gains)


def _small_changes(*, with_hidden: bool) -> Callable[[GdprResults], _Measured]:
    def measure(results: GdprResults) -> _Measured:
        after = {one.attribute: one.with_hidden if with_hidden else one.after for one in results.gains}
        changes = {name: (after[name] - before) / before for name, before, _ in _gains(results)}
        words = "; ".join(f"{name} {change:+.0%}" for name, change in changes.items())
        small = sum(abs(change) < _SMALL for change in changes.values())
        return words.replace("%", " %"), small >= len(changes) - 2

    return measure


def _last_name(results: GdprResults) -> _Measured:
    changes = {name: after - before for name, before, after in _gains(results)}
    worst = min(changes, key=lambda name: changes[name])
    return f"the largest loss is that of {worst}, {-changes[worst]:.3f} bits", worst == "LastName"


_OTHER_DATA = "The authors' names, and the register of Health, are other ones."
_NEAR_KEYS = (
    "An error of 10 % is tolerated where the left-hand side is nearly a key, so that nearly all attributes depend on "
    "each other by accident; the number of dependencies then follows the number of attributes, not what they tell."
)
_REPAIR = "Choices are repaired until no chain leads to the secret, and scores are taken anew after each removal."
_DISTANCE = (
    "A distance makes more pairs alike on the left, too, which breaks as many dependencies as it creates; codes and "
    "words are compared by equality here."
)

_CLAIMS = (
    _Claim(
        "4a",
        (CREDIT,),
        "Credit: quite different across configurations, similar across the three heuristics",
        _similar_heuristics,
        _OTHER_DATA,
    ),
    _Claim(
        "4a",
        (CREDIT,),
        "Credit: MFVS is the best with both relaxations, and worse than the others with g3",
        _mfvs_on_credit,
        f"MFVS as printed leaves sets of two attributes open; closing them costs attributes. {_REPAIR}",
    ),
    _Claim(
        "4b",
        (HEALTH,),
        "Health: counting and weighted counting are better than MFVS; with both relaxations all are equal",
        _mfvs_on_health,
        _OTHER_DATA,
    ),
    _Claim("4c", (LONDON,), "London: MFVS is worse than the others", _mfvs_is_worst(LONDON), _REPAIR),
    _Claim("4c", (LONDON,), "London: no variability across configurations", _no_variability, _NEAR_KEYS),
    _Claim("4", SINGLE, "Relaxation usually increases the number of attributes", _relaxation_adds, _DISTANCE),
    _Claim(
        "5a",
        ("CreditHealth",),
        "CreditHealth: weighted counting is better than the others with g3 and with both",
        _weighted_is_best,
        _NEAR_KEYS,
    ),
    _Claim(
        "5b",
        ("CreditLondon",),
        "CreditLondon: counting and weighted counting are better than MFVS",
        _mfvs_is_worst("CreditLondon"),
        _REPAIR,
    ),
    _Claim(
        "5c",
        ("HealthLondon",),
        "HealthLondon: counting and weighted counting are better than MFVS",
        _mfvs_is_worst("HealthLondon"),
        _REPAIR,
    ),
    _Claim(
        "5",
        (*SINGLE, *INTEGRATED),
        "A join hides more attributes than its parts only if dependencies are relaxed",
        _integration,
        "Attributes of two files determine those of both together: exact dependencies of a join are new ones, too.",
    ),
    _Claim(
        "6",
        (CREDIT,),
        "Credit: linear growth with exact dependencies and with distances, sub-linear with g3 and with both",
        _growth(CREDIT, (_FULL, _ACCURACY), (_CERTAINTY, _BOTH)),
        _OTHER_DATA,
    ),
    _Claim(
        "7",
        (HEALTH,),
        "Health: linear growth with counting and weighted counting in all configurations",
        _growth(HEALTH, PRINTED, (), (COUNT, WEIGHTED)),
        "Dates of the generated register follow from each other: the due date brings all of them at once.",
    ),
    _Claim(
        "8",
        (LONDON,),
        "London: linear growth with exact dependencies and with distances, sub-linear with g3 and with both "
        "(counting and weighted counting)",
        _growth(LONDON, (_FULL, _ACCURACY), (_CERTAINTY, _BOTH), (COUNT, WEIGHTED)),
        "What protects the first attributes protects the names, too, which nothing but larger sets determines.",
    ),
    _Claim("8", (LONDON,), "London: counting hides more than weighted counting", _counting_hides_more, _REPAIR),
    _Claim(
        "6-8",
        SINGLE,
        "The number sometimes decreases when one more attribute is confidential",
        _decreases,
        "Scores are taken anew after each removal.",
    ),
    _Claim(
        "9",
        ("CreditHealth",),
        "CreditHealth: the same trend for exact dependencies and distances with weighted counting",
        _same_trend("CreditHealth", ((_FULL, _ACCURACY),), WEIGHTED),
        _DISTANCE,
    ),
    _Claim(
        "10",
        ("CreditLondon",),
        "CreditLondon: MFVS is similar for exact dependencies and distances, and for g3 and both",
        _same_trend("CreditLondon", ((_FULL, _ACCURACY), (_CERTAINTY, _BOTH)), MFVS),
        _NEAR_KEYS,
    ),
    _Claim(
        "11",
        ("HealthLondon",),
        "HealthLondon: both relaxations need the most attributes, and stay nearly constant",
        _most_with_both,
        _NEAR_KEYS,
    ),
    _Claim(
        "12",
        (HEALTH,),
        "Health: the information gain on Status changes little for almost all attributes (a hidden status is a class, "
        "as the paper counts it)",
        _small_changes(with_hidden=True),
        "Where the status is hidden, other attributes are hidden, too: that a cell is hidden tells that the status is.",
    ),
    _Claim(
        "12",
        (HEALTH,),
        "The same among the records whose status is shown",
        _small_changes(with_hidden=False),
        "Each person keeps one attribute confidential here; how many do in the paper is not said.",
    ),
    _Claim(
        "12",
        (HEALTH,),
        "Health: the largest loss is that of LastName",
        _last_name,
        "Names are drawn at random and tell nothing of the status; what is lost most is what tells most.",
    ),
)
