"""New versions where figures are not exact: noise, samples and vectors of unchanged records stay the same."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.queries.test_versions import COUNT, POLICY, TOTAL, Rows, ask, changed, figures, opened, people, some

from tacita.api.querying import Database
from tacita.errors import LimitError
from tacita.queries.answer import QueryAnswer
from tacita.queries.camouflage.vectors import vectors_of
from tacita.queries.cube.cube import Cube
from tacita.queries.language.parse import parse_question
from tacita.queries.mechanism import AskedGroup, AskedQuestion, Mechanism, Price

PERTURBED = "[rules]\nminimum = 4\n[limits]\nshare = 1\n[perturbed]\ndeviation = 0.1\n"
SAMPLED = "[rules]\nminimum = 4\n[limits]\nshare = 1\n[sample]\nshare = 0.8\n"
CAMOUFLAGED = "[rules]\ncounts_are_confidential = false\n[camouflage]\nvectors = 4\n"
MODES = [("perturbed", PERTURBED), ("sample", SAMPLED)]
QUESTIONS = (
    "SELECT COUNT(*), SUM(salary), AVG(salary), AVG(hours) FROM staff WHERE department = 'Works'",
    "SELECT SUM(hours) FROM staff WHERE sex = 'f'",
)


def narrow(rows: Rows) -> None:
    """Change nothing about works, nor about the hours of women."""
    rows.extend({**row, "sex": "m"} for row in some(3))
    rows[2]["salary"] = 999
    rows.pop(21)


@pytest.mark.parametrize(("mode", "more"), MODES)
def test_noise_about_the_same_records_is_the_same_in_all_versions(mode: str, more: str) -> None:
    top = f'answers = "{mode}"'
    opened("v1", people(), top=top, more=more)
    opened("v2", changed(narrow), "v1", top=top, more=more)
    opened("v3", changed(narrow, lambda rows: rows.extend(some(2, "later", "Management"))), "v2", top=top, more=more)
    # Nobody has asked in the earlier versions: it is drawn again, and not taken from the ledger.
    with Database("v3") as database:
        version, cube = database._database.version, database._database.version.cube
        mechanism = type(database._database._mechanism)
        drawn = []
        for number in (1, 2):
            view = cube.seen_from(number)
            drawn.append((view, mechanism(replace(version, cube=view))))
        later = (cube, database._database._mechanism)
        assert _drawn(drawn[0], QUESTIONS[0]) == _drawn(drawn[1], QUESTIONS[0]) == _drawn(later, QUESTIONS[0])
        assert _drawn(drawn[0], QUESTIONS[1]) == _drawn(drawn[1], QUESTIONS[1]) != _drawn(later, QUESTIONS[1])


def _drawn(of: tuple[Cube, Mechanism], question: str) -> list[str | None]:
    cube, mechanism = of
    parsed = parse_question(question, cube)
    groups = tuple(AskedGroup(codes, cells) for codes, cells in cube.grouped(parsed))
    rows = mechanism.figures(AskedQuestion(parsed, groups, "ann"), Price())
    return [figure.value for row in rows for figure in row]


@pytest.mark.parametrize(("mode", "more"), MODES)
def test_asking_in_each_version_gives_no_other_draw(mode: str, more: str) -> None:
    """A record that nobody asks about changes; noise that was drawn anew could be averaged out."""
    top = f'answers = "{mode}"'
    opened("v0", people(), top=top, more=more)
    seen = [figures(ask("v0", QUESTIONS[0])[0])]
    for number in range(1, 4):
        rows = changed(lambda rows, number=number: rows[3].update(salary=900 + number))
        opened(f"v{number}", rows, f"v{number - 1}", top=top, more=more)
        seen.append(figures(ask(f"v{number}", QUESTIONS[0], analyst=f"a{number}")[0]))
    assert all(one == seen[0] for one in seen)


@pytest.mark.parametrize(("mode", "more"), MODES)
def test_by_how_much_a_value_changed_is_not_the_difference_of_two_figures(mode: str, more: str) -> None:
    top = f'answers = "{mode}"'
    opened("v1", people(), top=top, more=more)
    by_group = "SELECT department, sex, SUM(salary) FROM staff GROUP BY department, sex"
    before = ask("v1", by_group, COUNT)
    one_of_each = [0, 1, 10, 11, 40, 41]
    rows = changed(lambda rows: [rows[at].update(salary=rows[at]["salary"] + 7) for at in one_of_each])
    opened("v2", rows, "v1", top=top, more=more)
    after = ask("v2", by_group, COUNT)
    assert figures(before[1]) == figures(after[1])  # the number of the same records
    pairs = zip(figures(before[0]), figures(after[0]), strict=True)
    differences = [Fraction(new) - Fraction(old) for old, new in pairs if old is not None and new is not None]
    assert len(differences) >= 4
    assert max(map(abs, differences)) > 20


def _ends(answer: QueryAnswer) -> list[tuple[str | None, str | None]]:
    return [(figure.lower, figure.upper) for row in answer.rows for figure in row.figures]


def test_intervals_of_records_that_did_not_change_are_no_narrower_with_both_versions() -> None:
    top = 'answers = "camouflage"'
    single = "SELECT department, sex, SUM(salary), MAX(salary), AVG(hours) FROM staff GROUP BY department, sex"
    opened("v1", people(), top=top, more=CAMOUFLAGED)
    before = ask("v1", single, TOTAL)
    rows = changed(narrow, lambda rows: rows[3].update(sex="f"))
    opened("v2", rows, "v1", top=top, more=CAMOUFLAGED)
    after = ask("v2", single, TOTAL)
    for old, new in zip(before[0].rows, after[0].rows, strict=True):
        if old.group[0] == "Works":
            assert old.figures == new.figures
    assert _ends(before[1]) != _ends(after[1])


def test_vectors_of_records_that_did_not_change_are_kept_exactly() -> None:
    top = 'answers = "camouflage"'
    opened("v1", people(), top=top, more=CAMOUFLAGED)
    opened("v2", changed(narrow, lambda rows: rows.extend(some(20, "n"))), "v1", top=top, more=CAMOUFLAGED)
    vectors = {}
    for folder in ("v1", "v2"):
        with Database(folder) as database:
            version = database._database.version
            width = version.policy.options["width"]
            vectors[folder] = version.cube, vectors_of(version.cube, version.secret, 4, width, tuned=False)
    (old, first), (new, second) = vectors["v1"], vectors["v2"]
    assert first.parts == second.parts
    place = {new.history.keys[row].tobytes(): row for row in range(new.all_records) if new.history.born[row] == 1}
    rows = [place[old.history.keys[row].tobytes()] for row in range(old.all_records)]
    for measure in ("salary", "hours"):
        assert np.array_equal(first.values[measure], second.values[measure][:, rows])
    # The record whose salary changed has the same hours, and another place for its salary.
    (changed_row,) = (row for row in np.flatnonzero(new.history.born == 2) if new.history.keys[row].tobytes() in place)
    same = place[new.history.keys[changed_row].tobytes()]
    assert np.array_equal(second.values["hours"][:, changed_row], second.values["hours"][:, same])
    assert not np.array_equal(second.values["salary"][:, changed_row], second.values["salary"][:, same])


def test_no_version_leaves_two_records_with_mirrored_vectors_alone() -> None:
    """Two neighbours by size leave together: the sum of their cell hardly moves in either version, nor theirs."""
    top, more = 'answers = "camouflage"', f"{CAMOUFLAGED}tuned = true\n"
    rows = people()
    opened("v1", rows, top=top, more=more)
    works = sorted((row for row in rows if row["department"] == "Works" and row["sex"] == "m"), key=by_salary)
    with pytest.raises(LimitError, match="1 pair of records with mirrored vectors"):
        opened("v2", [row for row in rows if row not in works[:2]], "v1", top=top, more=more)
    assert not Path("v2").exists() and ask("v1", TOTAL)[0].status == "answered"
    opened("v2", [row for row in rows if row not in works[:4]], "v1", top=top, more=more)
    assert ask("v2", TOTAL)[0].status == "answered"


def by_salary(row: dict[str, object]) -> int:
    return int(str(row["salary"]))


def test_a_budget_is_one_for_all_versions_and_new_data_cost_again() -> None:
    top, more = 'answers = "private"', "[private]\ntotal = 1\nanalyst = 0.5\nrecords_per_unit = 1\n"
    policy = POLICY.replace('"department"', '"department"\nvalues = ["Management", "Sales", "Works"]')
    opened("v1", people(), top=top, more=more, policy=policy)
    assert ask("v1", COUNT, COUNT, epsilon="0.25")[1].is_repeated
    opened("v2", people(), "v1", top=top, more=more, policy=policy)
    (again,) = ask("v2", COUNT, epsilon="0.25")
    assert not again.is_repeated and again.left == {"epsilon": "0"}
    assert ask("v2", TOTAL, epsilon="0.1")[0].status == "refused"
    assert ask("v2", TOTAL, analyst="bob", epsilon="0.5")[0].status == "answered"
    assert ask("v2", COUNT, analyst="eve", epsilon="0.1")[0].is_repeated  # it was paid by ann
    assert ask("v2", "SELECT SUM(hours) FROM staff", analyst="eve", epsilon="0.1")[0].status == "refused"
    with Database("v1") as database:  # it does not know what was spent since, and says nothing of what is left
        history = database.history("ann")
        assert not history.left and not any(answer.left for _, answer in history.answers)
        assert "what was spent in all" in database.audit().notes[-1]


@pytest.mark.parametrize("had_it", [False, True])
def test_the_order_of_confidential_labels_does_not_tell_which_of_them_somebody_had_before(had_it: bool) -> None:
    top = 'answers = "private"'
    more = "[private]\ntotal = 1000\nanalyst = 1000\nrecords_per_unit = 1\ndelta = 0.01\n"
    opened("v1", people() + (some(1, "first", "Archive") if had_it else []), top=top, more=more)
    opened("v2", people() + some(60, "a", "Archive"), "v1", top=top, more=more)
    (answer,) = ask("v2", "SELECT COUNT(*) FROM staff GROUP BY department", epsilon="100")
    assert [row.group for row in answer.rows] == [("Archive",), ("Management",), ("Sales",), ("Works",)]
