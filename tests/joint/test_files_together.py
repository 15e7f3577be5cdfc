"""Versions of files: who was added, removed, changed, suppressed once, and sensitive values that are left."""

from __future__ import annotations

import pytest
from tests.joint.conftest import Office, Row

import tacita as tc
from tacita.api.judging import JointStatus, judge
from tacita.api.releasing import KAnonymity
from tacita.errors import JointRefusal
from tacita.ledger.settings_file import FILE
from tacita.release.options import ReleaseOptions

pytestmark = pytest.mark.slow

QUASI = ("area", "sex")


def rows(*parts: tuple[int, str, str, str]) -> list[Row]:
    """Return records: how many, area, sex, illness."""
    values = [(area, sex, ill) for many, area, sex, ill in parts for _ in range(many)]
    return [{"person": f"P{at}", "area": area, "sex": sex, "ill": ill} for at, (area, sex, ill) in enumerate(values, 1)]


BEFORE = rows((4, "N", "f", "flu"), (4, "N", "m", "flu"), (4, "S", "f", "gout"), (4, "S", "m", "flu"))


@pytest.mark.slow
def test_the_same_again_passes(office: Office) -> None:
    office.write(BEFORE)
    office.file("first", QUASI)
    office.file("second", QUASI)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda some: [*some, {"person": "P99", "area": "N", "sex": "f", "ill": "flu"}], "was added since entry 1"),
        (lambda some: some[1:], "is in entry 1"),
        (lambda some: [some[0] | {"sex": "m"}, *some[1:]], "has other values than in entry 1"),
    ],
)
def test_a_record_that_changed_alone_is_isolated(office: Office, change: object, words: str) -> None:
    office.write(BEFORE)
    office.file("first", QUASI)
    office.write(change(BEFORE), "later.csv")  # type: ignore[operator]
    verdict = office.judge("later.csv")
    assert verdict.status is JointStatus.REFUSED
    assert [words in reason.sentence for reason in verdict.reasons if reason.kind == "version"] == [True]
    assert len(verdict.reasons[0].records) == 1
    with pytest.raises(JointRefusal, match="whoever has both tells them apart"):
        office.file("second", QUASI, file="later.csv")


@pytest.mark.slow
def test_as_many_as_must_be_change_alike(office: Office) -> None:
    office.write(BEFORE)
    office.file("first", QUASI)
    more = [{"person": f"P9{at}", "area": "N", "sex": "f", "ill": "flu"} for at in range(3)]
    office.write([*BEFORE, *more], "later.csv")
    office.file("second", QUASI, file="later.csv")


@pytest.mark.slow
def test_every_earlier_version_counts(office: Office) -> None:
    office.write(BEFORE)
    office.file("first", QUASI)
    more = [{"person": f"P9{at}", "area": "N", "sex": "f", "ill": "flu"} for at in range(3)]
    office.write([*BEFORE, *more], "later.csv")
    office.file("second", QUASI, file="later.csv")
    # Compared with the second alone, four were removed; compared with the first, one.
    office.write([*BEFORE[1:]], "people.csv")
    verdict = office.judge("people.csv")
    assert {output.sequence for reason in verdict.reasons for output in reason.outputs} == {0, 1}
    assert "1 record is in entry 1" in verdict.reasons[0].sentence


@pytest.mark.slow
def test_without_a_key_frequencies_are_compared(office: Office) -> None:
    settings = office.folder / "tacita-ledger.toml"
    settings.write_text(settings.read_text().replace('key = ["person"]\n', ""))
    office.write(BEFORE)
    office.file("first", QUASI)
    office.write(BEFORE[1:], "later.csv")
    with pytest.raises(JointRefusal, match="a little more or less often than in entry 1"):
        office.file("second", QUASI, file="later.csv")
    office.write(BEFORE[4:], "later.csv")
    office.file("second", QUASI, file="later.csv")


