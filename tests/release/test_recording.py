"""Releases and the ledger: everything that leaves is recorded first, and what cannot be recorded does not leave."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacita as tc
from tacita.api import ledgers, tables
from tacita.api.concealing import ConcealedOptions, ConcealPlan, HideAs, conceal_to
from tacita.api.dataset import Dataset
from tacita.api.masking import mask_to
from tacita.api.releasing import KAnonymity
from tacita.errors import LedgerBusy, LedgerError, OutputError, UsageError
from tacita.ledger.disclosures import Disclosures
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.settings_file import FILE, find_ledger_settings
from tacita.ledger.verdict import NOT_JUDGED, JointVerdict
from tacita.release import placing, recording
from tacita.release.kind import Released
from tacita.release.options import MaskedOptions, ReleaseOptions, TableOptions
from tacita.release.verify import verify

SEED = 918273645546372819
MORE = """
[recipients.university]
[recipients.press]

[sources.people]
key = ["person"]
files = ["people.csv"]
"""
RECIPE = """
[[step]]
method = "rank-swapping"
attributes = ["income"]
p = 20
[attack]
accept = 1.0
accept_unique = 1.0
"""
NO_LEDGER = "No ledger: nothing was compared with earlier releases."


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with people, and a state of its own."""
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    rows = [f"P{n},{'NS'[n % 2]},{'fm'[n // 2 % 2]},{20 + n % 4 * 10},{1000 + n * 7}" for n in range(48)]
    (work / "people.csv").write_text("person,area,sex,age,income\n" + "\n".join(rows) + "\n")
    (work / "recipe.toml").write_text(RECIPE)
    return work


@pytest.fixture
def ledger(here: Path) -> Path:
    """A ledger of the folder, with recipients and a source; its settings file."""
    ledgers.init(here, ledgers.LedgerPlan(name="bank", signing_key=here / "key.pem"))
    with (here / FILE).open("a") as file:
        file.write(MORE)
    return here / FILE


def people() -> Dataset:
    return tc.read("people.csv").with_roles(quasi=["area", "sex", "age"], identifier=["person"])


def microdata(folder: str = "out", recipient: str | None = None, **options: Any) -> Released:
    plan = tc.Plan(KAnonymity(2))
    attempt = people().release(folder, plan, ReleaseOptions(seed=SEED, recipient=recipient, **options))
    assert attempt.release is not None
    return attempt.release


def masked(folder: str = "out", recipient: str | None = None) -> Released:
    recipe = tc.read_recipe("recipe.toml").with_(seed=SEED)
    attempt = mask_to(Path(folder), people(), recipe, MaskedOptions(recipient=recipient))
    assert attempt.release is not None
    return attempt.release


def table(folder: str = "out", recipient: str | None = None) -> Released:
    specification = tables.write_example("firms")
    text = Path(specification).read_text()
    Path(specification).write_text(text.replace("[protect]", f"[protect]\nseed = {SEED}"))
    attempt = tables.protect_to(
        Path(folder), specification, tables.ProtectionOptions(time=0), TableOptions(recipient=recipient)
    )
    assert attempt.release is not None
    return attempt.release


def concealed(folder: str = "out", recipient: str | None = None) -> Released:
    plan = ConcealPlan(confidential=("sex",), least_hiders=1, seed=SEED)
    options = ConcealedOptions(hide_as=HideAs.NULL, recipient=recipient)
    attempt = conceal_to(Path(folder), people(), plan, options)
    assert attempt.release is not None
    return attempt.release


KINDS: dict[str, Callable[..., Released]] = {
    "release": microdata,
    "masked release": masked,
    "table release": table,
    "concealed release": concealed,
}


def opened() -> Ledger:
    settings = find_ledger_settings(Path.cwd())
    assert settings is not None
    return settings.open()


