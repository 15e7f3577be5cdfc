import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.model.nulls import LabelledNull, identical, maybe_match, sql_equal, tuples_maybe_match

nulls = st.builds(LabelledNull, st.sampled_from(["Area", "Sector"]), st.integers(1, 3))
values = st.sampled_from(["Roma", "Milano", 1]) | nulls
one, two = LabelledNull("Sector", 1), LabelledNull("Sector", 2)


def test_a_labelled_null_is_known_by_its_place():
    assert str(one) == "⊥Sector,1"
    assert one == LabelledNull("Sector", 1)
    assert len({one, two, LabelledNull("Area", 1)}) == 3
    assert sorted([two, one]) == [one, two]


def test_the_three_equalities_differ_on_two_nulls():
    assert not identical(one, two)
    assert maybe_match(one, two)
    assert sql_equal(one, two) is None


def test_the_three_equalities_agree_on_constants():
    for equal in (identical, maybe_match, sql_equal):
        assert equal("Roma", "Roma") is True
        assert equal("Roma", "Milano") is False


@given(values, values)
def test_every_equality_is_symmetric(a, b):
    for equal in (identical, maybe_match, sql_equal):
        assert equal(a, b) == equal(b, a)


@given(values)
def test_identity_and_maybe_match_are_reflexive_and_sql_is_not(a):
    assert identical(a, a)
    assert maybe_match(a, a)
    assert (sql_equal(a, a) is None) == isinstance(a, LabelledNull)


@given(values, values)
def test_what_is_identical_may_match(a, b):
    assert maybe_match(a, b) or not identical(a, b)


def test_maybe_match_is_not_transitive():
    assert maybe_match("Roma", one)
    assert maybe_match(one, "Milano")
    assert not maybe_match("Roma", "Milano")


@pytest.mark.slow
@given(st.lists(st.tuples(values, values)))
def test_tuples_match_place_by_place(pairs):
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    assert tuples_maybe_match(left, right) == all(maybe_match(a, b) for a, b in pairs)


def test_tuples_of_different_length_never_match():
    assert not tuples_maybe_match((one,), (one, one))
    assert tuples_maybe_match((), ())
