"""Checking a release: the claim measured anew on the released file, and nothing believed."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from tests.release.outcomes import MAYBE, outcome

import tacita as tc
from tacita.cycle.outcome import Claim
from tacita.errors import InputError, OutputError
from tacita.progress import Progress, silent
from tacita.release.kinds.microdata.claim import ClaimVerification
from tacita.release.options import ReleaseOptions
from tacita.release.verify import verify
from tacita.release.writing import write_release
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Risks, Specification
from tacita.risk.sample import Sample
from tacita.settings import Settings


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    rows = pa.table(
        {
            "id": ["p1", "p2", "p3", "p4", "p5"],
            "area": ["a", "a", "b", "b", "c"],
            "age": [20, 20, 30, 30, 30],
            "pay": [1.5, 2.5, 3.5, 4.5, 5.5],
        }
    )
    tc.read(rows).write(folder / "s.csv")
    data = tc.read(folder / "s.csv").with_roles(quasi=["area", "age"], identifier=["id"])
    write_release(outcome(data, [(5, "area")]), folder / "release", settings=Settings(state=folder / "state"))
    return folder


@pytest.fixture
def release(made_once: Path, tmp_path: Path) -> Path:
    for name in ("release", "release.internal"):
        shutil.copytree(made_once / name, tmp_path / name)
    return tmp_path / "release"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state=tmp_path / "state", threads=1)


def test_what_holds(release: Path, settings: Settings) -> None:
    found = verify(release, settings=settings)
    assert found.holds
    assert (found.records, found.unsafe, found.unsafe_strict) == (5, 0, 0)
    assert found.with_proof
    assert found.verdict == "The claim holds: none of 5 records is unsafe by k-anonymity."


def test_a_changed_file_is_a_fault_even_if_it_is_safe(release: Path, settings: Settings) -> None:
    data = release / "data.csv"
    data.write_text(data.read_text().replace("5.5", "6.5"))
    found = verify(release, settings=settings)
    assert found.faults == ("data.csv was changed: its SHA-256 is not that of the manifest",)
    assert found.unsafe == 0
    # not even if the public manifest is made to fit
    from tacita.release.manifest import as_json, hashes

    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"] = {name: told for name, told in hashes(release).items() if name != "manifest.json"}
    (release / "manifest.json").write_text(as_json(manifest))
    assert len(verify(release, settings=settings).faults) == 2


def test_missing_and_foreign_files_are_faults(release: Path, settings: Settings) -> None:
    (release / "report.html").unlink()
    (release / "notes.txt").write_text("left here")
    (release / "more").mkdir()
    (release.with_name("release.internal") / "decisions.parquet").unlink()
    faults = verify(release, settings=settings).faults
    assert faults == (
        "report.html is missing",
        "notes.txt does not belong to the release",
        "more/ does not belong to the release",
        "decisions.parquet of the internal folder is missing",
    )
    (release / "data.csv").unlink()
    found = verify(release, settings=settings)
    assert "data.csv is missing" in found.faults
    assert found.unsafe is None


def test_a_row_that_was_added_is_found_without_hashes(release: Path, settings: Settings) -> None:
    data = release / "data.csv"
    data.write_text(data.read_text() + "z,99,1.5\n")
    faults = verify(release, settings=settings).faults
    assert "the data file has 6 records, and the release had 5" in faults
    assert "1 record of 6 above the threshold of k-anonymity" in faults


def test_an_identifier_is_found(release: Path, settings: Settings) -> None:
    (release / "data.csv").write_text("area,age,pay,id\n" + "a,20,1.5,p1\n" * 5)
    (release / "data.dictionary.toml").unlink()
    claim = Claim("k-anonymity", {"k": 2}, ("area",), MAYBE)
    assert "the identifier 'id' is a column of the release" in verify(release, claim, settings=settings).faults


def test_an_identifier_is_found_beside_a_dictionary(release: Path, settings: Settings) -> None:
    dictionary = release / "data.dictionary.toml"
    lines = (release / "data.csv").read_text().splitlines()
    (release / "data.csv").write_text("\n".join(f"{line},{n or 'id'}" for n, line in enumerate(lines)))
    dictionary.write_text(f"{dictionary.read_text()}\n[attributes.id]\n")
    assert "the identifier 'id' is a column of the release" in verify(release, settings=settings).faults


def test_without_the_internal_folder_the_claim_must_be_given(release: Path, settings: Settings) -> None:
    shutil.rmtree(release.with_name("release.internal"))
    with pytest.raises(InputError, match="what is claimed is not known"):
        verify(release, settings=settings)
    known = ("area", "age")
    found = verify(release, Claim("k-anonymity", {"k": 2}, known, MAYBE), settings=settings)
    assert found.holds
    assert not found.with_proof
    assert verify(release, Claim("k-anonymity", {"k": 4}, known, MAYBE), settings=settings).unsafe == 5
    strict = verify(
        release, Claim("k-anonymity", {"k": 3}, known, {"semantics": "alpha", "alpha": 0}), settings=settings
    )
    assert strict.unsafe == strict.unsafe_strict == 4


@pytest.mark.slow
def test_what_cannot_be_checked_does_not_hold(release: Path, settings: Settings) -> None:
    known = ("area", "age")
    for claim, why in [
        (Claim("my own measure", {}, known, MAYBE), "no measure 'my own measure'"),
        (Claim("k-anonymity", {"k": 2, "depth": 3}, known, MAYBE), "k-anonymity has no parameter 'depth'"),
        (Claim("k-anonymity", {"k": 2}, ("sex",), MAYBE), "no attribute 'sex'"),
        (Claim("l-diversity", {}, known, MAYBE), "l-diversity cannot be measured"),
        (Claim("file-risk", {}, known, MAYBE), "file-risk says nothing of single records"),
        (Claim("k-anonymity", {"k": 2}, known, {"semantics": "whatever"}), "the claim does not say how nulls count"),
        (Claim("k-anonymity", {"k": 2}, known, MAYBE, related="control"), "linked by 'control'"),
        (Claim("k-anonymity", {"k": 2}, known, MAYBE, cluster="home"), "clusters by 'home'"),
        (Claim("gone.vada", {}, known, MAYBE), ""),
    ]:
        found = verify(release, claim, settings=settings)
        assert not found.holds, claim
        assert why in found.faults[0]
        assert found.verdict == "The claim could not be checked."


@dataclass(frozen=True, slots=True)
class Own:
    """A measure that is Python code: nobody is safe whose row number is odd."""

    name: str = "my own measure"
    threshold: float = 0.5

    def lacks(self, sample: Sample) -> list[str]:
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        return replace(KAnonymity(4).risks(sample), measure=self.name)

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        return ""

    def specification(self, sample: Sample) -> Specification | None:
        return None


def test_a_measure_of_ones_own_can_be_handed_over(release: Path, settings: Settings) -> None:
    claim = Claim("my own measure", {}, ("area", "age"), MAYBE)
    found = verify(release, claim, measure=Own(), settings=settings)
    assert found.unsafe == 5
    assert not found.unchecked


@pytest.mark.slow
def test_rules_are_run_again(release: Path, settings: Settings) -> None:
    shipped = Claim("k_anonymity", {"k": 2}, ("area", "age"), MAYBE)
    assert verify(release, shipped, settings=settings).unsafe == 0
    assert verify(release, replace(shipped, parameters={"k": 4}), settings=settings).unsafe == 5


def test_folders_may_be_text(release: Path, settings: Settings) -> None:
    found = verify(str(release), internal=f"{release}.internal", settings=settings)
    assert found.holds
    assert found.with_proof
    assert found.folder == release


def test_the_k_of_several_measures_is_told() -> None:
    """Both verdicts name the k that strict look-alikes were counted by: that of k-anonymity."""
    parts = (("k-map", {"k": 7}), ("k-anonymity", {"k": 3}), ("k-anonymity", {"k": 5}))
    claim = Claim("k-map and k-anonymity", {"threshold": 0.0}, ("area",), MAYBE, parts=parts)
    checked = ClaimVerification(Path("release"), (), True, claim, 6, unsafe=0, unsafe_strict=2, has_nulls=True)
    assert "2 records still look like fewer than 5 to" in checked.verdict
    made = outcome(households(), [(6, "area")])
    after = replace(made.after, unsafe_strict=2, has_nulls=True)
    assert "2 records still look like fewer than 5 to" in replace(made, claim=claim, after=after).verdict


def households() -> tc.Dataset:
    table = pa.table(
        {
            "id": [f"p{i}" for i in range(6)],
            "home": ["x", "x", "y", "y", "z", "z"],
            "area": ["a", "a", "a", "a", "a", "b"],
        }
    )
    return tc.read(table).with_roles(quasi=["area"], identifier=["id"], cluster="home")


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False])
def test_claims_about_clusters(keep: bool, tmp_path: Path, settings: Settings) -> None:
    data = households()
    options = ReleaseOptions(keep_clusters=keep, seed=1)
    made = outcome(data, [(6, "area")])
    made = replace(made, claim=replace(made.claim, cluster="home"))
    done = write_release(made, tmp_path / "release", options, settings=settings)
    assert done.checked
    assert verify(done.folder, settings=settings).unsafe == 0
    assert (done.internal / "clusters.parquet").exists() is not keep
    # one record that is unsafe makes its household unsafe
    one = outcome(data)
    one = replace(one, claim=replace(one.claim, cluster="home"))
    with pytest.raises(OutputError, match="2 records of 6 above"):
        write_release(one, tmp_path / "other", options, settings=settings)


@pytest.mark.slow
def test_claims_about_linked_records(tmp_path: Path, settings: Settings) -> None:
    data = households()
    links = tc.read(pa.table({"one": ["p5", "p5"], "other": ["p0", "p1"]}), engine=data.relation.engine).relation
    made = outcome(data, [(6, "area")])
    made = replace(made, claim=replace(made.claim, related="family"))
    done = write_release(made, tmp_path / "release", ReleaseOptions(links=links), settings=settings)
    assert done.checked
    assert verify(done.folder, settings=settings).holds
    one = replace(outcome(data), claim=made.claim)
    with pytest.raises(OutputError, match="3 records of 6 above"):
        write_release(one, tmp_path / "other", ReleaseOptions(links=links), settings=settings)
    with pytest.raises(OutputError, match="no links to check it with"):
        write_release(one, tmp_path / "third", settings=settings)
    without = write_release(one, tmp_path / "third", ReleaseOptions(unchecked=True), settings=settings)
    assert not without.checked
    assert not verify(without.folder, settings=settings).holds


@st.composite
def suppressions(draw: st.DrawFn) -> tuple[list[tuple[str, str]], list[tuple[int, str]]]:
    rows = draw(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["1", "2", "07"])), min_size=2, max_size=9))
    cells = st.tuples(st.integers(1, len(rows)), st.sampled_from(["x", "y"]))
    return rows, draw(st.lists(cells, unique=True, max_size=6))


@pytest.mark.slow
@given(suppressions(), st.integers(2, 4))
@examples(max_examples=6, deadline=None)
def test_a_release_is_what_a_naive_reader_counts(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[Any, Any], k: int
) -> None:
    """Released if and only if the written file, read by others, satisfies the claim."""
    rows, cells = made
    folder = tmp_path_factory.mktemp("release")
    (folder / "s.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    data = tc.read(folder / "s.csv").with_roles(quasi=["x", "y"])
    given_up = ""
    try:
        write_release(outcome(data, cells, k=k), folder / "release", settings=Settings(state=folder / "state"))
    except OutputError as error:
        given_up = error.found
    hidden = [
        ["" if (i, name) in cells else value for name, value in zip("xy", row, strict=True)]
        for i, row in enumerate(rows, 1)
    ]
    safe = all(
        sum(all(not a or not b or a == b for a, b in zip(one, other, strict=True)) for other in hidden) >= k
        for one in hidden
    )
    assert (folder / "release").exists() is safe
    assert safe or given_up.startswith("the claim does not hold")
    if safe:
        with (folder / "release" / "data.csv").open() as file:
            assert sorted(list(csv.reader(file))[1:]) == sorted(hidden)
