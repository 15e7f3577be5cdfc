"""Attacks on answers: the share of secrets that they recover, without protection and under each kind of noise.

These are figures of protection, not of time: `docs/explanation/query-attacks.md` has them. The bare figure is what
somebody gets who guesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.queries.hidden_vectors import insiders, outsiders, share_within
from tacita.attacks.queries.reconstruction import reconstruct
from tacita.queries.camouflage.vectors import _vectors, _weights

Line = tuple[str, str, str, str, str]
_SECRETS, _SIZES, _SEEDS = 1_000, (500, 1_000, 2_000, 4_000, 8_000), 3
_Noise = Callable[[NDArray[np.float64], np.random.Generator, int], NDArray[np.float64]]
_ROUNDED, _TEN, _FIFTY = (25 / 12) ** 0.5, (400 / 12) ** 0.5, (10_000 / 12) ** 0.5
_NOISES: dict[str, tuple[_Noise, Callable[[int], float], str]] = {
    "rounded to 5": (lambda sums, draw, many: 5 * np.rint(sums / 5), lambda many: _ROUNDED, "97 % at 1,000"),
    "uniform ±10": (
        lambda sums, draw, many: sums + draw.uniform(-10, 10, len(sums)),
        lambda many: _TEN,
        "83 % at 1,000",
    ),
    "uniform ±50": (
        lambda sums, draw, many: sums + draw.uniform(-50, 50, len(sums)),
        lambda many: _FIFTY,
        "61 % at 1,000",
    ),
    "Laplace 10 each": (
        lambda sums, draw, many: sums + draw.laplace(0, 10, len(sums)),
        lambda many: 10 * 2**0.5,
        "68 % at 1,000",
    ),
    "one epsilon of 1": (
        lambda sums, draw, many: sums + draw.laplace(0, many, len(sums)),
        lambda many: many * 2**0.5,
        "50 % at 1,000",
    ),
}


def queries_reconstruction(folder: Path) -> Iterator[Line]:
    """Recover 1,000 binary secrets from 500 to 8,000 random sums with noise."""
    for name, (noise, deviation, bar) in _NOISES.items():
        shares = np.zeros((_SEEDS, len(_SIZES)))
        guessed = 0.0
        for seed in range(_SEEDS):
            draw = np.random.default_rng(seed)
            secrets = draw.random(_SECRETS) < 0.5
            guessed = max(guessed, float(secrets.mean()), 1 - float(secrets.mean()))
            sets = draw.random((max(_SIZES), _SECRETS)) < 0.5
            true = sets @ secrets.astype(np.float64)
            for place, many in enumerate(_SIZES):
                answers = noise(true[:many], draw, many)
                estimates = reconstruct(sets[:many], answers, deviation(many))
                shares[seed, place] = ((estimates > 0.5) == secrets).mean()
        ours = " ".join(f"{100 * share:.0f} %" for share in shares.mean(axis=0))
        yield f"reconstruction, {name}, {_SIZES[0]:,} to {_SIZES[-1]:,} questions", ours, f"{guessed:.0%}", "", bar


def queries_camouflage(folder: Path) -> Iterator[Line]:
    """Records estimated to within 1 % by insiders and by outsiders who have learnt all vectors."""
    for vectors in (6, 12):
        for known in (0, 1, vectors // 2, vectors - 2, vectors - 1):
            shares = []
            for seed in range(30):
                hidden, true = _hidden(200, vectors, seed)
                estimates = insiders(hidden, np.arange(known), true[:known])
                shares.append(share_within(estimates[known:], true[known:]))
            yield f"{known} insiders, {vectors} vectors, within 1 %", f"{np.mean(shares):.0%}", "", "", ""
    for records in (10, 100, 1_000, 10_000):
        near, middle, error = [], [], []
        for seed in range(10):
            hidden, true = _hidden(records, 6, seed)
            estimates = outsiders(hidden)
            near.append(share_within(estimates, true))
            error.append(float(np.median(np.abs(estimates / true - 1))))
            middle.append(share_within((hidden.min(axis=0) + hidden.max(axis=0)) / 2, true))
        ours = f"{np.mean(near):.0%}, median error {np.mean(error):.1%}"
        yield (
            f"outsiders, 6 vectors of {records:,} records, within 1 %",
            ours,
            f"{np.mean(middle):.0%} (middle)",
            "",
            "",
        )


def _hidden(records: int, vectors: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    draw = np.random.default_rng(seed)
    true = np.rint(np.exp(draw.normal(16, 0.7, records))).astype(np.int64)
    parts = _weights(vectors, draw)
    scaled = _vectors(true, 10**8, parts, 0.2, np.zeros((0, 2), np.int64), draw)
    return scaled / parts[:, None], true.astype(np.float64)
