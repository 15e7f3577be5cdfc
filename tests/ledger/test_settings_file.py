"""The settings file of a ledger: all faults at once, how it is found, and which ledger may not hide another."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tacita.errors import InputError, LedgerError, UsageError
from tacita.ledger.ledger import Ledger
from tacita.ledger.settings_file import FILE, LedgerSettings, find_ledger_settings, read_ledger_settings
from tacita.ledger.signing import SigningKey
from tacita.ledger.sources import sha256_of, version_of
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.settings import Settings

WHOLE = """
[ledger]
name = "bank"
id = "{id}"
file = "ledger.sqlite"

[recipients.university]
about = "Department of Economics"
colludes_with = ["institute"]

[recipients.institute]
[recipients."press office"]

[groups]
state = ["institute", "press office"]

[sources.survey]
key = ["person"]
files = ["data/survey.csv"]
attributes = ["region", "sex"]
least = 5
"""


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., LedgerSettings]:
    """A maker of ledgers with their settings files, one for each folder."""

    def make(folder: str = ".", text: str = "", **changes: object) -> LedgerSettings:
        home = tmp_path / folder
        home.mkdir(parents=True, exist_ok=True)
        with Ledger(SqliteStore.create(home / "ledger.sqlite", "bank")) as ledger:
            id_ = ledger.identity.id
        given = LedgerSettings(home / FILE, "bank", id_, home / "ledger.sqlite", **changes)  # type: ignore[arg-type]
        (home / FILE).write_text(given.to_toml() + text)
        return read_ledger_settings(home / FILE)

    return make


def test_everything_that_a_settings_file_says(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text(WHOLE.format(id="0" * 32))
    settings = read_ledger_settings(path)
    assert (settings.name, settings.id, settings.file) == ("bank", "0" * 32, tmp_path / "ledger.sqlite")
    assert settings.recipients.by_name["university"].about == "Department of Economics"
    assert settings.recipients.colluding("university") == {"university", "institute", "press office"}
    source = settings.sources["survey"]
    assert (source.key, source.least, source.attributes) == (("person",), 5, ("region", "sex"))
    assert source.files == (tmp_path / "data" / "survey.csv",)
    assert settings.key() is None


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    key = SigningKey.create(tmp_path / "key.pem", "bank")
    for changes in (
        {"file": tmp_path / "l.sqlite", "signing_key": tmp_path / "key.pem", "public_key": key.verifying},
        {"database": "postgresql://ann@host/db", "schema": "ledger_of_bank", "instead_of": ("a" * 32,)},
        {"file": Path("/elsewhere/l.sqlite")},
    ):
        given = LedgerSettings(tmp_path / FILE, "bank", "1" * 32, **changes)  # type: ignore[arg-type]
        given.path.write_text(given.to_toml())
        assert read_ledger_settings(given.path) == given


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text(
        """
[ledger]
name = "two words"
id = "xyz"
file = "a"
database = "postgresql://ann:s3cret@host/db"
public_key = "no key"
instead_of = "short"
colour = "red"

[recipients.Public]
[recipients."tab\\there"]
[recipients.university]
colludes_with = ["universty"]
[recipients.University]

[groups]
state = ["minstry"]

[sources.survey]
least = 0
hashes = ["abc"]
files = ["a.csv"]
[sources.other]
files = ["a.csv"]

