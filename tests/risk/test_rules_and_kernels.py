"""Each of the paper's measures runs as rules and as a kernel: on any microdata the two give the same risks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.risk.samples import CATEGORY, MAYBE, column, microdata, mixed

import tacita as tc
from tacita.errors import RuleError, UsageError
from tacita.knowledge.programs import ProgramText
from tacita.risk.catalogue import measure
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.ruled import Ruled
from tacita.risk.sample import Sample
from tacita.risk.why import why

pytestmark = pytest.mark.slow

MEASURES = {
    "k-anonymity": measure("k-anonymity", {"k": 2}),
    "reidentification": measure("reidentification"),
    "individual-risk": measure("individual-risk", {"estimate": "ratio"}),
    "suda": measure("suda", {"k": 3, "largest": 3}),
}
VALUES = [None, "a", "b", "c"]
RECORDS = st.lists(
    st.tuples(st.sampled_from(VALUES), st.sampled_from([None, 1, 2]), st.sampled_from([None, 0.5, 1.5, 2.5])),
    min_size=2,
    max_size=10,
)


def by_rules(kernel: Measure, sample: Sample) -> list[float]:
    specification = kernel.specification(sample)
    assert specification is not None
    ruled = Ruled(ProgramText.of(specification.program), specification.parameters)
    return column(ruled.risks(sample), "risk")


def check(name: str, rows: list[tuple[Any, ...]], nulls: Nulls) -> None:
    data = [dict(zip("abc", row, strict=True)) | {"w": 1.5 + i % 3} for i, row in enumerate(rows)]
    sample = Sample.of(microdata(data, quasi=["a", "b", "c"], weight="w").microdata, nulls=nulls)
    kernel = MEASURES[name]
    assert column(kernel.risks(sample), "risk") == pytest.approx(by_rules(kernel, sample), rel=1e-12)


BRIEFLY = settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])


@pytest.mark.parametrize("nulls", [CATEGORY, MAYBE], ids=str)
@pytest.mark.parametrize("name", ["k-anonymity", "individual-risk"])
@BRIEFLY
@given(RECORDS)
def test_rules_and_kernel_agree(name: str, nulls: Nulls, rows: list[tuple[Any, ...]]) -> None:
    check(name, rows, nulls)


@pytest.mark.slow
@pytest.mark.parametrize("nulls", [CATEGORY, MAYBE], ids=str)
@pytest.mark.parametrize("name", MEASURES)
@settings(BRIEFLY, max_examples=4)
@given(RECORDS)
def test_rules_and_kernel_agree_on_more(name: str, nulls: Nulls, rows: list[tuple[Any, ...]]) -> None:
    check(name, rows, nulls)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["k-anonymity", "reidentification", "individual-risk"])
def test_on_a_generated_survey(name: str) -> None:
    sample = Sample.of(tc.generate("R1A4U", seed=3).microdata)
    kernel = MEASURES[name]
    assert column(kernel.risks(sample), "risk") == pytest.approx(by_rules(kernel, sample), rel=1e-9)


# -- a domain expert's own --------------------------------------------------------------------------------------------

OWN = """
@input("Tuple", ["db", "id", "values"]).
@output("riskOutput", ["id", "risk"]).
[1] Tuple(M, I, V), N = mcount(<I>) -> Alike(M, N, *V[$AnonSet]).
[2] Tuple(M, I, V), Alike(M, N, Q*), Q = V[$AnonSet], R = 1 / N -> riskOutput(I, R).
"""


def test_a_program_of_ones_own() -> None:
    sample = Sample.of(mixed().microdata, ["area", "size"], CATEGORY)
    frequency = column(measure("k-anonymity").risks(sample), "frequency")
    assert column(Ruled(ProgramText(OWN)).risks(sample), "risk") == pytest.approx([1 / f for f in frequency])


def test_silence_of_the_rules_counts_as_risk() -> None:
    """A record that the rules say nothing of is not safe."""
    text = OWN.replace("R = 1 / N ->", "N > 5, R = 0 ->")
    sample = Sample.of(mixed().microdata, ["area", "size"], CATEGORY)
    found = Ruled(ProgramText(text)).risks(sample)
    frequency = column(measure("k-anonymity").risks(sample), "frequency")
    assert column(found, "risk") == [0.0 if f > 5 else 1.0 for f in frequency]
    assert "conclude no risk" in found.notes[0]
    nothing = Ruled(ProgramText(OWN.replace("R = 1 / N ->", "N > 500, R = 0 ->"))).risks(sample)
    assert set(column(nothing, "risk")) == {1.0}


def test_several_risks_of_a_record_and_risks_that_are_none() -> None:
    sample = Sample.of(mixed().microdata, ["area", "size"], CATEGORY)
    both = OWN + "[3] Tuple(_, I, _), R = 0.25 -> riskOutput(I, R)."
    found = Ruled(ProgramText(both)).risks(sample)
    frequency = column(measure("k-anonymity").risks(sample), "frequency")
    assert column(found, "risk") == pytest.approx([max(0.25, 1 / f) for f in frequency])
    assert any("largest counts" in note for note in found.notes)
    with pytest.raises(RuleError, match="outside 0 to 1"):
        Ruled(ProgramText(OWN.replace("1 / N", "N + 1"))).risks(sample)
    with pytest.raises(RuleError, match="3 arguments"):
        Ruled(
            ProgramText(
                OWN.replace("riskOutput(I, R)", "riskOutput(I, R, M)").replace('["id", "risk"]', '["i","r","m"]')
            )
        ).risks(sample)


# -- why --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MEASURES)
def test_every_risk_is_proved_by_the_rules_on_the_neighbourhood(name: str) -> None:
    """The rules conclude on a few records what the kernel found on all; a difference would be refused."""
    sample = Sample.of(mixed().microdata, ["area", "age", "size"], MAYBE)
    kernel = MEASURES[name]
    risks = kernel.risks(sample)
    for row in (4, 6, 17):
        found = why(kernel, sample, risks, row)
        assert found.proof is not None
        assert found.proof.is_complete
        assert found.risk == pytest.approx(column(risks, "risk")[row - 1])
        assert f"riskOutput({row}, " in found.proof.as_text()


def test_a_proof_by_rules_of_ones_own() -> None:
    sample = Sample.of(mixed().microdata, ["area", "size"], CATEGORY)
    ruled = Ruled(ProgramText(OWN))
    proof = why(ruled, sample, ruled.risks(sample), 3).proof
    assert proof is not None
    assert "riskOutput(3, " in proof.as_text()


def test_what_cannot_be_proved() -> None:
    data = mixed().microdata
    sample = Sample.of(data, ["area", "age"], Nulls(semantics=Semantics.STANDARD))
    kernel = measure("k-anonymity")
    assert why(kernel, sample, kernel.risks(sample), 1).proof is None  # no rule counts nulls so
    with pytest.raises(UsageError, match="no record 99"):
        why(kernel, sample, kernel.risks(sample), 99)
    keys = measure("keys")
    assert why(keys, sample, keys.risks(sample), 1).proof is None
