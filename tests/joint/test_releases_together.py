"""Releases through the whole way: recorded, judged with the next one, refused with the arithmetic."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.joint.conftest import Office

from tacita.api import ledgers
from tacita.api.judging import JointStatus
from tacita.api.tables import protect_table
from tacita.errors import InputError, JointRefusal, UsageError
from tacita.release.verify import verify

pytestmark = pytest.mark.slow

SENSITIVE = "(region=R2, group=C3)"


def test_a_later_count_unlocks_the_table_of_document_002(office: Office) -> None:
    office.table("march", office.hidden())
    zone = office.specification(["zone"])
    verdict = office.judge(zone)
    assert verdict.status is JointStatus.REFUSED
    (reason,) = verdict.reasons
    assert (reason.kind, [one.sequence for one in reason.outputs]) == ("exact", [1, 0])
    assert SENSITIVE in reason.sentence
    assert reason.arithmetic == (
        "(region=R1, group=C2) of entry 1 + (region=R2, group=Total) of entry 1 + (region=R3, group=C2) of entry 1 "
        "- (region=R2, group=C2) of entry 1 - (zone=in) of this release"
    )
    assert reason.value == 22
    assert reason.arithmetic_with_figures.endswith("(zone=in) of this release [90] = 22")
    # Figures are shown only if they are asked for.
    assert "22" not in verdict.to_text().replace("2026", "")
    assert "[90] = 22" in verdict.to_text(figures=True)
    assert '"value"' not in json.dumps(verdict.to_dict())
    with pytest.raises(JointRefusal, match="would be known exactly") as caught:
        office.table("zone", zone)
    assert caught.value.exit_code == 1
    assert not Path("zone").exists()
    assert not Path("zone.internal").exists()
    assert ledgers.log().size == 1


def test_what_would_help_does_help(office: Office) -> None:
    office.table("march", office.hidden())
    verdict = office.judge(office.specification(["zone"]))
    actions = [one.action for one in verdict.remedies]
    assert actions == ["withhold (zone=in), (zone=out), too", "round all figures to multiples of 10"]
    rounded = office.specification(["zone"], '[protect]\nmethod = "controlled_rounding"\nbase = 10', name="rounded")
    assert office.judge(rounded).passes
    office.table("rounded", rounded)
    assert ledgers.log().size == 2


def test_what_is_allowed_is_recorded_and_counts_from_then_on(office: Office) -> None:
    office.table("march", office.hidden())
    zone = office.specification(["zone"])
    released = office.table("zone", zone, allow_joint=True)
    assert "Allowed by --allow-joint: The cell (region=R2, group=C3)" in released.to_text()
    assert ledgers.show(2).payload["verdict"]["is_allowed"] is True
    # It is known now: the same again tells nothing new.
    assert office.judge(zone).passes


def test_a_file_that_shows_a_withheld_cell_is_refused(office: Office) -> None:
    office.table("march", office.hidden())
    with pytest.raises(JointRefusal, match="withheld there"):
        office.file("file", ["region", "group"], drop=("zone",))
    verdict = office.judge("people.csv")
    assert [SENSITIVE in reason.sentence for reason in verdict.reasons] == [True]
    # One of the two attributes alone tells no more than the totals of the table do.
    office.file("one", ["region"], drop=("zone", "group"))


def test_the_other_way_round_nothing_new_is_told(office: Office) -> None:
    office.file("file", ["region", "group"], drop=("zone",))
    assert office.judge(office.hidden()).passes


@pytest.mark.parametrize(
    ("recipient", "refused", "passed"),
    [
        (None, ["press"], []),
        ("university", [None, "university", "institute", "ministry"], ["press"]),  # ministry: through the institute
        ("press", [], ["ministry"]),
    ],
)
def test_recipients(office: Office, recipient: str | None, refused: list[str | None], passed: list[str | None]) -> None:
    office.table("march", office.hidden(), recipient)
    zone = protect_table(office.specification(["zone"]))
    for later in (*refused, *passed):
        verdict = office.judge(zone, recipient=later)
        assert verdict.passes is (later in passed)
        assert len(verdict.compared) == (0 if later in passed else 1)
        assert any("went to others" in note for note in verdict.notes) is (later in passed)


def test_another_recipient_may_help(office: Office) -> None:
    office.table("march", office.hidden(), "university")
    verdict = office.judge(office.specification(["zone"]), recipient="ministry")
    assert "release it to press only" in [one.action for one in verdict.remedies]


def test_a_recorded_release_is_judged_for_somebody_else(office: Office) -> None:
    office.table("march", office.hidden(), "university")
    office.table("zone", office.specification(["zone"]), "press")
    assert office.judge("zone").passes
    assert not office.judge("zone", recipient="institute").passes
    with pytest.raises(UsageError, match="did you mean 'press'"):
        office.judge("zone", recipient="pres")
    with pytest.raises(UsageError, match="says itself of which source it is"):
        office.judge("zone", source="people")


def test_what_never_left_does_not_count(office: Office) -> None:
    office.table("march", office.hidden())
    shutil.rmtree("march")
    shutil.rmtree("march.internal")
    ledgers.withdraw_release(1, "a mistake", never_left=True)
    assert office.judge(office.specification(["zone"])).compared == ()


@pytest.mark.parametrize("damage", ["gone", "changed", "purged"])
def test_what_is_not_known_any_more_is_undecided(office: Office, damage: str) -> None:
    office.table("march", office.hidden())
    if damage == "gone":
        shutil.rmtree("march.internal")
    elif damage == "changed":
        Path("march.internal/population.parquet").write_bytes(b"PAR1")
    else:
        ledgers.purge([1], "the contract has ended")
    zone = office.specification(["zone"])
    verdict = office.judge(zone)
    assert verdict.status is JointStatus.UNDECIDED
    assert verdict.reasons[0].kind == "unknown"
    assert "tacita ledger withdraw 1" in verdict.advice[0]
    with pytest.raises(JointRefusal):
        office.table("zone", zone)
    office.table("zone", zone, allow_joint=True)


def test_what_a_replaced_release_told_still_counts(office: Office) -> None:
    office.table("march", office.hidden())
    replaced = office.table("march", office.hidden(), force=True)
    assert replaced.receipt is not None
    (said,) = replaced.receipt.verdict.notes
    assert said.startswith("Entry 1, which this release replaces, counts as before")
    assert "tacita ledger withdraw 1 --never-left" in said
    # Replaced again, by something else in the same place.
    office.table("march", office.specification(["region"]), force=True)
    zone = office.specification(["zone"])
    verdict = office.judge(zone)
    assert verdict.status is JointStatus.REFUSED
    assert [one.sequence for one in verdict.compared] == [1, 2, 3]
    assert verify(Path("march")).holds
    with pytest.raises(JointRefusal, match="would be known exactly"):
        office.table("march", zone, force=True)
    # What nobody received does not count; what was kept of it may be gone.
    for path in Path("march.internal").glob("replaced-*"):
        path.unlink()
    undecided = office.judge(zone)
    assert undecided.status is JointStatus.UNDECIDED
    assert "was changed, or is that of another release" in undecided.reasons[0].sentence
    assert [f"tacita ledger withdraw {n} --never-left" in one for n, one in enumerate(undecided.advice, 1)] == [
        True
    ] * 2
    for number in (1, 2):
        ledgers.withdraw_release(number, "a mistake", never_left=True)
    assert office.judge(zone).passes


def test_a_refusal_about_the_replaced_release_says_how_to_withdraw_it(office: Office) -> None:
    office.table("march", office.hidden())
    with pytest.raises(JointRefusal) as caught:
        office.table("march", office.specification(["zone"]), force=True)
    assert "if nobody received entry 1, delete it and say so: tacita ledger withdraw 1 --never-left" in caught.value.do
    assert office.judge("march").passes  # it is there as before


def test_a_source_without_a_name_is_known_by_its_content(office: Office) -> None:
    settings = office.folder / "tacita-ledger.toml"
    text = settings.read_text()
    settings.write_text(text.partition("[sources.people]")[0])
    office.table("march", office.hidden())
    zone = office.specification(["zone"])
    assert not office.judge(zone).passes
    # It gets its name later.
    settings.write_text(text)
    assert not office.judge(zone).passes


def test_versions_with_a_key_share_their_persons(office: Office) -> None:
    office.table("march", office.specification(["region"]))
    office.write(office.people()[:-1], "later.csv")
    later = office.specification(["region"], file="later.csv", name="later")
    verdict = office.judge(later)
    assert verdict.status is JointStatus.REFUSED
    sentences = [reason.sentence for reason in verdict.reasons]
    assert "(region=R3) of entry 1" in sentences[0]
    assert "differ by fewer than 3 persons" in sentences[0]
    assert verdict.reasons[0].records == (190,)
    office.write(office.people()[:-5], "later.csv")
    assert office.judge(later).passes


def test_versions_without_a_key_cannot_be_compared_and_that_is_told(office: Office) -> None:
    settings = office.folder / "tacita-ledger.toml"
    settings.write_text(settings.read_text().replace('key = ["person"]\n', ""))
    office.table("march", office.specification(["region"]))
    office.write(office.people()[:-1], "later.csv")
    later = office.specification(["region"], file="later.csv", name="later")
    verdict = office.judge(later)
    assert verdict.passes
    assert any("no key by which they could be matched" in note for note in verdict.notes)
    # A release says it, too, and the ledger keeps it.
    released = office.table("later", later)
    said = "Entry 1 ('march', "
    noted = [note for note in released.to_dict()["ledger"]["notes"] if note.startswith(said)]
    assert len(noted) == 1
    assert f"Note: {noted[0]}" in released.to_text().replace("\n", " ")
    assert noted[0] in ledgers.show(2).payload["verdict"]["notes"]


def test_sums_are_judged_by_contributors(office: Office) -> None:
    rows = [row | {"income": str(100 + at % 7)} for at, row in enumerate(office.people())]
    office.write(rows)
    more = 'response = "income"\n[attacker]\nsingletons = false'
    office.table("march", office.specification(["region"], more))
    office.write(rows[:-2], "later.csv")
    verdict = office.judge(office.specification(["region"], more, "later.csv", "later"))
    assert [reason.kind for reason in verdict.reasons] == ["few persons"]
    assert verdict.reasons[0].records == (189, 190)


def test_what_cannot_be_judged_is_refused_by_name(office: Office) -> None:
    office.table("march", office.hidden())
    with pytest.raises(UsageError, match="did you mean 'people'"):
        office.judge("people.csv", source="peple")
    shutil.copytree("march", "copy")
    with pytest.raises(InputError, match="the ledger does not have this release"):
        office.judge("copy")


def test_judging_records_and_leaves_nothing(office: Office, tmp_path: Path) -> None:
    office.table("march", office.hidden())
    before = sorted(path.relative_to(office.folder) for path in office.folder.rglob("*"))
    zone = office.specification(["zone"])
    office.judge(zone)
    after = sorted(path.relative_to(office.folder) for path in office.folder.rglob("*") if path != zone)
    assert [path for path in after if path not in before] == []
    assert ledgers.log().size == 1
    assert not list((tmp_path / "state").rglob("*.parquet"))


def test_the_command_says_the_same(office: Office, tacita: Any) -> None:
    office.table("march", office.hidden())
    zone = office.specification(["zone"])
    done = tacita("ledger", "judge", zone.name, "--json", cwd=office.folder)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout) == office.judge(zone).to_dict()
