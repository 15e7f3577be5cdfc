"""The report as HTML: what was found is in it, names are text, nothing is fetched, the same input gives the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as tc
from tacita.assess.assess import Question
from tacita.assess.assessment import Assessment
from tacita.model.dictionary import MissingAs
from tacita.model.figures import figure, share
from tacita.risk.catalogue import measure
from tacita.risk.null_semantics import Nulls
from tacita.version import __version__

VOID = {"meta", "br"}
HOSTILE = "<script>alert('x')</script>"
FIRMS = ["Area", "Sector", "Employees"]


class Page(HTMLParser):
    """A strict reader: every element is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.headings: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"h1", "h2", "h3"}:
            self.headings.append(data)
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> tuple[Assessment, str]:
    found = _with_scenarios(tmp_path_factory.mktemp("scenarios"))
    return found, found.to_html()


def _with_scenarios(tmp_path: Path) -> Assessment:
    rows = [["N", "food", "1"], ["N", "food", "2"], ["S", "toys", "1"], ["S", "toys", "9"], ["E", "", "9"]] * 3
    (tmp_path / "firms.csv").write_text(
        "Area,Sector,Size\n" + "\n".join(",".join(row) for row in rows) + "\nW,wool,7\n"
    )
    (tmp_path / "firms.dictionary.toml").write_text(
        '[microdata]\nname = "<b>firms</b>"\nmissing-as = "unknown"\n'
        + "".join(f'[attributes.{name}]\ncategory = "quasi-identifier"\n' for name in ("Area", "Sector", "Size"))
        + '[scenarios]\nneighbour = ["Area"]\n"<i>rival</i>" = ["Sector", "Size"]\n'
    )
    return tc.read(tmp_path / "firms.csv").assess()


@pytest.fixture(scope="module")
def households() -> str:
    data = tc.generate("households", rows=300, seed=1).with_roles(quasi=["Sex", "Age"], cluster="Household")
    return data.assess(Question(measures=(measure("individual-risk"), measure("population-uniqueness")))).to_html()


@pytest.fixture(scope="module")
def figure_1() -> Assessment:
    return tc.sample("figure-1").assess(known=FIRMS)


@pytest.fixture(scope="module")
def page(figure_1: Assessment) -> str:
    return figure_1.to_html()


def _shown(page: str) -> str:
    return re.sub(r"\s+", " ", Page(page).text)


@pytest.mark.slow
def test_the_page_is_well_formed_and_its_headings_are_in_order(page: str) -> None:
    found = Page(page)
    assert found.tags.count("h1") == found.tags.count("main") == found.tags.count("html") == 1
    assert found.headings[0].startswith("Disclosure risk of ")
    assert "What was found" in found.headings
    assert found.headings.index("Riskiest attributes") < found.headings.index("Riskiest records")


def test_the_verdict_comes_first_with_a_word(figure_1: Assessment, page: str) -> None:
    shown = _shown(page)
    assert shown.index("NOT SAFE") < shown.index(figure_1.verdict) < shown.index("What was found")
    assert 'class="verdict bad"' in page


def test_a_safe_file_is_called_so() -> None:
    safe = tc.read(pa.table({"x": ["a"] * 50, "y": ["b"] * 50})).assess(known=["x", "y"])
    assert safe.is_safe
    assert 'class="verdict good"><strong>SAFE</strong>' in safe.to_html()


@pytest.mark.slow
def test_text_json_and_page_show_the_same_figures(figure_1: Assessment, scenarios: tuple[Assessment, str]) -> None:
    sensitive = tc.sample("patients-4-anonymous").assess()
    for found in (figure_1, scenarios[0], sensitive):
        page, text = found.to_html(), " ".join(str(found).split())
        for told in found.to_dict()["scenarios"]:
            of_records = [each for each in told["measures"] if "unsafe" in each]
            for each in of_records:
                figures = [
                    figure(each["threshold"]),
                    figure(each["unsafe"]),
                    share(each["unsafe_share"]),
                    *(_or_dash(each[name]) for name in ("expected_reidentifications", "average_risk", "highest_risk")),
                ]
                assert "".join(f'<td class="number">{value}</td>' for value in figures) in page
                assert " ".join(value for value in figures if value != "–") in text
            smallest = figure(told["frequencies"]["smallest"])
            assert f"At least {smallest} look alike (k = {smallest})" in page
            assert f"At least {smallest} look alike (k = {smallest})" in text
            assert f"k-anonymity, k = {told['k']}" in page and f"k-anonymity, k = {told['k']}" in text
        verdict = found.to_dict()["verdict"]
        assert verdict in text and verdict in unescape(page)


