"""The policy of a queryable database: what it says, and all faults at once."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from tacita.errors import InputError
from tacita.queries.policy.policy import AnswerMode, JudgedTogether
from tacita.queries.policy.policy_file import parse_query_policy
from tacita.queries.question import Statistic

SMALL = """
name = "staff"
[[filter]]
attribute = "age"
cuts = [-10, 0, 30.5]
"""


def test_a_policy_says_what_its_file_says():
    policy = parse_query_policy(
        SMALL
        + """
[[filter]]
attribute = "sex"
values = ["m", "f"]
[[measure]]
attribute = "salary"
lower = -5
upper = 100.25
decimals = 2
statistics = ["sum", "variance"]
missing = "zero"
outside = "clamp"
[rules]
minimum = 7
p_percent = 10.5
dominance = {n = 2, k = 90}
cell_by_cell = false
[limits]
cells = 10
share = 0.25
"""
    )
    assert policy.filters[0].cuts == (Decimal(-10), Decimal(0), Decimal("30.5"))
    assert policy.filters[1].values == ("m", "f")
    measure = policy.measures[0]
    assert measure.bounds == (-500, 10025)
    assert measure.statistics == (Statistic.SUM, Statistic.VARIANCE)
    assert measure.missing_is_zero and measure.clamps
    assert policy.rules.minimum == 7
    assert policy.rules.dominance == (2, Fraction(90))
    assert policy.rules.p_percent == Fraction(21, 2)
    assert not policy.rules.cell_by_cell
    assert (policy.limits.cells, policy.limits.share) == (10, Fraction(1, 4))
    assert (policy.answers, policy.together) == (AnswerMode.EXACT, JudgedTogether.ALL)
    assert "salary" not in repr(policy.text)[:0] and policy.subject == "staff"


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ('name = "two words"\n[[filter]]\nattribute = "a"\n', "stands after FROM"),
        ('[[filter]]\nattribute = "a"\n', "needs a 'name'"),
        ('name = "x"\n', "no [[filter]]"),
        (SMALL + '[[filter]]\nattribute = "age"\n', "declared twice"),
        (SMALL.replace("[-10, 0, 30.5]", "[3, 1]"), "each larger than the one before"),
        (SMALL.replace("[-10, 0, 30.5]", "[0, nan]"), "finite numbers"),
        (SMALL + '[[measure]]\nattribute = "m"\n', "needs 'lower' and 'upper'"),
        (SMALL + '[[measure]]\nattribute = "m"\nlower = 1\nupper = 2\nmissing = "zero"\n', "outside of the bounds"),
        (SMALL + '[[measure]]\nattribute = "m"\nlower = 0.5\nupper = 2\n', "more decimals"),
        (SMALL + '[[measure]]\nattribute = "m"\nlower = 0\nupper = 2\nstatistics = ["mode"]\n', "no statistic 'mode'"),
        (SMALL + "[rules]\nminimum = 1\n", "at least 2"),
        (SMALL + "[rules]\nsimulatable = true\np_percent = 10\n", "looks at values"),
        (SMALL + "[private]\ntotal = 1\n", "has no effect"),
        (SMALL + '[[regressor]]\nattribute = "grade"\ncuts = [1, 2]\n', "is not a number that can be regressed on"),
        (SMALL + '[[regressor]]\nattribute = "grade"\nmissing = "code"\n', "cannot be regressed on"),
        (SMALL + "[rules]\nminimun = 5\n", "did you mean 'minimum'"),
    ],
)
def test_a_fault_is_named_with_its_line(entry: str, word: str):
    with pytest.raises(InputError, match="line") as caught:
        parse_query_policy(entry)
    assert word in str(caught.value)


def test_all_faults_are_told_at_once():
    with pytest.raises(InputError) as caught:
        parse_query_policy('name = "1"\nfoo = 1\n[[measure]]\nlower = 0\n[rules]\nminimum = 0\n')
    assert len(str(caught.value).splitlines()) > 4


@pytest.mark.parametrize(
    ("answers", "table", "word"),
    [
        ("private", "", "needs 'total'"),
        ("private", "[private]\ntotal = 1\nrecords_per_unit = 2\n", "person of its own"),
        ("perturbed", "[perturbed]\ncount_deviation = 0.5\n", "smaller error than one record"),
        (
            "perturbed",
            '[perturbed]\ndeviation = 0.5\n[[measure]]\nattribute = "ill"\nlower = 0\nupper = 1\n',
            "lost in rounding",
        ),
        ("camouflage", "[camouflage]\nvectors = 4\ninsiders = 3\n", "at least 8 vectors"),
        ("camouflage", "", "exact counts"),
        ("private", "[rules]\nminimum = 3\n[private]\ntotal = 1\n", "no effect"),
        ("perturbed", "[rules]\noverlap = 3\n", "no effect"),
        ("camouflage", "[limits]\nshare = 0.5\n", "no effect"),
        ("sample", "[sample]\nshare = 1.5\n", "at most"),
    ],
)
def test_modes_say_what_they_need(answers: str, table: str, word: str):
    with pytest.raises(InputError) as caught:
        parse_query_policy(SMALL.replace('name = "staff"', f'name = "staff"\nanswers = "{answers}"') + table)
    assert word in str(caught.value)


COUNTS = "[rules]\ncounts_are_confidential = false\n"


def test_modes_have_usual_options():
    policy = parse_query_policy(SMALL.replace('name = "staff"', 'name = "staff"\nanswers = "camouflage"') + COUNTS)
    assert policy.options["vectors"] == 6 and policy.options["width"] == Fraction(1, 5)
    private = SMALL.replace('name = "staff"', 'name = "staff"\nanswers = "private"') + "[private]\ntotal = 2\n"
    assert parse_query_policy(private).options["analyst"] == 2
