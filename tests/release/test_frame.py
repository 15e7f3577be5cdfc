"""The frame of every release: a kind of one's own gets folders, manifests, verification and opening from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

import tacita as tc
from tacita.errors import InputError, OutputError, UsageError
from tacita.ledger.disclosures import Disclosures
from tacita.release.kind import LedgerFacts, Released, Verification, Workplace
from tacita.release.kinds import KINDS
from tacita.release.opening import OpenedRelease, kind_of, open_release
from tacita.release.options import FolderOptions, MaskedOptions, ReleaseOptions, TableOptions
from tacita.release.verify import verify
from tacita.release.writing import write_release
from tacita.settings import Settings


@dataclass(frozen=True)
class Answer:
    """What is released: a figure, and the budget that it took."""

    released_as: ClassVar = "answer"
    text: str
    budget: int


@dataclass(frozen=True, slots=True, repr=False)
class AnswerVerification(Verification):
    @property
    def verdict(self) -> str:
        return "The budget was kept." if self.holds else "The budget was not kept."


@dataclass(frozen=True)
class AnswerDraft:
    answer: Answer

    def write(self, folder: Workplace, progress: object) -> Self:
        folder.text("answer.txt", self.answer.text)
        return self

    def public_facts(self) -> Mapping[str, Any]:
        return {"data": "answer.txt"}

    def keep(self, folder: Workplace) -> None:
        folder.text("budget.txt", str(self.answer.budget))

    def check(self, release: OpenedRelease, progress: object) -> Self:
        if release.data.read_text() != self.answer.text or release.file_faults():
            raise OutputError("the written answer is another one")
        return self

    def report(self, folder: Workplace) -> None:
        folder.text("report.txt", "inside")

    def internal_facts(self) -> Mapping[str, Any]:
        return {"budget": self.answer.budget}

    def ledger_facts(self) -> LedgerFacts:
        return LedgerFacts((), {"question": 1.5}, {"budget": self.answer.budget})

    def disclosed(self, folder: Workplace, persons: object) -> Disclosures:
        return Disclosures(notes=("an answer in words",))

    def released(self, folder: Path, internal: Path) -> Released:
        return Released(folder, internal, ("answer.txt",), "answered", self.answer)


class AnswerKind:
    name: ClassVar = "answer"
    options: ClassVar = FolderOptions
    needs_proof: ClassVar = True
    why_no_decisions: ClassVar = ("an answer has no records", "read it")

    def check(self, content: Answer, options: FolderOptions, where: str) -> None:
        if content.budget > 10:
            raise OutputError("the budget is spent", where=where)

    def source(self, content: Answer) -> Path | None:
        return None

    def draft(self, content: Answer, options: FolderOptions, where: str, progress: object) -> AnswerDraft:
        return AnswerDraft(content)

    def verify(self, release: OpenedRelease, faults: list[str], *_: object) -> AnswerVerification:
        spent = [] if release.manifest["budget"] <= 10 else ["the budget is spent"]
        return AnswerVerification(release.folder, (*faults, *spent), True)


@pytest.fixture(autouse=True)
def _entered() -> Iterator[None]:
    KINDS.enter(AnswerKind)
    yield
    KINDS.withdraw("answer")


def test_a_kind_of_ones_own_is_released_verified_and_opened(tmp_path: Path, settings: Settings) -> None:
    released = write_release(Answer("42", 3), tmp_path / "out", settings=settings)
    assert {path.name for path in released.folder.iterdir()} == {"answer.txt", "manifest.json"}
    assert {path.name for path in released.internal.iterdir()} == {"budget.txt", "report.txt", "manifest.json"}
    opened = open_release(released.folder)
    assert opened.public["kind"] == "tacita answer"
    assert opened.manifest["kind"] == "tacita answer, internal"
    assert [*opened.manifest["files"]] == ["answer.txt", "manifest.json"]
    checked = verify(released.folder, settings=settings)
    assert checked.holds
    assert checked.to_dict() == {
        "holds": True,
        "verdict": "The budget was kept.",
        "faults": [],
        "ledger": "no ledger was configured when it was released",
    }
    released.data.write_text("43")
    assert verify(released.folder, settings=settings).faults == (
        "answer.txt was changed: its SHA-256 is not that of the manifest",
    )


def test_what_the_kind_refuses_leaves_nothing(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(OutputError, match="the budget is spent"):
        write_release(Answer("42", 11), tmp_path / "out", settings=settings)
    assert not [path for path in tmp_path.iterdir() if path.name != "state"]


def test_an_internal_folder_is_no_release(tmp_path: Path, settings: Settings) -> None:
    released = write_release(Answer("42", 3), tmp_path / "out", settings=settings)
    with pytest.raises(InputError, match="this is the internal folder of a release"):
        verify(released.internal, settings=settings)
    (released.internal / "manifest.json").unlink()
    with pytest.raises(InputError, match="is no internal folder of a release"):
        verify(released.folder, settings=settings)


def test_a_release_of_a_newer_version_is_not_judged(tmp_path: Path, settings: Settings) -> None:
    released = write_release(Answer("42", 3), tmp_path / "out", settings=settings)
    manifest = released.folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(InputError, match="a newer Tacita"):
        kind_of(released.folder)


@pytest.mark.parametrize("options", [TableOptions(), MaskedOptions()])
def test_options_of_another_kind_are_refused(tmp_path: Path, options: FolderOptions) -> None:
    outcome = tc.anonymize(tc.sample("figure-5"), k=2)
    with pytest.raises(UsageError, match="options of another kind"):
        tc.release_to(tmp_path / "out", outcome, options)


def test_what_is_no_result_cannot_be_released(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Dataset cannot be released"):
        tc.release_to(tmp_path / "out", tc.sample("figure-5"), ReleaseOptions())