[recipient]
"""
    )
    with pytest.raises(InputError) as caught:
        read_ledger_settings(path)
    message = str(caught.value)
    assert "s3cret" not in message
    lines = [line.strip(" -").partition(":")[0] for line in message.splitlines() if "line " in line]
    expected = [3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15, 18, 21, 22, 25, 27]
    assert lines == [f"line {number}" for number in expected], message


@pytest.mark.parametrize(
    ("text", "words"),
    [("", r"no \[ledger\]"), ("ledger = 5", "must be a table"), ("[ledger", "not TOML"), ("\xff", "not UTF-8")],
)
def test_files_that_are_no_settings(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / FILE
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=words):
        read_ledger_settings(path)
    with pytest.raises(InputError, match="does not exist"):
        read_ledger_settings(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    "address",
    ["mysql://host/db", "host", "postgresql://ann:pw@host/db", "postgresql://host/db?password=pw", "postgresql://"],
)
def test_addresses_have_no_password(tmp_path: Path, address: str) -> None:
    (tmp_path / FILE).write_text(f'[ledger]\nname = "b"\nid = "{"0" * 32}"\ndatabase = "{address}"\n')
    with pytest.raises(InputError, match="without a password") as caught:
        read_ledger_settings(tmp_path / FILE)
    assert "pw" not in str(caught.value)


def test_a_ledger_is_found_from_below(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_ledger_settings(deep) is None
    top = place()
    assert find_ledger_settings(deep) == top
    assert find_ledger_settings(tmp_path) == top
    assert find_ledger_settings(tmp_path.parent) is None
    (tmp_path / "link").symlink_to(deep)
    assert find_ledger_settings(tmp_path / "link") == top
    outside = tmp_path.parent / "elsewhere"
    assert find_ledger_settings(outside, Settings(ledger=top.path)) == top


def test_a_nearer_ledger_hides_no_other(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    top = place()
    near = place("project")
    with pytest.raises(LedgerError, match="names another ledger than"):
        find_ledger_settings(tmp_path / "project" / "out")
    assert find_ledger_settings(tmp_path / "other") == top
    near.path.write_text(LedgerSettings(near.path, near.name, near.id, near.file, instead_of=(top.id,)).to_toml())
    chosen = find_ledger_settings(tmp_path / "project" / "out")
    assert chosen is not None
    assert chosen.id == near.id
    # The ledger of the organisation is never hidden by a file in some folder.
    with pytest.raises(LedgerError, match="TACITA_LEDGER"):
        find_ledger_settings(tmp_path / "project" / "out", Settings(ledger=top.path))


def test_two_settings_files_may_name_one_ledger(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    top = place()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / FILE).write_text(
        LedgerSettings(tmp_path / "project" / FILE, top.name, top.id, top.file).to_toml()
    )
    chosen = find_ledger_settings(tmp_path / "project")
    assert chosen is not None
    assert chosen.file == top.file


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_a_settings_file_of_somebody_else_is_not_taken(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    settings = place()
    os.chown(settings.path, 12345, 12345)
    with pytest.raises(LedgerError, match="belongs to another user"):
        find_ledger_settings(tmp_path)
    chosen = find_ledger_settings(tmp_path.parent, Settings(ledger=settings.path))
    assert chosen == settings


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_a_link_of_somebody_else_is_not_taken(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    settings = place("mine")
    link = tmp_path / FILE
    link.symlink_to(settings.path)
    assert find_ledger_settings(tmp_path) == settings
    os.chown(link, 12345, 12345, follow_symlinks=False)
    with pytest.raises(LedgerError, match="belongs to another user"):
        find_ledger_settings(tmp_path)


def test_a_settings_file_that_is_gone_is_noticed(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    settings = place("mine")
    settings.open().close()
    settings.path.rename(tmp_path / "elsewhere")
    with pytest.raises(LedgerError, match="was here, and is gone"):
        find_ledger_settings(tmp_path / "mine" / "project")
    assert find_ledger_settings(tmp_path) is None


def test_a_settings_file_that_everybody_can_change_is_not_taken(
    tmp_path: Path, place: Callable[..., LedgerSettings]
) -> None:
    place().path.chmod(0o666)
    with pytest.raises(LedgerError, match="everybody can change it"):
        find_ledger_settings(tmp_path)


def test_another_ledger_in_the_place_is_noticed(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    settings = place()
    settings.open().close()
    (tmp_path / "ledger.sqlite").unlink()
    with pytest.raises(LedgerError, match="there is no ledger"):
        settings.open()
    with Ledger(SqliteStore.create(tmp_path / "ledger.sqlite", "bank")) as ledger:
        other = ledger.identity.id
    with pytest.raises(LedgerError, match="not the ledger that"):
        settings.open()
    # If the settings file is changed to fit, the place itself is remembered.
    settings.path.write_text(settings.path.read_text().replace(settings.id, other))
    with pytest.raises(LedgerError, match="names another ledger than before"):
        read_ledger_settings(settings.path).open()


def test_a_ledger_that_is_a_link_to_another_is_noticed(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    settings, other = place(), place("other")
    (tmp_path / "ledger.sqlite").unlink()
    (tmp_path / "ledger.sqlite").symlink_to(tmp_path / "other" / "ledger.sqlite")
    with pytest.raises(LedgerError, match="not the ledger that"):
        settings.open()
    other.open().close()


def test_the_signing_key_fits_the_public_key(tmp_path: Path, place: Callable[..., LedgerSettings]) -> None:
    key = SigningKey.create(tmp_path / "key.pem", "bank")
    other = SigningKey.create(tmp_path / "other.pem", "bank")
    settings = place(signing_key=tmp_path / "key.pem", public_key=key.verifying)
    signing = settings.key()
    assert signing is not None
    assert signing.verifying == key.verifying
    wrong = LedgerSettings(settings.path, "bank", settings.id, settings.file, signing_key=tmp_path / "key.pem",
                           public_key=other.verifying)  # fmt: skip
    with pytest.raises(InputError, match="not the key whose public key"):
        wrong.key()


def test_recipients_by_name(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(WHOLE.format(id="0" * 32))
    recipients = read_ledger_settings(tmp_path / FILE).recipients
    assert recipients.named(None) == recipients.named("public") == ""
    assert recipients.named("press office") == "press office"
    with pytest.raises(UsageError, match="did you mean 'university'"):
        recipients.named("Universty")
    with pytest.raises(UsageError) as caught:
        recipients.named("x\x1b[2J\n")
    assert "\x1b" not in str(caught.value)
    assert recipients.sees("", "university")
    assert recipients.sees("university", "")
    assert recipients.sees("university", "press office")
    assert not recipients.sees("university", "somebody who is gone")


def test_sources_by_file_and_by_hash(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "survey.csv").write_text("a\n1\n")
    (data / "copy.csv").write_text("a\n1\n")
    (data / "other.csv").write_text("a\n2\n")
    digest = sha256_of(data / "survey.csv")
    text = WHOLE.format(id="0" * 32)
    (tmp_path / FILE).write_text(text)
    sources = read_ledger_settings(tmp_path / FILE).sources
    assert version_of([data / "survey.csv"], sources, "x").subject == "survey"
    assert version_of([data / "copy.csv"], sources, "x").subject == ""
    (tmp_path / FILE).write_text(text + f'hashes = ["{digest}"]\n')
    sources = read_ledger_settings(tmp_path / FILE).sources
    assert version_of([data / "copy.csv"], sources, "x").subject == "survey"
    assert version_of([data / "other.csv"], sources, "x").subject == ""
    (data / "survey.csv").write_text("a\n3\n")
    with pytest.raises(LedgerError, match="another content than its known versions"):
        version_of([data / "survey.csv"], sources, "x")
    assert version_of([], sources, "x").sha256 == ""
    both = version_of([data / "copy.csv", data / "other.csv"], sources, "x").sha256
    assert len(both) == 64
    assert both != digest