def manifest(released: Released) -> dict[str, Any]:
    text: dict[str, Any] = json.loads((released.internal / "manifest.json").read_text())
    return text


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_ledger_a_release_says_so(kind: str, here: Path) -> None:
    released = KINDS[kind]()
    assert released.receipt is None
    assert NO_LEDGER in released.to_text()
    assert released.to_dict()["ledger"] is None
    assert manifest(released)["ledger"] is None
    assert not (released.internal / "disclosed.parquet").exists()
    assert "ledger: no ledger was configured" in verify(released.folder).to_text()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_is_released_is_recorded(kind: str, ledger: Path) -> None:
    released = KINDS[kind]("out", "university")
    receipt = released.receipt
    assert receipt is not None
    with opened() as record:
        (entry,) = record.entries()
        payload = record.payload(entry)
        assert record.verify().holds
        assert record.checkpoints() == [receipt.checkpoint]
    assert payload is not None
    assert (entry.kind, entry.recipient, entry.decision) == (kind, "university", "released")
    assert entry.subject == receipt.subject == ("" if kind == "table release" else "people")
    assert len(entry.source) == len(entry.policy) == 64
    assert (receipt.sequence, receipt.hash, receipt.name) == (1, entry.hash, "bank")
    kept = manifest(released)
    assert kept["ledger"] == receipt.to_manifest()
    assert payload["files"] == kept["files"]
    assert payload["internal_files"] == kept["internal_files"]
    assert payload["folder"] == str(released.folder.resolve())
    verdict = payload["verdict"]
    assert (verdict["is_judged"], verdict["passed"], verdict["compared"]) == (True, True, 0)
    text = released.to_text()
    assert "Recorded as entry 1 of the ledger 'bank', for university; compared with 0 earlier entries." in text
    assert NO_LEDGER not in text
    assert released.to_dict()["ledger"]["entry"] == 1
    checked = verify(released.folder)
    assert checked.holds
    assert checked.ledger == "entry 1 of 'bank'"
    Disclosures.from_payload(payload["disclosures"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_seed_and_no_name_of_a_person_is_in_the_ledger(kind: str, ledger: Path) -> None:
    KINDS[kind]()
    with opened() as record:
        text = json.dumps([record.payload(entry) for entry in record.entries()])
    assert str(SEED) not in text
    stored = b"".join(path.read_bytes() for path in ledger.parent.glob("tacita-ledger.sqlite*"))
    assert str(SEED).encode() not in stored
    assert b"P17" not in stored


def test_releases_by_command_are_recorded_alike(ledger: Path, tacita: Any) -> None:
    line = ["anonymize", "people.csv", "-k", "2", "--quasi", "area,sex,age", "--identifier", "person", "--out", "out"]
    done = tacita(*line, "--recipient", "press", "--json", cwd=ledger.parent)
    assert done.returncode == 0, done.stderr
    released = json.loads(done.stdout)["release"]
    assert (released["ledger"]["entry"], released["ledger"]["recipient"]) == (1, "press")
    assert tacita("verify", "out", cwd=ledger.parent).stdout.count("ledger: entry 1 of 'bank'") == 1
    listed = json.loads(tacita("ledger", "log", "--json", cwd=ledger.parent).stdout)
    assert [(one["kind"], one["recipient"]) for one in listed["entries"]] == [("release", "press")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_recipient_is_refused_before_any_work(kind: str, ledger: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'university'"):
        KINDS[kind]("out", "universty")
    assert not Path("out").exists()
    with opened() as record:
        assert record.head.size == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_recipient_without_a_ledger_is_refused(kind: str) -> None:
    with pytest.raises(UsageError, match="a recipient is named, but no ledger is configured"):
        KINDS[kind]("out", "university")
    assert not Path("out").exists()


def test_what_a_verdict_refuses_does_not_leave(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = JointVerdict(True, False, ("it tells 2 persons apart from entry 7",), ("withhold (sex=f)",), (7,), 1)
    monkeypatch.setattr(recording, "judged_with_earlier", lambda *_: refused)
    with pytest.raises(OutputError, match="2 persons") as caught:
        microdata()
    assert (caught.value.exit_code, caught.value.do) == (
        1,
        "withhold (sex=f); or accept it with --allow-joint. Nothing was released",
    )
    assert not Path("out").exists()
    assert not list(ledger.parent.glob(".tacita-*"))
    with opened() as record:
        assert record.head.size == 0
    assert JointVerdict.from_payload(refused.to_payload()) == refused


@pytest.mark.slow
def test_what_is_allowed_leaves_and_is_recorded(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = JointVerdict(True, False, ("it tells 2 persons apart from entry 7",), (), (7,), 1)
    monkeypatch.setattr(recording, "judged_with_earlier", lambda *_: refused)
    released = microdata(allow_joint=True)
    assert "Allowed by --allow-joint: it tells 2 persons apart from entry 7." in released.to_text()
    with opened() as record:
        payload = record.payload(1)
    assert payload is not None
    assert (payload["verdict"]["passed"], payload["verdict"]["is_allowed"]) == (False, True)
    assert payload["options"]["allow_joint"] is True


def test_a_passed_verdict_is_recorded_and_told(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "judged_with_earlier", lambda *_: JointVerdict(True, True, compared=3))
    released = microdata()
    assert "compared with 3 earlier entries." in released.to_text()
    with opened() as record:
        payload = record.payload(1)
    assert payload is not None
    assert (payload["verdict"]["passed"], payload["verdict"]["compared"]) == (True, 3)


def test_a_release_is_judged_again_if_the_ledger_moved(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def judge(proposal: object, record: Ledger, *_: object) -> JointVerdict:
        sizes.append(record.head.size)
        if len(sizes) < 3:  # somebody else releases while this one is judged
            record.append([NewEntry("note")])
        return NOT_JUDGED

    monkeypatch.setattr(recording, "judged_with_earlier", judge)
    released = microdata()
    assert sizes == [0, 1, 2]
    assert released.receipt is not None
    assert released.receipt.sequence == 3


def test_the_judge_sees_what_is_released(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def judge(proposal: Any, *_: object) -> JointVerdict:
        seen.append((proposal, sorted(path.name for path in proposal.internal.iterdir())))
        return NOT_JUDGED

    monkeypatch.setattr(recording, "judged_with_earlier", judge)
    microdata("out", "press")
    ((proposal, files),) = seen
    assert (proposal.kind, proposal.recipient, proposal.version.subject) == ("release", "press", "people")
    assert proposal.disclosures.records.records == 48
    assert "disclosed.parquet" in files


def test_folders_that_cannot_be_put_in_place_are_recorded_as_never_left(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(placing, "_swap", fail)
    with pytest.raises(OutputError, match="cannot be written"):
        microdata()
    shown = ledgers.show(1)
    assert shown.withdrawn_by == 2
    assert not shown.is_there
    assert ledgers.show(2).entry.decision == "never left"
    assert ledgers.log().to_dict()["entries"][0]["never_left"]


KILLED = """
import os, runpy, sys
from tacita.release import placing
placing._swap = lambda *_: os._exit(9)
runpy.run_path(sys.argv[1])["microdata"]()
"""


@pytest.mark.slow
def test_a_kill_before_the_folders_are_in_place_leaves_an_entry_that_can_be_withdrawn(ledger: Path, here: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, __file__], capture_output=True, check=False)
    assert done.returncode == 9, done.stderr
    shown = ledgers.show(1)
    assert (shown.is_there, shown.withdrawn_by) == (False, None)
    assert "out (not there)" in shown.to_text()
    assert not Path("out").exists()
    with pytest.raises(UsageError, match="no reason"):
        ledgers.withdraw_release(1, " ", never_left=True)
    kept = ledgers.withdraw_release(1, "it may have been copied")
    assert kept.entry.decision == "withdrawn"
    assert ledgers.show(1).withdrawn_by is None
    ledgers.withdraw_release(1, "the machine was killed", never_left=True)
    assert ledgers.show(1).withdrawn_by == 3
    with pytest.raises(UsageError, match="withdrawn already"):
        ledgers.withdraw_release(1, "again", never_left=True)
    released = microdata()
    assert released.receipt is not None
    assert verify(released.folder).holds
    with pytest.raises(UsageError, match="the release of entry 4 is there"):
        ledgers.withdraw_release(4, "never", never_left=True)
    assert ledgers.verify().holds


@pytest.mark.slow
def test_a_release_that_the_ledger_disowns_does_not_verify(ledger: Path) -> None:
    released = microdata()
    path = released.internal / "manifest.json"
    text = path.read_text()
    kept = json.loads(text)
    kept["ledger"]["hash"] = "0" * 64
    path.write_text(json.dumps(kept))
    assert verify(released.folder).faults == ("the ledger has no entry 1 of this release",)
    kept = json.loads(text)
    kept["ledger"]["sequence"] = 9
    path.write_text(json.dumps(kept))
    assert verify(released.folder).faults == ("the ledger has no entry 9 of this release",)
    kept = json.loads(text)
    kept["files"]["extra"] = {"sha256": "", "bytes": 0}
    path.write_text(json.dumps(kept))
    assert "entry 1 of the ledger has other files" in verify(released.folder).faults
    path.write_text(text)
    assert verify(released.folder).holds


@pytest.mark.slow
def test_a_release_notices_that_the_ledger_was_rewritten(ledger: Path) -> None:
    microdata("first")
    second = microdata("second")
    with sqlite3.connect(ledger.parent / "tacita-ledger.sqlite") as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entries SET hash = zeroblob(32) WHERE sequence = 1")
        for _, sql in triggers:
            connection.execute(sql)
    fault = "the ledger was changed since: it does not agree with the checkpoint of this release"
    assert verify(second.folder).faults == (fault,)
    assert ledgers.verify(checkpoints=[second.internal]).faults


@pytest.mark.slow
def test_a_ledger_that_is_not_there_any_more_is_told(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    released = microdata()
    ledger.rename(ledger.with_name("moved.toml"))
    gone = "the settings file of the ledger was here, and is gone"
    assert verify(released.folder).faults == (f"the ledger cannot be used: {gone}",)
    # Deleting the settings file does not turn the ledger off for those who released here before.
    with pytest.raises(LedgerError, match=gone):
        microdata("second")
    assert not Path("second").exists()
    monkeypatch.setenv("TACITA_STATE", str(ledger.parent.parent / "state of somebody else"))
    checked = verify(released.folder)
    assert checked.holds
    assert checked.ledger == "entry 1 of 'bank'; that ledger is not configured here"


@pytest.mark.slow
def test_an_older_copy_of_the_ledger_stops_releases(ledger: Path) -> None:
    file = ledger.parent / "tacita-ledger.sqlite"
    microdata("first")
    older = file.read_bytes()
    microdata("second")
    file.write_bytes(older)
    with pytest.raises(LedgerError, match="older copy"):
        microdata("third")
    assert not Path("third").exists()
    with pytest.raises(LedgerError, match="older copy"):
        ledgers.log()
    assert "an older copy" in verify(Path("first")).faults[0]
    ledgers.restore("the disk broke")
    microdata("third")
    log = ledgers.log()
    assert [entry.kind for entry in log.entries] == ["release", "restore", "release"]
    # The release that was lost from the ledger says so.
    assert verify(Path("second")).faults == ("the ledger has no entry 2 of this release",)


@pytest.mark.slow
def test_a_ledger_that_cannot_be_written_stops_releases(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tacita.ledger.stores import sqlite

    before = sqlite.SqliteStore.__init__
    monkeypatch.setattr(sqlite.SqliteStore, "__init__", lambda self, path: before(self, path, wait=0.05))
    connection = sqlite3.connect(ledger.parent / "tacita-ledger.sqlite", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerBusy):
        microdata()
    connection.execute("ROLLBACK")
    connection.close()
    assert not Path("out").exists()
    assert not Path("out.internal").exists()
    microdata()


@pytest.mark.slow
def test_another_content_under_the_same_name_is_noticed(ledger: Path) -> None:
    first = microdata("first").receipt
    assert first is not None
    assert first.verdict.notes == ()
    text = Path("people.csv").read_text()
    Path("people.csv").write_text(text + "P99,N,f,20,5\nP98,S,m,30,5\n")
    second = microdata("second", allow_joint=True)
    assert second.receipt is not None
    assert second.receipt.verdict.notes == (
        "The source 'people' has another content than in entry 1: it is taken for another version of the same "
        "population.",
    )
    assert second.receipt.verdict.notes[0] in second.to_text()
    with opened() as record:
        sources = [entry.source for entry in record.entries(subject="people")]
    with ledger.open("a") as file:
        file.write(f'hashes = ["{sources[0]}"]\n')
    with pytest.raises(LedgerError, match="another content than its known versions"):
        microdata("third", allow_joint=True)
    assert not Path("third").exists()
    Path("people.csv").write_text(text)
    microdata("third", allow_joint=True)


def test_a_source_without_a_name_is_told(ledger: Path) -> None:
    Path("people.csv").rename("others.csv")
    data = tc.read("others.csv").with_roles(quasi=["area", "sex", "age"], identifier=["person"])
    released = data.release("out", tc.Plan(KAnonymity(2)), ReleaseOptions(seed=1)).release
    assert released is not None
    assert released.receipt is not None
    said = released.receipt.verdict.notes[0]
    assert said.startswith("The source has no name in the settings of the ledger")
    assert f"Note: {said}" in released.to_text()
    assert released.to_dict()["ledger"]["notes"] == [said]
    assert ledgers.show(1).payload["verdict"]["notes"] == [said]


@pytest.mark.slow
@pytest.mark.parametrize("is_named", [False, True])
def test_data_in_no_file_are_compared_with_nothing_and_that_is_told(ledger: Path, is_named: bool) -> None:
    frame = pa.table({"area": ["N", "S"] * 10, "sex": ["f", "f", "m", "m"] * 5, "person": [f"P{n}" for n in range(20)]})
    name = Path("people.csv").name if is_named else "frame"
    for number, folder in enumerate(("first", "second"), 1):
        data = tc.read(frame, name=name).with_roles(quasi=["area", "sex"], identifier=["person"])
        released = data.release(folder, tc.Plan(KAnonymity(2)), ReleaseOptions(seed=1)).release
        assert released is not None
        assert released.receipt is not None
        assert not released.receipt.verdict.is_judged
        (said,) = released.receipt.verdict.notes
        assert said.startswith("Nothing was compared: the data are in no file")
        assert said in released.to_text().replace("\n", " ")
        assert "not compared with earlier releases" in released.to_text()
        assert released.to_dict()["ledger"]["judged"] is False
        recorded = ledgers.show(number).payload["verdict"]
        assert (recorded["is_judged"], recorded["notes"]) == (False, [said])
    # What is in a file says that these could not be compared.
    after = microdata("third").receipt
    assert after is not None
    assert (after.verdict.is_judged, after.verdict.compared) == (True, 0)
    assert after.verdict.notes[0].startswith("2 earlier entries of data in no file")


def test_a_key_that_is_no_attribute_is_told_before_anything_leaves(ledger: Path) -> None:
    ledger.write_text(ledger.read_text().replace('key = ["person"]', 'key = ["persn"]'))
    with pytest.raises(LedgerError, match="did you mean 'person'"):
        microdata()
    assert not Path("out").exists()


@pytest.mark.slow
def test_replacing_a_release_leaves_its_entry(ledger: Path) -> None:
    microdata()
    second = microdata(force=True)
    assert second.receipt is not None
    assert second.receipt.sequence == 2
    assert verify(second.folder).holds
    shown = ledgers.show(1)
    assert (shown.is_there, ledgers.show(2).is_there) == (False, True)


def test_a_signing_key_that_is_gone_stops_releases(ledger: Path) -> None:
    (ledger.parent / "key.pem").unlink()
    with pytest.raises(tc.TacitaError, match="does not exist"):
        microdata()
    assert not Path("out").exists()
    assert ledgers.log().size == 0
