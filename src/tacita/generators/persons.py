"""The persons of a household: who they are to each other, and what follows from age, sex and place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.functions import exponential

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = dict[str, NDArray[np.integer]]

RELATION = ("Head", "Partner", "Child", "Parent")
SEX = ("Female", "Male")
MARITAL = ("Single", "Married", "Divorced", "Widowed")
EDUCATION = ("None", "Primary", "Lower secondary", "Upper secondary", "Tertiary")
OCCUPATION = (
    "Child",
    "Student",
    "Worker",
    "Employee",
    "Manager",
    "Self-employed",
    "Homemaker",
    "Unemployed",
    "Retired",
)
NATIONALITY = (
    "Italian",
    "Romanian",
    "Albanian",
    "Moroccan",
    "Chinese",
    "Ukrainian",
    "Indian",
    "French",
    "Other",
)
HEALTH = (
    "None",
    "Hypertension",
    "Diabetes",
    "Asthma",
    "Depression",
    "Heart disease",
    "Cancer",
    "HIV",
    "Other",
)
LABELS = {
    "Relation to head": RELATION,
    "Sex": SEX,
    "Marital status": MARITAL,
    "Education": EDUCATION,
    "Occupation": OCCUPATION,
    "Nationality": NATIONALITY,
    "Health condition": HEALTH,
}
_HEAD, _PARTNER, _CHILD, _PARENT = range(4)
_SINGLE, _MARRIED, _DIVORCED, _WIDOWED = range(4)
_MAN = 1
ADULT = 18


def members(sizes: NDArray[np.integer], random: np.random.Generator) -> Columns:
    """Return relation, sex, age, marital status and nationality of all members, household by household.

    Alone, a couple, a lone parent with children, a couple with children, sometimes with a parent of the head.
    A child is at least 18 years younger than either of its parents, a parent of the head at least 20 years
    older.
    """
    homes = len(sizes)
    couple = (sizes > 1) & (random.random(homes) < np.where(sizes == 2, 0.8, 0.88))
    elder = couple & (sizes > 2) & (random.random(homes) < 0.06)
    children = sizes - 1 - couple - elder
    of = np.repeat(np.arange(homes), sizes)
    rank = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    relation = np.full(len(of), _CHILD)
    relation[rank == 0] = _HEAD
    relation[(rank == 1) & couple[of]] = _PARTNER
    relation[(rank == sizes[of] - 1) & elder[of]] = _PARENT

    head = _head_ages(sizes, (children > 0) | elder, random)
    partner = np.clip(head + np.rint(random.normal(-1.5, 3.5, homes)), ADULT, 99).astype(np.int64)
    younger = np.where(couple, np.minimum(head, partner), head)
    first_birth = ADULT + random.binomial(24, 0.5, homes)
    child_rank = rank - 1 - couple[of]
    child = younger[of] - first_birth[of] - 2 * child_rank - random.integers(0, 2, len(of))
    parent = head[of] + random.integers(20, 39, len(of))
    age = np.select(
        [relation == _HEAD, relation == _PARTNER, relation == _PARENT],
        [head[of], partner[of], np.minimum(parent, 104)],
        np.clip(child, 0, 45),
    )

    head_man = random.random(homes) < np.where(couple, 0.68, np.where(children > 0, 0.18, 0.46))
    married = couple & (random.random(homes) < 0.85)
    same_sex = random.random(homes) < 0.02
    man = np.where(relation == _HEAD, head_man[of], random.random(len(of)) < np.where(relation == _PARENT, 0.25, 0.51))
    man = np.where(relation == _PARTNER, head_man[of] == same_sex[of], man)
    return {
        "Relation to head": relation,
        "Sex": man.astype(np.int64),
        "Age": age,
        "Marital status": _marital(relation, age, couple[of], married[of], random),
        "Nationality": _nationality(relation, of, homes, random),
    }


def _head_ages(sizes: NDArray[np.integer], amid: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int64]:
    """Return the ages of the heads: alone, in a couple of two, or ``amid`` children or a parent."""
    homes = len(sizes)
    alone = np.where(random.random(homes) < 0.45, random.normal(38, 10, homes), random.normal(73, 10, homes))
    pair = np.where(random.random(homes) < 0.35, random.normal(34, 7, homes), random.normal(66, 10, homes))
    age = np.where(sizes == 1, alone, np.where(amid, random.normal(45, 8, homes), pair))
    return np.clip(np.rint(age), np.where(amid, 22, 19), np.where(amid, 68, 98)).astype(np.int64)


def _marital(
    relation: NDArray[np.integer],
    age: NDArray[np.integer],
    couple: NDArray[np.bool_],
    married: NDArray[np.bool_],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the marital status: partners are both married or neither is; children at home are single."""
    uniform = random.random(len(age))
    widowed = uniform < np.clip((age - 50) / 45, 0.0, 0.8)
    divorced = uniform > np.where(age < 30, 0.99, np.where(age < 75, 0.75, 0.93))
    without = np.where(widowed, _WIDOWED, np.where(divorced, _DIVORCED, _SINGLE))
    in_couple = couple & (relation <= _PARTNER)
    unmarried = np.where(divorced, _DIVORCED, _SINGLE)
    status = np.where(in_couple, np.where(married, _MARRIED, unmarried), without)
    status = np.where(relation == _PARENT, np.where(uniform < 0.85, _WIDOWED, _DIVORCED), status)
    return np.where(relation == _CHILD, _SINGLE, status)


