"""Figure 5 of the VADA-SA paper: frequencies before and after one labelled null and one roll-up of Area.

The frequencies are counted by brute force with the definition of section 4.3, so that they can serve as the reference
for any faster way to count.
"""

from tacita.model.dictionary import DictionaryFact
from tacita.model.hierarchy import from_facts
from tacita.model.nulls import LabelledNull, tuples_maybe_match

TUPLES = [
    ("Roma", "Textiles", "1000+", "0-30"),
    ("Roma", "Commerce", "1000+", "0-30"),
    ("Roma", "Commerce", "1000+", "0-30"),
    ("Roma", "Financial", "1000+", "0-30"),
    ("Roma", "Financial", "1000+", "0-30"),
    ("Milano", "Construction", "0-200", "60-90"),
    ("Torino", "Construction", "0-200", "60-90"),
]
FACTS = [
    DictionaryFact("TypeOf", ("Area", "City")),
    DictionaryFact("SubTypeOf", ("City", "Region")),
    *(DictionaryFact("InstOf", (city, "City")) for city in ("Milano", "Torino", "Roma")),
    *(DictionaryFact("InstOf", (region, "Region")) for region in ("North", "Center")),
    DictionaryFact("IsA", ("Milano", "North")),
    DictionaryFact("IsA", ("Torino", "North")),
    DictionaryFact("IsA", ("Roma", "Center")),
]


def frequencies(tuples):
    return [sum(tuples_maybe_match(one, other) for other in tuples) for one in tuples]


def test_figure_5a():
    assert frequencies(TUPLES) == [1, 2, 2, 2, 2, 1, 1]


def test_figure_5b():
    area = from_facts("Area", FACTS)
    rolled_up = [(area.generalise(city, 1), *others) for city, *others in TUPLES]
    rolled_up[0] = (rolled_up[0][0], LabelledNull("Sector", 1), *rolled_up[0][2:])
    assert [city for city, *_ in rolled_up] == ["Center"] * 5 + ["North"] * 2
    assert frequencies(rolled_up) == [5, 3, 3, 3, 3, 2, 2]


def test_the_labelled_null_alone_leaves_the_north_unique():
    suppressed = [("Roma", LabelledNull("Sector", 1), "1000+", "0-30"), *TUPLES[1:]]
    assert frequencies(suppressed) == [5, 3, 3, 3, 3, 1, 1]
