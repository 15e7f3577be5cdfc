"""Questions about small cubes, asked of a mechanism without a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from tests.queries.cubes import cube_of

from tacita.queries.cube.cube import Cube
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.mechanism import AskedGroup, AskedQuestion
from tacita.queries.policy.policy import AnswerMode, FilterAttribute, QueryMeasure, QueryPolicy, QueryRules
from tacita.queries.question import AskedStatistic, DataQuestion, Mask, Statistic

LARGEST = 100
COUNT = AskedStatistic(Statistic.COUNT)
SUM = AskedStatistic(Statistic.SUM, "x")
AVERAGE = AskedStatistic(Statistic.AVERAGE, "x")
RATIO = AskedStatistic(Statistic.RATIO, "x", "y")


def policy_of(mode: AnswerMode, options: Mapping[str, Any], **more: Any) -> QueryPolicy:
    """Return a policy of two measures from 0 to 100, and cells by one attribute."""
    statistics = tuple(Statistic)
    return QueryPolicy(
        "b",
        (FilterAttribute("c"),),
        tuple(QueryMeasure(name, Decimal(0), Decimal(LARGEST), 0, statistics) for name in ("x", "y")),
        unit=("who",) if "records_per_unit" in options and options["records_per_unit"] > 1 else (),
        answers=mode,
        options=options,
        rules=QueryRules(minimum=2),
        **more,
    )


def private_policy(currency: str = "epsilon", records: int = 1) -> QueryPolicy:
    """Return a policy of private answers with a large budget."""
    total = Fraction(10**6)
    options = {"currency": currency, "total": total, "analyst": total, "records_per_unit": records}
    return policy_of(AnswerMode.PRIVATE, options)


def cube_with(policy: QueryPolicy, values: Sequence[int], cells: Sequence[str] = (), who: Sequence[str] = ()) -> Cube:
    """Return a cube of records with these values; all are in one cell unless cells are given."""
    return cube_of(
        [
            {
                "c": cells[place] if cells else "a",
                "x": value,
                "y": LARGEST - value // 2,
                "who": who[place] if who else place,
            }
            for place, value in enumerate(values)
        ],
        policy,
    )


def version_of(cube: Cube, secret: bytes = b"k" * 32) -> FrozenVersion:
    """Return a frozen version that lies nowhere."""
    return FrozenVersion(Path(), "0" * 32, cube, secret, "b.csv", "", "", "2026-01-01T00:00:00", "")


def asking(
    statistics: Sequence[AskedStatistic], masks: Sequence[Mask], *, epsilon: int | None = None, accuracy: Any = None
) -> AskedQuestion:
    """Return a question about some sets of cells."""
    groups = tuple(AskedGroup((place,), np.asarray(cells)) for place, cells in enumerate(masks))
    return AskedQuestion(DataQuestion(tuple(statistics)), groups, "ann", epsilon, accuracy)
