"""What an auditor sees of what was told: through the front door, in each mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tacita as tc
from tacita.api.querying import Database


def told(answers: str, extra: str = "", **more: Any) -> dict[str, Any]:
    policy = Path("policy.toml").read_text().replace('name = "staff"', f'name = "staff"\nanswers = "{answers}"')
    if answers != "exact":
        policy = policy.split("[rules]")[0].replace('statistics = ["sum", "avg", "variance", "max"]', "")
    Path("mode.toml").write_text(policy + extra)
    tc.open_for_questions(tc.read("staff.csv"), "mode.toml", "staff.opened")
    with Database("staff.opened") as database:
        for analyst, question in (
            ("ann", "SELECT SUM(salary) FROM staff"),
            ("bob", "SELECT SUM(salary) FROM staff WHERE department = 'Works'"),
            ("bob", "SELECT SUM(salary) FROM staff WHERE department = 'Sales'"),
            ("bob", "SELECT SUM(salary) FROM staff WHERE department = 'Sales' AND sex = 'x'"),
        ):
            try:
                database.sql(question, analyst=analyst, **more)
            except tc.errors.QueryRefused:
                continue
        audit = database.audit()
        assert audit.to_text()
        return dict(audit.to_dict())


def test_sums_that_nobody_asked_for_are_listed_with_their_answers() -> None:
    audit = told("exact", "dominance = {n = 1, k = 50}\n")
    (inferred,) = audit["inferred"]
    fewest = inferred["sums"][0]
    assert (fewest["records"], fewest["contributors"], fewest["formula"]) == (8, 8, "q1 - q2 - q3")
    assert fewest["multipliers"] == [{"q": 1, "factor": "1"}, {"q": 2, "factor": "-1"}, {"q": 3, "factor": "-1"}]
    assert fewest["holds"] and inferred["count"] == len(inferred["sums"]) == 3 and inferred["analyst"] is None
    assert [one["q"] for one in audit["questions"]] == [1, 2, 3]
    assert audit["independent"][0] == {"measure": "salary", "sums": 3, "classes": 3, "share": 0.05}


def test_each_analyst_has_sums_of_their_own_where_they_are_judged_alone() -> None:
    policy = Path("policy.toml").read_text()
    Path("policy.toml").write_text(policy.replace('unit = "person"', 'unit = "person"\ntogether = "analyst"'))
    audit = told("exact")
    assert [(one["analyst"], one["count"]) for one in audit["inferred"]] == [("ann", 0), ("bob", 0)]


def test_refusals_of_each_analyst_are_counted_beside_their_limit() -> None:
    audit = told("exact", "p_percent = 90\n[limits]\nrefusals = 7\n")
    by_name = {one["analyst"]: one for one in audit["analysts"]}
    assert audit["most_refusals"] == 7
    assert sum(one["refused"] for one in by_name.values()) == audit["refused"]


def test_camouflage_tells_widths_and_insiders() -> None:
    audit = told("camouflage", "[rules]\ncounts_are_confidential = false\n[camouflage]\nvectors = 8\n")
    widths = audit["widths"]
    assert widths["intervals"] == 3 and widths["insiders"] == 6
    assert 0 < widths["least"] <= widths["median"] <= widths["largest"] < 0.5
    assert audit["inferred"] == [] and audit["most_refusals"] is None


def test_private_answers_tell_what_each_analyst_spent() -> None:
    audit = told("private", "[private]\ntotal = 2\nanalyst = 1\nrecords_per_unit = 1\n", epsilon="0.25")
    assert [(one["analyst"], one["spent"]) for one in audit["analysts"]] == [
        ("ann", {"epsilon": "0.25"}),
        ("bob", {"epsilon": "0.5"}),
    ]
    assert (audit["spent"], audit["caps"], audit["analyst_caps"]) == (
        {"epsilon": "0.75"}, {"epsilon": "2"}, {"epsilon": "1"},
    )  # fmt: skip
    assert audit["widths"] is None and audit["inferred"] == []


def test_reasons_name_the_groups_that_were_refused() -> None:
    tc.open_for_questions(tc.read("staff.csv"), "policy.toml", "staff.opened")
    with Database("staff.opened") as staff:
        staff.sql("SELECT COUNT(*) FROM staff WHERE department = 'Works'")
        staff.sql("SELECT department, COUNT(*) FROM staff GROUP BY ROLLUP (department)")
        audit = staff.audit()
    _, question = audit.to_dict()["questions"]
    assert [""] in [labels for one in question["objections"] for labels in one["labels"]]
    assert "minimum ((missing)): it is about fewer than" in audit.to_text()
    assert not audit.labels.keys() - {question["entry"]}