def _nationality(
    relation: NDArray[np.integer], of: NDArray[np.integer], homes: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return the nationality: a household has one, from which one partner in twelve differs."""
    shares = (0.915, 0.020, 0.009, 0.009, 0.007, 0.006, 0.004, 0.003, 0.027)
    home = random.choice(len(shares), p=shares, size=homes)
    other = random.choice(len(shares), p=shares, size=len(of))
    differs = (relation == _PARTNER) & (random.random(len(of)) < 1 / 12)
    return np.where(differs, other, home[of])


def circumstances(
    age: NDArray[np.integer],
    sex: NDArray[np.integer],
    region: NDArray[np.integer],
    random: np.random.Generator,
) -> Columns:
    """Return education, occupation, income and health condition."""
    education = _education(age, random)
    occupation = _occupation(age, sex, education, random)
    return {
        "Education": education,
        "Occupation": occupation,
        "Income": _income(age, education, occupation, region, random),
        "Health condition": _health(age, random),
    }


def _drawn(tables: list[list[float]], row: NDArray[np.integer], random: np.random.Generator) -> NDArray[np.int64]:
    """Return a column of the chosen row of a table of weights."""
    cumulative = np.cumsum(np.array(tables, dtype=np.float64), axis=1)
    uniform = random.random(len(row)) * cumulative[row, -1]
    drawn: NDArray[np.int64] = (uniform[:, None] >= cumulative[row, :-1]).sum(axis=1)
    return drawn


def _education(age: NDArray[np.integer], random: np.random.Generator) -> NDArray[np.int64]:
    cohort = np.digitize(age, [11, 14, 19, 25, 40, 60, 75])
    return _drawn(
        [
            [1, 0, 0, 0, 0],
            [0, 1, 0, 0, 0],
            [0, 2, 98, 0, 0],
            [0, 1, 16, 75, 8],
            [1, 2, 20, 47, 30],
            [1, 4, 32, 43, 20],
            [2, 18, 35, 32, 13],
            [8, 50, 22, 14, 6],
        ],
        cohort,
        random,
    )


def _occupation(
    age: NDArray[np.integer],
    sex: NDArray[np.integer],
    education: NDArray[np.integer],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the occupation: child, student, at work (by education), at home or retired."""
    at_work = _drawn(
        [
            [0, 0, 70, 5, 0, 15, 0, 10, 0],
            [0, 0, 66, 8, 0, 14, 0, 12, 0],
            [0, 0, 54, 18, 1, 15, 0, 12, 0],
            [0, 0, 26, 44, 4, 18, 0, 8, 0],
            [0, 0, 4, 54, 18, 19, 0, 5, 0],
        ],
        education,
        random,
    )
    uniform = random.random(len(age))
    student = (age >= 15) & (uniform < np.select([age < 19, age < 25, age < 30], [0.95, 0.5, 0.1], 0.0))
    at_home = (sex != _MAN) & (age >= 25) & (random.random(len(age)) < np.where(education < 3, 0.33, 0.12))
    retired = random.random(len(age)) < np.clip((age - 57) / 11, 0.0, 0.985)
    retired &= age >= 58
    return np.select([age < 15, student, retired, at_home], [0, 1, 8, 6], at_work)


def _income(
    age: NDArray[np.integer],
    education: NDArray[np.integer],
    occupation: NDArray[np.integer],
    region: NDArray[np.integer],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the net income: lognormal around what occupation, education, age and region suggest."""
    typical = np.array([0, 900, 17_500, 21_500, 46_000, 22_000, 1_200, 4_500, 16_500])[occupation]
    spread = np.array([0.0, 0.9, 0.3, 0.3, 0.45, 0.75, 1.0, 0.8, 0.4])[occupation]
    south = np.isin(region, [2, 4, 7, 9, 10, 13, 17, 18])
    factor = exponential(0.09 * (education - 2) + 0.008 * (np.clip(age, 20, 60) - 40) - 0.18 * south)
    euro: NDArray[np.float64] = typical * factor * exponential(standard_normal(len(age), random) * spread)
    return np.rint(euro / 100).astype(np.int64) * 100


def _health(age: NDArray[np.integer], random: np.random.Generator) -> NDArray[np.int64]:
    return _drawn(
        [
            [90.0, 0.0, 0.5, 6.5, 0.5, 0.2, 0.2, 0.0, 2.1],
            [82.0, 2.5, 1.0, 5.0, 5.0, 0.5, 0.7, 0.3, 3.0],
            [62.0, 14.0, 5.0, 4.0, 5.5, 2.5, 2.5, 0.3, 4.2],
            [34.0, 29.0, 11.0, 4.0, 6.0, 7.0, 4.0, 0.1, 4.9],
            [18.0, 34.0, 13.0, 4.0, 6.0, 14.0, 5.0, 0.0, 6.0],
        ],
        np.digitize(age, [18, 45, 65, 78]),
        random,
    )
