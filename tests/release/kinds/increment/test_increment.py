"""The folder of a gate: it grows, verifies at any time, and after a kill it has each record once."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from experiments.soldiers import policy_text, soldiers

from tacita.api.gates import open_gate, parse_policy, watch_gate
from tacita.api.ledgers import init
from tacita.api.releases import verify
from tacita.errors import InputError, LedgerBusy, LedgerError, OutputError, UsageError
from tacita.ledger.ledger import Ledger
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.release.kinds.increment import folder as folder_module

POLICY = parse_policy(policy_text())
ROWS = soldiers(1)[:1500]


def run(out: Path, start: int, end: int, size: int = 100, policy: object = POLICY, **options: object) -> None:
    with open_gate(policy, out, **options) as gate:  # type: ignore[arg-type]
        for place in range(start, end, size):
            gate.decide(ROWS[place : min(place + size, end)])
        gate.keep_report()


def records(out: Path) -> list[list[str]]:
    rows = []
    for path in sorted(out.glob("records-*.csv")):
        with path.open(newline="") as file:
            rows += list(csv.reader(file))[1:]
    return rows


@pytest.mark.slow
def test_a_folder_grows_and_verifies(tmp_path: Path) -> None:
    out = tmp_path / "out"
    sizes = []
    for start in range(0, 1500, 500):
        run(out, start, start + 500)
        checked = verify(out)
        assert checked.holds, checked.faults
        sizes.append(len(records(out)))
        assert checked.to_dict()["records"] == checked.to_dict()["repeated"] == sizes[-1]
    assert sizes == sorted(sizes)
    assert len({row[0] for row in records(out)}) == sizes[-1]
    public = json.loads((out / "manifest.json").read_text())
    assert set(public) == {"kind", "format", "attributes", "records", "files"}
    assert (tmp_path / "out.internal").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_runs_and_batches_give_the_same_bytes(tmp_path: Path) -> None:
    run(tmp_path / "one", 0, 600, 600)
    for start in range(0, 600, 200):
        run(tmp_path / "two", start, start + 200, 7)
    one, two = (tmp_path / name / "records-0001.csv" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_long_files_are_followed_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "_MOST_BYTES", 4_000)
    out = tmp_path / "out"
    run(out, 0, 700)
    run(out, 700, 1500)
    assert len(list(out.glob("records-*.csv"))) > 3
    assert verify(out).holds
    monkeypatch.undo()
    run(tmp_path / "whole", 0, 1500)
    assert records(out) == records(tmp_path / "whole")


# -- what somebody changed ---------------------------------------------------------------------------------------------


def changed(out: Path, name: str, before: bytes, after: bytes) -> None:
    path = out / name
    content = path.read_bytes()
    assert before in content
    path.write_bytes(content.replace(before, after, 1))


def test_a_changed_record_is_noticed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, 0, 500)
    changed(out, "records-0001.csv", b",L2\n", b",L1\n")
    checked = verify(out)
    assert checked.faults == ("records-0001.csv was changed: its SHA-256 is not that of the manifest",)
    with pytest.raises(InputError, match="was changed"):
        run(out, 500, 600)


def test_a_record_that_was_added_with_new_manifests_is_noticed(tmp_path: Path) -> None:
    """Whoever can write both folders can write new hashes; the ledger does not have the record."""
    from tacita.release.kinds.increment.folder import IncrementFacts, IncrementFolder

    out, internal = tmp_path / "out", tmp_path / "out.internal"
    run(out, 0, 500)
    facts = IncrementFacts.of_manifest(json.loads((internal / "manifest.json").read_text()))
    forged = IncrementFolder(out, internal, facts)
    sequence = forged.sequence
    forged.append([("x", "50-54", "L2")], sequence + 1)
    checked = verify(out)
    assert "is not the one that the ledger has" in checked.faults[0]


def test_a_release_that_the_policy_did_not_allow_is_noticed(tmp_path: Path) -> None:
    """Somebody appends to the ledger by hand: the chain is whole, and the decisions repeated say no."""
    out = tmp_path / "out"
    run(out, 0, 500)
    with Ledger(SqliteStore(tmp_path / "out.internal" / "gate-ledger.sqlite")) as ledger:
        entry = next(entry for entry in ledger.entries() if entry.decision == "released")
        payload = dict(ledger.payload(entry) or {})
        number = 40
        payload["keys"] = [f"x{place}" for place in range(number)]
        payload["cells"] = [payload["keys"], ["50-54"] * number, ["L2"] * number]
        from tacita.gate.recording import RecordedAs

        as_before = RecordedAs(entry.subject, entry.recipient, entry.policy, payload.pop("gate"))
        payload.pop("format")
        ledger.append([as_before.entry("released", payload)])
    from tacita.release.kinds.increment.ledgers import ledger_of

    given = ledger_of(out, tmp_path / "out.internal", "")
    assert given is not None
    given.ledger.close()
    with open_gate(POLICY, out):
        pass  # hands out what is recorded
    checked = verify(out)
    assert any("the policy did not allow record" in fault for fault in checked.faults)


def test_an_edited_ledger_is_noticed(tmp_path: Path) -> None:
    import sqlite3

    out = tmp_path / "out"
    run(out, 0, 300)
    connection = sqlite3.connect(tmp_path / "out.internal" / "gate-ledger.sqlite")
    connection.execute("DROP TRIGGER IF EXISTS payloads_are_final")
    connection.execute("UPDATE payloads SET payload = replace(payload, 'L2', 'L1')")
    connection.commit()
    connection.close()
    assert not verify(out).holds


@pytest.mark.slow
def test_an_older_ledger_is_noticed(tmp_path: Path) -> None:
    out, ledger = tmp_path / "out", tmp_path / "out.internal" / "gate-ledger.sqlite"
    run(out, 0, 300)
    old = ledger.read_bytes()
    run(out, 300, 600)
    for path in ledger.parent.glob("gate-ledger.sqlite-*"):
        path.unlink()
    ledger.write_bytes(old)
    with pytest.raises(LedgerError):
        run(out, 600, 700)
    assert not verify(out).holds


# -- which folder, which ledger


def test_a_gate_without_a_ledger_or_a_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="nothing would be remembered"):
        open_gate(POLICY).__enter__()


def test_a_trial_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_gate(POLICY, trial=True) as gate:
        gate.decide(ROWS)
        assert "trial" in gate.result().notes[0]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="hands nothing out"):
        open_gate(POLICY, tmp_path / "out", trial=True)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="is not a folder of a gate"):
        run(tmp_path / "out", 0, 10)


def test_a_folder_belongs_to_one_gate(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, 0, 100)
    other = parse_policy(policy_text().replace('name = "soldiers"', 'name = "sailors"'))
    with pytest.raises(InputError, match="belongs to another gate"):
        run(out, 100, 200, policy=other)
    assert verify(out).holds


@pytest.mark.slow
def test_a_configured_ledger_is_used_by_all_gates_below_it(tmp_path: Path) -> None:
    init(tmp_path)
    shared = 'source = "army"'
    one = parse_policy(policy_text(top=shared))
    two = parse_policy(policy_text(top=shared).replace('name = "soldiers"', 'name = "again"'))
    run(tmp_path / "one", 0, 300, policy=one)
    run(tmp_path / "two", 0, 300, policy=two)
    assert not (tmp_path / "one.internal" / "gate-ledger.sqlite").exists()
    left = {row[0] for row in records(tmp_path / "one")}
    assert left <= {row[0] for row in records(tmp_path / "two")}
    for name in ("one", "two"):
        assert verify(tmp_path / name).holds
    assert watch_gate(tmp_path / "two").released == len({*left, *(row[0] for row in records(tmp_path / "two"))})


@pytest.mark.slow
def test_a_folder_does_not_change_its_ledger(tmp_path: Path) -> None:
    run(tmp_path / "out", 0, 100)
    init(tmp_path)
    with pytest.raises(LedgerError, match="ledger of its own"):
        run(tmp_path / "out", 100, 200)
    run(tmp_path / "new", 0, 100)
    (tmp_path / "tacita-ledger.toml").rename(tmp_path / "hidden.toml")
    with pytest.raises(LedgerError, match="is gone"):
        run(tmp_path / "new", 100, 200)


def test_a_folder_that_is_lost_is_made_anew_from_the_ledger(tmp_path: Path) -> None:
    import shutil

    init(tmp_path)
    run(tmp_path / "out", 0, 500)
    before = (tmp_path / "out" / "records-0001.csv").read_bytes()
    for name in ("out", "out.internal"):
        shutil.rmtree(tmp_path / name)
    with open_gate(POLICY, tmp_path / "out") as gate:
        assert "had been released and not handed out" in gate.result().notes[0]
    assert (tmp_path / "out" / "records-0001.csv").read_bytes() == before
    assert verify(tmp_path / "out").holds


def test_a_folder_that_is_gone_is_made_anew_from_its_own_ledger(tmp_path: Path) -> None:
    import shutil

    out = tmp_path / "out"
    run(out, 0, 500)
    before = (out / "records-0001.csv").read_bytes()
    shutil.rmtree(out)
    other = parse_policy(policy_text().replace('name = "soldiers"', 'name = "sailors"'))
    with pytest.raises(InputError, match="belongs to another gate"):
        run(out, 0, 100, policy=other)
    with open_gate(POLICY, out) as gate:
        assert any("was made anew from the ledger" in note for note in gate.result().notes)
    assert (out / "records-0001.csv").read_bytes() == before
    assert verify(out).holds


def test_a_folder_never_lacks_its_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is interrupted while a gate begins leaves nothing; without the ledger of a gate nothing leaves."""
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(SqliteStore, "create", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(out, 0, 10)
    assert list(tmp_path.iterdir()) == []
    run(out, 0, 100)
    (tmp_path / "out.internal" / "gate-ledger.sqlite").unlink()
    with pytest.raises(LedgerError, match="what has left before is not known"):
        run(out, 100, 200)


def test_a_second_gate_waits_or_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, 0, 100)
    with open_gate(POLICY, out), pytest.raises(LedgerBusy), open_gate(POLICY, out, wait=0.1):
        pass


