"""Values inside of codes: between separators, at fixed places from either end, and that innocent codes tell nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.attacks.microdata.derivation import derivations
from tacita.attacks.microdata.lessons import Target
from tacita.attacks.microdata.texts.code_parts import part_clues
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts

N = 900
_RANDOM = np.random.default_rng(1)
AREA = _RANDOM.integers(0, 8, N)
NUMBER = _RANDOM.permutation(90_000)[:N] + 10_000
HIDDEN = _RANDOM.random(N) < 0.1


def _derived(texts: list[str | None]) -> list[int]:
    code = ReleasedTexts("form", lambda rows: [texts[row] for row in rows], N)
    target = Target("area", AREA, HIDDEN, ~HIDDEN)
    return [one.right for one in derivations(list(part_clues([code], [target])), [target])]


@pytest.mark.parametrize("written", ["{n}-{a}-9", "Q{n}{a}", "{n}/{a}/{n}", "{a}{n}", "x{n}_{b}", "{short}{a}Z"])
def test_an_area_inside_of_a_code(written: str) -> None:
    texts: list[str | None] = [
        written.format(n=n, a="KWZBQXJH"[a], b=f"{a * 11:03}", short=n % 977) for n, a in zip(NUMBER, AREA, strict=True)
    ]
    assert max(_derived(texts), default=0) >= 0.9 * HIDDEN.sum()


def test_numbers_alone_tell_nothing() -> None:
    for written in ("{n}", "F-{n}/7", "{n}-{m}"):
        texts: list[str | None] = [written.format(n=n, m=n * 7 % 9973) for n in NUMBER]
        assert _derived(texts) == []
    assert _derived([None] * N) == []
