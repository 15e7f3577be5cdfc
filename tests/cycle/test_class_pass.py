"""Suppression for models of classes: it reaches safety whenever the file as a whole satisfies the model."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as tc
from tacita.cycle.plan import Plan
from tacita.model.dictionary import MissingAs
from tacita.risk.attribute.alpha_k import AlphaK
from tacita.risk.attribute.beta_likeness import BetaLikeness
from tacita.risk.attribute.l_diversity import LDiversity
from tacita.risk.attribute.t_closeness import TCloseness
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, Semantics

pytestmark = pytest.mark.slow

KNOWN = ("area", "sex", "age")
STRICT = Nulls(MissingAs.UNKNOWN, Semantics.ALPHA, 0.0)
MEASURES = (
    LDiversity(2),
    LDiversity(3),
    LDiversity(1.6, variant="entropy"),
    LDiversity(2, variant="recursive", c=5),
    TCloseness(0.3),
    TCloseness(0.01),
    BetaLikeness(1.0),
    AlphaK(0.9, 3),
)


def skewed(seed: int, rows: int = 80) -> tc.Dataset:
    """People of whom most have one illness: classes are full of it, and so are all of them together."""
    drawn = random.Random(seed)
    columns = {
        "area": [drawn.choice("NNNSSE") for _ in range(rows)],
        "sex": [drawn.choice("fm") for _ in range(rows)],
        "age": [drawn.randrange(20, 26) for _ in range(rows)],
        "illness": [drawn.choice("aaaaaaabc") for _ in range(rows)],
    }
    return tc.read(pa.table(columns), name="people").with_roles(quasi=KNOWN, sensitive=["illness"])


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: f"{m.name}-{getattr(m, 'l', getattr(m, 't', ''))}")
@pytest.mark.parametrize("nulls", [STRICT, Nulls()], ids=["strict", "default"])
def test_suppression_alone_reaches_safety(measure: Measure, nulls: Nulls) -> None:
    outcome = tc.anonymize(skewed(3), Plan(measure, nulls=nulls, take_back=False))
    assert outcome.is_safe, outcome.verdict
    assert outcome.nulls < 80 * len(KNOWN)


def test_an_intruder_learns_no_less_than_the_model_says() -> None:
    """For each record: what those have that agree with its original values where they are not empty."""
    data = skewed(7)
    before = data.to_arrow().to_pylist()
    outcome = tc.anonymize(data, Plan(LDiversity(2), nulls=STRICT, take_back=False))
    after = tc.Dataset(outcome.protected).to_arrow().to_pylist()
    for person in before:
        fits = [row for row in after if all(row[name] in (None, person[name]) for name in KNOWN)]
        assert len({row["illness"] for row in fits}) >= 2
    classes = defaultdict(Counter)
    for row in after:
        classes[tuple(row[name] for name in KNOWN)][row["illness"]] += 1
    assert all(len(held) >= 2 for held in classes.values())


def test_a_file_without_diversity_stays_unsafe() -> None:
    data = tc.read(pa.table({"area": list("NNSS"), "illness": list("aaaa")}), name="few")
    outcome = tc.anonymize(data.with_roles(quasi=["area"], sensitive=["illness"]), Plan(LDiversity(2), take_back=False))
    assert not outcome.is_safe


def test_attributes_that_are_kept_stay(tmp_path: Path) -> None:
    data = skewed(5)
    outcome = tc.anonymize(data, Plan(LDiversity(2), keep=("sex",), nulls=STRICT, take_back=False))
    assert outcome.is_safe
    after = tc.Dataset(outcome.protected).to_arrow()
    assert after.column("sex").equals(data.to_arrow().column("sex"))


def test_the_same_file_loses_the_same_cells() -> None:
    one, two = (tc.anonymize(skewed(9), Plan(TCloseness(0.2), nulls=STRICT, take_back=False)) for _ in range(2))
    assert one.decisions.table.equals(two.decisions.table)
