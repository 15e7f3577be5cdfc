"""New versions of a database through the front door: what goes on, what is refused, and what an attacker may try."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import tacita as tc
from tacita.api import ledgers, tables
from tacita.api.querying import Database, open_for_questions, parse_query_policy
from tacita.errors import InputError, JointRefusal, LedgerError, LimitError, QueryRefused, TacitaError, UsageError
from tacita.queries import opening
from tacita.queries.answer import QueryAnswer

POLICY = """
name = "staff"
key = "id"
unit = "person"
{top}
[[filter]]
attribute = "department"
[[filter]]
attribute = "sex"
values = ["f", "m"]
[[measure]]
attribute = "salary"
lower = 0
upper = 1000
statistics = ["sum", "avg", "variance", "max"]
[[measure]]
attribute = "hours"
lower = 0
upper = 100
{more}
"""
RULES = "[rules]\nminimum = 4\n"
Rows = list[dict[str, Any]]
TOTAL = "SELECT SUM(salary) FROM staff"
COUNT = "SELECT COUNT(*) FROM staff"


def people() -> Rows:
    departments = ["Management"] * 8 + ["Sales"] * 22 + ["Works"] * 30
    return [
        {"id": f"r{n}", "person": f"p{n}", "department": name, "sex": "fm"[n % 2], "salary": 100 + 7 * n, "hours": n}
        for n, name in enumerate(departments)
    ]


def some(number: int, name: str = "new", department: str = "Sales") -> Rows:
    return [
        {
            "id": f"{name}{n}",
            "person": f"{name}{n}",
            "department": department,
            "sex": "f",
            "salary": 500 + n,
            "hours": 9,
        }
        for n in range(number)
    ]


def opened(
    folder: str, rows: Rows, after: str | None = None, *, top: str = "", more: str = RULES, policy: str = POLICY
) -> Path:
    """Open a version; later ones in another order of records, which must not matter."""
    Path("staff.toml").write_text(policy.format(top=top, more=more))
    ordered = rows if after is None else rows[::-1]
    lines = [",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in ordered)]
    Path("staff.csv").write_text("\n".join(lines) + "\n")
    return open_for_questions(tc.read("staff.csv"), "staff.toml", folder, after=after).folder


def figures(answer: QueryAnswer) -> list[str | None]:
    return [figure.value for row in answer.rows for figure in row.figures]


def ask(folder: str | Path, *questions: str, analyst: str = "ann", **price: str) -> list[QueryAnswer]:
    with Database(folder) as database:
        return [database.sql(question, analyst=analyst, **price) for question in questions]


def changed(*edits: Callable[[Rows], object]) -> Rows:
    rows = people()
    for edit in edits:
        edit(rows)
    return rows


def test_everything_goes_on_in_the_new_version() -> None:
    opened("v1", people())
    with Database("v1") as first:
        first.sql(TOTAL, analyst="ann")
        assert (
            first.sql("SELECT SUM(salary) FROM staff WHERE sex = 'f' AND department = 'Management'").status
            == "answered"
        )
        tracker = first.sql("SELECT SUM(salary) FROM staff WHERE department = 'Management' AND sex = 'f' OR sex = 'm'")
        assert tracker.status == "answered"
        opened("v2", changed(lambda rows: rows.extend(some(6))), "v1")
        with pytest.raises(QueryRefused, match="newer version") as why:
            first.sql(TOTAL)
        assert "'v2'" in str(why.value)
        with pytest.raises(QueryRefused, match="newer version"):
            first.price(TOTAL)
        assert len(first.history().answers) == 3 == len(first.audit().questions)
        assert "answered by a newer version, in the folder 'v2'" in first.audit().notes[-1]
        assert first.check_ledger()[-1].startswith("'staff' answers no question")
    with pytest.raises(QueryRefused, match="newer version"):
        ask("v1", TOTAL)
    with Database("v2") as second:
        assert [one.number for one in second._database.answers("holder")] == [1, 2]
        again = second.sql("SELECT SUM(salary) FROM staff WHERE department = 'Management' AND sex = 'f'", analyst="ann")
        assert again.is_repeated and again.number == 2
        grown = second.sql(TOTAL, analyst="ann")
        assert figures(grown) == [str(sum(100 + 7 * n for n in range(60)) + sum(range(500, 506)))]
        audit = second.audit()
        assert (audit.records, len(audit.questions)) == (66, 5)


def test_refusals_are_counted_over_all_versions() -> None:
    rules = "[rules]\nminimum = 4\ndominance = {n = 1, k = 10}\n[limits]\nrefusals = 1\n"
    opened("v1", people(), more=rules)
    assert ask("v1", "SELECT SUM(salary) FROM staff WHERE department = 'Management'")[0].status == "refused"
    opened("v2", people(), "v1", more=rules)
    assert ask("v2", TOTAL, analyst="ann")[0].status == "refused"
    assert ask("v2", TOTAL, analyst="bob")[0].status == "answered"


@pytest.mark.parametrize(
    ("edit", "refused"),
    [
        (lambda rows: rows.extend(some(1)), (TOTAL, COUNT)),
        (lambda rows: rows.pop(20), (TOTAL, COUNT)),
        (lambda rows: rows[20].update(salary=999), (TOTAL,)),
        (lambda rows: (rows.pop(20), rows.extend(some(1))), (TOTAL, COUNT)),
        (lambda rows: [rows[at].update(salary=999 - at) for at in (20, 30, 40)], (TOTAL,)),
        (lambda rows: rows[20].update(person="p21"), (TOTAL, COUNT)),
    ],
    ids=["insert one", "delete one", "change one", "replace one", "change three", "another person"],
)
def test_what_few_contributors_changed_is_not_asked_again(
    edit: Callable[[Rows], object], refused: Sequence[str]
) -> None:
    opened("v1", people())
    assert [one.status for one in ask("v1", TOTAL, COUNT)] == ["answered"] * 2
    opened("v2", changed(edit), "v1")
    for question in (TOTAL, COUNT):
        (answer,) = ask("v2", question, analyst="bob")
        assert answer.status == ("refused" if question in refused else "answered")
    # What the change did not touch is answered as before.
    assert ask("v2", "SELECT SUM(hours) FROM staff WHERE department = 'Works' AND sex = 'm'")[0].status == "answered"


def test_another_measure_of_a_changed_record_is_the_same_record() -> None:
    opened("v1", people())
    before = ask("v1", COUNT, "SELECT SUM(hours) FROM staff")
    opened("v2", changed(lambda rows: rows[20].update(salary=999)), "v1")
    after = ask("v2", COUNT, "SELECT SUM(hours) FROM staff")
    assert [figures(one) for one in before] == [figures(one) for one in after]
    assert all(one.is_repeated for one in after)


@pytest.mark.parametrize(
    "edit",
    [
        lambda rows: rows[3].update(department="Sales"),
        lambda rows: (rows[3].update(department="Sales"), rows[10].update(department="Management")),
    ],
    ids=["move one", "swap two"],
)
def test_moved_records_are_not_found_by_subtraction(edit: Callable[[Rows], object]) -> None:
    by_department = "SELECT department, SUM(salary), COUNT(*) FROM staff GROUP BY department"
    opened("v1", people())
    assert ask("v1", by_department)[0].status == "answered"
    opened("v2", changed(edit), "v1")
    answer = ask("v2", by_department)[0]
    assert [row.figures[0].is_answered for row in answer.rows] == [False, False, True]
    assert ask("v2", TOTAL)[0].status == "answered"


def test_a_change_is_not_pieced_together_of_several_answers() -> None:
    """Parts were asked before, and the whole afterwards: each pair of sets differs by many."""
    opened("v1", people())
    assert ask("v1", "SELECT SUM(salary) FROM staff GROUP BY department")[0].status == "answered"
    opened("v2", changed(lambda rows: rows[20].update(salary=999)), "v1")
    assert ask("v2", TOTAL)[0].status == "refused"
    opened("v3", changed(lambda rows: [rows[at].update(salary=999 - at) for at in range(20, 25)]), "v2")
    assert ask("v3", TOTAL)[0].status == "answered"


def test_who_has_the_largest_value_does_not_follow_from_its_absence() -> None:
    question = "SELECT MAX(salary) FROM staff"
    opened("v1", people())
    assert figures(ask("v1", question)[0]) == ["513"]
    opened("v2", changed(lambda rows: rows.pop()), "v1")
    assert ask("v2", question)[0].status == "refused"


def test_values_that_come_back_are_known_again() -> None:
    opened("v1", people())
    total = figures(ask("v1", TOTAL)[0])
    opened("v2", changed(lambda rows: rows[20].update(salary=999)), "v1")
    opened("v3", people(), "v2")
    with Database("v3") as database:
        again = database.sql(TOTAL)
        assert figures(again) == total and again.is_repeated
        assert database._database.version.cube.all_records == 61
        assert database._database.version.cube.records == 60
    with pytest.raises(UsageError, match="newer version"):
        opened("other", people(), "v1")


def test_new_labels_leave_the_codes_of_earlier_answers_as_they_are() -> None:
    by_department = "SELECT department, SUM(salary) FROM staff WHERE department <> 'Works' GROUP BY department"
    opened("v1", people())
    ask("v1", by_department)
    opened("v2", changed(lambda rows: rows.extend(some(9, "a", "Archive"))), "v1")
    with Database("v2") as database:
        assert dict(database.description().filters)["department"] == ("Management", "Sales", "Works", "Archive")
        (_, old), *_ = database.history().answers
        assert [row.group for row in old.rows] == [("Management",), ("Sales",), ("Works",)]
        new = database.sql(by_department)
        assert [row.group[0] for row in new.rows if row.figures[0].is_answered] == ["Management", "Sales", "Archive"]
        assert figures(new)[:2] == figures(old)[:2]
        assert database.sql("SELECT SUM(salary) FROM staff WHERE NOT department = 'Archive'").status == "answered"


def test_what_cannot_follow_says_why() -> None:
    opened("v1", people())
    with pytest.raises(UsageError, match=r"measure, unit, rules\.minimum, limits\.refusals") as why:
        text = POLICY.format(top="", more="[rules]\nminimum = 5\n[limits]\nrefusals = 50\n")
        Path("other.toml").write_text(text.replace('unit = "person"\n', "").replace("upper = 100\n", "upper = 99\n"))
        open_for_questions(tc.read("staff.csv"), "other.toml", "v2", after="v1")
    assert "v1" in str(why.value)
    with pytest.raises(LimitError, match="over all versions"):
        opened("v2", changed(lambda rows: rows.extend(some(9))), "v1", more=RULES + "[limits]\ncells = 6\n")
    with pytest.raises(InputError, match="1 record with the key of another"):
        opened("v2", changed(lambda rows: rows[5].update(id="r6")), "v1")
    with pytest.raises(InputError, match="2 records without this key"):
        opened("v2", changed(lambda rows: [rows[at].update(id="") for at in (1, 2)]), "v1")
    with pytest.raises(UsageError, match="no record of the new data"):
        opened("v2", changed(lambda rows: [row.update(id="x" + row["id"]) for row in rows]), "v1")
    with pytest.raises(InputError, match="not an opened data set"):
        opened("v2", people(), "nowhere")
    assert not Path("v2").exists()
    assert ask("v1", TOTAL)[0].status == "answered"


def test_a_key_is_not_asked_about() -> None:
    for name in ("department", "salary"):
        text = POLICY.format(top="", more=RULES).replace('key = "id"', f'key = ["id", "{name}"]')
        with pytest.raises(InputError, match=f"'{name}' tells records apart"):
            parse_query_policy(text)


@pytest.mark.parametrize(("after", "reason"), [("v1", "newer version"), (None, "open already")])
def test_of_two_that_open_at_once_one_wins(monkeypatch: pytest.MonkeyPatch, after: str | None, reason: str) -> None:
    opened("v1", people())
    if after is None:
        ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    both = threading.Barrier(2)
    record = opening.record_opening

    def together(*given: Any) -> None:
        both.wait(60)
        record(*given)

    monkeypatch.setattr(opening, "record_opening", together)
    errors: list[TacitaError] = []

    def follow(folder: str) -> None:
        try:
            open_for_questions(tc.read("staff.csv"), "staff.toml", folder, after=after)
        except TacitaError as error:
            errors.append(error)

    threads = [threading.Thread(target=follow, args=(folder,)) for folder in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1 and reason in str(errors[0])
    (winner,) = [folder for folder in ("a", "b") if Path(folder).exists()]
    assert ask(winner, TOTAL)[0].status == "answered"


def test_killed_before_it_is_recorded_the_version_before_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    opened("v1", people())

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(opening, "record_opening", killed)
        with pytest.raises(KeyboardInterrupt):
            opened("v2", people(), "v1")
    assert Path("v2").is_dir()
    assert ask("v1", TOTAL)[0].status == "answered"
    with pytest.raises(LedgerError, match="does not have the opening"):
        ask("v2", TOTAL)
    with pytest.raises(LedgerError, match="does not have the opening"):
        opened("v3", people(), "v2")
    shutil.rmtree("v2")
    opened("v2", people(), "v1")
    assert ask("v2", TOTAL)[0].is_repeated


def test_all_versions_answer_by_the_ledger_of_the_first(tmp_path: Path) -> None:
    opened("v1", people())
    opened("v2", people(), "v1")
    opened("v3", people(), "v2")
    assert not Path("v3", opening.OWN_LEDGER).exists()
    ask("v3", TOTAL)
    (tmp_path / "elsewhere").mkdir()
    for folder in ("v1", "v2", "v3"):
        Path(folder).rename(tmp_path / "elsewhere" / folder)
    assert ask(tmp_path / "elsewhere" / "v3", TOTAL)[0].is_repeated
    shutil.rmtree(tmp_path / "elsewhere" / "v1")
    with pytest.raises(LedgerError, match="ledger of the first version"):
        ask(tmp_path / "elsewhere" / "v3", TOTAL)


def test_a_folder_of_format_1_answers_and_cannot_be_followed() -> None:
    opened("another", people())
    text = POLICY.format(top="", more=RULES).replace('key = "id"\n', "")
    Path("plain.toml").write_text(text)
    open_for_questions(tc.read("staff.csv"), "plain.toml", "old")
    facts = json.loads(Path("old/version.json").read_text())
    facts["format"] = 1
    for key in ("earlier", "own_ledger", "has_keys"):
        del facts[key]
    for attribute in facts["attributes"]:
        del attribute["labels_of"]
    Path("old/version.json").write_text(json.dumps(facts))
    assert ask("old", TOTAL)[0].status == "answered"
    with pytest.raises(UsageError, match="without a 'key'"):
        open_for_questions(tc.read("staff.csv"), "plain.toml", "new", after="old")


def test_a_table_that_an_answer_of_a_new_version_unlocks_is_refused() -> None:
    """The 3x3 table of document 002, after a version in which some values were others."""
    counts = {"R1": (20, 50, 10), "R2": (8, 19, 22), "R3": (17, 32, 12)}
    rows = [
        (region, f"C{c + 1}", "harbour" if c < 2 and (c == 1) != (region == "R2") else "inland")
        for region, row in counts.items()
        for c, count in enumerate(row)
        for _ in range(count)
    ]

    def write(hours: int) -> None:
        lines = [f"P{n},{','.join(row)},{hours if n % 9 == 0 else 1}" for n, row in enumerate(rows)]
        Path("people.csv").write_text("person,region,group,place,hours\n" + "\n".join(lines[::-1]) + "\n")

    ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    with Path("tacita-ledger.toml").open("a") as settings:
        settings.write('\n[sources.people]\nkey = "person"\nfiles = ["people.csv"]\nleast = 3\n')
    Path("policy.toml").write_text(
        'name = "people"\nkey = "person"\n[[filter]]\nattribute = "place"\n[[measure]]\nattribute = "hours"\n'
        "lower = 0\nupper = 9\n"
    )
    write(hours=5)
    open_for_questions(tc.read("people.csv"), "policy.toml", "v1")
    assert ask("v1", "SELECT COUNT(*) FROM people")[0].status == "answered"
    write(hours=6)
    open_for_questions(tc.read("people.csv"), "policy.toml", "v2", after="v1")
    assert not Path("v2", opening.OWN_LEDGER).exists()
    assert figures(ask("v2", "SELECT COUNT(*) FROM people WHERE place = 'harbour'")[0]) == ["90"]
    Path("sensitive.vada").write_text(
        'Sensitive(I, "on request") :- Cell(I, V, N), Code(I, "region", "R2"), Code(I, "group", "C3").\n'
        'Protection(I, 5, 5) :- Cell(I, V, N), Code(I, "region", "R2"), Code(I, "group", "C3").\n'
    )
    Path("march.toml").write_text(
        '[data]\nmicrodata = "people.csv"\n[[table]]\nname = "region by group"\ndimensions = ["region", "group"]\n'
        '[sensitivity]\nrules = "sensitive.vada"\n[protect]\nsuppress = [{region = "R2", group = "C1"}, '
        '{region = "R3", group = "C1"}, {region = "R3", group = "C3"}]\n'
    )
    with pytest.raises(JointRefusal, match="entry 4"):
        tables.protect_to(Path("march"), "march.toml")


@pytest.mark.parametrize(
    ("rule", "largest", "status"),
    [
        ("p_percent = 10", 600, "refused"),
        ("p_percent = 10", 11, "answered"),
        ("dominance = {n = 1, k = 50}", 600, "refused"),
        ("dominance = {n = 1, k = 50}", 11, "answered"),
        ("simulatable = true", 600, "answered"),
    ],
)
def test_a_change_that_one_contributor_dominates_is_refused(rule: str, largest: int, status: str) -> None:
    more = f"[rules]\nminimum = 4\n{rule}\n"
    opened("v1", people(), more=more)
    assert ask("v1", TOTAL)[0].status == "answered"
    rows = changed(lambda rows: [rows[at].update(salary=rows[at]["salary"] + 10) for at in range(20, 26)])
    rows[20]["salary"] += largest - 10
    opened("v2", rows, "v1", more=more)
    assert ask("v2", TOTAL)[0].status == status
    with Database("v2") as database:
        rules = {one["rule"] for one in database.audit().questions[-1].objections}
        assert rules <= {"exact"} and bool(rules) == (status == "refused")
        assert database._database.state.telling_refusals("ann") == (status == "refused")


def test_a_version_stays_with_the_ledger_of_the_one_before(tmp_path: Path) -> None:
    opened("v1", people())
    ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    with pytest.raises(LedgerError, match="does not have the answers"):
        opened("v2", people(), "v1")
    Path("staff.toml").write_text(POLICY.replace("staff", "team").format(top="", more=RULES))
    open_for_questions(tc.read("staff.csv"), "staff.toml", "w1")
    with pytest.raises(LedgerError, match="not configured here"):
        open_for_questions(tc.read("staff.csv"), "staff.toml", tmp_path / "w2", after="w1")
    assert not (tmp_path / "w2").exists()
    open_for_questions(tc.read("staff.csv"), "staff.toml", "w2", after="w1")
    assert ask("w2", "SELECT COUNT(*) FROM team")[0].status == "answered"
    assert ask("v1", COUNT)[0].status == "answered"