def test_only_probabilities_add_up_to_expected_re_identifications(figure_1: Assessment) -> None:
    found = figure_1["k-anonymity"]
    assert found.unsafe == 20 and found.expected is None and found.average is None
    assert figure_1["individual-risk"].expected is not None


def _or_dash(value: float | None) -> str:
    return "–" if value is None else figure(value)


@pytest.mark.slow
def test_figures_of_attackers_and_estimators_have_readable_names(households: str) -> None:
    shown = _shown(households)
    assert "household individual-risk" in shown
    assert "at least one of the record's household is found, by individual-risk" in shown
    assert "Pitman" in shown
    assert "share of uniques" in shown
    assert "population size" in shown
    assert "journalist" not in shown
    firms = tc.sample("figure-1").with_roles(quasi=FIRMS, weight="W").assess().to_html()
    assert "journalist: has a register of the population" in _shown(firms)
    assert "journalist_" not in firms


def test_where_risk_comes_from_is_drawn_for_households(households: str) -> None:
    pictures = _labels(households)
    (waterfall,) = [label for label in pictures if label.startswith("Where the risk")]
    assert re.search(r"row [\d,]+: [\d.]+ own risk → [\d.]+ household", waterfall)
    assert not re.search(r": ([\d.]+) own risk → \1 household", waterfall)


def test_it_is_said_if_households_add_nothing() -> None:
    data = tc.read(pa.table({"home": ["1", "1", "2"], "x": ["a", "b", "c"]})).with_roles(quasi=["x"], cluster="home")
    made = data.assess(Question(measures=(measure("k-anonymity"),))).to_html()
    assert "Nothing is added to the records' own risks by: household." in _shown(made)
    assert not [label for label in _labels(made) if label.startswith("Where the risk")]


def test_scenarios_are_side_by_side_first(scenarios: tuple[Assessment, str]) -> None:
    assessment, made = scenarios
    found = Page(made)
    headings = [heading for heading in found.headings if heading not in {"Figures of the file"}]
    assert headings[0] == "Disclosure risk of <b>firms</b>"
    assert headings[1] == "Scenarios side by side"
    assert [h for h in headings if h in {s.name for s in assessment.scenarios}] == [
        s.name for s in assessment.scenarios
    ]
    anchors = {value for _, key, value in found.attributes if key == "id"}
    assert {value for _, key, value in found.attributes if key == "href"} == {f"#{anchor}" for anchor in anchors}
    assert any(label.startswith("Unsafe records by measure and scenario") for label in _labels(made))


def test_meanings_of_nulls_are_side_by_side_if_there_are_nulls(scenarios: tuple[Assessment, str], page: str) -> None:
    shown = _shown(scenarios[1])
    assert "strict (alpha 0) (used here)" in shown
    assert "expected (marginal)" in shown
    assert "(used here)" not in page


@pytest.mark.slow
def test_hostile_names_stay_text() -> None:
    table = pa.table({HOSTILE: ["a", "a", "b"], '"><img src=x onerror=y>': ["x", "y", "y"], "c": ["1", "1", None]})
    data = tc.read(table)
    assessment = data.assess(Question(nulls=Nulls(MissingAs.UNKNOWN)), known=data.dictionary.names)
    for made in (assessment.to_html(), assessment._repr_html_()):
        found = Page(made)
        assert not {"script", "img"} & set(found.tags)
        assert not [key for _, key, _ in found.attributes if key.startswith("on")]
        assert HOSTILE in found.text
        assert HOSTILE not in made


def test_nothing_is_fetched(page: str, figure_1: Assessment) -> None:
    for made in (page, figure_1._repr_html_()):
        assert "http:" not in made
        assert "https:" not in made
        assert not {"script", "link", "img", "iframe", "image", "use"} & set(Page(made).tags)
        assert not [value for _, key, value in Page(made).attributes if key in {"src", "xlink:href"}]


@pytest.mark.slow
def test_the_same_input_has_the_same_bytes(scenarios: tuple[Assessment, str], tmp_path: Path) -> None:
    _, made = scenarios
    assert _with_scenarios(tmp_path).to_html() == made
    assert "firms.csv" not in made
    assert str(tmp_path.parent) not in made


