"""Attributes that are suppressed together with a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.errors import UsageError
from tacita.release.writing import write_release
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.settings import Settings

pytestmark = pytest.mark.slow

_LINKED = {"region": ("code", "label")}


def _data() -> tc.Dataset:
    random = np.random.default_rng(3)
    region = random.choice(6, 600, p=[0.3, 0.25, 0.2, 0.13, 0.08, 0.04])
    home = np.arange(600) // 2
    columns = {
        "home": home,
        "region": [f"r{each}" for each in region],
        "sex": random.choice(["f", "m"], 600),
        "age": random.integers(18, 70, 600),
        "code": region * 10,
        "label": [None if each == 0 else f"part {each}" for each in region],
    }
    return tc.read(pa.table(columns), name="survey").with_roles(quasi=["region", "sex", "age"], cluster="home")


@pytest.mark.parametrize("way", [{}, {"rounds": True}, {"household": ("region",), "cluster": "home"}])
def test_linked_cells_are_suppressed_with_their_key(tmp_path: Path, way: dict[str, Any]) -> None:
    data = _data()
    outcome = tc.anonymize(data, Plan(KAnonymity(3), importance={"age": 9, "sex": 9}, linked=_LINKED, **way))
    done = write_release(outcome, tmp_path / "out", settings=Settings(state=tmp_path / "s"))
    table = tc.read(done.data).to_arrow().to_pydict()
    empty = [region is None for region in table["region"]]
    assert sum(empty) > 5
    assert [code is None for code in table["code"]] == empty
    assert all(name is None for name, hidden in zip(table["label"], empty, strict=True) if hidden)
    counts = outcome.decisions.per_attribute()
    assert counts["code"] == counts["region"] == (sum(empty), 0)
    assert counts["label"][0] < sum(empty), "a cell that was empty is not suppressed"
    assert {d.rule for d in outcome.decisions if d.attribute == "code"} == {"suppressed with region"}
    assert all(loss <= 1 for loss in outcome.loss.values())


@pytest.mark.parametrize(
    "plan",
    [
        {"linked": {"code": ("label",)}},
        {"linked": {"region": ("sex",)}},
        {"linked": {"region": ("nmae",)}},
        {"linked": {"region": ("home",)}},
        {"linked": {"age": ("code",)}, "intervals": {"age": 10}},
        {"linked": _LINKED, "method": ChangeMethod.AUTO},
    ],
)
def test_what_cannot_be_linked_is_refused(plan: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"linked|link with"):
        tc.anonymize(_data(), Plan(KAnonymity(3), **plan))
