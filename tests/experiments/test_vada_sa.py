"""The experiments of the paper: what is measured is what the cycle does, and what is printed is told beside it."""

from __future__ import annotations

import csv
import io

import pytest
from experiments.anchors import NOT_RUN, anchors
from experiments.nulls_by_k import nulls_by_k
from experiments.point import (
    ALONE,
    AT_RISK,
    FEWEST,
    FIGURES,
    K_ANONYMITY,
    ONE_BY_ONE,
    ROUNDS,
    STANDARD,
    WHOLE,
    Point,
    Results,
)
from experiments.relationships import nulls_by_relationships
from experiments.report import as_csv, as_html, as_markdown
from experiments.surveys import Extent, survey
from experiments.times import MEASURES, times
from experiments.vada_sa import vada_sa

from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.errors import UsageError
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.null_semantics import Nulls

pytestmark = pytest.mark.slow

SMALL = Extent(("R1A4V",), (2,), (0, 20), ("R1A4U",), ("R1A5W",), repeats=1)


def test_nulls_by_k_are_those_of_the_cycle() -> None:
    points = list(nulls_by_k(SMALL, 3, frozenset("abc")))
    found = {(p.figure, p.series): p for p in points}
    assert set(found) == {(f, s) for f in "ab" for s in (FEWEST, ONE_BY_ONE, ROUNDS)} | {("c", FEWEST), ("c", STANDARD)}
    with survey("R1A4V", 3) as data:
        outcome = anonymize(data.microdata, Plan(KAnonymity(2), nulls=Nulls()))
        assert found["a", FEWEST].value == outcome.nulls
        assert found["a", FEWEST].risky == outcome.before.unsafe > 1
        assert found["b", FEWEST].value == outcome.nulls / (4 * outcome.before.unsafe)
    # a risky tuple that may lean on nobody has nothing left
    assert found["c", STANDARD].value == 4 * outcome.before.unsafe
    assert found["a", FEWEST].value <= found["a", ONE_BY_ONE].value <= found["a", ROUNDS].value


def test_whole_clusters_lose_a_cell_of_each_member() -> None:
    points = {(p.series, p.x): p for p in nulls_by_relationships(SMALL, 3)}
    assert points[WHOLE, 20].value > points[WHOLE, 0].value
    assert points[AT_RISK, 20].value == points[AT_RISK, 0].value <= points[WHOLE, 0].value
    assert points[WHOLE, 20].risky == points[WHOLE, 20].value  # one cell each is enough for k = 2


def test_times_are_of_the_cycle_and_of_the_risk_alone() -> None:
    points = list(times(SMALL, 3, frozenset("ef")))
    assert {(p.figure, p.x) for p in points} == {("e", 1000), ("f", 5)}
    of = {(p.figure, p.series): p.value for p in points}
    assert all(of[f, f"{s}, {ALONE}"] > 0 for f in "ef" for s in MEASURES)
    assert of["e", K_ANONYMITY] > of["e", f"{K_ANONYMITY}, {ALONE}"]


def test_parts_that_do_not_exist() -> None:
    with pytest.raises(UsageError, match="Figure 7 has no part 'g'"):
        vada_sa(only=["a", "g"])


def results() -> Results:
    """A run with invented values, some of them as printed and some not."""
    made = [Point("a", "R25A4W", FEWEST, 5, 49, 80), Point("a", "R25A4W", ROUNDS, 5, 84, 80)]
    made += [Point("d", "R25A4W", WHOLE, n, v, 9) for n, v in ((0, 9), (100, 19), (400, 49))]
    made += [Point("d", "R25A4W", AT_RISK, 400, 9, 9)]
    made += [Point("e", "R100A4U", K_ANONYMITY, 100_000, 0.5, 207, None, 0.4)]
    return Results(0, False, tuple(made))


def test_anchors_tell_what_agrees_and_what_was_not_run() -> None:
    found = {(a.figure, a.printed): a for a in anchors(results())}
    assert found["a", "under 50"].ours == "49 (fewest nulls), 84 (in rounds)"
    assert found["a", "under 50"].sentence.startswith("agrees")
    assert found["d", "9 and 38"].ours == "19 and 49 (whole clusters), 10 and 40 more than without; 9 (members at risk)"
    assert found["e", "192 s"].ours == "0.50 s"
    assert found["e", "192 s"].sentence.startswith("384 times faster")
    assert found["e", "1,344 s"].ours == NOT_RUN
    assert not any(a.figure in "bcf" for a in found.values())
    more = Results(0, False, (Point("a", "R25A4W", FEWEST, 5, 55, 82),))
    assert anchors(more)[0].sentence.startswith("6 more than that: other tuples, 82 of them risky")


def test_every_point_is_in_the_file_and_on_the_page() -> None:
    given = results()
    rows = list(csv.DictReader(io.StringIO(as_csv(given))))
    assert [(r["figure"], r["data"], r["series"], float(r["x"]), float(r["value"])) for r in rows] == [
        (p.figure, p.data, p.series, p.x, p.value) for p in given.points
    ]
    page, text = as_html(given), as_markdown(given)
    for letter in given.figures:
        assert f"7{letter}: {FIGURES[letter].title}" in page
        assert f"(figure-7{letter}.svg)" in text
    assert page.count("<svg ") == len(given.figures) == 3
    assert "printed: W under 50" in page
    assert "| 7e | time of the cycle with k-anonymity, R100A4U | 192 s | 0.50 s |" in text
