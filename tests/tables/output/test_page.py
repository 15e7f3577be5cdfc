"""The page: one file, figures escaped, withheld ones not in it, reasons in the internal version only."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.tables.output.shown import SECTOR, SIZE, YEAR, external, internal, table

from tacita.views.table_pages import tables_page

_VOID = {"meta", "br"}


class Cells(HTMLParser):
    """Collects the cells of all tables, and checks that elements are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[tuple[dict[str, str | None], str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "img", "link", "iframe"}
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "td":
            self.cells.append((dict(attributes), ""))

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "td":
            self.cells[-1] = (self.cells[-1][0], self.cells[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_external_page_shows_figures_and_says_only_that_some_are_withheld() -> None:
    text = tables_page("Turnover", external(table(SECTOR, SIZE)))
    cells = Cells(text).cells
    assert [figure for _, figure in cells[:6]] == ["1,000", "2,000", "3,000", "4,000", "5,000", "x"]
    assert cells[5][0] == {"class": "withheld", "title": "withheld", "tabindex": "0"}
    assert not [word for word in ("777", "primary", "dominance", "Internal") if word in text.split("</style>")[-1]]
    assert "&lt;s&gt;" in text
    assert "large &amp; old" in text


def test_the_internal_page_says_why_on_hover() -> None:
    text = tables_page("Turnover", internal(table(SECTOR, SIZE)))
    cells = Cells(text).cells
    assert cells[5] == ({"class": "primary", "title": "sensitive by 'dominance' & <b>", "tabindex": "0"}, "777,777.25")
    assert cells[7][0]["class"] == "secondary"
    assert "is not for publication" in text


def test_codes_are_indented_by_their_depth() -> None:
    text = tables_page("Turnover", external(table(SECTOR, SIZE)))
    assert '<th scope="row" class="deep-2">A1</th>' in text
    assert '<th scope="row">Total</th>' in text


def test_dimensions_beyond_the_second_are_sheets_that_can_be_folded() -> None:
    text = tables_page("Turnover", external(table(SECTOR, SIZE, YEAR)))
    assert text.count("<details") == 3
    assert "<summary>year: 2024</summary>" in text


def test_the_same_tables_give_the_same_page() -> None:
    assert tables_page("t", external(table(SECTOR, SIZE))) == tables_page("t", external(table(SECTOR, SIZE)))
