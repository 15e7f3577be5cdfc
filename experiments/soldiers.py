"""Figure 2 of the paper: 10,000 soldiers by age and location. Its printed distances do not follow from formula (1)."""

from __future__ import annotations

import numpy as np

AGES = ("<18", "18-19", "20-24", "25-29", "30-34", "35-39", "40-44", "45-49", "50-54", ">=55")
LOCATIONS = ("L1", "L2", "L3", "L4", "L5")
COUNTS = np.array(
    [
        [72, 151, 539, 452, 335, 321, 128, 20, 9, 2],
        [26, 53, 147, 114, 213, 238, 219, 205, 71, 13],
        [38, 82, 449, 370, 234, 277, 122, 50, 28, 2],
        [47, 140, 505, 418, 318, 332, 162, 49, 34, 2],
        [73, 223, 736, 613, 501, 538, 220, 76, 31, 2],
    ]
)
"""Soldiers by location (rows) and age."""
BASELINE = COUNTS.sum(axis=0) / COUNTS.sum()


def policy_text(
    rule: str = "crowd",
    start: str = "{records = 10}",
    more: str = "",
    *,
    observer: str = 'gathers = "all"\nholds = "silent"\nsizes = "unknown"',
    top: str = "",
) -> str:
    """Return the policy of a gate on the soldiers, whose records have an age class."""
    baseline = ", ".join(f'"{age}" = {count}' for age, count in zip(AGES, COUNTS.sum(axis=0), strict=True))
    begin = f"start = {start}\n" if start else ""
    return f"""\
name = "soldiers"
key = "id"
attributes = ["id", "age", "location"]
{top}
[observer]
{observer}

[[dependency]]
target = "location"
targets = ["L1", "L2", "L3", "L4", "L5"]
x = "age"
baseline = {{{baseline}}}
rule = "{rule}"
{begin}{more}
"""


def soldiers(seed: int) -> list[tuple[str, str, str]]:
    """Return all soldiers in a random order, as (id, age, location)."""
    rows = [
        (age, location)
        for place, location in enumerate(LOCATIONS)
        for age, count in zip(AGES, COUNTS[place], strict=True)
        for _ in range(count)
    ]
    order = np.random.default_rng(seed).permutation(len(rows))
    return [(str(number), *rows[number]) for number in order.tolist()]
