"""Every derived fact of a random program has a proof, and the oracle accepts every step of it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.long import examples
from tests.rules.generated import STRATEGIES
from tests.rules.proofs.verifier import check

from tacita.rules.proofs.finding.question import round_of
from tacita.rules.proofs.finding.rules import ProofContext
from tacita.rules.proofs.finding.search import Search
from tacita.rules.proofs.tree import GroundFact, LostFact, Proof
from tacita.rules.proofs.why import steps_of
from tacita.rules.reasoner import reason

QUICK = settings(
    max_examples=examples(3),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


def is_replaced(step):
    """Whether a fact was derived from a value that a larger one took the place of: LIMITATIONS tells of these."""
    return isinstance(step, LostFact) and step.reason == "what it was derived from was replaced later"


def every_fact_is_proved(case, most, *, may_be_replaced=False):
    text, inputs = case
    result = reason(text, inputs)
    facts = [GroundFact(p, row) for p in result.outputs for row in result.facts(p) if None not in row]
    for fact in Random(1).sample(facts, min(most, len(facts))):
        context = ProofContext(result, contributors=1_000)
        context.rounds[fact] = round_of(context, fact)
        search = Search(context)
        proof = Proof(fact, steps_of(search, fact, None, None))
        if not (may_be_replaced and any(is_replaced(step) for step in proof.steps.values())):
            check(result, proof)
        search.ahead.close()
    result.close()


@pytest.mark.slow
@given(STRATEGIES["everything"])
@settings(QUICK, max_examples=8)
def test_facts_of_generated_programs_have_proofs(case):
    every_fact_is_proved(case, most=2, may_be_replaced=True)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", STRATEGIES)
def test_facts_of_many_generated_programs_have_proofs(name):
    @QUICK
    @given(STRATEGIES[name])
    def run(case):
        every_fact_is_proved(case, most=6, may_be_replaced=name == "several_values")

    run()
