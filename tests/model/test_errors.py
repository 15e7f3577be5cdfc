import sys

import pytest

from tacita import errors
from tacita.errors import TacitaError, did_you_mean, faults_text, listed


def branches(error):
    """Return the errors of Tacita below one; tests and examples may have defined others, with any exit code."""
    own = [child for child in error.__subclasses__() if is_of_tacita(child)]
    return [error, *(leaf for child in own for leaf in branches(child))]


def is_of_tacita(error):
    """Return whether a class stands in a module of the package; that of an example only claims to."""
    module = sys.modules.get(error.__module__)
    return error.__module__.startswith("tacita.") and getattr(module, error.__name__, None) is error


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TacitaError("no such thing"), "no such thing"),
        (TacitaError("no such thing", where="firms.csv"), "firms.csv: no such thing"),
        (TacitaError("no such thing", do="look again"), "no such thing\n  what to do: look again"),
        (
            TacitaError("no such thing", where="firms.csv, line 3", do="look again"),
            "firms.csv, line 3: no such thing\n  what to do: look again",
        ),
    ],
)
def test_a_message_says_where_what_and_what_next(error, text):
    assert str(error) == text


def test_every_error_is_in_the_tree_and_has_an_exit_code_that_a_shell_can_see():
    tree = branches(TacitaError)
    defined = {thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert defined <= set(tree)
    verdicts = {errors.JointRefusal}  # an answer, as that of a failed audit: the command did what it was asked
    assert all(error.exit_code == 1 if error in verdicts else 1 < error.exit_code < 126 for error in tree)
    assert errors.UsageError.exit_code != errors.InputError.exit_code != errors.OutputError.exit_code
    assert errors.DictionaryError.exit_code == errors.HierarchyError.exit_code == errors.InputError.exit_code


def test_errors_of_tests_are_not_in_the_tree():
    class Claimed(TacitaError):
        """An error of an example, which runs under the name of its module."""

        __module__ = "tacita.errors"
        exit_code = 200

    class Other(TacitaError):
        exit_code = 200

    assert {Claimed, Other} <= set(TacitaError.__subclasses__())
    assert not {Claimed, Other} & set(branches(TacitaError))


def test_the_nearest_word_is_offered_whatever_its_capitals():
    assert did_you_mean("SECTOR", ["Area", "Sector"]) == "; did you mean 'Sector'?"
    assert did_you_mean("x", []) == ""


def test_a_list_is_cut_only_when_it_is_longer():
    assert listed([1, 2, 3], limit=3) == "1, 2, 3"
    assert listed([1, 2, 3, 4], limit=3) == "1, 2, 3 and 1 more"
    assert listed(range(5000), limit=1) == "0 and 4,999 more"
    assert listed([]) == ""


def test_one_fault_is_a_sentence_and_several_are_a_list():
    assert faults_text(["a"]) == "a"
    assert faults_text(["a", "b"]) == "2 faults:\n  - a\n  - b"
