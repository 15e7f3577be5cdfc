import pytest

from tacita.errors import HierarchyError
from tacita.model.hierarchy import PrefixHierarchy


def fault_of(function, *arguments, **options):
    with pytest.raises(HierarchyError) as fault:
        function(*arguments, **options)
    return str(fault.value)


def test_postcodes():
    postcode = PrefixHierarchy("postcode", (4, 3, 1))
    assert postcode.path("00184") == ("00184", "0018*", "001**", "0****")
    assert postcode.levels == ("postcode", "postcode prefix 4", "postcode prefix 3", "postcode prefix 1")
    assert PrefixHierarchy("postcode", (2,), star=True).path("SW1A 1AA") == ("SW1A 1AA", "SW******", "*")


def test_an_empty_mask_hides_the_length():
    assert PrefixHierarchy("nace", (3, 2), mask="").path("10.52") == ("10.52", "10.", "10")
    assert PrefixHierarchy("nace", (2,), mask="x").path("1052") == ("1052", "10xx")


def test_a_short_code_stays_as_it_is():
    assert PrefixHierarchy("nace", (4, 1)).path("10") == ("10", "10", "1*")


def test_numbers_are_codes_too_and_an_empty_text_is_none():
    code = PrefixHierarchy("code", (1,))
    assert code.path(184) == ("184", "1**")
    assert fault_of(code.check_covers, ["", "1"]) == (
        "1 of 2 distinct values of 'code' have no place in its hierarchy\n"
        "  what to do: they are empty texts: declare them missing in the dictionary"
    )


def test_only_the_star_has_a_share():
    code = PrefixHierarchy("code", (1,), star=True)
    assert (code.share("1**", 1), code.share("*", 2)) == (None, 1.0)


@pytest.mark.parametrize(
    ("lengths", "mask", "fault"),
    [
        ((), "*", "no prefix lengths are given"),
        ((0,), "*", "prefix length 0 is not above 0"),
        ((3, 4), "*", "prefix length 4 stands after 3, but is not shorter"),
        (
            (3, 3, -1),
            "xx",
            "3 faults:\n  - prefix length -1 is not above 0\n"
            "  - prefix length 3 stands after 3, but is not shorter\n"
            "  - the mask has 2 characters instead of one or none",
        ),
    ],
)
def test_faults(lengths, mask, fault):
    assert fault_of(PrefixHierarchy, "postcode", lengths, mask) == (
        f"hierarchy of 'postcode': {fault}\n"
        "  what to do: give the numbers of characters to keep, most first, such as 4, 3, 2"
    )
