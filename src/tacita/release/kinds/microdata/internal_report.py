"""The internal report: everything about a release, for those who may see the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tacita.cycle.outcome import Outcome, State
from tacita.errors import counted, listed
from tacita.model.figures import share
from tacita.release.manifest import versions
from tacita.release.records.derivable_report import derivable_parts
from tacita.release.records.tuples import Tuples
from tacita.views.charts import BLUE, ORANGE, Bar, grouped_bars
from tacita.views.json_values import plain
from tacita.views.markup import Html, items, tag
from tacita.views.page import captioned, page, section, verdict
from tacita.views.tables import Cell, table

_MOST_RULES = 50


def internal_report(
    outcome: Outcome, tuples: Tuples, notes: Iterable[str], checked: Mapping[str, Any], seed: int
) -> str:
    """Return the page that stays inside."""
    name = outcome.protected.name
    kind = "neutral" if outcome.condition or outcome.unchecked or outcome.is_derivable else "good"
    body = [
        tag("h1", f"{name}: internal report of a release"),
        tag("p", "Not to be handed out: thresholds, seeds and steps on this page help an attacker.", class_="soft"),
        verdict("SAFE", outcome.verdict, kind),
        section("Two numbers", *_two_numbers(outcome)),
        section("Risk before and after", _states(outcome), *_check_result(checked)),
        section("What changed", *_changes(outcome)),
        section("Steps", *_steps(outcome)),
        section("What was claimed", _pairs(_claim(outcome))),
        section("How the file was released", _pairs(_release_facts(tuples, seed))),
        section("Hidden values that can be derived", *_derivable(tuples)),
        section("Settings", _pairs(_flat(plain(outcome.settings)))),
    ]
    if outcome.loss:
        rows: list[list[Cell]] = [[word.replace("_", " "), float(loss)] for word, loss in outcome.loss.items()]
        body.append(section("Information loss", table(["measured as", "loss, from 0 to 1"], rows)))
    all_notes = [*outcome.notes, *notes]
    body.append(section("Notes", items(all_notes) if all_notes else tag("p", "None.")))
    body.append(tag("footer", ", ".join(f"{what} {number}" for what, number in versions().items())))
    return page(f"{name}: internal report", tag("main", *body))


def _two_numbers(outcome: Outcome) -> list[Html]:
    strict = outcome.after.unsafe_strict
    rows: list[list[Cell]] = [
        ["nulls needed, empty cells counted as chosen", outcome.nulls],
        ["records still below k in the strict sense", strict],
    ]
    why = (
        "One null can repair several records if it may stand for anything. The second number counts the records that "
        "lean on nulls of others: it is what is left if those nulls counted for nothing."
    )
    return [table(["", "after"], rows), tag("p", why, class_="soft")]


def _states(outcome: Outcome) -> Html:
    before, after = outcome.before, outcome.after
    rows: list[list[Cell]] = [
        ["records", outcome.records, outcome.records],
        ["unsafe", before.unsafe, after.unsafe],
        ["below k in the strict sense", before.unsafe_strict, after.unsafe_strict],
        ["suppressed, with fewer than k candidates if all values are known", None, after.few_candidates],
        ["largest risk", before.largest_risk, after.largest_risk],
        ["expected re-identifications", before.expected, after.expected],
    ]
    rows += [[word.replace("_", " "), _figure(before, word), _figure(after, word)] for word in _figures(before, after)]
    return table(["", "before", "after"], rows)


def _figures(*states: State) -> list[str]:
    return list(dict.fromkeys(word for state in states for word in state.figures))


def _figure(state: State, word: str) -> float | None:
    return float(state.figures[word]) if word in state.figures else None


def _check_result(checked: Mapping[str, Any]) -> list[Html]:
    if "why_not" in checked:
        return [tag("p", "The claim was not checked on the written file: ", "; ".join(checked["why_not"]))]
    if not checked:
        return [tag("p", "The claim was not checked on the written file.")]
    return [tag("p", f"Read back from the written file: {checked['unsafe']} records unsafe.")]


def _changes(outcome: Outcome) -> list[Html]:
    records, changed = outcome.records, outcome.decisions.per_attribute()
    names = list(dict.fromkeys([*changed, *outcome.recoded]))
    if not names:
        return [tag("p", "Nothing was changed.")]
    rows: list[list[Cell]] = []
    drawn: list[Bar] = []
    for name in names:
        suppressed, coarsened = changed.get(name, (0, 0))
        of_all = suppressed / records if records else 0.0
        level = outcome.recoded.get(name)
        rows.append([name, suppressed, share(of_all), coarsened, level])
        drawn += [Bar(name, suppressed, f"{suppressed:,} suppressed", BLUE)]
        drawn += [Bar(name, coarsened, f"{coarsened:,} coarsened", ORANGE)] if coarsened else []
    heads = ["attribute", "cells suppressed", "of all", "cells coarsened", "whole column to level"]
    return [table(heads, rows), captioned(grouped_bars("Changed cells", drawn), "Changed cells of each attribute")]


def _steps(outcome: Outcome) -> list[Html]:
    log = outcome.decisions.table
    if not log.num_rows:
        return [tag("p", "There was no step.")]
    rules = Counter(log["rule"].to_pylist())
    rows: list[list[Cell]] = [[rule, count] for rule, count in rules.most_common(_MOST_RULES)]
    steps = len(set(log["step"].to_pylist()))
    sentence = f"{counted(log.num_rows, 'decision')} in {counted(steps, 'step')}, all of them in decisions.parquet."
    return [tag("p", sentence, " Stuck records: none."), table(["rule", "decisions"], rows)]


def _claim(outcome: Outcome) -> list[tuple[str, str]]:
    claim = outcome.claim
    pairs = []
    for measure, parameters in claim.measures:
        pairs.append(("measure", measure))
        pairs += [(f"parameter {name}", str(value)) for name, value in parameters.items()]
    pairs.append(("the intruder knows", listed(list(claim.known), 50)))
    pairs += [(f"nulls: {name.replace('_', ' ')}", str(value)) for name, value in claim.nulls.items()]
    pairs += [("clusters by", claim.cluster)] if claim.cluster else []
    pairs += [("linked by", claim.related)] if claim.related else []
    return pairs


def _release_facts(tuples: Tuples, seed: int) -> list[tuple[str, str]]:
    weights = "as they were"
    if tuples.weights is not None:
        off = tuples.weights.largest_deviation
        weights = f"{tuples.weights.attribute} blurred; a kept total is off by {off:.2g} of itself at most"
    return [
        ("attributes dropped", listed(list(tuples.dropped), 50) or "none"),
        ("pseudonyms instead of", listed(list(tuples.pseudonymised), 50) or "none"),
        ("cluster keys numbered anew", listed(list(tuples.renumbered), 50) or "none"),
        ("order of the records", "as it was" if tuples.order is None else "shuffled; order.parquet has the old places"),
        ("weights", weights),
        ("seed", str(seed)),
    ]


def _derivable(tuples: Tuples) -> list[Html]:
    if not tuples.derivable:
        return [tag("p", "Nothing was found from which suppressed or recoded cells can be derived.")]
    return [tag("p", "The release was allowed all the same (--allow-derivable)."), *derivable_parts(tuples.derivable)]


def _flat(value: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, item in value.items():
        if isinstance(item, Mapping):
            pairs += _flat(item, f"{before}{key}.")
        else:
            pairs.append((f"{before}{key}", ", ".join(map(str, item)) if isinstance(item, list) else str(item)))
    return pairs


def _pairs(pairs: list[tuple[str, str]]) -> Html:
    return table(["", ""], [list(pair) for pair in pairs]) if pairs else tag("p", "None.")
