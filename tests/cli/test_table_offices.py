"""Tables as offices publish them, protected through the command line by default, against an attacker of its own."""

from __future__ import annotations

import pytest
from experiments.office_tables import Attacker, drawn, judged
from tests.long import LONG

pytestmark = pytest.mark.slow


SEEDS = range(1000) if LONG else (1, 3, 11, 22)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_ordinary_tables_pass_by_default(seed: int) -> None:
    """The four were refused when a contributor was asked about totals that it dominates."""
    judgement = judged(seed)
    assert judgement.released and judgement.withheld >= judgement.sensitive
    assert judgement.faults == ()


def test_attacker_finds_what_is_published_too_much() -> None:
    table = drawn(11)
    given = table.contributions()
    some = {cell for cell, parts in given.items() if table.level(parts)}
    published = {cell: sum(parts.values()) for cell, parts in given.items() if cell not in some}
    assert any(True for _ in Attacker(table, published).violations())
