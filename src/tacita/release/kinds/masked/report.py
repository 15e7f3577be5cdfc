"""The reports of masked microdata: what a user of the data must know, and what the house must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.errors import listed
from tacita.model.figures import Share, about, figure
from tacita.model.microdata import Microdata
from tacita.recipes.carry_out import MaskedMicrodata, StepReport
from tacita.recipes.evaluation import Evaluation
from tacita.recipes.methods import METHODS
from tacita.recipes.recipe_file import recipe_text
from tacita.release.records.derivable_report import derivable_parts
from tacita.release.records.tuples import Tuples
from tacita.utility.catalogue import LOSSES
from tacita.version import __version__
from tacita.views.evaluation import evaluation_parts, headline, of_hundred
from tacita.views.markup import Html, items, preformatted, tag
from tacita.views.page import page, section
from tacita.views.tables import Cell, table

_NO_LIMIT = "No limit was set to the risk that attackers achieve: the data were released without such a check."


def external_report(
    masked: MaskedMicrodata,
    evaluation: Evaluation,
    tuples: Tuples,
    released: Microdata,
    tables: Mapping[str, str],
    *,
    is_ungated: bool = False,
) -> str:
    """Return the page that goes with the data: methods, attributes and losses; no parameter, no seed, no attack."""
    title = f"{released.name}: what was changed before release"
    rows: list[list[Cell]] = [
        [step.method, listed(done.attributes, 30), _promise(done), done.limits]
        for step, done in zip(masked.recipe.steps, masked.steps, strict=True)
    ]
    untouched = [name for name in released.dictionary.names if name not in masked.changed]
    body = [
        tag("h1", title),
        tag(
            "p", "These data were protected against recognising respondents in them. This page says how, and the cost."
        ),
        section("What was done", table(["method", "attributes", "what holds", "what does not"], rows)),
        section("How to read the file", items(_reading(masked, tuples, untouched, tables))),
    ]
    if is_ungated:
        body.insert(2, tag("p", _NO_LIMIT))
    losses = [lost for lost in evaluation.bounded_losses if 0 <= lost.figure <= 1]
    if losses and not _is_differentially_private(masked):
        shares: list[list[Cell]] = [
            [LOSSES.fact(lost.measure, "compares") or lost.measure, about(lost.figure)] for lost in losses
        ]
        body.append(
            section(
                "Information loss",
                tag("p", "0 % is the file as it was collected, 100 % a file that says nothing."),
                table(["measured as", "loss"], shares),
            )
        )
    body.append(tag("footer", f"Made with Tacita {__version__}. How it was made safe is kept apart from this page."))
    return page(title, tag("main", *body))


def internal_report(
    masked: MaskedMicrodata,
    evaluation: Evaluation,
    notes: Sequence[str],
    against: Sequence[str],
    *,
    is_ungated: bool = False,
    derivable: Sequence[DerivableValues] = (),
) -> str:
    """Return the page for the house: every step with its figures, attacks and losses, and the recipe."""
    title = f"{masked.original.name}: how it was masked"
    figures = (
        f"Information loss {of_hundred(evaluation.information_loss)}, disclosure risk "
        f"{of_hundred(evaluation.disclosure_risk)}, score {of_hundred(evaluation.score)} "
        "(0 to 100, the lower the better)."
    )
    rows: list[list[Cell]] = [
        [done.label, listed(done.attributes, 30), name, Share(figure(value))]
        for done in masked.steps
        for name, value in (dict(done.figures) or {"–": float("nan")}).items()
    ]
    body: list[Html] = [
        tag("h1", title),
        tag("p", tag("strong", headline(evaluation, is_derivable=bool(derivable)))),
        tag("p", figures),
        section("Steps", table(["step", "attributes", "figure", "value"], rows)),
        section("What it still tells, and what it costs", *evaluation_parts(evaluation)),
        section("The recipe, with its seed", preformatted(recipe_text(masked.recipe))),
    ]
    if derivable:
        body.append(section("Hidden values that can be derived", *derivable_parts(derivable)))
    if against:
        body.insert(2, section("Released against these limits", items(against)))
    if is_ungated:
        body.insert(2, tag("p", _NO_LIMIT))
    if notes:
        body.append(section("Notes", items(list(dict.fromkeys(notes)))))
    body.append(tag("footer", f"Made with Tacita {__version__}. This page is internal."))
    return page(title, tag("main", *body))


def _is_differentially_private(masked: MaskedMicrodata) -> bool:
    """Whether a step spends a budget of privacy: losses come from the original, and nothing is left for them."""
    return not all(METHODS.fact(step.method, "is_repeatable") for step in masked.recipe.steps)


def _promise(done: StepReport) -> str:
    return f"{done.promises} (Before later steps.)" if done.is_overtaken else done.promises


def _reading(masked: MaskedMicrodata, tuples: Tuples, untouched: Sequence[str], tables: Mapping[str, str]) -> list[str]:
    said = []
    if masked.origin is None:
        said.append("The records are invented: none of them is a respondent.")
    if untouched:
        said.append(f"As they were collected: {listed(untouched, 30)}.")
    said += [f"{file} holds a table of its own: {name}." for name, file in tables.items()]
    if tuples.order is not None:
        said.append("The order of the records is random and means nothing.")
    gone = [*tuples.dropped, *masked.dropped]
    if gone:
        said.append(f"Not in the file: {listed(list(dict.fromkeys(gone)), 30)}.")
    return said or ["Everything is as it was collected."]
