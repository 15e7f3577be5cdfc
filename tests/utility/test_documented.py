"""Every measure, and every parameter of one, is on the page of the measures of loss."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from tacita.utility.catalogue import LOSSES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "utility.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LOSSES.names())
def test_a_measure_is_documented(name: str) -> None:
    assert name in PAGE
    missing = [
        field.name
        for field in fields(LOSSES.named(name))  # type: ignore[arg-type]
        if field.init and not any(f"`{field.name}{end}" in PAGE for end in ("`", " =", " ("))
    ]
    assert missing == []
