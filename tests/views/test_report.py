"""Building blocks of reports: hostile text stays text, numbers are for people, charts fetch nothing and have words."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.model.figures import figure, share
from tacita.views.charts import Bar, Steps, bars, grouped_bars, steps
from tacita.views.markup import Html, docstring, items, joined, tag, text
from tacita.views.page import POLICY, captioned, page, side_by_side, verdict
from tacita.views.tables import table

HOSTILE = [
    "<script>alert(1)</script>",
    "\"' onload=x",
    "</title></svg><b>",
    "a&b;",
    "]]>",
    "names[0]",
    "\x00\x1b[2J",
    "{{x}}",
]


class Texts(HTMLParser):
    """What a browser would show, and the elements that it would make."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.slow
@given(st.text(max_size=30))
def test_any_text_comes_out_as_text(given_: str) -> None:
    found = Texts(tag("p", given_, title=given_))
    assert found.tags == ["p"]
    assert "".join(found.texts) == found.attributes[0][1] or not given_
    assert [key for key, _ in found.attributes] == ["title"]


def test_markup_is_not_escaped_twice() -> None:
    assert joined([tag("b", "<"), "<"], " & ") == "<b>&lt;</b> &amp; &lt;"
    assert text(Html("<b>")) == "<b>"
    assert items([]) == ""
    assert docstring("`<x>` and *all*") == "<code>&lt;x&gt;</code> and <em>all</em>"


def test_attributes_that_are_none_are_left_out() -> None:
    assert tag("td", "x", class_=None) == "<td>x</td>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (999.96, "1,000"),
        (0.99999, "1"),
        (1234567.8, "1,234,568"),
        (-0.5, "-0.5"),
        (0.000123456, "0.0001235"),
        (float("nan"), "–"),
        (float("inf"), "–"),
        (1e300, f"{1e300:,.0f}"),
    ],
)
def test_numbers_for_people(value: float, shown: str) -> None:
    assert figure(value) == shown


def test_columns_of_numbers_are_aligned_and_rows_are_named() -> None:
    made = table(["name", "n", "part", "mixed"], [["a", 1, share(0.5), 1], ["b", None, share(1), "x"]], "what <it> is")
    assert "<caption>what &lt;it&gt; is</caption>" in made
    assert '<th scope="row">a</th><td class="number">1</td><td class="number">50 %</td><td>1</td>' in made
    assert '<td class="number">–</td>' in made


def test_a_table_without_rows_is_still_one() -> None:
    assert Texts(table(["a"], [])).tags == ["div", "table", "thead", "tr", "th", "tbody"]


def test_a_page_allows_nothing_but_its_style() -> None:
    made = page("<t>", tag("p", "x"))
    assert made.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert tag("meta", http_equiv="Content-Security-Policy", content=POLICY) in made
    assert "<title>&lt;t&gt;</title>" in made
    assert not {"script", "link", "img", "iframe", "object"} & set(Texts(made).tags)
    assert "url(" not in made
    assert "@import" not in made
    assert "prefers-color-scheme: dark" in made
    assert "@media print" in made


def test_a_verdict_has_a_word() -> None:
    assert verdict("SAFE", "all <well>", "good") == (
        '<div class="verdict good"><strong>SAFE</strong><span>all &lt;well&gt;</span></div>'
    )


def test_nothing_makes_nothing() -> None:
    assert bars("t", []) == grouped_bars("t", []) == steps("t", []) == ""
    assert captioned(Html(), "caption") == ""
    assert side_by_side(Html(), Html()) == ""


@pytest.fixture(scope="module")
def hostile_charts() -> list[Html]:
    return [
        bars(HOSTILE[0], [Bar(name, i, name) for i, name in enumerate(HOSTILE)], logarithmic=True),
        grouped_bars(HOSTILE[2], [Bar(name, i, name) for name in HOSTILE for i in range(2)]),
        steps(HOSTILE[1], [Steps(name, ((name, 0.1), (HOSTILE[0], 0.5)), name) for name in HOSTILE]),
    ]


def test_charts_with_hostile_names_are_well_formed(hostile_charts: list[Html]) -> None:
    for chart in hostile_charts:
        picture = ElementTree.fromstring(chart)
        assert {element.tag for element in picture.iter()} <= {
            "svg",
            "title",
            "g",
            "path",
            "line",
            "text",
            "tspan",
            "rect",
        }
        assert not [key for element in picture.iter() for key in element.attrib if key.startswith("on")]
        shown = "".join(picture.itertext())
        assert "<script>alert(1)</script>" in shown
        assert "names[0]" in shown


def test_charts_say_what_they_show(hostile_charts: list[Html]) -> None:
    for chart in hostile_charts:
        picture = ElementTree.fromstring(chart)
        assert picture.get("role") == "img"
        title = picture.find("title")
        assert title is not None
        assert title.text
        assert (picture.get("aria-label") or "").startswith(title.text)
        assert "names[0]: names[0]" in (picture.get("aria-label") or "")


def test_charts_refer_to_nothing_outside(hostile_charts: list[Html]) -> None:
    for chart in hostile_charts:
        assert "http" not in chart
        assert "href" not in chart
        assert "url(" not in chart
        assert " id=" not in chart  # several pictures in one page would have the same
        assert set(re.findall(r'font-family="([^"]*)"', chart)) == {"sans-serif"}


def test_the_same_chart_has_the_same_bytes() -> None:
    def chart() -> Html:
        return bars("t", [Bar("a", 3, "3"), Bar("b", 30000, "30,000")], logarithmic=True)

    first = chart()
    steps("another", [Steps("x", (("own", 0.5),), "0.5")])
    assert chart() == first


def _lengths(chart: Html) -> list[float]:
    return [float(length) for length in re.findall(r'd="M0,[\d.]+h([\d.]+)v[^"]*" fill="#', chart)]


def test_bars_are_as_long_as_their_values() -> None:
    assert _lengths(bars("t", [Bar("a", 1, ""), Bar("b", 4, "")])) == [65, 260]
    assert _lengths(bars("t", [Bar("a", 1, "")], most=4)) == [65]
    one, thousand = _lengths(bars("t", [Bar("a", 1, ""), Bar("b", 1000, "")], logarithmic=True))
    assert thousand == pytest.approx(260)
    assert 20 < one < 40  # log 2 / log 1001 of it


def test_long_names_are_broken_into_lines_and_equal_ones_stay_apart() -> None:
    chart = bars("t", [Bar("word " * 40, 1, "1"), Bar("word " * 40, 2, "2"), Bar("x" * 200, 3, "3")])
    assert chart.count("<tspan") == 9
    assert chart.count("…") == 3
    assert len(_lengths(chart)) == 3


def test_groups_are_named_once() -> None:
    chart = grouped_bars("t", [Bar("first", 1, "a"), Bar("first", 2, "b"), Bar("second", 3, "c")])
    assert chart.partition("<title>")[2].count("first") == 1


@pytest.mark.slow
def test_the_command_line_does_not_import_charts() -> None:
    script = "import sys, tacita.cli.main, tacita.views.charts, tacita.views.assessment.as_html\n"
    script += "print({'altair', 'vl_convert'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
