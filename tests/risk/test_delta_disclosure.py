"""delta-disclosure privacy: against a naive twin, by hand, and through the command line."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.errors import UsageError
from tacita.model.attribute import Category
from tacita.risk.attribute.delta_disclosure import DeltaDisclosure
from tacita.risk.sample import Sample

ROWS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=12)


def sample_of(rows: Sequence[tuple[str, str | None]]) -> Sample:
    data = tc.read(pa.table({"known": [known for known, _ in rows], "secret": [value for _, value in rows]}), name="d")
    categories = {"known": Category.QUASI_IDENTIFIER, "secret": Category.SENSITIVE}
    return Sample.of(data.microdata.with_dictionary(data.dictionary.with_categories(categories)))


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(rows=ROWS, delta=st.sampled_from([0.3, 1.0]), absent=st.booleans())
def test_it_counts_naively(rows: list[tuple[str, str | None]], delta: float, absent: bool) -> None:
    everyone = Counter(value for _, value in rows)
    classes: dict[str, Counter[str | None]] = defaultdict(Counter)
    for known, value in rows:
        classes[known][value] += 1
    risks = DeltaDisclosure(delta, absent).risks(sample_of(rows))
    assert risks.records is not None
    found = sorted((row for batch in risks.records.batches() for row in batch.to_pylist()), key=lambda row: row["row"])
    for (known, _), ours in zip(rows, found, strict=True):
        counts = classes[known]
        differences = [abs(math.log(n / counts.total() / (everyone[value] / len(rows)))) for value, n in counts.items()]
        assert ours["difference"] == pytest.approx(max(differences), abs=1e-9)
        assert ours["absent"] == len(everyone) - len(counts)
        assert ours["risk"] == (max(differences) > delta + 1e-8 or (absent and len(counts) < len(everyone)))


def test_by_hand() -> None:
    """Of four records two have each value; a class of three has one of them once: ln(1/3 / 1/2) = -ln 1.5."""
    figures = DeltaDisclosure(0.4).risks(sample_of([("x", "a"), ("x", "b"), ("x", "b"), ("y", "a")])).figures
    assert figures["difference"] == pytest.approx(math.log(2))  # the class of one
    assert (figures["classes"], figures["violating_classes"], figures["absent"]) == (2, 2, 1)


def test_a_delta_that_is_not_above_0() -> None:
    with pytest.raises(UsageError, match="delta is 0"):
        DeltaDisclosure(0)


def test_reasons_show_no_value() -> None:
    sample = sample_of([("x", "secret of one"), ("y", "other")])
    said = DeltaDisclosure().reason(sample, {"difference": math.log(2), "absent": 1})
    assert "by a factor of 2, at most 2.72" in said
    assert "one" not in said and "other" not in said
