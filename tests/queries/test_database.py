"""An open database: what is answered is remembered, wherever it is asked from, and whatever happens in between."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from fractions import Fraction
from pathlib import Path

import pytest

import tacita as tc
from tacita.api import ledgers, tables
from tacita.api.querying import Database, OpenedDatabase, open_for_questions
from tacita.errors import InputError, JointRefusal, LedgerError, OutputError, QueryRefused, UsageError
from tacita.queries.answer import REFUSED, QueryAnswer
from tacita.queries.audit.judge import AuditRequest, Objection
from tacita.queries.opening import OWN_LEDGER
from tacita.queries.state import QueryState

TOTAL = "SELECT COUNT(*), SUM(salary) FROM staff"
BY_SEX = "SELECT sex, COUNT(*) AS people, AVG(salary) AS mean FROM staff GROUP BY sex"
PRIVATE = """
name = "staff"
answers = "private"
[[filter]]
attribute = "sex"
values = ["f", "m"]
[[measure]]
attribute = "salary"
lower = 0
upper = 1000
[private]
total = 1
analyst = 0.6
"""


def opened(policy: str | None = None, folder: str = "staff.opened") -> OpenedDatabase:
    if policy is not None:
        Path("policy.toml").write_text(policy)
    return open_for_questions(tc.read("staff.csv"), "policy.toml", folder)


def figures(answer: QueryAnswer) -> list[list[str | None]]:
    return [[figure.value for figure in row.figures] for row in answer.rows]


def test_exact_figures_are_those_of_the_file():
    opened()
    with Database("staff.opened") as staff:
        assert figures(staff.sql(TOTAL)) == [["60", str(sum(100 + 7 * n for n in range(60)))]]
        by_sex = staff.sql(BY_SEX)
        assert [row.group for row in by_sex.rows] == [("f",), ("m",), ("",)]
        assert figures(by_sex) == [["30", "303"], ["30", "310"], [None, None]]
        assert by_sex.status == "partly" and by_sex.names == ("people", "mean")
        table = by_sex.to_arrow()
        assert table.column("mean").to_pylist() == [303.0, 310.0, None]


def test_a_difference_of_two_answers_is_refused():
    """Everybody less those who are not in Management: 8 people. With at least 10, the second is refused."""
    opened(Path("policy.toml").read_text().replace("minimum = 3", "minimum = 10"))
    with Database("staff.opened") as staff:
        assert staff.sql(TOTAL, analyst="ann").status == "answered"
        others = "SELECT SUM(salary) FROM staff WHERE department IN ('Sales', 'Works')"
        answer = staff.sql(others, analyst="bob")
        assert answer.status == "refused" and answer.sentence == REFUSED
        refused = staff.audit().questions[-1]
        assert {one["rule"] for one in refused.objections} >= {"minimum"}


def test_what_others_asked_counts_and_a_new_process_knows_it():
    """Two questions that are harmless alone; together they give the sum of two people."""
    opened()
    part = "SELECT SUM(salary) FROM staff WHERE sex = 'f' OR department = 'Management'"
    with Database("staff.opened") as staff:
        first = staff.sql("SELECT SUM(salary) FROM staff WHERE sex = 'f'", analyst="ann")
        assert first.status == "answered"
    with Database("staff.opened") as staff:
        # What is left are the 4 men of Management: 3 are enough.
        assert staff.sql(part, analyst="bob").status == "answered"
    shutil.rmtree("staff.opened")
    shutil.rmtree(Path("..") / "state")
    opened(Path("policy.toml").read_text().replace("minimum = 3", "minimum = 5"))
    with Database("staff.opened") as staff:
        staff.sql("SELECT SUM(salary) FROM staff WHERE sex = 'f'", analyst="ann")
    with Database("staff.opened") as staff:
        answer = staff.sql(part, analyst="bob")
        assert answer.status == "refused"
        objections = staff.audit().questions[-1].objections
        assert any("4 records" in one["sentence"] for one in objections)


def test_the_emp_example_of_document_002():
    """After q1 and q2, q3 would give the total of Management, of which one person holds more than 85 %."""
    rows = [("a", "Management", 85.5)] + [(f"b{n}", "Management", 0.9) for n in range(5)]
    rows += [(f"c{n}", "Sales", 10) for n in range(6)] + [(f"d{n}", "Works", 12) for n in range(6)]
    Path("staff.csv").write_text(
        "person,department,sex,salary\n" + "".join(f"{name},{department},f,{pay}\n" for name, department, pay in rows)
    )
    opened(
        Path("policy.toml")
        .read_text()
        .replace("upper = 1000", "upper = 1000\ndecimals = 1")
        .replace("minimum = 3", "minimum = 3\ndominance = {n = 1, k = 85}")
    )
    with Database("staff.opened") as staff:
        assert staff.sql(TOTAL).status == "answered"
        assert staff.sql("SELECT SUM(salary) FROM staff WHERE department = 'Sales'").status == "answered"
        q3 = staff.sql("SELECT SUM(salary) FROM staff WHERE department = 'Works'")
        assert q3.status == "refused"
        (objections,) = [one.objections for one in staff.audit().questions if one.decision == "refused"]
        exact = [one for one in objections if one["rule"] == "exact"]
        assert exact and sorted(factor for _, factor in exact[0]["multipliers"]) == ["-1", "-1", "1"]


def test_the_same_question_in_other_words_is_the_same():
    opened(PRIVATE)
    with Database("staff.opened") as staff:
        first = staff.sql("SELECT COUNT(*) FROM staff WHERE sex = 'f'", analyst="ann", epsilon="0.5")
        again = staff.sql("select count(*) from staff where not (sex <> 'f')", analyst="bob", epsilon=0.1)
        assert figures(again) == figures(first) and again.is_repeated and not again.cost
        assert first.cost == {"epsilon": "0.5"} and again.left == {"epsilon": "0.5"}


def test_budgets_are_of_one_analyst_and_of_all_together():
    opened(PRIVATE)
    with Database("staff.opened") as staff:
        assert staff.price(TOTAL, analyst="ann", epsilon="0.6").spent == {"epsilon": "0.6"}
        assert staff.sql(TOTAL, analyst="ann", epsilon="0.6").status == "answered"
        refused = staff.sql("SELECT COUNT(*) FROM staff WHERE sex = 'm'", analyst="ann", epsilon="0.001")
        assert refused.status == "refused" and refused.left == {"epsilon": "0"}
        assert staff.sql(BY_SEX, analyst="bob", epsilon="0.5").status == "refused"
        assert staff.sql(BY_SEX, analyst="bob", epsilon="0.4").cost == {"epsilon": "0.4"}
    with Database("staff.opened") as staff:
        assert staff.sql("SELECT SUM(salary) FROM staff", analyst="eve", epsilon="0.01").status == "refused"
        assert staff.audit().spent == {"epsilon": "1"}


@pytest.mark.parametrize("number", ["0", "-1", "nan", "inf", "1/3", "abc", "1e999"])
def test_a_price_that_is_none_is_refused(number: str):
    opened(PRIVATE)
    with Database("staff.opened") as staff, pytest.raises((UsageError, QueryRefused)):
        staff.sql(TOTAL, epsilon=number)


def test_two_databases_on_one_ledger_never_overspend():
    """Sixteen threads in two databases want 0.05 each, of 0.6: exactly twelve are answered."""
    opened(PRIVATE)
    answers: list[str] = []
    with Database("staff.opened") as one, Database("staff.opened") as two:

        def ask(number: int) -> None:
            # Each has a question of its own: what is repeated costs nothing.
            aliases = ", ".join(f"COUNT(*) AS n{place}" for place in range(number + 1))
            database = one if number % 2 else two
            answers.append(database.sql(f"SELECT {aliases} FROM staff", analyst="ann", epsilon="0.05").status)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one.audit().spent == {"epsilon": "0.6"}
    assert sorted(answers) == ["answered"] * 12 + ["refused"] * 4


def test_an_answer_that_cannot_be_recorded_is_not_given(monkeypatch: pytest.MonkeyPatch):
    opened(PRIVATE)
    with Database("staff.opened") as staff:
        store = staff._database.ledger._store
        insert = store.insert

        def full(*_: object) -> None:
            raise OutputError("the ledger cannot be written: the disk is full or failing", do="free some space")

        monkeypatch.setattr(store, "insert", full)
        with pytest.raises(OutputError):
            staff.sql(TOTAL, epsilon="0.6")
        monkeypatch.setattr(store, "insert", insert)
        assert staff.audit().spent == {"epsilon": "0"} or not staff.audit().spent
        assert staff.sql(TOTAL, epsilon="0.6").status == "answered"


def test_a_version_that_was_changed_is_not_used():
    opened()
    records = Path("staff.opened/records.parquet")
    records.chmod(0o600)
    records.write_bytes(records.read_bytes() + b" ")
    with pytest.raises(LedgerError, match=r"records\.parquet was changed"):
        Database("staff.opened")


def test_a_ledger_that_lost_answers_is_not_used():
    opened()
    with Database("staff.opened") as staff:
        copy = Path("copy.sqlite")
        shutil.copy(Path("staff.opened") / OWN_LEDGER, copy)
        staff.sql(TOTAL)
    before = Path("staff.opened") / OWN_LEDGER
    for leftover in before.parent.glob(f"{OWN_LEDGER}-*"):
        leftover.unlink()
    shutil.copy(copy, before)
    before.chmod(0o600)
    with pytest.raises(LedgerError):
        Database("staff.opened")


def test_a_purged_answer_ends_the_database():
    ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    opened()
    with Database("staff.opened") as staff:
        staff.sql(TOTAL)
    ledgers.purge([2], "a mistake", Path("tacita-ledger.toml"))
    with pytest.raises(LedgerError, match="purged"):
        Database("staff.opened")


def test_no_value_stands_in_the_texts_of_the_ledger():
    ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    opened()
    with Database("staff.opened") as staff:
        staff.sql(TOTAL)
    with sqlite3.connect("office.sqlite") as connection:
        rows = connection.execute("SELECT kind, source, subject, recipient, policy, decision FROM entries").fetchall()
    connection.close()
    assert [(row[0], row[2], row[5]) for row in rows] == [
        ("query opening", "staff", "opened"),
        ("answer", "staff", "released"),
    ]


def test_releases_of_the_same_source_are_noticed_and_notice_answers():
    ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    data = tc.read("staff.csv").with_roles(quasi=["department", "sex"], identifier=["person"])
    data.release("first", tc.Plan())
    notes = opened().notes
    assert any("(entry 1)" in note for note in notes)
    with pytest.raises(UsageError, match="open already"):
        opened(folder="again.opened")


@pytest.mark.parametrize("other", ["", '[[filter]]\nattribute = "early"\n'])
def test_a_table_that_an_answer_unlocks_is_refused(other: str):
    """The 3x3 table of document 002: a count of 90 persons, answered before, makes its withheld cells exact.

    That the cube has another attribute, which nobody asked about, changes nothing.
    """
    counts = {"R1": (20, 50, 10), "R2": (8, 19, 22), "R3": (17, 32, 12)}
    people = [
        (region, f"C{c + 1}", "harbour" if c < 2 and (c == 1) != (region == "R2") else "inland")
        for region, row in counts.items()
        for c, count in enumerate(row)
        for _ in range(count)
    ]
    rows = [f"P{n},{','.join(person)},{'yes' if n < 6 else 'no'}" for n, person in enumerate(people)]
    Path("people.csv").write_text("person,region,group,place,early\n" + "\n".join(rows) + "\n")
    ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite")))
    with Path("tacita-ledger.toml").open("a") as settings:
        settings.write('\n[sources.people]\nkey = "person"\nfiles = ["people.csv"]\nleast = 3\n')
    Path("policy.toml").write_text(f'name = "people"\n[[filter]]\nattribute = "place"\n{other}')
    open_for_questions(tc.read("people.csv"), "policy.toml", "people.opened")
    with Database("people.opened") as database:
        answer = database.sql("SELECT COUNT(*) FROM people WHERE place = 'harbour'")
        assert figures(answer) == [["90"]]
    Path("sensitive.vada").write_text(
        'Sensitive(I, "on request") :- Cell(I, V, N), Code(I, "region", "R2"), Code(I, "group", "C3").\n'
        'Protection(I, 5, 5) :- Cell(I, V, N), Code(I, "region", "R2"), Code(I, "group", "C3").\n'
    )
    Path("march.toml").write_text(
        '[data]\nmicrodata = "people.csv"\n[[table]]\nname = "region by group"\ndimensions = ["region", "group"]\n'
        '[sensitivity]\nrules = "sensitive.vada"\n[protect]\nsuppress = [{region = "R2", group = "C1"}, '
        '{region = "R3", group = "C1"}, {region = "R3", group = "C3"}]\n'
    )
    with pytest.raises(JointRefusal, match="entry 2"):
        tables.protect_to(Path("march"), "march.toml")
    assert not Path("march").exists()


def test_refusals_that_tell_something_are_counted():
    opened(
        Path("policy.toml").read_text().replace("minimum = 3", "minimum = 3\np_percent = 2000")
        + "[limits]\nrefusals = 2\n"
    )
    with Database("staff.opened") as staff:
        for department in ("Management", "Sales", "Works"):
            staff.sql(f"SELECT SUM(salary) FROM staff WHERE department = '{department}' AND sex = 'f'", analyst="ann")
        asked_often = staff.sql("SELECT COUNT(*) FROM staff", analyst="ann")
        assert asked_often.status == "refused"
        assert staff.sql("SELECT COUNT(*) FROM staff", analyst="bob").status == "answered"


def test_a_policy_of_each_analyst_judges_each_alone():
    opened(
        Path("policy.toml")
        .read_text()
        .replace("minimum = 3", "minimum = 5")
        .replace('unit = "person"', 'unit = "person"\ntogether = "analyst"')
    )
    part = "SELECT SUM(salary) FROM staff WHERE sex = 'f' OR department = 'Management'"
    with Database("staff.opened") as staff:
        staff.sql("SELECT SUM(salary) FROM staff WHERE sex = 'f'", analyst="ann")
        assert staff.sql(part, analyst="bob").status == "answered"
        assert staff.sql(part, analyst="ann").status == "refused"


def test_nobody_opens_into_a_folder_that_is_there_or_with_faults():
    opened()
    with pytest.raises(OutputError, match="exists already"):
        opened()
    with pytest.raises(InputError):
        opened(Path("policy.toml").read_text().replace("upper = 1000", "upper = 200"), "other.opened")
    assert not Path("other.opened").exists() and not list(Path().glob(".*part"))


def test_a_source_that_changed_is_told():
    opened()
    Path("staff.csv").write_text(Path("staff.csv").read_text().replace("p0,", "q0,"))
    with Database("staff.opened") as staff:
        assert "changed since it was opened" in staff.audit().notes[0]
        assert figures(staff.sql(TOTAL))[0][0] == "60"


def test_names_of_analysts_are_printable():
    opened()
    with Database("staff.opened") as staff:
        for name in ("", " ", "a\nb", "x" * 200):
            with pytest.raises(UsageError):
                staff.sql(TOTAL, analyst=name)


def test_accuracy_decides_the_price():
    opened(PRIVATE)
    with Database("staff.opened") as staff:
        price = staff.price("SELECT COUNT(*) FROM staff", accuracy=20)
        assert Fraction(str(price.spent["epsilon"])) < Fraction(1, 5)
        assert price.errors[0] is not None and int(price.errors[0]) <= 21
        with pytest.raises(QueryRefused):
            staff.sql(BY_SEX, accuracy=20)


class _AtMost:
    """A judge that allows so many groups at once, and blames none; it counts how often it is asked."""

    name = "at most"

    def __init__(self, groups: int) -> None:
        self.groups, self.facts = groups, list[int]()

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        self.facts.append(len(request.facts))
        return () if len(request.facts) <= self.groups else (Objection("deadline", "too many"),)

    def learn(self, request: AuditRequest) -> None:
        """Nothing counts here but the size of a request."""


@pytest.mark.parametrize("most", [0, 1, 11, 12, 36])
def test_the_first_groups_are_told_where_nobody_says_which_is_to_blame(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [f"c{n:02}" for n in range(36)]
    rows = "\n".join(f"p{n},{codes[n % 36]},x,{n}" for n in range(72))
    Path("staff.csv").write_text("person,department,sex,salary\n" + rows + "\n")
    policy = Path("policy.toml").read_text().replace('["Management", "Sales", "Works"]', str(codes))
    opened(policy.replace('"f"', '"x"'))
    judge = _AtMost(most)
    monkeypatch.setattr(QueryState, "judges", lambda self, analyst: (judge,))
    with Database("staff.opened") as staff:
        # The same sum twice is one fact; groups without a value are judged as well.
        answer = staff.sql("SELECT SUM(salary), SUM(salary) AS again FROM staff GROUP BY department")
    assert [row.figures[0].is_answered for row in answer.rows] == [place < most for place in range(37)]
    assert len(judge.facts) <= 8  # 37 groups are halved six times, and what remains is looked at again


def test_each_group_that_is_refused_for_its_values_counts():
    rows = [f"p{n},{code},f,{900 if n % 12 == 0 else 1}" for n in range(36) for code in [f"c{n // 12}"]]
    rows += [f"p{n},c3,f,{n}" for n in range(36, 60)]
    Path("staff.csv").write_text("\n".join(["person,department,sex,salary", *rows]) + "\n")
    policy = Path("policy.toml").read_text().replace('["Management", "Sales", "Works"]', '["c0", "c1", "c2", "c3"]')
    opened(policy + "dominance = {n = 1, k = 80}\n[limits]\nrefusals = 3\n")
    with Database("staff.opened") as staff:
        assert staff.sql("SELECT SUM(salary) FROM staff GROUP BY department").status == "partly"
        assert staff._database.state.telling_refusals("holder") == 3  # and not of the group that nobody is in
        assert staff.sql("SELECT COUNT(*) FROM staff").status == "refused"
        assert staff.sql("SELECT COUNT(*) FROM staff", analyst="ann").status == "answered"


def test_a_price_does_not_say_that_nobody_has_a_combination():
    rows = [f"p{n},{'Sales' if n < 20 else 'Works'},{'fm'[n % 2] if n < 20 else 'f'},{n}" for n in range(40)]
    Path("staff.csv").write_text("\n".join(["person,department,sex,salary", *rows]) + "\n")
    opened()
    works, women = (f"SELECT COUNT(*) FROM staff WHERE department = 'Works'{more}" for more in ("", " AND sex = 'f'"))
    with Database("staff.opened") as staff:
        assert staff.sql(works).status == "answered"
        assert staff.price(works.replace("= 'Works'", "IN ('Works')")).is_repeated
        assert not staff.price(women).is_repeated
        assert staff.sql(women).is_repeated  # this is in the ledger
