"""An assessment for the terminal: the verdict first, then figures, spread, attributes, and the riskiest records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacita.assess.assessment import Assessment, ScenarioAssessment
from tacita.assess.finding import Finding
from tacita.assess.riskiest import RiskyRecord
from tacita.errors import counted, listed, printable
from tacita.model.figures import figure, share
from tacita.risk.catalogue import MEASURES
from tacita.views.assessment.presentation import (
    contributions,
    headline,
    look_alikes,
    measures,
    reasons,
    risky,
    sizes,
    unsafe_keys,
)
from tacita.views.terminal import add, empty_table

_BAR = 24
_SHOWN_KEYS = 5
_SHOWN_ROWS = 15
_LONG = 20
_STYLES = {"SAFE": "bold green", "NOT SAFE": "bold red", "MEASURED": "bold"}


def assessment_text(assessment: Assessment) -> RenderableType:
    """Return an assessment as something rich can print at any width."""
    parts: list[RenderableType] = [_title(assessment), _verdict(assessment)]
    if len(assessment.scenarios) > 1:
        parts.append(_side_by_side(assessment.scenarios))
    for scenario in assessment.scenarios:
        parts += _scenario(scenario, named=len(assessment.scenarios) > 1)
    parts += [Text(f"note: {printable(note)}", style="dim") for note in assessment.notes]
    return Group(*parts)


def _title(assessment: Assessment) -> Text:
    text = Text()
    text.append(printable(assessment.microdata.name), style="bold")
    text.append(f"  {counted(assessment.records, 'record')}")
    weight = assessment.microdata.dictionary.weight
    text.append(f", weighted by {printable(weight)}" if weight else ", without weights")
    if assessment.proposals:
        text.append("; categories are proposals (tacita categorize FILE --accept makes them yours)", style="dim")
    return text


def _verdict(assessment: Assessment) -> Padding:
    answer = headline(assessment)
    text = Text()
    text.append(answer.word, style=_STYLES[answer.word])
    text.append(f"  {answer.sentence}")
    return Padding(text, (1, 0))


def _side_by_side(scenarios: Sequence[ScenarioAssessment]) -> RenderableType:
    """Return the scenarios, one a row: how many records are unsafe by each measure."""
    names = list(dict.fromkeys(finding.name for s in scenarios for finding in s.findings if finding.is_of_records))
    table = _table("scenario", "the intruder knows", *names)
    for scenario in scenarios:
        findings = {finding.name: finding for finding in scenario.findings}
        cells = [f"{findings[name].unsafe:,}" if name in findings else "-" for name in names]
        add(table, printable(scenario.name), printable(listed(scenario.known, 4)), *cells)
    return Padding(Group(Text("Unsafe records by scenario", style="bold"), table), (0, 0, 1, 0))


def _scenario(scenario: ScenarioAssessment, *, named: bool) -> Iterator[RenderableType]:
    known = printable(listed(scenario.known, 12))
    if named:
        yield Text(f"── {printable(scenario.name)}: the intruder knows {known}", style="bold")
    else:
        yield Text(f"The intruder knows: {known}")
    yield from _figures(scenario)
    yield from _spread(scenario)
    yield from _risks(scenario)
    yield from _nulls(scenario)
    yield from _attributes(scenario)
    yield from _keys(scenario)
    yield from _riskiest(scenario)
    for measure, reason in scenario.skipped:
        yield Text(f"{measure} was left out: {printable(reason)}", style="dim")


def _figures(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    of_records = measures(scenario)
    if of_records:
        table = _table("measure", "unsafe above", "unsafe", "", "expected to be found", "average risk", "highest")
        for measure in of_records:
            style = "red" if measure.unsafe else "green"
            add(
                table,
                ", ".join(filter(None, [printable(measure.name), measure.telling])),
                figure(measure.threshold),
                Text(f"{measure.unsafe:,}", style=style),
                share(measure.unsafe_share),
                _or_nothing(measure.expected),
                _or_nothing(measure.average),
                figure(measure.highest),
            )
        yield Padding(table, (1, 0))
    for finding in scenario.findings:
        if MEASURES.fact(finding.measure, "figures_by") == "attacker":
            yield Padding(_attackers(finding), (0, 0, 1, 0))
        elif not finding.is_of_records or len(scenario.findings) == 1:
            yield from _figures_of_file(finding)


def _figures_of_file(finding: Finding) -> Iterator[RenderableType]:
    """Yield the figures and tables of a measure that is alone, or about the file."""
    detailed = {row.get("estimator") for rows in finding.risks.tables.values() for row in rows}
    table = _table(printable(finding.name), "")
    for name, value in finding.risks.figures.items():
        if not any(name.startswith(f"{estimator}_") for estimator in detailed if estimator):
            add(table, name.replace("_", " "), figure(value))
    if table.rows:
        yield Padding(table, (0, 0, 1, 0))
    for rows in finding.risks.tables.values():
        if rows:
            grid = _table(*(str(name).replace("_", " ") for name in rows[0]))
            for row in rows[:_SHOWN_ROWS]:
                add(grid, *(_cell(value) for value in row.values()))
            yield Padding(grid, (0, 0, 1, 0))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return figure(value) if isinstance(value, int | float) else "" if value is None else printable(str(value))


def _attackers(finding: Finding) -> Table:
    """Return the file as three intruders see it: one who knows who is in it, one who does not, one who links it all."""
    columns = ("records_at_risk", "expected", "average", "highest")
    above = f"records above {finding.risks.threshold:g}"
    table = _table("attacker of the file", above, "expected to be found", "average risk", "highest")
    for attacker in ("prosecutor", "journalist", "marketer"):
        figures = [finding.risks.figures.get(f"{attacker}_{column}") for column in columns]
        if any(value is not None for value in figures):
            add(table, attacker, *("" if value is None else figure(value) for value in figures))
    return table


def _or_nothing(value: float | None) -> str:
    return "" if value is None else figure(value)


def _spread(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    alike = scenario.alike
    total = max(1, sum(alike.by_size))
    table = _table("look alike", "records", "", "")
    for (size, _, _), records in zip(sizes(), alike.by_size, strict=True):
        add(table, size, f"{records:,}", share(records / total), "█" * round(_BAR * records / total))
    yield Text(look_alikes(scenario))
    yield Padding(table, (0, 0, 1, 0))


def _risks(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    """Yield how the risks of records are spread, for measures that give more than 0 and 1."""
    graded = [finding for finding in scenario.findings if finding.risks.are_probabilities]
    if not graded:
        return
    table = _table("risk", *(printable(finding.name) for finding in graded))
    for i, part in enumerate(graded[0].distribution):
        name = f"up to {part.high:g}" if part.high else "0"
        add(table, name, *(f"{finding.distribution[i].records:,}" for finding in graded))
    yield Padding(table, (0, 0, 1, 0))


def _nulls(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    if not scenario.nulls:
        return
    table = _table("a null counts as", "k", "uniques", f"under {scenario.k}")
    for i, alike in enumerate(scenario.nulls):
        name = f"{alike.nulls.in_words}{' (used here)' if i == 0 else ''}"
        add(table, name, figure(alike.smallest), f"{alike.uniques:,}", f"{alike.under:,}")
    yield Text("Values are missing; how many look alike depends on what a null may be:")
    yield Padding(table, (0, 0, 1, 0))


def _attributes(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    if not scenario.alike.under or not scenario.attributes or len(scenario.known) < 2:
        return
    shares = contributions(scenario)
    heads = ["riskiest attributes", f"under {scenario.k} without it", "saved"]
    table = _table(*heads, *(["in SUDA scores (shares overlap)"] if shares else []))
    for risk in scenario.attributes[:10]:
        row = [printable(risk.attribute), f"{risk.unsafe_without:,}", f"{risk.saved:,}"]
        if shares:
            row.append(share(shares.get(risk.attribute, 0.0)))
        add(table, *row)
    yield Padding(table, (0, 0, 1, 0))


def _keys(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    if keys := unsafe_keys(scenario)[:_SHOWN_KEYS]:
        table = _table("riskiest combinations", "unsafe cells", "records in them")
        for names, cells, records in keys:
            add(table, printable(names), f"{cells:,}", f"{records:,}")
        yield Padding(table, (0, 0, 1, 0))


def _riskiest(scenario: ScenarioAssessment) -> Iterator[RenderableType]:
    unsafe = risky(scenario)
    if not unsafe:
        return
    table = _table("row", "risk", "why")
    for record in unsafe:
        add(table, f"{record.row:,}", figure(record.risk), _why(scenario, record))
    yield Text("Riskiest records", style="bold")
    yield Padding(table, (0, 0, 1, 0))


def _why(scenario: ScenarioAssessment, record: RiskyRecord) -> str:
    elsewhere = {finding.name for finding in scenario.findings if MEASURES.fact(finding.measure, "is_told_elsewhere")}
    said = [reason for measure, _, reason in reasons(scenario, record) if measure not in elsewhere]
    words = "; ".join(_once(said or [record.reasons[0][2]]))
    if len(record.waterfall) > 1:
        words += " [" + " → ".join(f"{rise.source} {figure(rise.risk)}" for rise in record.waterfall) + "]"
    return printable(words)


def _once(reasons: Sequence[str]) -> list[str]:
    """Return reasons without what one of them said already: who looks alike is the beginning of several."""
    said: list[str] = []
    for reason in reasons:
        begun = max((_begun_alike(before, reason) for before in reasons[: len(said)]), default=0)
        rest = reason[begun:].lstrip(",; ") if begun > _LONG else reason
        said += [rest] if rest else []
    return said


def _begun_alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _table(*heads: str) -> Table:
    table = empty_table(show_edge=False)
    words = {"measure", "scenario", "the intruder knows", "why", "riskiest attributes", "riskiest combinations"}
    for i, head in enumerate(heads):
        left = head in words or head.startswith("a null") or (i == 0 and head != "row") or (head == "" and i == 3)
        table.add_column(head, justify="left" if left else "right", overflow="fold" if head == "why" else "ellipsis")
    return table