# -- kills

_KILLED = """
import os, signal, sys
from pathlib import Path
import tacita.release.kinds.increment.folder as folder
import tacita.ledger.ledger as ledger
from tacita.api.gates import open_gate, parse_policy
from experiments.soldiers import policy_text, soldiers

where, number = sys.argv[2], int(sys.argv[3])
calls = 0
def killing(before):
    def run(*arguments, **options):
        global calls
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return before(*arguments, **options)
    return run
if where == "before the ledger":
    ledger.Ledger.append = killing(ledger.Ledger.append)
elif where == "before the folder":
    folder.IncrementFolder.append = killing(folder.IncrementFolder.append)
else:
    folder.write_text = killing(folder.write_text)
with open_gate(parse_policy(policy_text()), Path(sys.argv[1])) as gate:
    for start in range(0, 800, 100):
        gate.decide(soldiers(1)[start : start + 100])
    gate.keep_report()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "number"),
    [
        ("before the ledger", 2),
        ("before the ledger", 5),
        ("before the folder", 1),
        ("before the folder", 4),
        ("before a manifest", 3),
        ("before a manifest", 6),
        ("before a manifest", 7),
    ],
)
def test_a_kill_loses_no_record_and_doubles_none(tmp_path: Path, where: str, number: int) -> None:
    """Killed between deciding, recording and handing out: whoever opens the gate next hands out what is missing."""
    out = tmp_path / "out"
    root = Path(__file__).resolve().parents[4]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(out), where, str(number)],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    run(out, 0, 800)  # the same records again: those that were decided on are counted once
    run(tmp_path / "whole", 0, 800)
    assert records(out) == records(tmp_path / "whole")
    checked = verify(out)
    assert checked.holds, checked.faults


@pytest.mark.slow
def test_a_folder_that_was_being_written_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, 0, 300)
    with (out / "records-0001.csv").open("a") as file:
        file.write("99,20-24,L")
    assert "a gate was ended while it wrote" in verify(out).faults[0]
    run(out, 300, 400)
    assert verify(out).holds


@pytest.mark.slow
def test_a_full_disk_is_told_and_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    run(out, 0, 300)
    real = Path.open

    def full(self: Path, mode: str = "r", *rest: object, **more: object) -> object:
        if mode == "ab":
            raise OSError(28, "No space left on device")
        return real(self, mode, *rest, **more)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        with pytest.raises(OutputError, match="they are recorded as released"):
            run(out, 300, 600)
    with open_gate(POLICY, out) as gate:
        assert "had been released and not handed out" in " ".join(gate.result().notes)
    run(out, 300, 600)
    run(tmp_path / "whole", 0, 600)
    assert records(out) == records(tmp_path / "whole")
    assert verify(out).holds
