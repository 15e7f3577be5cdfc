"""The release folder: what is in it, what is not, and that it is there whole or not at all."""

from __future__ import annotations

import csv
import errno
import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.release.outcomes import leftovers, outcome

import tacita as tc
from tacita.errors import OutputError, UsageError
from tacita.model import dictionary_file
from tacita.model.attribute import Category
from tacita.model.microdata import Source
from tacita.release import placing
from tacita.release.kinds.microdata.explain import open_microdata
from tacita.release.options import ReleaseOptions
from tacita.release.records.data_file import released_ending
from tacita.release.verify import verify
from tacita.release.writing import write_release
from tacita.settings import Settings
from tacita.workspace import sweep

AS_IT_WAS = ReleaseOptions(shuffle=False, check=False)
UNCHECKED = ReleaseOptions(seed=1, check=False)
ROWS = """id;area;age;income;note
p1;north;30;1.200,50;a
p2;north;30;1.300,00;"b;c"
p3;south;041;1.234,75;NA
p4;south;41;99,00; d
p5;west;41;7,00;e
"""


@pytest.fixture
def survey(tmp_path: Path) -> tc.Dataset:
    (tmp_path / "survey.csv").write_text(ROWS)
    data = tc.read(tmp_path / "survey.csv", types={"age": "integer"})
    data = data.with_categories({"note": "non-identifying"})
    return data.with_roles(quasi=["area", "age"], identifier=["id"])


