"""Equal contributions are found whatever their number, and only these."""

from __future__ import annotations

import pytest
from tests.tables.sensitivity.by_hand import made, one_cell, with_waivers

from tacita.errors import InputError
from tacita.model.table import Dimension
from tacita.tables.sensitivity.assess import assess
from tacita.tables.sensitivity.rules.equal_contributions import EqualContributions
from tacita.tables.specification.reading import parse_specification


@pytest.mark.parametrize(
    ("amounts", "is_found"),
    [((5.0,) * 12, True), ((0.1,) * 7, True), ((5.0, 5.0, 4.0), False), ((5.0,), False), ((0.0, 0.0), False)],
)
def test_all_contributors_gave_the_same(amounts: tuple[float, ...], is_found: bool) -> None:
    levels = assess(one_cell(*amounts, kept=2), [EqualContributions(range=0.2)])
    assert bool(levels.sensitive[0]) is is_found
    if is_found:
        assert levels.upper[0] == pytest.approx(0.2 * sum(amounts))


def test_weights_and_consent_count() -> None:
    size = Dimension.flat("size", ["small"])
    records = [{"size": "small", "x": 5, "w": 2}, {"size": "small", "x": 5, "w": 2}]
    assert not assess(made((size,), records, "x", weight="w"), [EqualContributions()]).sensitive.any()
    alike = one_cell(5.0, 5.0)
    assert assess(with_waivers(alike, [0]), [EqualContributions()]).sensitive.any()
    assert not assess(with_waivers(alike, [0, 1]), [EqualContributions()]).sensitive.any()


def test_a_specification_names_it() -> None:
    data = '[data]\nmicrodata = "sqlite:///x.db"\n[[table]]\ndimensions = ["a"]\n'
    text = f"{data}[sensitivity]\nequal_contributions = true\n"
    assert parse_specification(text).sensitivity.rules == (EqualContributions(),)
    with pytest.raises(InputError, match="must be true or false"):
        parse_specification(text.replace("true", '"yes"'))