@pytest.mark.slow
def test_the_path_of_a_rule_program_is_not_told(tmp_path: Path) -> None:
    program = tmp_path / "ours.vada"
    program.write_text(_shipped("reidentification"))
    data = tc.sample("figure-1").with_roles(weight="W")
    made = data.assess(Question(measures=(measure(str(program), {"threshold": 0.001}),)), known=FIRMS)
    for form in (made.to_html(), made._repr_html_()):
        assert str(tmp_path) not in form
        assert "by ours.vada." in Page(form).text
    assert any(label.startswith("Records by their risk, ours.vada. 0: ") for label in _labels(made.to_html()))


def _shipped(name: str) -> str:
    from tacita.knowledge import programs

    found = programs.find(name)
    assert found is not None
    return found[0]


def test_charts_are_told_in_words(figure_1: Assessment, page: str) -> None:
    labels = _labels(page)
    assert labels[0].startswith("Records by how many look like them. 1: ")
    alone = figure_1.scenarios[0].alike.by_size[0]
    assert f"1: {alone:,} · fewer than 3; 2: " in labels[0]
    assert any(label.startswith("Records by their risk, individual-risk. 0: ") for label in labels)
    assert not any("k-anonymity" in label for label in labels)  # its risks are 0 or 1: nothing to spread


def test_a_size_that_is_partly_under_k_says_so() -> None:
    made = tc.sample("figure-1").assess(Question(k=4), known=["Sector"]).to_html()
    (label,) = [each for each in _labels(made) if each.startswith("Records by how many")]
    assert re.search(r"3 to 4: (0|[\d,]+ · some fewer than 4);", label)
    assert "5 to 9: 0" in label or re.search(r"5 to 9: [\d,]+;", label)


def _labels(page: str) -> list[str]:
    return [unescape(value) for tag, key, value in Page(page).attributes if tag == "svg" and key == "aria-label"]


def test_footer_tells_version_settings_and_that_it_is_internal(page: str) -> None:
    footer = page[page.index("<footer>") :]
    assert f"Tacita {__version__}" in footer
    assert "For internal use" in footer
    assert "k 3, threshold 0.5" in footer
    assert "a null counts as" in footer


def test_the_riskiest_records_have_reasons_and_no_values(figure_1: Assessment, page: str) -> None:
    record = figure_1.scenarios[0].riskiest[0]
    assert f'<th scope="row" class="number">{record.row:,}</th>' in page
    assert record.reasons[0][2] in unescape(page)
    for value in _values(FIRMS):
        assert f">{value}<" not in page
        assert f" {value} " not in _shown(page)


def _values(names: list[str]) -> Iterator[str]:
    table = tc.sample("figure-1").to_arrow()
    for name in names:
        yield from (str(value) for value in set(table.column(name).to_pylist()) if not str(value).isdigit())


@pytest.mark.slow
def test_no_records_and_few_records() -> None:
    nothing = tc.read(pa.table({"x": pa.array([], pa.string()), "y": pa.array([], pa.string())}))
    for data in (nothing, tc.read(pa.table({"x": ["a", "b"], "y": ["c", "c"]}))):
        assessment = data.assess(known=["x", "y"])
        assert assessment.verdict in Page(assessment.to_html()).text
        assert assessment.verdict in Page(assessment._repr_html_()).text


def test_measures_of_the_file_only() -> None:
    made = tc.sample("figure-1").assess(Question(measures=(measure("file-risk"),)), known=FIRMS)
    shown = _shown(made.to_html())
    assert "MEASURED" in shown
    assert "prosecutor" in shown


def test_a_notebook_gets_the_verdict_the_measures_and_the_look_alikes(figure_1: Assessment) -> None:
    made = figure_1._repr_html_()
    found = Page(made)
    assert made.startswith('<div class="tacita-report">')
    assert figure_1.verdict in found.text
    assert found.tags.count("table") == found.tags.count("svg") == 1
    style = made[made.index("<style>") + 7 : made.index("</style>")]
    selectors = [each.strip() for rule in re.findall(r"([^{}]+)\{", style) for each in rule.split(",")]
    assert selectors
    assert all(each.startswith(".tacita-report") for each in selectors)


@pytest.mark.slow
def test_twelve_attributes_with_long_names() -> None:
    names = [f"the answer to question {i} of the questionnaire, <as given>, in the second interview" for i in range(12)]
    table = pa.table({name: [str((row * (i + 3)) % 7) for row in range(60)] for i, name in enumerate(names)})
    made = tc.read(table).assess(known=names).to_html()
    for name in names:
        assert name in Page(made).text
