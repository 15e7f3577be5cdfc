"""Files that give back what is suppressed in them, each in its own way; the key that is hidden is region or age."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

N = 1_500
REGIONS = np.array(["Abruzzo", "Lazio", "Liguria", "Marche", "Molise", "Puglia", "Umbria"])
MONTHS = [f"m{month:02}" for month in range(11)]
Columns = dict[str, Any]


def survey(seed: int = 7) -> Columns:
    """Return an innocent survey, in which cells of region and age are suppressed."""
    random = np.random.default_rng(seed)
    return {
        "region": REGIONS[random.choice(7, N, p=[0.28, 0.22, 0.18, 0.14, 0.1, 0.05, 0.03])],
        "sex": random.choice(["f", "m"], N),
        "age": random.integers(18, 85, N),
        "income": random.lognormal(8, 0.7, N).round(2),
        "job": random.integers(1, 9, N),
    }


@dataclass(frozen=True)
class Hostile:
    """What is added to the survey, and what has to be found."""

    name: str
    adds: Callable[[Columns, np.random.Generator], Columns]
    clue: str
    """Begins the sentence that says what determines something."""
    target: str = "region"
    roles: dict[str, Any] = field(default_factory=dict)
    quasi: tuple[str, ...] = ()
    """The quasi-identifiers, if they are not the usual ones."""


def _place(columns: Columns) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.searchsorted(REGIONS, columns["region"])


def _weights(columns: Columns, random: np.random.Generator) -> Columns:
    weight = np.array([120.0, 80, 55, 30, 18, 9, 5])[_place(columns)]
    return {"weight": (weight + random.random(N) / 4).round(3)}


def _spelling(columns: Columns, random: np.random.Generator) -> Columns:
    return {"area": np.array([f" {name[:3].upper()}." for name in columns["region"]])}


def _leading_zeros(columns: Columns, random: np.random.Generator) -> Columns:
    return {"area": np.array([f"{place + 3:05}" for place in _place(columns)])}


def _inside_an_identifier(columns: Columns, random: np.random.Generator) -> Columns:
    numbers = random.permutation(90_000)[:N] + 10_000
    letters = np.array(list("QXBKWZJ"))[_place(columns)]
    return {"form": np.array([f"{n}/{c}{n % 7}" for n, c in zip(numbers, letters, strict=True)])}


def _digit_of_a_number(columns: Columns, random: np.random.Generator) -> Columns:
    return {"form": (random.permutation(9_000)[:N] + 1_000) * 100 + (_place(columns) * 3 + 1) * 10 % 100 + 5}


def _rounded_copy(columns: Columns, random: np.random.Generator) -> Columns:
    return {"income_in_hundreds": (columns["income"] / 100).round().astype(int)}


def _total_of_two(columns: Columns, random: np.random.Generator) -> Columns:
    other = random.integers(0, 900, N)
    return {"extra": other, "total": columns["age"] + other}


def _total_of_four(columns: Columns, random: np.random.Generator) -> Columns:
    parts = [random.integers(0, 500, N) for _ in range(3)]
    return {f"part{i}": part for i, part in enumerate(parts)} | {"total": columns["age"] + sum(parts)}


def _difference(columns: Columns, random: np.random.Generator) -> Columns:
    start = random.integers(1_960, 2_015, N)
    return {"start": start, "years_before": start - columns["age"]}


def _ratio(columns: Columns, random: np.random.Generator) -> Columns:
    points = random.integers(20, 400, N)
    return {"points": points, "points_a_year": (points / columns["age"]).round(6)}


def _growth(columns: Columns, random: np.random.Generator) -> Columns:
    before = random.integers(20, 400, N)
    return {"before": before, "growth": (100 * (columns["age"] - before) / before).round(2)}


def _share_of_two(columns: Columns, random: np.random.Generator) -> Columns:
    other = random.integers(5, 500, N)
    return {"other": other, "share": (columns["age"] / (columns["age"] + other)).round(5)}


def _fee_and_price(columns: Columns, random: np.random.Generator) -> Columns:
    fee, price = random.integers(1, 500, N), random.integers(2, 60, N)
    return {"fee": fee, "price": price, "bill": fee + price * columns["age"]}


def _year_of_birth(columns: Columns, random: np.random.Generator) -> Columns:
    late = random.random(N) < 0.4
    return {"birth_year": 2_024 - columns["age"] - late}


def _date_of_birth(columns: Columns, random: np.random.Generator) -> Columns:
    month, day = random.integers(1, 13, N), random.integers(1, 29, N)
    late = (month > 5) | ((month == 5) & (day > 17))
    year = 2_024 - columns["age"] - late
    return {"born": np.array([f"{d:02}.{m:02}.{y}" for d, m, y in zip(day, month, year, strict=True)])}


def _age_groups(columns: Columns, random: np.random.Generator) -> Columns:
    return {"age_group": columns["age"] // 2}


def _two_together(columns: Columns, random: np.random.Generator) -> Columns:
    quarter = random.integers(0, 7, N)
    return {"quarter": quarter, "block": (_place(columns) - quarter) % 7}


def _three_together(columns: Columns, random: np.random.Generator) -> Columns:
    one, two = random.integers(0, 7, N), random.integers(0, 4, N)
    return {"one": one, "two": two, "three": (_place(columns) - one - two) % 7}


def _with_exceptions(columns: Columns, random: np.random.Generator) -> Columns:
    wrong = random.random(N) < 0.03
    return {"area": np.where(wrong, random.integers(0, 7, N), _place(columns)) * 11}


def _noise_in_the_last_digit(columns: Columns, random: np.random.Generator) -> Columns:
    return {"income_again": (columns["income"] + random.integers(-2, 3, N) / 100).round(2)}


def _sorted_numbers(columns: Columns, random: np.random.Generator) -> Columns:
    number = np.empty(N, dtype=int)
    number[np.argsort(columns["region"], kind="stable")] = np.arange(N) + 1
    return {"sheet": number}


def _empty_codes(columns: Columns, random: np.random.Generator) -> Columns:
    """Return an attribute that is missing for one region and not applicable for another."""
    place = _place(columns)
    return {"distance": np.where(place == 4, -9, np.where(place == 5, -8, random.integers(1, 60, N)))}


def _weight_and_job(columns: Columns, random: np.random.Generator) -> Columns:
    """Return weights that are constant in strata of region and job, and the same in several of them."""
    table = random.permutation(np.repeat(np.arange(14) * 7 + 3, 4)).reshape(7, 8)
    return {"stratum_weight": table[_place(columns), columns["job"] - 1]}


def _factor(columns: Columns, random: np.random.Generator) -> Columns:
    return {"monthly": (columns["income"] / 12).round(4)}


def _pay(columns: Columns) -> Any:
    """Return incomes of which some are shown and some suppressed."""
    return (columns["income"] / 50).round() * 50 + 0.25


def _large(random: np.random.Generator) -> Any:
    return random.lognormal(11, 1, N).round(2)


def _total_of_twelve(columns: Columns, random: np.random.Generator) -> Columns:
    pay, parts = _pay(columns), {f"m{i:02}": _large(random) for i in range(11)}
    return {"income": pay, **parts, "year": (pay + sum(parts.values())).round(2)}


def _mean_of_twelve(columns: Columns, random: np.random.Generator) -> Columns:
    pay, parts = _pay(columns), {f"m{i:02}": _large(random) for i in range(11)}
    return {"income": pay, **parts, "mean": ((pay + sum(parts.values())) / 12).round(2)}


def _total_in_hundreds(columns: Columns, random: np.random.Generator) -> Columns:
    pay, other = _pay(columns), _large(random)
    return {"income": pay, "other": other, "all_in_hundreds": ((pay + other) / 100).round()}


def _currencies(columns: Columns, random: np.random.Generator) -> Columns:
    pay, currency = _pay(columns), random.integers(0, 5, N)
    rate = np.array([1.0734, 163.27, 0.8417, 11.403, 4.2655])[currency]
    return {
        "income": pay,
        "currency": np.array(["USD", "JPY", "GBP", "SEK", "PLN"])[currency],
        "local": (pay * rate).round(2),
    }


def _of_household(columns: Columns, random: np.random.Generator) -> Columns:
    """Return the total of three persons, one of whom has an amount that nobody else has."""
    home = random.permutation(N)
    pay = np.where(home % 3 == 0, (columns["income"] + random.random(N)).round(2), _pay(columns))
    return {"income": pay, "of_household": np.bincount(home // 3, pay)[home // 3].round(2)}


def _hash_of_three(columns: Columns, random: np.random.Generator) -> Columns:
    cells = zip(columns["region"], columns["sex"], columns["age"], strict=True)
    return {"token": np.array([hashlib.md5("|".join(map(str, cell)).encode()).hexdigest() for cell in cells])}


def _hash_with_a_number(columns: Columns, random: np.random.Generator) -> Columns:
    number = random.permutation(90_000)[:N] + 10_000
    cells = zip(number, columns["region"], strict=True)
    hashes = [hashlib.sha256(f"{n}{name.upper()}".encode()).hexdigest()[:16] for n, name in cells]
    return {"number": number, "token": np.array(hashes)}


def _base64(columns: Columns, random: np.random.Generator) -> Columns:
    cells = zip(random.permutation(90_000)[:N] + 10_000, columns["region"], strict=True)
    return {"token": np.array([base64.b64encode(f"{n}:{name}".encode()).decode() for n, name in cells])}


def _amount_as_text(columns: Columns, random: np.random.Generator) -> Columns:
    pay = _pay(columns)
    written = [f"{pay_:,.2f} EUR in {random.integers(1, 10**6)}" for pay_ in pay]
    return {"income": pay, "note": np.array([text.translate(str.maketrans(",.", ".,")) for text in written])}


WORDS = ["often", "never", "maybe", "house", "garden", "street", "walks", "reads", "sleeps", "blue", "green", "early"]


def _talk(random: np.random.Generator) -> str:
    return " ".join(random.choice(WORDS, 6))


def _region_in_a_text(columns: Columns, random: np.random.Generator) -> Columns:
    return {"note": np.array([f"{_talk(random)} lives in {n}, {_talk(random)}" for n in columns["region"]])}


def _town_in_a_text(columns: Columns, random: np.random.Generator) -> Columns:
    towns = [["Aquila", "Chieti"], ["Rome", "Rieti"], ["Genoa"], ["Ancona", "Fermo"], ["Isernia"], ["Bari"], ["Terni"]]
    places = [random.choice(towns[place]) if random.random() < 0.8 else "a village" for place in _place(columns)]
    return {"note": np.array([f"{_talk(random)}, near {town}. {_talk(random)}" for town in places])}


def _age_in_a_text(columns: Columns, random: np.random.Generator) -> Columns:
    words = [f"{_talk(random)}, aged {age}, {_talk(random)}, file {random.integers(1, 99)}" for age in columns["age"]]
    return {"note": np.array(words)}


def _start_of_a_stay(columns: Columns, random: np.random.Generator) -> Columns:
    start = np.datetime64("2023-01-01") + random.integers(0, 300, N)
    stay = random.integers(1, 90, N)
    return {"start": start, "stay": stay, "end": start + stay}


def _missing_pattern(columns: Columns, random: np.random.Generator) -> Columns:
    asked = (_place(columns) + 1)[:, None] >> np.arange(3) & 1
    return {f"q{i}": pa.array(random.integers(0, 50, N), mask=asked[:, i] == 0) for i in range(3)}


def _coordinates(columns: Columns, random: np.random.Generator) -> Columns:
    """Return points of two axes, each of which tells nothing of a region alone."""
    angle, ring = 2 * np.pi * random.random(N), _place(columns) + 1 + random.uniform(-0.4, 0.4, N)
    return {"east": (ring * np.cos(angle)).round(4), "north": (ring * np.sin(angle)).round(4)}


def _fiscal_code(columns: Columns, random: np.random.Generator) -> Columns:
    day, month = random.integers(1, 29, N) + 40 * (columns["sex"] == "f"), random.integers(0, 12, N)
    letters = ["".join(random.choice(list("BCDFGLMNPRST"), 6)) for _ in range(N)]
    born = zip(letters, (2_023 - columns["age"]) % 100, month, day, strict=True)
    return {
        "code": np.array(
            [f"{six}{y:02}{'ABCDEHLMPRST'[m]}{d:02}H{random.integers(100, 999)}X" for six, y, m, d in born]
        )
    }


HOSTILE = (
    Hostile("weights per stratum", _weights, "weight", roles={"weight": "weight"}),
    Hostile("code in another spelling", _spelling, "area"),
    Hostile("code with leading zeros", _leading_zeros, "area"),
    Hostile("area inside an identifier", _inside_an_identifier, "character 7 of form", roles={"sensitive": ["form"]}),
    Hostile("digit of a number", _digit_of_a_number, "character 5 of form"),
    Hostile("rounded copy", _rounded_copy, "income_in_hundreds", "income"),
    Hostile("total of two", _total_of_two, "extra and total", "age"),
    Hostile("total of four", _total_of_four, "part0, part1, part2 and total", "age"),
    Hostile("difference", _difference, "start and years_before", "age"),
    Hostile("ratio", _ratio, "points and points_a_year", "age"),
    Hostile("growth", _growth, "before and growth", "age"),
    Hostile("share of two", _share_of_two, "other and share", "age"),
    Hostile("fee and price", _fee_and_price, "fee, price and bill", "age"),
    Hostile("year of birth", _year_of_birth, "birth_year", "age"),
    Hostile("date of birth", _date_of_birth, "born", "age", {"sensitive": ["born"]}),
    Hostile("age groups", _age_groups, "age_group", "age"),
    Hostile("two together", _two_together, "quarter and block"),
    Hostile("three together", _three_together, "one, two and three"),
    Hostile("with exceptions", _with_exceptions, "area"),
    Hostile("noise in the last digit", _noise_in_the_last_digit, "income_again", "income"),
    Hostile("sorted numbers", _sorted_numbers, "sheet", roles={"sensitive": ["sheet"]}),
    Hostile("codes of missing values", _empty_codes, "distance"),
    Hostile("weight and job", _weight_and_job, "job and stratum_weight"),
    Hostile("constant factor", _factor, "monthly", "income"),
    Hostile("total of twelve", _total_of_twelve, f"{', '.join(MONTHS)} and year", "income", quasi=("sex", "income")),
    Hostile("mean of twelve", _mean_of_twelve, f"{', '.join(MONTHS)} and mean", "income", quasi=("sex", "income")),
    Hostile("total in hundreds", _total_in_hundreds, "other and all_in_hundreds", "income", quasi=("sex", "income")),
    Hostile("currencies", _currencies, "local and currency", "income", quasi=("sex", "income")),
    Hostile("total of a household", _of_household, "of_household", "income", quasi=("sex", "income")),
    Hostile("hash of three", _hash_of_three, "token, sex and age", roles={"sensitive": ["token"]}),
    Hostile("hash with a number", _hash_with_a_number, "token and number", roles={"sensitive": ["token", "number"]}),
    Hostile("base64", _base64, "part 2 of token as base64, between ':'", roles={"sensitive": ["token"]}),
    Hostile("amount as text", _amount_as_text, "note", "income", {"sensitive": ["note"]}, ("sex", "income")),
    Hostile("region in a text", _region_in_a_text, "a word of note", roles={"sensitive": ["note"]}),
    Hostile("town in a text", _town_in_a_text, "a word of note", roles={"sensitive": ["note"]}),
    Hostile("age in a text", _age_in_a_text, "note", "age", {"sensitive": ["note"]}),
    Hostile("start of a stay", _start_of_a_stay, "stay and end", "start", quasi=("sex", "start")),
    Hostile("missing pattern", _missing_pattern, "which attributes are empty"),
    Hostile("coordinates", _coordinates, "east and north", roles={"sensitive": ["east", "north"]}),
    Hostile("fiscal code", _fiscal_code, "characters 7 to 8 of code", "age", {"sensitive": ["code"]}),
)


def columns_of(hostile: Hostile) -> Columns:
    """Return the survey with what is hostile in it; without what would tell the same in passing."""
    columns = survey()
    return columns | hostile.adds(columns, np.random.default_rng(11))


def quasi_of(hostile: Hostile) -> list[str]:
    """Return the quasi-identifiers: those of the survey, and the income where that is to be hidden."""
    if hostile.quasi:
        return list(hostile.quasi)
    return ["region", "sex", "age", *(["income"] if hostile.target == "income" else [])]
