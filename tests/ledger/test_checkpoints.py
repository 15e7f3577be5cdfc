"""Checkpoints, their signatures, and proofs of entries."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tacita.errors import InputError, LedgerError, UsageError
from tacita.ledger.checkpoint import LedgerCheckpoint, origin_of
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.merkle import is_consistent
from tacita.ledger.proof import EntryProof
from tacita.ledger.signing import SigningKey, VerifyingKey
from tacita.ledger.verification import Evidence

Make = Callable[..., NewEntry]
NEUMANN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
QUOTATION = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=",
)
"""The example of golang.org/x/mod/sumdb/note."""


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return SigningKey.create(tmp_path / "ledger.pem", "bank")


def test_keys_and_signatures_are_those_of_signed_notes() -> None:
    import base64

    peter = VerifyingKey.from_text(NEUMANN)
    assert str(peter) == NEUMANN
    text, encoded = QUOTATION
    signature = base64.b64decode(encoded)
    assert signature[:4] == peter.hash
    assert peter.verifies(text, signature[4:])
    assert not peter.verifies(text.replace("answer", "Answer"), signature[4:])


@pytest.mark.parametrize(
    "text",
    ["", "bank", "bank+00000000+AAAA", NEUMANN.replace("c74f", "c74e"), NEUMANN.replace("Peter", "Petra"), "a+b+*"],
)
def test_a_damaged_public_key_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="NAME"):
        VerifyingKey.from_text(text)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "x" * 201])
def test_names_that_cannot_sign(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="name of a ledger"):
        SigningKey.create(tmp_path / "k", name)
    assert not (tmp_path / "k").exists()


def test_the_private_key_is_for_its_owner_alone(tmp_path: Path, key: SigningKey) -> None:
    path = tmp_path / "ledger.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    secret = path.read_text().splitlines()[1]
    assert secret not in repr(key)
    assert SigningKey.read(path, "bank").verifying == key.verifying
    path.chmod(0o640)
    with pytest.raises(InputError, match="open to other users") as caught:
        SigningKey.read(path, "bank")
    assert secret not in str(caught.value)


def test_what_is_not_a_key_is_refused_without_being_quoted(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.write_text("-----BEGIN PRIVATE KEY-----\nU0VDUkVU\n-----END PRIVATE KEY-----\n")
    path.chmod(0o600)
    with pytest.raises(InputError, match="not an Ed25519 key") as caught:
        SigningKey.read(path, "bank")
    assert "U0VDUkVU" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_checks_our_signatures_and_makes_keys(tmp_path: Path) -> None:
    path = tmp_path / "openssl.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)], check=True, capture_output=True)
    path.chmod(0o600)
    signed = LedgerCheckpoint("bank/00", 3, bytes(32)).signed_with(SigningKey.read(path, "bank"))
    (tmp_path / "text").write_text(signed.text)
    (tmp_path / "signature").write_bytes(signed.signatures[0][1][4:])
    verify = ["openssl", "pkeyutl", "-verify", "-inkey", str(path), "-rawin", "-in", str(tmp_path / "text")]
    done = subprocess.run([*verify, "-sigfile", str(tmp_path / "signature")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_checkpoint_says_what_the_ledger_is(ledger: Ledger, entry: Make, key: SigningKey) -> None:
    empty = ledger.checkpoint()
    assert (empty.size, empty.signatures) == (0, ())
    ledger.append([entry(number) for number in range(600)])
    assert ledger.verify().checkpoints == 1
    signed = ledger.checkpoint(key)
    assert signed.origin == origin_of(ledger.identity) == f"bank/{ledger.identity.id}"
    assert signed.signed_by(key.verifying)
    assert LedgerCheckpoint.from_note(signed.note) == signed
    assert ledger.checkpoint(key) == signed
    evidence = Evidence([("a file", signed)], key.verifying)
    verification = ledger.verify(evidence)
    assert verification.holds
    # That of the ledger and that of the file. The first one is not signed: whoever rewrote the ledger could make it.
    assert verification.checkpoints == 2
    assert verification.notes[:1] == ("1 checkpoint is not signed and does not count, since the ledger has a key",)
    ledger.append([entry(number) for number in range(500)])
    later = ledger.checkpoint(key)
    proof = ledger.prove_consistency(signed, later)
    assert is_consistent((signed.size, signed.root), (later.size, later.root), proof)
    assert ledger.verify(evidence).holds


@pytest.mark.parametrize(
    "change",
    [
        lambda note: note.replace("\n", "", 1),
        lambda note: note.replace("\n3\n", "\n03\n"),
        lambda note: note.replace("\n3\n", "\n-3\n"),
        lambda note: note.replace("\n3\n", "\nthree\n"),
        lambda note: note.replace("AAA=", "AA=="),
        lambda note: note.replace("AAA=", "AAB="),
        lambda note: "",
        lambda note: note.replace("\n\n", "\n"),
        lambda note: note.replace("bank/00", ""),
        lambda note: note.replace("bank/00", "bank\x1b[2J"),
        lambda note: note + "no signature\n",
        lambda note: note.replace("\u2014 bank ", "\u2014 bank *"),
    ],
)
def test_what_is_not_a_checkpoint_is_refused(change: Callable[[str], str], key: SigningKey) -> None:
    note = LedgerCheckpoint("bank/00", 3, bytes(32)).signed_with(key).note
    with pytest.raises(InputError, match="is not a checkpoint"):
        LedgerCheckpoint.from_note(change(note))


def test_a_forged_checkpoint_is_noticed(ledger: Ledger, entry: Make, key: SigningKey, tmp_path: Path) -> None:
    ledger.append([entry(1), entry(2)])
    other = SigningKey.create(tmp_path / "other.pem", "bank")
    forged = ledger.checkpoint(other)
    assert not forged.signed_by(key.verifying)
    problems = [str(fault) for fault in ledger.verify(Evidence(key=key.verifying)).faults]
    assert problems == ["checkpoint 1 was not signed with the key of the ledger"]
    # The name and the short hash of the right key do not help without the key.
    lying = replace(forged, signatures=(("bank", key.verifying.hash + forged.signatures[0][1][4:]),))
    assert not lying.signed_by(key.verifying)
    moved = replace(forged.signed_with(key), size=1)
    assert not moved.signed_by(key.verifying)


def test_a_checkpoint_of_another_ledger_is_noticed(ledger: Ledger, entry: Make) -> None:
    ledger.append([entry(1)])
    state = ledger.checkpoint()
    (fault,) = ledger.verify(Evidence([("a file", replace(state, origin="bank/other"))])).faults
    assert str(fault) == "a file is of another ledger"


def test_an_entry_is_proved_without_the_others(ledger: Ledger, entry: Make, key: SigningKey) -> None:
    ledger.append([entry(number, payload={"name": "Ann"}) for number in range(1, 400)])
    state = ledger.checkpoint(key)
    ledger.append([entry(400)])
    text = ledger.prove(17, state).to_text_file()
    assert "Ann" not in text
    proof = EntryProof.from_text_file(text)
    assert proof.entry == ledger.entry(17)
    assert proof.faults(key.verifying) == []
    changed = replace(proof, entry=replace(proof.entry, recipient="nobody"))
    assert changed.faults() == ["the entry was changed: its content does not have its hash"]
    swapped = replace(proof, entry=ledger.entry(18))
    assert swapped.faults() == ["the entry is not in the state of the checkpoint"]
    unsigned = replace(proof, checkpoint=replace(state, signatures=()))
    assert unsigned.faults(key.verifying) == ["the checkpoint was not signed with the key"]
    with pytest.raises(UsageError, match="later than the checkpoint"):
        ledger.prove(400, state)
    with pytest.raises(UsageError, match="no entry 999"):
        ledger.prove(999, state)
    with pytest.raises(LedgerError, match="not in the state"):
        ledger.prove(17, replace(state, root=bytes(32)))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format":"tacita ledger proof 1"}', "[" * 100_000])
def test_what_is_not_a_proof_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a proof"):
        EntryProof.from_text_file(text)


def test_a_proof_with_wrong_types_is_refused(ledger: Ledger, entry: Make) -> None:
    ledger.append([entry(1)])
    text = ledger.prove(1, ledger.checkpoint()).to_text_file()
    for old, new in (('"sequence":1', '"sequence":"1"'), ('"sequence":1', '"sequence":true'), ('"kind":"', '"kin":"')):
        with pytest.raises(InputError, match="not a proof"):
            EntryProof.from_text_file(text.replace(old, new))
