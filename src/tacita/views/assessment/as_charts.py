"""What an assessment shows as charts: look-alikes, the spread of risks, attributes, scenarios, sources of risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacita.assess.assessment import ScenarioAssessment
from tacita.assess.finding import Bin, Finding
from tacita.assess.riskiest import Rise, RiskyRecord
from tacita.model.figures import figure
from tacita.views.assessment.presentation import sizes
from tacita.views.charts import ORANGE, SERIES, VERMILION, Bar, Steps, bars, grouped_bars, steps
from tacita.views.markup import Html

_MOST_ATTRIBUTES = 15
_MOST_RECORDS = 25
_NOISE = 1e-9


def look_alikes(scenario: ScenarioAssessment) -> Html:
    """Return how many records there are by how many look like them."""
    k = scenario.k
    given = []
    for (name, low, high), records in zip(sizes(), scenario.alike.by_size, strict=True):
        under = "all" if high is not None and high < k else "some" if low < k else ""
        given.append(_flagged(name, records, under, f"fewer than {k}"))
    return bars("Records by how many look like them", given, logarithmic=True)


def spread(finding: Finding, name: str) -> Html:
    """Return how many records have which risk by a measure, under the name that it is shown by."""
    threshold = finding.risks.threshold
    given = []
    for part in finding.distribution:
        above = "all" if part.low >= threshold and part.high > threshold else "some" if part.high > threshold else ""
        given.append(_flagged(_range(part), part.records, above, f"above {threshold:g}"))
    return bars(f"Records by their risk, {name}", given, logarithmic=True)


def says_yes_or_no(finding: Finding) -> bool:
    """Return whether all risks are 0 or 1, so that there is no spread to show."""
    *lower, highest = finding.distribution[1:]
    return not any(part.records for part in lower) and abs(finding.sum_of_risks - highest.records) < 1e-9 * (
        1 + finding.sum_of_risks
    )


def attributes(scenario: ScenarioAssessment) -> Html:
    """Return how many records would be safe if the intruder did not know an attribute."""
    shown = [risk for risk in scenario.attributes if risk.saved][:_MOST_ATTRIBUTES]
    given = [Bar(risk.attribute, risk.saved, f"{risk.saved:,}") for risk in shown]
    return bars("Records that one attribute makes unsafe", given, most=scenario.alike.under)


def scenarios(given: Sequence[ScenarioAssessment], names: Mapping[str, str]) -> Html:
    """Return the unsafe records by each measure, scenarios side by side; what calls nothing unsafe is left out."""
    unsafe = [{finding.name: finding.unsafe for finding in scenario.findings} for scenario in given]
    measures = [
        name for name in dict.fromkeys(name for counts in unsafe for name in counts) if any(e.get(name) for e in unsafe)
    ]
    given_bars = [
        Bar(names.get(name, name), counts[name], f"{counts[name]:,}  {scenario.name}", SERIES[place % len(SERIES)])
        for name in measures
        for place, (scenario, counts) in enumerate(zip(given, unsafe, strict=True))
        if name in counts
    ]
    return grouped_bars("Unsafe records by measure and scenario", given_bars)


def waterfalls(records: Sequence[RiskyRecord]) -> Html:
    """Return what household, group and register add to the records' own risks, if they add to one of them."""
    if not any(len(_rises(record)) > 1 for record in records):
        return Html()
    given = [
        Steps(
            f"row {record.row:,}",
            tuple((rise.source, rise.risk) for rise in _rises(record)),
            " → ".join(f"{figure(rise.risk)} {rise.source}" for rise in _rises(record)),
        )
        for record in records[:_MOST_RECORDS]
    ]
    return steps("Where the risk of the riskiest records comes from", given)


def _rises(record: RiskyRecord) -> list[Rise]:
    """Return the record's own risk and the steps that raise it."""
    lower = [0.0, *(rise.risk for rise in record.waterfall)]
    return [rise for place, rise in enumerate(record.waterfall) if not place or rise.risk > lower[place] + _NOISE]


def _flagged(name: str, records: int, which: str, what: str) -> Bar:
    """Return a bar that says whether all or some of its records are on the wrong side."""
    if not which:
        return Bar(name, records, f"{records:,}")
    words = f"{records:,}" if not records else f"{records:,} · {'some ' if which == 'some' else ''}{what}"
    return Bar(name, records, words, VERMILION if which == "all" else ORANGE)


def _range(part: Bin) -> str:
    return "0" if not part.high else f"up to {part.high:g}"
