"""The forms of concealments: what is hidden and why, what attackers reach, what was revealed. No value, no person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted, listed
from tacita.model.figures import figure, share
from tacita.views.markup import Html, items, tag
from tacita.views.page import section
from tacita.views.release import ReleasedView, VerificationView
from tacita.views.tables import Cell, table
from tacita.views.terminal import lines
from tacita.views.view import LinesView, View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.attacks.dependencies.prediction import PredictionScore
    from tacita.concealment.concealment import Concealment, HiddenCount
    from tacita.dependencies.hiding.choice import HidingChoice
    from tacita.release.kinds.concealed.check import ConcealedVerification
    from tacita.release.kinds.concealed.explain import ConcealedRecords, ConcealmentExplanation
    from tacita.release.kinds.concealed.key_care import KeyCare

_SHOWN = 12
"""Groups of equal policies that are listed in a terminal."""
_WAYS = 3
_LISTED = 20


class ConcealmentView(View["Concealment"]):
    """The forms of a concealment."""

    digits = 12

    def title(self, result: Concealment) -> str:
        """Return what the page is about."""
        return f"{result.original.name}: what is concealed"

    def as_dict(self, result: Concealment) -> dict[str, Any]:
        """Return counts, groups with their reasons, and what attackers reach."""
        hidden = result.hidden
        return {
            "verdict": result.verdict,
            "records": len(hidden.of_record),
            "persons": len(result.persons.names),
            "hidden_cells": hidden.cells,
            "hidden_records": hidden.records,
            "price": _count_dict(result.price),
            "attributes": {name: _count_dict(one) for name, one in result.counts.items()},
            "policies": [_group_dict(one, members) for one, members in _members(result)],
            "derivation": {
                "confidential": result.derivations.confidential,
                "derived": result.derivations.derived,
                "dependencies": len(result.discovery.dependencies),
                "threats": len(result.discovery.threats),
                "bounds": list(result.discovery.bounds),
                "allowed": list(result.allowed),
            },
            "prediction": {
                "part": result.predictions.part.value,
                "max_gain": result.plan.max_gain,
                "attributes": _gains(result),
            },
            "notes": list(result.notes),
        }

    def as_text(self, result: Concealment) -> RenderableType:
        """Return the two promises with their price, what is hidden, why, and how well it can be guessed."""
        from rich.console import Group
        from rich.table import Table

        hidden = result.hidden
        head = [
            f"{result.original.name}: {counted(len(hidden.of_record), 'record')}, {hidden.records:,} with hidden cells",
            f"Derivation: {result.verdict} {_reach(result)}",
            *result.discovery.bounds,
            *(f"Allowed: {one}." for one in result.allowed),
            f"Prediction: {_prediction(result)}",
            f"Price: {_price(result.price)}.",
            "",
        ]
        counts = Table("attribute", box=None, pad_edge=False)
        for name in (*_REASONS, "guessed", "mode", "gain"):
            counts.add_column(name, justify="right")
        scores = {score.attribute: score for score in result.predictions.scores}
        for name, one in result.counts.items():
            guess = _guess(scores[name]) if name in scores else ("", "", "")
            counts.add_row(name, *(f"{number:,}" for number in _count_dict(one).values()), *guess)
        said = ["", *_group_lines(result), *(f"Note: {note}" for note in result.notes)]
        return Group(*lines(head), counts, *lines(said))

    def as_fragment(self, result: Concealment) -> Html:
        """Return the parts of the page under the verdict."""
        from tacita.views.page import style

        parts = [tag("p", tag("strong", result.verdict)), *concealment_parts(result)]
        return tag("div", style("fragment"), *parts, class_="tacita-report")


def concealment_parts(result: Concealment) -> list[Html]:
    """Return the sections of a page about a concealment."""
    counts: list[list[Cell]] = [
        [name, *(f"{number:,}" for number in _count_dict(one).values())] for name, one in result.counts.items()
    ]
    groups: list[list[Cell]] = [
        [f"{members:,}", listed(one.confidential, 30), listed(one.extra, 30) or "–", "; ".join(_reasons(one)) or "–"]
        for one, members in _members(result)
    ]
    guesses: list[list[Cell]] = [
        [score.attribute, f"{score.people:,}", *_guess(score)] for score in result.predictions.scores
    ]
    allowed = [f"Allowed: {one}." for one in result.allowed]
    return [
        section("Hidden cells", tag("p", f"{_price(result.price)}."), table(["attribute", *_REASONS], counts)),
        section("Policies", table(["records", "confidential", "hidden as well", "because"], groups)),
        section("Derivation", tag("p", _reach(result)), items([*allowed, *result.discovery.bounds])),
        section(
            "Prediction",
            tag("p", _prediction(result)),
            tag("p", "A model that is trained on the records that show an attribute, asked about those that hide it."),
            table(["attribute", "asked", "guessed", "mode", "gain"], guesses),
        ),
    ]


_REASONS = ("confidential", "derivation", "prediction", "decoys")


def _count_dict(one: HiddenCount) -> dict[str, int]:
    return {name: getattr(one, name) for name in _REASONS}


def _price(price: HiddenCount) -> str:
    return (
        f"{counted(price.confidential, 'confidential cell')}, {price.derivation:,} more against derivation, "
        f"{price.prediction:,} more against prediction, {price.decoys:,} of decoys"
    )


def _reach(result: Concealment) -> str:
    """Return what the attackers tried, and what they derived."""
    known = counted(len(result.discovery.threats), "dependency")
    return (
        f"An intruder who knows {known} by which values can be learnt, and how often each value occurs, derives "
        f"{result.derivations.derived:,} of {counted(result.derivations.confidential, 'confidential cell')}."
    )


def _prediction(result: Concealment) -> str:
    """Return how well a model guesses, in a sentence."""
    best, most = result.guessed_best, result.plan.max_gain
    if best is None or best.gain is None:
        return "No model can be tried: nobody shows, or everybody has the same value of, what is confidential."
    gain = f"{figure(best.gain.value, 3)} over the mode"
    limit = "; --max-gain sets a limit" if most is None else f", {figure(most)} being allowed"
    if not best.gain.value:
        return f"A model guesses no confidential attribute better than the mode{limit}."
    return (
        f"A model guesses {best.attribute} best, {share(best.accuracy.value)} right where the mode is "
        f"{share(best.baseline.value)}: a gain of {gain}{limit}."
    )


def _members(result: Concealment) -> list[tuple[HidingChoice, int]]:
    """Return the groups that hide something, with their numbers of records, the largest first."""
    of_record = result.hidden.of_record
    groups = [(one, int((of_record == place).sum())) for place, one in enumerate(result.hidden.groups)]
    return sorted(
        ((one, n) for one, n in groups if one.hidden and n), key=lambda pair: (-pair[1], pair[0].confidential)
    )


def _group_dict(one: HidingChoice, members: int) -> dict[str, Any]:
    return {
        "records": members,
        "confidential": list(one.confidential),
        "extra": [
            {"attribute": name, "because": [way.in_words for way in one.reasons(name)], "kinds": _kinds(one, name)}
            for name in one.extra
        ],
    }


def _kinds(one: HidingChoice, name: str) -> list[str]:
    return sorted({way.kind.value for way in one.reasons(name)})


def _reasons(one: HidingChoice) -> list[str]:
    said = []
    for name in one.extra:
        ways = one.reasons(name)
        more = f" and {len(ways) - _WAYS:,} more" if len(ways) > _WAYS else ""
        said.append(f"{name}: {', '.join(way.in_words for way in ways[:_WAYS])}{more}")
    return said


def _group_lines(result: Concealment) -> list[str]:
    said = []
    groups = _members(result)
    for one, members in groups[:_SHOWN]:
        extra = f"; also hidden: {listed(one.extra, 30)}" if one.extra else "; nothing else needs to be hidden"
        said.append(f"{counted(members, 'record')} with {listed(one.confidential, 30)} confidential{extra}")
        said += [f"  {reason}" for reason in _reasons(one)]
    if len(groups) > _SHOWN:
        said.append(f"{counted(len(groups) - _SHOWN, 'further policy')}; --json lists all")
    return said


def _guess(score: PredictionScore) -> tuple[str, str, str]:
    gain = "–" if score.gain is None else f"{figure(score.gain.value)}"
    return share(score.accuracy.value), share(score.baseline.value), gain


def _gains(result: Concealment) -> dict[str, Any]:
    return {
        score.attribute: {
            "people": score.people,
            "accuracy": score.accuracy.value,
            "mode": score.baseline.value,
            "gain": None if score.gain is None else score.gain.value,
            "gain_lower": None if score.gain is None else score.gain.lower,
            "gain_upper": None if score.gain is None else score.gain.upper,
        }
        for score in result.predictions.scores
    }


class ReleasedConcealmentView(ReleasedView):
    """The forms of a release of a file with concealed cells."""

    def _written(self, result: Any) -> list[str]:
        return [
            f"Released to {result.folder}: {', '.join(result.files)}, the dictionary, a report and a manifest.",
            f"Persons, reasons and keys are in the internal folder, {result.internal}, which is confidential.",
            f"Ask why with 'tacita explain {result.folder} --row N', check with 'tacita verify {result.folder}'.",
        ]


class ConcealedVerificationView(VerificationView):
    """The forms of a check of a file with concealed cells."""

    question = "{} keeps confidential what it should"

    def as_dict(self, result: ConcealedVerification) -> dict[str, Any]:
        """Return the verdict, the faults and the counts."""
        counts = {"records": result.records, "hidden_cells": result.hidden, "bounds": list(result.bounds)}
        return super().as_dict(result) | counts

    def _figures(self, result: ConcealedVerification) -> list[str]:
        return list(result.bounds)


class ConcealmentExplanationView(LinesView["ConcealmentExplanation"]):
    """The forms of why cells of a record are hidden."""

    def as_dict(self, result: ConcealmentExplanation) -> dict[str, Any]:
        """Return the reasons."""
        return {
            "row": result.row,
            "source_row": result.source_row,
            "decoy": result.is_decoy,
            "hidden": [
                {"attribute": one.attribute, "confidential": one.is_confidential, "because": one.sentence}
                for one in result.reasons
            ],
        }

    def lines(self, result: ConcealmentExplanation) -> list[str]:
        """Return a sentence for each hidden cell."""
        head = f"Record {result.row:,} of the release, record {result.source_row:,} of the source"
        return [head, *([one.sentence for one in result.reasons] or ["Nothing is hidden."])]


class ConcealedRecordsView(LinesView["ConcealedRecords"]):
    """The forms of which records hide cells."""

    def as_dict(self, result: ConcealedRecords) -> dict[str, Any]:
        """Return the records."""
        return {"records": [{"row": row, "hidden": list(names)} for row, names in result.records]}

    def lines(self, result: ConcealedRecords) -> list[str]:
        """Return a line for each of the first records."""
        said = [f"{counted(len(result.records), 'record')} with hidden cells"]
        said += [f"{row:,}: {', '.join(names)}" for row, names in result.records[:_LISTED]]
        return said + ([f"and {len(result.records) - _LISTED:,} more"] if len(result.records) > _LISTED else [])


def _staying(cells: int) -> str:
    """Return that cells stay hidden.

    >>> _staying(1), _staying(2)
    ('1 cell stays hidden', '2 cells stay hidden')
    """
    return f"{counted(cells, 'cell')} {'stays' if cells == 1 else 'stay'} hidden"


class RevealedView(LinesView[Any]):
    """The forms of a file whose hidden cells were given back."""

    def as_dict(self, result: Any) -> dict[str, Any]:
        """Return counts and files."""
        return {
            "files": [str(file) for file in result.files],
            "records": result.records,
            "revealed": result.revealed,
            "erased": result.erased,
            "damaged": result.damaged,
            "notes": list(result.notes),
        }

    def lines(self, result: Any) -> list[str]:
        """Return how many cells came back, and where the file is."""
        said = [f"{counted(result.revealed, 'cell')} revealed in {counted(result.records, 'record')}."]
        if result.erased:
            said.append(f"{_staying(result.erased)}: the keys of their persons were erased.")
        if result.damaged:
            said.append(f"{_staying(result.damaged)}: their tokens are damaged.")
        said += [f"Note: {note}" for note in result.notes]
        return [*said, f"Written to {', '.join(str(file) for file in result.files)}: confidential, not for release."]


class KeyCareView(LinesView["KeyCare"]):
    """The forms of what was done with keys."""

    def as_dict(self, result: KeyCare) -> dict[str, Any]:
        """Return what was done."""
        return {"done": result.done, "persons": result.persons, "file": result.file and str(result.file)}

    def lines(self, result: KeyCare) -> list[str]:
        """Return what was done."""
        return [result.done]