@pytest.mark.slow
def test_one_sensitive_value_that_both_versions_allow_is_disclosed(office: Office) -> None:
    before = rows((2, "N", "f", "flu"), (2, "N", "f", "gout"), (4, "S", "f", "flu"), (4, "S", "f", "gout"))
    office.write(before)
    office.file("first", QUASI, sensitive=["ill"])
    # Four persons of N are now with others who have another second illness.
    later = [row | {"ill": "cold"} if row["area"] == "N" and row["ill"] == "gout" else row for row in before]
    office.write(later, "later.csv")
    verdict = office.judge("later.csv")
    assert "sensitive values" in {reason.kind for reason in verdict.reasons}


@pytest.mark.slow
def test_an_attribute_to_leave_out_is_named_only_if_that_helps(office: Office) -> None:
    office.write(BEFORE)
    office.file("first", QUASI)
    office.write([BEFORE[0] | {"sex": "m"}, *BEFORE[1:]], "later.csv")
    verdict = office.judge("later.csv")
    assert [one.action for one in verdict.remedies] == ["leave out the attribute 'sex'"]
    office.file("second", ["area"], file="later.csv", drop=("sex",))


@pytest.mark.slow
def test_a_file_and_a_table_of_a_sensitive_attribute(office: Office) -> None:
    office.write(BEFORE)
    office.table("table", office.specification(["area", "ill"], "[sensitivity]\nminimum_frequency = 5"))
    with pytest.raises(JointRefusal, match=r"\(area=S, ill="):
        office.file("file", QUASI)
    office.file("other", QUASI, drop=("ill",))


@pytest.mark.slow
def test_a_concealed_file_counts_as_others_do(office: Office) -> None:
    office.write(BEFORE)
    office.concealed("concealed", "sex", ["P1"])
    verdict = office.judge("people.csv")
    assert verdict.status is JointStatus.REFUSED
    assert "values that are suppressed in entry 1" in verdict.reasons[0].sentence
    assert verdict.reasons[0].records[0] == 1
    assert any("a value of 'sex' that entry 1 ('concealed'" in note for note in verdict.notes)


def test_a_concealed_file_is_judged_before_it_leaves(office: Office) -> None:
    office.write(BEFORE)
    office.file("first", QUASI)
    with pytest.raises(JointRefusal, match="suppress values that entry 1"):
        office.concealed("concealed", "sex", ["P1"])
    released = office.concealed("concealed", "sex", [f"P{n}" for n in range(1, 13)])
    assert released.receipt is not None
    assert released.receipt.verdict.compared == 1


CROSSED = [
    {"person": f"P{at}", "area": "NS"[at // 4], "sex": "fm"[at % 2], "amount": str(1000 + 7 * at)} for at in range(8)
]
"""Four records of each area and of each sex, and an amount that each record has for itself."""


def test_files_that_a_value_links_isolate_together(office: Office) -> None:
    """The amounts say which record of one file is which of the other."""
    office.write(CROSSED)
    office.file("first", ("area",), drop=("sex",))
    with pytest.raises(JointRefusal, match="8 records can be linked with entry 1") as caught:
        office.file("second", ("sex",), drop=("area",))
    assert "by the values of amount, and are then among fewer than 3 with the same area, sex" in caught.value.found
    assert "leave out the attribute 'amount'" in str(caught.value.do)
    office.file("second", ("sex",), drop=("area", "amount"))


@pytest.mark.parametrize("is_named", [False, True])
def test_attributes_that_the_settings_name_are_summed_without_any_table(office: Office, is_named: bool) -> None:
    if is_named:
        settings = office.folder / FILE
        settings.write_text(
            settings.read_text().replace("least = 3", 'least = 3\nattributes = ["area", "sex", "amount"]')
        )
    office.write(CROSSED)
    office.file("first", ("area",), drop=("sex",))
    data = tc.read("people.csv").with_roles(quasi=["sex"], identifier=["person"])
    verdict = judge(data.anonymize(tc.Plan(KAnonymity(2))), release=ReleaseOptions(drop=("area",)))
    assert {reason.kind for reason in verdict.reasons} == {"linked"} | ({"few persons"} if is_named else set())