def test_both_folders(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    done = write_release(outcome(survey, [(5, "area")]), tmp_path / "release", settings=settings)
    assert {path.name for path in done.folder.iterdir()} == {
        "data.csv",
        "data.dictionary.toml",
        "report.html",
        "manifest.json",
    }
    assert {path.name for path in done.internal.iterdir()} == {
        "manifest.json",
        "decisions.parquet",
        "order.parquet",
        "report.html",
    }
    assert stat.S_IMODE(done.internal.stat().st_mode) == 0o700
    assert done.checked
    assert not leftovers(tmp_path)
    assert not list((tmp_path / "state" / "unfinished").iterdir())
    assert not list((tmp_path / "state" / "replacing").iterdir())


def test_the_order_is_known_inside_only(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    write_release(
        outcome(survey, [(5, "area")]), tmp_path / "release", ReleaseOptions(seed=3, check=False), settings=settings
    )
    found = open_microdata(tmp_path / "release")
    rows = list(csv.reader((tmp_path / "release" / "data.csv").open(), delimiter=";"))[1:]
    source = list(csv.reader(ROWS.splitlines(), delimiter=";"))[1:]
    assert [rows[i][2] for i in range(5)] == [source[found.source_row(i + 1) - 1][3] for i in range(5)]
    assert [found.released_row(found.source_row(i)) for i in range(1, 6)] == [1, 2, 3, 4, 5]
    assert [found.source_row(i) for i in range(1, 6)] != [1, 2, 3, 4, 5]
    assert next(iter(found.decisions)).tuple_id == 5
    with pytest.raises(UsageError):
        found.source_row(6)


def test_untouched_cells_are_spelt_as_in_the_source(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    cells = [(3, "age"), (4, "area"), (4, "income"), (5, "area")]
    write_release(outcome(survey, cells), tmp_path / "release", AS_IT_WAS, settings=settings)
    released = (tmp_path / "release" / "data.csv").read_text()
    assert released == (
        'area;age;income;note\nnorth;30;1.200,50;a\nnorth;30;1.300,00;"b;c"\nsouth;;1.234,75;NA\n;41;; d\n;41;7,00;e\n'
    )
    assert not (tmp_path / "release.internal" / "order.parquet").exists()


def test_a_number_of_ours_is_written_as_the_source_writes_numbers(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "s.csv").write_text("area;income\na;1,25\na;2,50\na;9,75\n")
    data = tc.read(tmp_path / "s.csv").with_roles(quasi=["area"], sensitive=["income"])
    write_release(outcome(data, recoded={(3, "income"): "5.5"}), tmp_path / "release", AS_IT_WAS, settings=settings)
    assert (tmp_path / "release" / "data.csv").read_text() == "area;income\na;1,25\na;2,50\na;5,5\n"


def test_a_missing_code_stays_and_a_suppressed_one_goes(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "s.csv").write_text("area,age\na,20\na,99\nb,99\nb,20\n")
    (tmp_path / "s.dictionary.toml").write_text(
        'format = 1\n[microdata]\nname = "s"\nmissing-as = "category"\n'
        '[attributes.area]\ncategory = "quasi-identifier"\n'
        '[attributes.age]\ncategory = "quasi-identifier"\nmissing = ["99"]\n'
        'labels = { 99 = "refused", 20 = "twenty" }\n'
    )
    made = outcome(tc.read(tmp_path / "s.csv"), [(2, "age"), (4, "age")], nulls={"missing_as": "unknown"})
    write_release(made, tmp_path / "release", AS_IT_WAS, settings=settings)
    assert (tmp_path / "release" / "data.csv").read_text() == "area,age\na,20\na,\nb,99\nb,\n"
    age = dictionary_file.load(tmp_path / "release" / "data.dictionary.toml")["age"]
    assert age.missing == ("99",)
    assert dict(age.labels) == {"99": "refused", "20": "twenty"}


@pytest.mark.parametrize("ending", [".dta", ".sav", ".xlsx"])
def test_formats_keep_labels(ending: str, tmp_path: Path, settings: Settings) -> None:
    plain = tc.read(
        pa.table({"sex": [1, 2, 1, 2, 3], "area": ["a", "b", "a", "b", "a"], "pay": [1.5, 2.5, 3.5, 4.5, 5.5]})
    )
    labelled = plain.dictionary.mapped(
        lambda a: a.with_(labels={"1": "man", "2": "woman", "3": "other"}) if a.name == "sex" else a
    )
    microdata = plain.microdata.with_dictionary(labelled)
    tc.Dataset(microdata).write(tmp_path / f"s{ending}")
    data = tc.read(tmp_path / f"s{ending}").with_roles(quasi=["sex", "area"])
    if not data.dictionary["sex"].labels:
        data = data._with(data.dictionary.mapped(lambda a: a.with_(labels=labelled[a.name].labels)))
    done = write_release(
        outcome(data, [(5, "sex")]), tmp_path / "release", ReleaseOptions(shuffle=False), settings=settings
    )
    assert done.data.name == f"data{ending}"
    back = tc.read(done.data)
    assert [row["sex"] for row in back.to_arrow().to_pylist()] == [1, 2, 1, 2, None]
    assert back.to_arrow()["pay"].to_pylist() == [1.5, 2.5, 3.5, 4.5, 5.5]
    assert dict(back.dictionary["sex"].labels) == {"1": "man", "2": "woman"}, "the label of what was suppressed is gone"
    assert back.dictionary["sex"].category is Category.QUASI_IDENTIFIER
    assert done.checked


def test_an_unsafe_outcome_is_refused(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(OutputError) as caught:
        write_release(outcome(survey, unsafe=2), tmp_path / "release", settings=settings)
    assert caught.value.found == "Not released: 2 records could not be brought under the threshold"
    assert not (tmp_path / "release").exists()
    assert not (tmp_path / "release.internal").exists()


def test_a_false_claim_is_noticed_on_the_written_file(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(OutputError) as caught:
        write_release(outcome(survey, [(1, "area")]), tmp_path / "release", settings=settings)
    assert caught.value.found.startswith("the claim does not hold on the written file: 1 record of 5 above")
    assert [path.name for path in tmp_path.iterdir() if path.name != "state"] == ["survey.csv"]


def test_what_is_there_is_replaced_only_if_forced(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    made = outcome(survey, [(5, "area")])
    target = tmp_path / "release"
    write_release(made, target, UNCHECKED, settings=settings)
    with pytest.raises(OutputError, match="exists already"):
        write_release(made, target, settings=settings)
    write_release(made, target, ReleaseOptions(seed=2, force=True, check=False), settings=settings)
    assert open_microdata(target).manifest["seed"] == 2
    assert not leftovers(tmp_path)


@pytest.mark.parametrize("found", ["a folder of others", "a file"])
def test_force_replaces_releases_only(found: str, survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    target = tmp_path / "precious"
    if found == "a file":
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="is there and is no release"):
        write_release(outcome(survey, [(5, "area")]), target, ReleaseOptions(force=True), settings=settings)
    assert (target if found == "a file" else target / "thesis.txt").read_text() == "mine"


def test_folders_must_be_apart(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    made = outcome(survey, [(5, "area")])
    for internal in (tmp_path / "release", tmp_path / "release" / "inside"):
        with pytest.raises(OutputError, match="are one, or one is in the other"):
            write_release(made, tmp_path / "release", ReleaseOptions(internal=internal), settings=settings)
    with pytest.raises(OutputError, match="the folder does not exist"):
        write_release(made, tmp_path / "nowhere" / "release", settings=settings)


def test_a_source_in_the_folder_to_be_replaced_stays(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    write_release(outcome(survey, [(5, "area")]), tmp_path / "release", UNCHECKED, settings=settings)
    again = outcome(tc.read(tmp_path / "release" / "data.csv").with_roles(quasi=["area", "age"]))
    with pytest.raises(OutputError, match="the source is in the folder"):
        write_release(again, tmp_path / "release", ReleaseOptions(force=True), settings=settings)
    assert (tmp_path / "release" / "data.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("failing", ["tacita.release.kind.write_text", "pathlib.Path.rename"])
def test_a_full_disk_leaves_what_was_there(
    failing: str, survey: tc.Dataset, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = outcome(survey, [(5, "area")])
    write_release(made, tmp_path / "release", UNCHECKED, settings=settings)
    renamed: list[object] = []
    rename = Path.rename

    def full(*arguments: object, **_: object) -> object:
        if failing.endswith("rename"):
            renamed.append(arguments)
            if len(renamed) != 4:  # both old ones aside, the new internal folder in place, then the disk is full
                return rename(*arguments)  # type: ignore[arg-type]
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(failing, full)
        with pytest.raises(OutputError, match="the disk is full"):
            write_release(
                made, tmp_path / "release", ReleaseOptions(seed=2, force=True, check=False), settings=settings
            )
    assert open_microdata(tmp_path / "release").manifest["seed"] == 1
    assert verify(tmp_path / "release", settings=settings).holds
    assert not leftovers(tmp_path)


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import tacita as tc
from tacita.release import placing, writing
from tacita.release.kinds.microdata import kind
from tacita.release.options import ReleaseOptions
from tacita.settings import Settings
from tests.release.outcomes import outcome

here = Path(sys.argv[1])
def wait():
    print("reached", flush=True)
    sys.stdin.read()
kind.external_report = lambda *_: ""
kind.internal_report = lambda *_: ""
aside = placing._Replaced.put_aside
placing._Replaced.put_aside = lambda self: (aside(self), wait())
data = tc.read(here / "survey.csv").with_roles(quasi=["area", "age"], identifier=["id"])
options = ReleaseOptions(seed=2, force=True, check=False)
writing.write_release(outcome(data, [(5, "area")]), here / "release", options, settings=Settings(state=here / "state"))
"""


@pytest.mark.slow
def test_a_kill_leaves_the_old_release(survey: tc.Dataset, tmp_path: Path, settings: Settings) -> None:
    """Killed in the worst moment: the old folders are aside, the new ones are whole and not yet in their place."""
    write_release(outcome(survey, [(5, "area")]), tmp_path / "release", UNCHECKED, settings=settings)
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-c", KILLED, str(tmp_path), root]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "reached\n", "it ended before it was killed"
        finally:
            process.kill()
    assert len(leftovers(tmp_path)) == 4, "the kill came too early, or too late"
    assert not (tmp_path / "release").exists()
    sweep(settings.state)
    placing.put_back(settings.state)
    assert open_microdata(tmp_path / "release").manifest["seed"] == 1
    assert verify(tmp_path / "release", settings=settings).holds
    assert not leftovers(tmp_path)


def test_endings() -> None:
    assert released_ending(Source("a/b.TSV.GZ", "TSV")) == (".tsv.gz", ())
    assert released_ending(Source("b.zsav", "SPSS")) == (".zsav", ())
    assert released_ending(Source("b.ods", "Excel (old or binary)"))[0] == ".xlsx"
    for source in (Source("postgresql://host/db", "database"), Source("b.sas7bdat", "SAS"), Source("x", "DataFrame")):
        ending, notes = released_ending(source)
        assert ending == ".parquet"
        assert notes


def test_the_order_of_a_shuffled_parquet_file_is_nowhere(tmp_path: Path, settings: Settings) -> None:
    data = tc.read(pa.table({"a": ["x"] * 50, "n": list(range(50))})).with_roles(quasi=["a"], sensitive=["n"])
    done = write_release(outcome(data), tmp_path / "release", ReleaseOptions(seed=5, check=False), settings=settings)
    file = pq.ParquetFile(done.data)
    assert file.schema_arrow.names == ["a", "n"]
    assert not {k for k in file.metadata.metadata or {} if k != b"ARROW:schema"}
    assert pq.read_table(done.data)["n"].to_pylist() != list(range(50))
    assert sorted(pq.read_table(done.data)["n"].to_pylist()) == list(range(50))


def test_a_column_that_was_coarsened_as_a_whole(tmp_path: Path, settings: Settings) -> None:
    rows = pa.table({"area": ["n1", "n2", "n1"], "age": [20, 21, 22]})
    data = tc.read(rows).with_roles(quasi=["area"])
    ordered = data.dictionary.mapped(lambda a: a.with_(order=("n1", "n2", "n9")) if a.name == "area" else a)
    data = tc.Dataset(data.microdata.with_dictionary(ordered))
    made = outcome(data, recoded={(row, "area"): "n" for row in (1, 2, 3)})
    made = replace(made, recoded={"area": 1})
    done = write_release(made, tmp_path / "release", AS_IT_WAS, settings=settings)
    assert pq.read_table(done.data)["area"].to_pylist() == ["n", "n", "n"]
    manifest = json.loads((done.folder / "manifest.json").read_text())
    assert manifest["changed_cells"] == {"area": {"suppressed": 0, "coarsened": "all"}}
    assert "all values, to level 1" in (done.folder / "report.html").read_text()
    assert dictionary_file.load(done.folder / "data.dictionary.toml")["area"].order == ()
