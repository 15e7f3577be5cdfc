"""Questions judged together with releases: what a table or a file withheld, no answer may give away."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.joint.conftest import ZONE, Office
from tests.service.serving import running

import tacita as tc
from tacita.api import ledgers
from tacita.api.querying import Database, OpenedDatabase, open_for_questions
from tacita.errors import JointRefusal, UsageError
from tacita.joint.cube_case import CubeCase
from tacita.queries.answer import REFUSED
from tacita.release import questions
from tacita.service.options import ServeOptions

POLICY = """
name = "people"
[[filter]]
attribute = "zone"
[[filter]]
attribute = "group"
[[filter]]
attribute = "region"
"""
CAMOUFLAGE = (
    POLICY.replace('name = "people"', 'name = "people"\nanswers = "camouflage"')
    + "[rules]\ncounts_are_confidential = false\n"
)
IN_ZONE = "SELECT COUNT(*) FROM people WHERE zone = 'in'"
SAME_ZONE = (
    "SELECT COUNT(*) FROM people WHERE (region = 'R1' AND group = 'C2') OR (region = 'R2' AND group = 'C1') "
    "OR (region = 'R3' AND group = 'C2')"
).replace("group", '"group"')


def opened(policy: str = POLICY, file: str = "people.csv", folder: str = "people.opened") -> OpenedDatabase:
    Path("policy.toml").write_text(policy)
    return open_for_questions(tc.read(file), "policy.toml", folder)


def objections(database: Database) -> list[dict[str, Any]]:
    """Return the objections against the last question."""
    return [dict(one) for one in database.audit().questions[-1].objections]


@pytest.mark.parametrize("question", [IN_ZONE, SAME_ZONE, "SELECT COUNT(*) FROM people WHERE zone <> 'in'"])
def test_the_count_that_unlocks_a_table_is_refused_after_it(office: Office, question: str) -> None:
    """The mirror of a table that is refused after the count of 90 persons was answered."""
    office.table("march", office.hidden())
    notes = opened().notes
    assert any("(entry 1)" in note for note in notes)
    with Database("people.opened") as database:
        answer = database.sql(question)
        assert answer.status == "refused" and answer.sentence == REFUSED
        (first, *_) = objections(database)
        assert first["rule"] == "releases" and "entry 1 ('march'" in first["sentence"] and first["looks_at_values"]
        assert database.sql("SELECT COUNT(*) FROM people WHERE region = 'R1'").status == "answered"
    with Database("people.opened") as database:  # another process knows it as well
        assert database.sql(question).status == "refused"


def test_without_the_table_it_is_answered(office: Office) -> None:
    opened()
    with Database("people.opened") as database:
        assert database.sql(IN_ZONE).status == "answered"


@pytest.mark.slow
def test_a_table_that_leaves_between_two_questions_counts_for_the_second(office: Office, tacita: Any) -> None:
    opened()
    office.hidden()
    with Database("people.opened") as database:
        assert database.sql("SELECT COUNT(*) FROM people").status == "answered"
        table = ("table", "protect", "region_group.toml", "--out", "march", "--time", "0")
        assert tacita(*table, cwd=office.folder).returncode == 0
        assert database.sql(IN_ZONE).status == "refused"
    done = tacita("query", "ask", "people.opened", SAME_ZONE, cwd=office.folder)
    assert done.returncode == 1 and REFUSED in done.stdout


def test_two_questions_that_only_together_unlock_a_table(office: Office) -> None:
    """The zone is asked in two parts: the first part is harmless, and the second one is not any more."""
    office.table("march", office.hidden())
    opened()
    parts = [f"SELECT COUNT(*) FROM people WHERE zone = 'in' AND region {one} 'R2'" for one in ("<>", "=")]
    with Database("people.opened") as database:
        assert database.sql(parts[0]).status == "answered"
        assert database.sql("SELECT COUNT(*) FROM people WHERE region IN ('R1', 'R3')").status == "answered"
        assert database.sql(IN_ZONE).status == "refused"
        assert database.sql(parts[1]).status == "refused"


@pytest.mark.parametrize(("is_asked", "status"), [(True, "refused"), (False, "answered")])
def test_an_answer_of_an_earlier_version_counts_beside_a_table(office: Office, is_asked: bool, status: str) -> None:
    """One half of the zone was asked of the version before; the table and the other half are harmless without it."""
    rows = [row | {"half": "ab"[at % 2]} for at, row in enumerate(office.people())]
    office.write(rows)
    office.write([*rows, *(row | {"person": f"N{at}"} for at, row in enumerate(rows[-6:]))], "later.csv")
    keyed = POLICY.replace('name = "people"', 'name = "people"\nkey = "person"') + '[[filter]]\nattribute = "half"\n'
    half = f"{IN_ZONE} AND half = "
    opened(keyed, folder="v1")
    office.table("march", office.hidden())
    if is_asked:
        with Database("v1") as database:
            assert database.sql(f"{half}'a'").status == "answered"
    open_for_questions(tc.read("later.csv"), "policy.toml", "v2", after="v1")
    with Database("v2") as database:
        assert database.sql(f"{half}'b'").status == status
        assert [one["rule"] for one in objections(database)] == ["releases"] * is_asked


@pytest.mark.parametrize(("changed", "status"), [(1, "refused"), (8, "answered"), (0, "answered")])
def test_a_table_of_an_earlier_version_does_not_tell_who_earns_more(office: Office, changed: int, status: str) -> None:
    """The table has the sum of a region; in the new version it differs by what one person earns more."""
    rows = [row | {"pay": str(10 + at % 7)} for at, row in enumerate(office.people())]
    office.write(rows)
    office.write(
        [row | {"pay": "55"} if at >= len(rows) - changed else row for at, row in enumerate(rows)], "later.csv"
    )
    pay = '[[measure]]\nattribute = "pay"\nlower = 0\nupper = 1000\n'
    opened(POLICY.replace('name = "people"', 'name = "people"\nkey = "person"') + pay, folder="v1")
    office.table("sums", office.specification(["region"], 'response = "pay"'))
    open_for_questions(tc.read("later.csv"), "policy.toml", "v2", after="v1")
    with Database("v2") as database:
        assert database.sql("SELECT SUM(pay) FROM people WHERE region = 'R3'").status == status
        assert database.sql("SELECT SUM(pay) FROM people WHERE region = 'R1'").status == "answered"


def test_an_answer_that_is_given_while_a_table_is_judged_counts_for_it(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacita.release import recording

    opened()
    judge, answers = recording.judged_with_earlier, list[str]()

    def slowly(*arguments: Any) -> Any:
        verdict = judge(*arguments)
        with Database("people.opened") as database:
            answers.append(database.sql(IN_ZONE).status)
        return verdict

    monkeypatch.setattr(recording, "judged_with_earlier", slowly)
    with pytest.raises(JointRefusal, match="entry 2"):
        office.table("march", office.hidden())
    assert answers == ["answered", "answered"] and not Path("march").exists()


def test_cells_of_a_group_by_are_refused_by_themselves(office: Office) -> None:
    rows = office.people()
    inside = [row["zone"] == "in" for row in rows]
    first = [row["region"] == "R1" and row["group"] == "C1" for row in rows]
    zones = ["in" if one else "first" if other else "rest" for one, other in zip(inside, first, strict=True)]
    office.write([row | {"zone": zone} for row, zone in zip(rows, zones, strict=True)])
    office.table("march", office.hidden())
    opened()
    with Database("people.opened") as database:
        answer = database.sql("SELECT zone, COUNT(*) FROM people GROUP BY zone")
        assert answer.status == "partly"
        figures = {row.group[0]: row.figures[0].value for row in answer.rows}
        assert figures["first"] == "20" and None in {figures["in"], figures["rest"]}


@pytest.mark.slow
def test_versions_share_their_persons(office: Office) -> None:
    """The table of a version, and a count of the next one that differs from a cell by one person."""
    office.table("march", office.specification(["region"]))
    office.write(office.people()[:-1], "later.csv")
    opened(file="later.csv")
    with Database("people.opened") as database:
        assert database.sql("SELECT COUNT(*) FROM people WHERE region = 'R3'").status == "refused"
        assert "fewer than 3 persons" in objections(database)[0]["sentence"]
        assert database.sql("SELECT COUNT(*) FROM people WHERE region = 'R1'").status == "answered"


@pytest.mark.slow
def test_counts_after_a_file_are_judged_with_it(office: Office) -> None:
    """A file shows regions and groups of all; a count of a region and another attribute isolates two people."""
    rows = [row | {"age": "old" if at in {0, 1} else "young"} for at, row in enumerate(office.people())]
    office.write(rows)
    office.file("file", ["region", "group"], drop=("zone", "age"))
    opened(POLICY + '[[filter]]\nattribute = "age"\n[rules]\nminimum = 2\n')
    with Database("people.opened") as database:
        young = "SELECT COUNT(*) FROM people WHERE region = 'R1' AND age = 'young'"
        assert database.sql("SELECT COUNT(*) FROM people WHERE region = 'R1'").status == "answered"
        assert database.sql(young).status == "refused"
        assert {one["rule"] for one in objections(database)} == {"releases"}


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [0, 2])
def test_sums_are_the_same_in_cents(office: Office, decimals: int) -> None:
    """0.01 times 113 is not 1.13 in binary; a sum that differs from a cell by two people is noticed all the same."""
    pay = [f"{113 + 7 * at}" if not decimals else f"{1.13 + at * 0.07:.2f}" for at in range(190)]
    rows = [
        row | {"pay": one, "odd": "yes" if at < 2 else "no"}
        for at, (row, one) in enumerate(zip(office.people(), pay, strict=True))
    ]
    office.write(rows)
    more = 'response = "pay"\n[attacker]\nsingletons = false'
    office.table("march", office.specification(["region"], more))
    measure = f'[[measure]]\nattribute = "pay"\nlower = 0\nupper = 10000\ndecimals = {decimals}\n'
    measure += 'statistics = ["sum", "avg", "variance", "max"]\n'
    opened(POLICY + '[[filter]]\nattribute = "odd"\n' + measure + "[rules]\nminimum = 2\n")
    with Database("people.opened") as database:
        assert database.sql("SELECT SUM(pay) FROM people WHERE region = 'R1'").status == "answered"
        assert database.sql("SELECT SUM(pay) FROM people WHERE region = 'R1' AND odd = 'no'").status == "refused"
        assert objections(database)[0]["rule"] == "releases"
        for figure in ("MAX", "VARIANCE"):
            assert database.sql(f"SELECT {figure}(pay) FROM people WHERE zone = 'in'").status == "refused"
            assert "cannot be judged together" in objections(database)[-1]["sentence"]


def test_counts_beside_intervals_are_exact_and_count(office: Office) -> None:
    rows = [row | {"pay": str(100 + at)} for at, row in enumerate(office.people())]
    office.write(rows)
    opened(CAMOUFLAGE + '[[measure]]\nattribute = "pay"\nlower = 0\nupper = 1000\nstatistics = ["sum", "avg", "max"]\n')
    with Database("people.opened") as database:
        assert database.sql("SELECT SUM(pay) FROM people WHERE zone = 'in'").status == "answered"
        office.table("march", office.hidden())  # an interval of a sum tells no count
        assert database.sql(IN_ZONE).status == "refused"
        # Sum and average have the same interval but for the number of records.
        assert database.sql("SELECT AVG(pay) FROM people WHERE zone = 'in'").status == "refused"
        assert database.sql("SELECT MAX(pay) FROM people WHERE zone = 'in'").status == "answered"


def test_private_sums_over_public_records_tell_their_count(office: Office) -> None:
    """At a low price a sum is at one of its bounds, which are the declared ones times the number of records."""
    office.write([row | {"pay": "12"} for row in office.people()])
    office.table("march", office.hidden())
    filters = POLICY.replace('"zone"', '"zone"\nvalues = ["in", "out"]')
    filters = filters.replace('"group"', '"group"\nvalues = ["C1", "C2", "C3"]\nmissing = "refuse"')
    filters = filters.replace('"region"', '"region"\nvalues = ["R1", "R2", "R3"]\nmissing = "refuse"')
    opened(
        filters.replace('name = "people"', 'name = "people"\nanswers = "private"')
        + '[[measure]]\nattribute = "pay"\nlower = 0\nupper = 100\n[rules]\ncounts_are_confidential = false\n'
        '[private]\ntotal = 100\nneighbours = "values"\n'
    )
    by_both = "SELECT SUM(pay) FROM people GROUP BY {}"
    with Database("people.opened") as database:
        assert database.sql("SELECT SUM(pay) FROM people WHERE zone = 'in'", epsilon="0.00001").status == "refused"
        assert database.sql(by_both.format('region, "group"'), epsilon="1").status == "partly"
        # Totals fit their groups: without one of these none is drawn, and nothing is paid.
        answer = database.sql(by_both.format('ROLLUP (region, "group")'), epsilon="1")
        assert answer.status == "refused" and answer.left == {"epsilon": "99"}
        assert database.sql(by_both.format("ROLLUP (region)"), epsilon="1").status == "answered"
        counts = by_both.replace("SUM(pay)", "COUNT(*)")
        assert database.sql(counts.format('ROLLUP (region, "group")')).status == "partly"


def test_a_table_that_a_count_beside_intervals_unlocks_is_refused(office: Office) -> None:
    opened(CAMOUFLAGE)
    with Database("people.opened") as database:
        assert database.sql(IN_ZONE).status == "answered"
    with pytest.raises(JointRefusal, match="entry 2"):
        office.table("march", office.hidden())


@pytest.mark.slow
def test_noise_tells_no_sum(office: Office) -> None:
    office.table("march", office.hidden())
    opened(POLICY.replace('name = "people"', 'name = "people"\nanswers = "perturbed"'))
    with Database("people.opened") as database:
        assert database.sql(IN_ZONE).status == "answered"


@pytest.mark.slow
def test_every_recipient_may_hear_an_answer(office: Office) -> None:
    office.table("march", office.hidden(), "press")
    opened()
    with Database("people.opened") as database:
        assert database.sql(IN_ZONE).status == "refused"


def test_a_release_that_is_gone_is_reckoned_with_until_it_never_left(office: Office) -> None:
    office.table("march", office.hidden())
    opened()
    shutil.move("march.internal", "elsewhere")
    question = "SELECT COUNT(*) FROM people WHERE region = 'R1'"
    with Database("people.opened") as database:
        assert database.sql(question).status == "refused"
        (why, *_) = objections(database)
        assert "tacita ledger withdraw 1" in why["sentence"] and not why["looks_at_values"]
        shutil.move("elsewhere", "march.internal")
        assert database.sql(question).status == "answered"
        shutil.rmtree("march")
        shutil.rmtree("march.internal")
        assert database.sql(IN_ZONE).status == "refused"  # it was read before
        ledgers.withdraw_release(1, "a mistake", never_left=True)
        assert database.sql(IN_ZONE).status == "answered"


@pytest.mark.slow
def test_two_data_sets_of_one_file_are_judged_together(office: Office) -> None:
    """Each is answered by its own rules; what one tells counts for the other as a release does."""
    settings = office.folder / "tacita-ledger.toml"
    settings.write_text(settings.read_text().partition("[sources.people]")[0])
    opened(folder="one.opened")
    opened(POLICY.replace('"people"', '"again"'), folder="two.opened")
    with Database("one.opened") as one, Database("two.opened") as two:
        assert one.sql("SELECT COUNT(*) FROM people WHERE region = 'R1'").status == "answered"
        part = "SELECT COUNT(*) FROM again WHERE region = 'R1' AND \"group\" <> 'C1'"
        assert two.sql(part).status == "answered"  # 20 persons differ
        assert one.sql("SELECT COUNT(*) FROM people WHERE region = 'R2'").status == "answered"
        few = "SELECT COUNT(*) FROM again WHERE region = 'R2' AND \"group\" <> 'C1'"
        assert two.sql(few).status == "refused"  # 8 persons differ, and 10 is the least
        assert objections(two)[0]["rule"] == "releases"


@pytest.mark.slow
@pytest.mark.usefixtures("office")
def test_the_name_of_the_data_is_that_of_the_ledger() -> None:
    with pytest.raises(UsageError, match='write source = "people"'):
        opened(POLICY.replace('"people"', '"persons"'))
    shutil.copy("people.csv", "unknown.csv")
    with pytest.raises(UsageError, match=r"\[sources.people\]"):
        opened(file="unknown.csv")
    opened(POLICY.replace('name = "people"', 'name = "persons"\nsource = "people"'))


def test_what_is_not_decided_in_time_is_refused(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.table("march", office.hidden())
    opened()
    with Database("people.opened") as database:
        seconds = itertools.count()
        monkeypatch.setattr(questions.time, "thread_time", lambda: next(seconds))
        assert database.sql("SELECT COUNT(*) FROM people WHERE region = 'R1'").status == "refused"
        assert "not decided in its time" in objections(database)[0]["sentence"]


@pytest.mark.usefixtures("office")
def test_nobody_is_asked_if_there_is_nothing_to_ask_about(monkeypatch: pytest.MonkeyPatch) -> None:
    opened()
    monkeypatch.setattr(CubeCase, "__init__", None)
    ledgers.note("something else left")
    with Database("people.opened") as database:
        assert database.sql(IN_ZONE).status == "answered"


@pytest.mark.slow
def test_the_service_follows_the_ledger(office: Office) -> None:
    folder = opened().folder.resolve()
    options = ServeOptions(folders=(folder,), port=0, state=office.folder / "served", rate=1e5, burst=100_000)
    with running(options) as service:
        assert service.ask("SELECT COUNT(*) FROM people", database="people").json["status"] == "answered"
        office.table("march", office.hidden())
        assert service.ask(IN_ZONE, database="people").json["status"] == "refused"


def test_the_zone_is_what_these_tests_take_it_for(office: Office) -> None:
    assert len(ZONE) == 3 and sum(row["zone"] == "in" for row in office.people()) == 90
