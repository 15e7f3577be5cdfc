import pytest

from tacita.errors import UsageError
from tacita.model.decision import Alternative, Decision


def test_a_recoding_tells_its_levels():
    decision = Decision(3, 7, "Area", 0, 1, "global recoding", 0.5, 0.125)
    assert not decision.is_suppression
    assert str(decision) == (
        "step 3: Area of tuple 7 recoded from level 0 to 1 by 'global recoding': risk 0.5 -> 0.125"
    )


def test_a_suppression_has_no_level():
    decision = Decision(1, 15, "Sector", 2, None, "local suppression", 1, 0.2, (Alternative("recode", "costs more"),))
    assert decision.is_suppression
    assert str(decision) == "step 1: Sector of tuple 15 suppressed by 'local suppression': risk 1 -> 0.2"
    assert decision.alternatives[0].reason == "costs more"


@pytest.mark.parametrize("to_level", [0, 1])
def test_a_decision_never_refines(to_level):
    with pytest.raises(UsageError) as fault:
        Decision(1, 1, "Area", 1, to_level, "global recoding", 1, 1)
    assert str(fault.value) == (
        f"a decision on 'Area' goes from level 1 to {to_level}\n"
        "  what to do: a decision may only coarsen: give a higher level, or None for a labelled null"
    )
