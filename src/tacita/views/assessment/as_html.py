"""An assessment as a page to keep, and as a part of a notebook: the same values as the text, with charts.

There is no time and no path in it, so that the same data and the same question give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from tacita.assess.assessment import Assessment, ScenarioAssessment
from tacita.assess.finding import Finding
from tacita.assess.riskiest import RiskyRecord
from tacita.errors import counted, listed
from tacita.model.figures import figure, share
from tacita.risk.catalogue import MEASURES
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.measure import Measure
from tacita.risk.ruled import Ruled
from tacita.version import __version__
from tacita.views.assessment import as_charts
from tacita.views.assessment.presentation import (
    contributions,
    headline,
    look_alikes,
    measures,
    parameters,
    reasons,
    risky,
    unsafe_keys,
)
from tacita.views.markup import Html, docstring, items, joined, tag
from tacita.views.page import captioned, page, section, side_by_side, style, verdict
from tacita.views.tables import Cell, table

_SHOWN_KEYS = 10
_STYLES = {"SAFE": "good", "NOT SAFE": "bad", "MEASURED": "neutral"}
_LOGARITHMIC = "(Bars are logarithmic.)"
_WHO = {
    "prosecutor": "prosecutor: knows that the target is in the file",
    "journalist": "journalist: has a register of the population",
    "marketer": "marketer: links all records at once",
    "zayatz": "Zayatz",
    "slide_negative_binomial": "slide negative binomial",
    "pitman": "Pitman",
    "log_linear": "log-linear model",
    "counted": "counted in the population",
    "chosen": "chosen",
}
"""Figures that several attackers or estimators have begin with one of these: they get a row each."""


def assessment_page(assessment: Assessment) -> Html:
    """Return an assessment as one HTML file."""
    names = _names(assessment)
    several = len(assessment.scenarios) > 1
    body = [_header(assessment), _verdict(assessment, names)]
    if several:
        body.append(_side_by_side(assessment.scenarios, names))
    for place, scenario in enumerate(assessment.scenarios, 1):
        is_named = several or scenario.name in assessment.microdata.dictionary.scenarios
        title = scenario.name if is_named else "What was found"
        body.append(section(title, *_scenario(scenario, names), anchor=f"scenario-{place}"))
    if assessment.notes:
        body.append(section("Notes", items(_plain(note, names) for note in assessment.notes)))
    body.append(_footer(assessment, names))
    return page(f"Disclosure risk of {assessment.microdata.name}", tag("main", *body))


def assessment_fragment(assessment: Assessment) -> Html:
    """Return an assessment as a part of a notebook: the verdict, the measures, and how many look alike."""
    names = _names(assessment)
    parts: list[Html] = []
    for scenario in assessment.scenarios:
        title = f"{scenario.name}: the" if len(assessment.scenarios) > 1 else "The"
        parts.append(tag("p", f"{title} intruder knows: ", _known(scenario.known)))
        parts += [*_measures(scenario, names), _look_alikes(scenario)]
    title = tag("p", tag("b", assessment.microdata.name), f" {counted(assessment.records, 'record')}")
    return tag("div", style("fragment"), title, _verdict(assessment, names), *parts, class_="tacita-report")


def _header(assessment: Assessment) -> Html:
    weight = assessment.microdata.dictionary.weight
    records = counted(assessment.records, "record") + (f", weighted by {weight}" if weight else ", without weights")
    proposed = [
        tag("p", "The categories of the attributes are proposals: nobody has accepted them yet.", class_="soft")
    ]
    return tag(
        "header",
        tag("h1", f"Disclosure risk of {assessment.microdata.name}"),
        tag("p", records, class_="soft"),
        *(proposed if assessment.proposals else []),
    )


def _verdict(assessment: Assessment, names: Mapping[str, str]) -> Html:
    answer = headline(assessment)
    return verdict(answer.word, _plain(answer.sentence, names), _STYLES[answer.word])


def _side_by_side(scenarios: Sequence[ScenarioAssessment], names: Mapping[str, str]) -> Html:
    measures = list(dict.fromkeys(finding.name for s in scenarios for finding in s.findings if finding.is_of_records))
    unsafe = [{finding.name: finding.unsafe for finding in scenario.findings} for scenario in scenarios]
    rows: list[list[Cell]] = [[names.get(name, name), *(counts.get(name) for counts in unsafe)] for name in measures]
    known = [
        joined([tag("a", scenario.name, href=f"#scenario-{place}"), ": the intruder knows ", _known(scenario.known)])
        for place, scenario in enumerate(scenarios, 1)
    ]
    chart = captioned(as_charts.scenarios(scenarios, names), "Unsafe records by measure and scenario")
    counts = table(["unsafe records", *(scenario.name for scenario in scenarios)], rows) if rows else Html()
    return section("Scenarios side by side", items(known), counts, chart)


def _scenario(scenario: ScenarioAssessment, names: Mapping[str, str]) -> Iterator[Html]:
    yield tag("p", "The intruder knows: ", _known(scenario.known))
    yield from _measures(scenario, names)
    spreads = [
        captioned(as_charts.spread(finding, name), f"Records by their risk: {name}. {_LOGARITHMIC}")
        for finding, name in ((finding, names.get(finding.name, finding.name)) for finding in scenario.findings)
        if finding.is_of_records and finding.records and not as_charts.says_yes_or_no(finding)
    ]
    yield side_by_side(_look_alikes(scenario), *spreads)
    yield from _nulls(scenario)
    yield from _attributes(scenario)
    yield from _keys(scenario)
    yield from _riskiest(scenario, names)
    yield from _figures(scenario, names)
    yield items(f"{name} was left out: {reason}" for name, reason in scenario.skipped)


def _measures(scenario: ScenarioAssessment, names: Mapping[str, str]) -> Iterator[Html]:
    heads = [
        "measure",
        "unsafe above",
        "unsafe records",
        "share",
        "expected re-identifications",
        "average risk",
        "highest risk",
    ]
    meanings = {figures.name: _meaning(figures.measure) for figures in scenario.findings}
    rows: list[list[Cell]] = [
        [
            joined(
                [
                    ", ".join(filter(None, [names.get(figures.name, figures.name), figures.telling])),
                    tag("span", meanings[figures.name], class_="meaning"),
                ]
            ),
            figures.threshold,
            figures.unsafe,
            share(figures.unsafe_share),
            figures.expected,
            figures.average,
            figures.highest,
        ]
        for figures in measures(scenario)
    ]
    if rows:
        yield table(heads, rows)


def _look_alikes(scenario: ScenarioAssessment) -> Html:
    caption = f"Records by how many look alike. {look_alikes(scenario)} {_LOGARITHMIC}"
    return captioned(as_charts.look_alikes(scenario), caption)


def _nulls(scenario: ScenarioAssessment) -> Iterator[Html]:
    if scenario.nulls:
        heads = ["a null counts as", "fewest that look alike", "sample uniques", f"records under {scenario.k}"]
        rows: list[list[Cell]] = [
            [f"{alike.nulls.in_words}{'' if place else ' (used here)'}", alike.smallest, alike.uniques, alike.under]
            for place, alike in enumerate(scenario.nulls)
        ]
        said = tag("p", "How many look alike depends on what a missing or hidden value may be.")
        yield section("Values are missing", said, table(heads, rows), level=3)


def _attributes(scenario: ScenarioAssessment) -> Iterator[Html]:
    if not scenario.alike.under or len(scenario.known) < 2:
        return
    shares = contributions(scenario)
    heads = ["attribute", f"under {scenario.k} without it", "saved"]
    rows: list[list[Cell]] = [
        [risk.attribute, risk.unsafe_without, risk.saved, *([share(shares.get(risk.attribute, 0.0))] if shares else [])]
        for risk in scenario.attributes
    ]
    said = (
        f"{counted(scenario.alike.under, 'record')} in groups under {scenario.k}: how many would still be there if the "
        "intruder did not know an attribute, and how many would be saved."
    )
    chart = as_charts.attributes(scenario)
    alone = "No attribute alone saves a record: groups stay under the bound whichever of them is left out."
    yield section(
        "Riskiest attributes",
        tag("p", said if chart else alone),
        side_by_side(
            captioned(chart, "Records that would be safe without the attribute"),
            table([*heads, "share of SUDA scores"] if shares else heads, rows),
        ),
        level=3,
    )


def _keys(scenario: ScenarioAssessment) -> Iterator[Html]:
    keys = unsafe_keys(scenario)
    if not keys:
        return
    left = len(keys) - _SHOWN_KEYS
    more = [tag("p", f"{counted(left, 'combination')} more with unsafe cells.", class_="soft")] if left > 0 else []
    yield section(
        "Riskiest combinations",
        tag("p", "A cell is unsafe if too few records have its combination of values."),
        table(["combination", "unsafe cells", "records in them"], keys[:_SHOWN_KEYS]),
        *more,
        level=3,
    )


def _riskiest(scenario: ScenarioAssessment, names: Mapping[str, str]) -> Iterator[Html]:
    records = risky(scenario)
    if not records:
        return
    chart = as_charts.waterfalls(records)
    rows: list[list[Cell]] = [[record.row, record.risk, _why(scenario, record, names)] for record in records]
    added = [rise.source for rise in records[0].waterfall[1:]]
    nothing = [tag("p", f"Nothing is added to the records' own risks by: {', '.join(added)}.")]
    yield section(
        "Riskiest records",
        tag("p", "Rows count the records of the file from 1.", class_="soft"),
        table(["row", "highest risk", "why"], rows),
        captioned(
            chart, "Where their risk comes from: the record's own, and what those who belong to it or a register add"
        ),
        *(nothing if added and not chart else []),
        level=3,
    )


def _why(scenario: ScenarioAssessment, record: RiskyRecord, names: Mapping[str, str]) -> Html:
    by_reason: dict[tuple[float, str], list[str]] = {}
    for measure, risk, reason in reasons(scenario, record):
        by_reason.setdefault((risk, reason), []).append(names.get(measure, measure))
    return items(
        f"{', '.join(who)} {figure(risk)}: {_plain(reason, names)}" for (risk, reason), who in by_reason.items()
    )


def _figures(scenario: ScenarioAssessment, names: Mapping[str, str]) -> Iterator[Html]:
    """Yield the figures of the file: those of attackers and estimators in rows, others by name."""
    findings = [finding for finding in scenario.findings if finding.risks.figures]
    if findings:
        parts = [_figures_of(finding, names.get(finding.name, finding.name)) for finding in findings]
        narrow, wide = [alone for alone, _ in parts], [rows for _, rows in parts]
        yield section("Figures of the file", side_by_side(*narrow, narrow=True), *wide, level=3)


def _figures_of(finding: Finding, name: str) -> tuple[Html, Html]:
    grouped: dict[str, dict[str, float]] = {}
    alone: dict[str, float] = {}
    for key, value in finding.risks.figures.items():
        who = next((who for who in _WHO if key.startswith(f"{who}_")), None)
        if who is None or finding.is_of_records:
            alone[key] = value
        else:
            grouped.setdefault(who, {})[key.removeprefix(f"{who}_")] = value
    listed_ = [[_words(key), _value(key, value)] for key, value in alone.items()]
    keys = list(dict.fromkeys(key for figures in grouped.values() for key in figures))
    rows: list[list[Cell]] = [
        [_WHO[who], *(_value(key, figures.get(key)) for key in keys)]
        for who, figures in sorted(grouped.items(), key=lambda pair: list(_WHO).index(pair[0]))
    ]
    return (
        table(["figure", "value"], listed_, name) if listed_ else Html(),
        table([MEASURES.fact(finding.measure, "figures_by"), *map(_words, keys)], rows, name) if rows else Html(),
    )


def _footer(assessment: Assessment, names: Mapping[str, str]) -> Html:
    first = assessment.scenarios[0]
    sample = first.sample
    unique = {finding.name: finding.measure for s in assessment.scenarios for finding in s.findings}
    settings: list[list[Cell]] = [["look-alikes wanted (k)", str(first.k)], ["a null counts as", sample.nulls.in_words]]
    settings += [
        [word, value]
        for word, value in (
            ("weight", sample.weight),
            ("cluster key", ", ".join(sample.clusters)),
            ("sensitive", listed(sample.sensitive, 20)),
        )
        if value
    ]
    if sample.population is not None:
        settings.append(["population", "given"])
    settings += [[names.get(name, name), _settings(measure)] for name, measure in unique.items()]
    return tag(
        "footer",
        tag(
            "p", tag("strong", "For internal use: "), "this report tells which records are at risk. Do not release it."
        ),
        tag("p", f"Made by Tacita {__version__}."),
        table(["setting", "value"], settings),
    )


def _settings(measure: Measure) -> str:
    given = parameters(measure)
    return ", ".join(f"{key} {_setting(value)}" for key, value in given.items() if value is not None and value != "")


def _setting(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _meaning(measure: Measure) -> str:
    if isinstance(measure, ClusterRisk):
        return (
            f"The probability that at least one of the record's {measure.word} is found, by {_name(measure.measure)}."
        )
    if isinstance(measure, Ruled):
        return "The risk that a rule program concludes."
    return docstring(MEASURES.meaning(measure.name)) if measure.name in MEASURES else ""


def _known(names: Iterable[str]) -> Html:
    return joined([tag("b", name) for name in names], ", ")


def _words(key: str) -> str:
    return key.replace("_", " ").replace("msus", "minimal sample uniques").replace("msu", "minimal sample unique")


def _value(key: str, value: float | None) -> Cell:
    return value if value is None or "share" not in key else share(value)


def _names(assessment: Assessment) -> dict[str, str]:
    """Return the measures whose name is a path, and the name to show: where a program lies is nobody's business."""
    measures = [finding.measure for s in assessment.scenarios for finding in s.findings]
    return {measure.name: _name(measure) for measure in measures if _name(measure) != measure.name}


def _name(measure: Measure) -> str:
    if isinstance(measure, ClusterRisk):
        return f"{measure.word} {_name(measure.measure)}"
    return PurePath(measure.name).name if isinstance(measure, Ruled) else measure.name


def _plain(sentence: str, names: Mapping[str, str]) -> str:
    for name, shown in names.items():
        sentence = sentence.replace(name, shown)
    return sentence
