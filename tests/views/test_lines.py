"""Lines: every point is there, names stay names, and the picture says in words what it shows."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tacita.views.charts import GREY, standalone
from tacita.views.lines import Line, lines

GIVEN = [
    Line("of <few>", ((2, 9), (3, 23), (5, 55))),
    Line("names[0]", ((2, 47), (5, 1200)), GREY, "dashed", "square"),
]


@pytest.mark.slow
def test_points_and_words() -> None:
    svg = lines("Nulls & k", GIVEN, x="k", y="nulls")
    root = ElementTree.fromstring(standalone(svg))
    assert root.attrib["aria-label"] == "Nulls & k. of <few>: 9 at 2, 23 at 3, 55 at 5; names[0]: 47 at 2, 1,200 at 5"
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert {"of <few>", "names[0]", "k", "nulls", "2", "3", "5"} <= set(texts)
    assert len(re.findall('class="mark-symbol[^"]*marks"', svg)) == 1
    assert "http" not in svg


def test_a_logarithmic_axis_has_a_place_for_nothing() -> None:
    root = ElementTree.fromstring(
        standalone(lines("x", [Line("a", ((0, 0), (1, 900)))], x="x", y="y", logarithmic=True))
    )
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert {"0", "100", "1,000"} <= set(texts)


def test_nothing_to_draw() -> None:
    assert lines("x", [], x="x", y="y") == ""
    assert lines("x", [Line("a", ())], x="x", y="y") == ""
