"""Hidden numbers beside a copy that was rounded, cut or blurred a little: an income, and the income in thousands.

The copy gives the hidden number to within the width of the rounding. That is what is reported, if this width is small
beside the differences between records: at most a tenth of all numbers may lie within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacita.attacks.microdata.relations.numbers import NumericLesson, ReleasedFormula, ReleasedNumbers

_FACTORS = tuple(sorted({10.0**power for power in range(-6, 7)} | {12.0, 1 / 12, 52.0, 1 / 52}))
"""How many of the one make one of the other: thousands, months of a year, weeks of a year."""
_LEAST = 20
_INSIDE = 0.97
"""Share of the records of the sample that must be inside."""


def copies(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> Iterator[ReleasedFormula]:
    """Yield attributes that are near to the target, or to it times a usual factor, and how near.

    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> income = np.random.default_rng(3).lognormal(8, 1, 400).round(2)
    >>> hidden = np.arange(400) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("income", income, hidden, ~hidden, True))
    >>> [formula.sentence for formula in copies(lesson, [ReleasedNumbers("in_hundreds", (income / 100).round())])]
    ['income is 100 in_hundreds to within 50']
    """
    truth = lesson.target.truth[lesson.sample]
    for column in columns:
        values = column.values[lesson.sample]
        there = np.isfinite(values)
        if there.sum() < _LEAST or not np.ptp(values[there]) > 0:
            continue
        one, two = values[there], truth[there]
        ratio = float(np.median(np.abs(two)) / max(np.median(np.abs(one)), 1e-300))
        factor = min(_FACTORS, key=lambda candidate: abs(np.log(max(ratio, 1e-300) / candidate)))
        if not 0.8 < ratio / factor < 1.25:
            continue
        missed = np.sort(two - factor * one)
        aside = int((1 - _INSIDE) / 2 * len(missed))
        low, high = float(missed[aside]), float(missed[len(missed) - 1 - aside])
        middle, width = (low + high) / 2, (high - low) / 2
        if abs(middle) < width / 2:
            middle, width = 0.0, max(abs(low), abs(high))
        step = 10.0 ** np.floor(np.log10(max(width, lesson.unit))) / 2
        width = float(f"{np.ceil(width / step * 0.999) * step:.6g}")
        times = "" if factor == 1 else f"{factor:.4g} "
        sentence = f"{lesson.target.name} is {times}{column.name} to within {max(width, lesson.unit):g}"
        formula_values = factor * column.values + middle
        yield ReleasedFormula((column.attribute,), sentence, formula_values, max(width, lesson.unit), "rounded copy")
