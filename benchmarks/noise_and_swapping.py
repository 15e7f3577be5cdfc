"""Noise beside numpy's own, swapping beside sdcMicro 5.8.1, and what microaggregation saves at the same epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import timed
from tacita.masking.method import Method
from tacita.masking.noise.additive import CorrelatedNoise, UncorrelatedNoise
from tacita.masking.noise.after_microaggregation import NoiseAfterMicroaggregation
from tacita.masking.noise.differential_privacy import DifferentialPrivacyNoise
from tacita.masking.noise.linear_transformation import NoiseWithLinearTransformation
from tacita.masking.noise.multiplicative import MultiplicativeNoise
from tacita.masking.noise.nonlinear_transformation import NoiseWithNonLinearTransformation
from tacita.masking.noise.orthogonal import OrthogonalMasking
from tacita.masking.noise.robust import RobustNoise
from tacita.masking.swapping.data_swapping import DataSwapping
from tacita.masking.swapping.rank_swapping import RankSwapping
from tacita.masking.swapping.record_swapping import RecordSwapping
from tacita.masking.swapping.shuffling import DataShuffling
from tacita.model.records import Categories, Numbers, Records

Line = tuple[str, str, str, str, str]
ROWS = 1_000_000
SDCMICRO_RANK_SWAPPING = 202.0
"""CPU seconds for 1M x 3, reference/README.md."""


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The cheapest of several runs."""
    return min(timed(work)[1] for _ in range(times))


def run(method: Method, records: Records) -> Callable[[], object]:
    return lambda: method.treated(records, np.random.default_rng(1))


def numbers(count: int, columns: int) -> Records:
    draw = np.random.default_rng(0)
    shared = draw.normal(size=count)
    return Records({f"x{i}": Numbers.of(50 + shared + draw.lognormal(size=count)) for i in range(columns)})


def noise(_: Path) -> Iterator[Line]:
    """Noise on 1M x 10 against drawing as many normal numbers and adding them."""
    records = numbers(ROWS, 10)
    names = records.names
    matrix = records.matrix(names)

    def bare() -> object:
        return matrix + np.random.default_rng(1).normal(size=matrix.shape)

    least = seconds(bare)
    for method in (
        UncorrelatedNoise(names),
        CorrelatedNoise(names),
        NoiseWithLinearTransformation(names),
        MultiplicativeNoise(names),
        MultiplicativeNoise(names, distribution="log-normal"),
        NoiseWithNonLinearTransformation(names),
        OrthogonalMasking(names),
        RobustNoise(names),
    ):
        told = method.name + (" (log-normal)" if getattr(method, "distribution", "") == "log-normal" else "")
        bar = (
            ""
            if isinstance(method, NoiseWithNonLinearTransformation | OrthogonalMasking | RobustNoise)
            else "about numpy's"
        )
        spent = seconds(run(method, records), 4 if bar else 1)
        yield told, f"{spent:6.2f} s CPU", f"{least:6.2f} s CPU", f"{spent / least:.2f}", bar


def swapping(_: Path) -> Iterator[Line]:
    """Rank swapping of 1M x 3, and the other ways to swap as many records."""
    records = numbers(ROWS, 3)
    names = records.names
    method = RankSwapping(names, p=5)
    method.treated(records.taken(np.arange(100)), np.random.default_rng(1))  # compiled before it is timed
    spent = seconds(run(method, records))
    theirs = SDCMICRO_RANK_SWAPPING
    yield (
        "rank-swapping 1M x 3 / sdcMicro",
        f"{spent:6.2f} s CPU",
        f"{theirs:6.2f} s CPU",
        f"{spent / theirs:.4f}",
        "at most 0.01",
    )
    spent = seconds(run(DataShuffling(names[:2], predictors=names[2:]), records), 2)
    yield "data-shuffling 1M x 2, one predictor", f"{spent:6.2f} s CPU", "", "", ""
    people = census(400_000)
    spent = seconds(run(DataSwapping(("job",), margins=(("job", "area"),)), people), 2)
    yield f"data-swapping {len(people):,} x 1 within areas", f"{spent:6.2f} s CPU", "", "", ""
    move = RecordSwapping(("region", "area"), ("job", "age"), household="home", similar=(("sex",), ()), share=0.1)
    spent = seconds(run(move, people), 1)
    told = move.treated(people, np.random.default_rng(1)).figures["share of households swapped"]
    yield f"record-swapping {len(people):,}, 400,000 homes", f"{spent:6.2f} s CPU", "", "", f"{told:.1%} of homes moved"


def census(households: int) -> Records:
    draw = np.random.default_rng(0)
    size = draw.integers(1, 5, households)
    area = np.repeat(draw.integers(0, 400, households), size)
    count = len(area)

    def labels(codes: np.ndarray, kinds: int) -> Categories:
        return Categories(codes.astype(np.int32), tuple(range(kinds)))

    return Records(
        {
            "home": Numbers.of(np.repeat(np.arange(households), size), is_whole=True),
            "region": labels(area // 40, 10),
            "area": labels(area, 400),
            "job": labels(np.minimum(draw.geometric(0.3, count) - 1, 19), 20),
            "age": labels(draw.integers(0, 8, count), 8),
            "sex": labels(draw.integers(0, 2, count), 2),
        }
    )


def privacy(_: Path) -> Iterator[Line]:
    """Mean absolute error of an income in [0, 10000] at the same epsilon: noise on values / after microaggregation."""
    draw = np.random.default_rng(3)
    age = draw.integers(18, 90, 10_000)
    income = np.clip(400 + 30 * age + draw.normal(0, 300, len(age)), 0, 10_000)
    records = Records({"age": Numbers.of(age, is_whole=True), "income": Numbers.of(income)})
    alone, bounds = records.only(["income"]), {"income": (0.0, 10_000.0)}

    def error(method: Method, data: Records, *, as_sets: bool) -> float:
        found = method.treated(data, np.random.default_rng(1)).records.numbers("income").values
        return float(np.abs(np.sort(found) - np.sort(income) if as_sets else found - income).mean())

    for epsilon in (0.1, 1.0):
        single = error(DifferentialPrivacyNoise(bounds, epsilon), records, as_sets=False)
        for k in (10, 100, 500):
            grouped = error(NoiseAfterMicroaggregation(bounds, epsilon, k, by=("age",)), records, as_sets=False)
            what = f"error, epsilon {epsilon:g}: by age, k = {k}"
            yield what, f"{grouped:10.0f}", f"{single:10.0f}", f"{grouped / single:.4f}", "below 1"
        apart = error(DifferentialPrivacyNoise(bounds, epsilon), alone, as_sets=True)
        for k in (10, 100, 500):
            grouped = error(NoiseAfterMicroaggregation(bounds, epsilon, k), alone, as_sets=True)
            what = f"error, epsilon {epsilon:g}: sorted, k = {k}"
            yield what, f"{grouped:10.0f}", f"{apart:10.0f}", f"{grouped / apart:.4f}", "below 1"
    _, spent = timed(run(DifferentialPrivacyNoise(bounds, 1.0), records.taken(np.tile(np.arange(10_000), 10))))
    yield "differential-privacy-noise 100,000 x 1", f"{spent:6.2f} s CPU", "", "", ""
