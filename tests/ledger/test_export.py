"""Exports: what is in them, and that they can be verified without Tacita."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tacita.errors import OutputError
from tacita.ledger.entry import NewEntry
from tacita.ledger.exporting import write_export
from tacita.ledger.ledger import Ledger

Make = Callable[..., NewEntry]


def test_an_export_has_no_payload_unless_it_is_wanted(ledger: Ledger, entry: Make, tmp_path: Path) -> None:
    ledger.append([entry(1, payload={"name": "Ann"}), entry(2, payload={"name": "Bob"})])
    ledger.purge([2], "asked")
    checkpoint = ledger.checkpoint()
    ledger.append([entry(3)])
    plain, whole = tmp_path / "plain.jsonl", tmp_path / "whole.jsonl"
    write_export(ledger, plain, checkpoint)
    write_export(ledger, whole, checkpoint, with_payloads=True)
    assert "Ann" not in plain.read_text()
    assert plain.stat().st_mode & 0o777 == whole.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in whole.read_text().splitlines()]
    assert lines[0]["format"] == "tacita ledger export 1"
    assert lines[-1]["checkpoint"] == checkpoint.note
    assert [line["sequence"] for line in lines[1:-1]] == [1, 2, 3]
    assert [line["payload"] for line in lines[1:3]] == [{"name": "Ann"}, None]
    assert lines[2]["salt"] is None
    with pytest.raises(OutputError, match="exists already"):
        write_export(ledger, plain, checkpoint)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "ledger.md"


@pytest.fixture
def verifier(tmp_path: Path) -> Callable[[Path], subprocess.CompletedProcess[str]]:
    """The script of the documentation, which knows nothing of Tacita."""
    script = re.search(r'```python title="verify_export.py"\n(.*?)```', PAGE.read_text(), re.DOTALL)
    assert script is not None
    assert script[1].count("\n") <= 32
    assert "tacita." not in script[1].replace("tacita ledger", "")
    (tmp_path / "verify_export.py").write_text(script[1])
    command = [sys.executable, "-I", str(tmp_path / "verify_export.py")]
    return lambda path: subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1, 2, 7, 300])
def test_an_export_is_verified_without_tacita(
    ledger: Ledger, entry: Make, tmp_path: Path, size: int, verifier: Callable[[Path], Any]
) -> None:
    ledger.append(
        [entry(number, payload={"é\u2028": [number, None, True, {"b": "\x1f", "a": ""}]}) for number in range(size)]
    )
    if size > 2:
        ledger.purge([2], "asked")
    for with_payloads in (True, False):
        path = tmp_path / f"{with_payloads}.jsonl"
        checkpoint = ledger.checkpoint()
        write_export(ledger, path, checkpoint, with_payloads=with_payloads)
        done = verifier(path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith(f"{checkpoint.note}\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [*lines[:2], lines[2].replace("university", "ministry"), *lines[3:]], "entry 2 was changed"),
        (lambda lines: [*lines[:2], *lines[3:]], "entry 2 was changed"),
        (lambda lines: [*lines[:-2], lines[-1]], "the checkpoint is of other entries"),
        (lambda lines: [lines[0].replace('"bank"', '"other"'), *lines[1:]], "entry 1 was changed"),
        (lambda lines: [*lines[:3], lines[3].replace("Ums", "Abs"), *lines[4:]], "the payload of entry 3"),
        (lambda lines: [*lines[:-1], lines[-1].replace("\\n5\\n", "\\n6\\n")], "the checkpoint is of other entries"),
    ],
)
def test_a_changed_export_is_noticed_without_tacita(
    ledger: Ledger,
    entry: Make,
    tmp_path: Path,
    change: Callable[[list[str]], list[str]],
    words: str,
    verifier: Callable[[Path], Any],
) -> None:
    ledger.append([entry(number) for number in range(5)])
    path = tmp_path / "export.jsonl"
    write_export(ledger, path, ledger.checkpoint(), with_payloads=True)
    lines = path.read_text().splitlines()
    changed = change(lines)
    assert changed != lines
    path.write_text("\n".join(changed) + "\n")
    done = verifier(path)
    assert done.returncode == 1
    assert words in done.stderr
