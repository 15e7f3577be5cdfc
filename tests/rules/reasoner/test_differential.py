"""The reasoner and its oracle, a naive interpreter that shares no code with it, derive the same facts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.long import examples
from tests.rules.generated import STRATEGIES, assert_same

pytestmark = pytest.mark.slow

# Without shrinking: a run takes a tenth of a second, and thousands of smaller programs would be tried.
QUICK = settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@pytest.mark.long
@pytest.mark.parametrize("name", STRATEGIES)
def test_the_reasoner_agrees_with_its_oracle(name):
    @QUICK
    @given(STRATEGIES[name])
    def run(case):
        text, inputs = case
        assert_same(text, inputs, up_to="homomorphism" if name == "equalities" else "renaming")

    run()
