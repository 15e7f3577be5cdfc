"""A gate that is asked to stop: what was decided is kept and handed out, and the rest is said to be open."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from experiments.soldiers import policy_text, soldiers

from tacita.api import gates

pytestmark = pytest.mark.slow


def test_an_interrupt_ends_the_reading_of_a_file_with_its_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = soldiers(1)[:90]
    with (tmp_path / "soldiers.csv").open("w", newline="") as lines:
        csv.writer(lines, lineterminator="\n").writerows([("id", "age", "location"), *records])
    (tmp_path / "gate.toml").write_text(policy_text())
    options = gates.GateOptions(policy=tmp_path / "gate.toml", out=tmp_path / "given")
    incoming = gates.IncomingOptions(batch=30)

    with monkeypatch.context() as patched:
        patched.setattr(gates, "stop_on_interrupt", _interrupted)
        first = gates.gate_records(str(tmp_path / "soldiers.csv"), options, incoming)
    assert first.offered == 30
    assert any(note.startswith("stopped after 30 records") for note in first.notes)

    second = gates.gate_records(str(tmp_path / "soldiers.csv"), options, incoming)
    assert (second.offered, second.again) == (90, 30)
    assert not any("stopped" in note for note in second.notes)


@contextlib.contextmanager
def _interrupted() -> Iterator[Callable[[], bool]]:
    yield lambda: True
