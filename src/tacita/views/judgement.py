"""The forms of a joint verdict: releases, cells and records by their address; figures only if they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted, listed
from tacita.views.view import LinesView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tacita.joint.evidence import OutputLabel
    from tacita.joint.judgement import JointJudgement, JointReason


class JointJudgementView(LinesView["JointJudgement"]):
    """The forms of a joint verdict."""

    def title(self, result: JointJudgement) -> str:
        """Return what was judged."""
        return "A release judged together with all earlier ones"

    def as_dict(self, result: JointJudgement, *, figures: bool = False) -> dict[str, Any]:
        """Return the verdict, its reasons and what would help; with `figures` also the figures of the arithmetic."""
        return {
            "status": result.status.value,
            "passes": result.passes,
            "verdict": result.verdict,
            "source": result.subject or None,
            "recipient": result.recipient or None,
            "least": result.least,
            "compared": [_output(one) for one in result.compared],
            "reasons": [_reason(one, figures=figures) for one in result.reasons],
            "more_reasons": result.more,
            "remedies": [{"action": one.action, "option": one.option or None} for one in result.remedies],
            "notes": list(result.notes),
        }

    def lines(self, result: JointJudgement, *, figures: bool = False) -> Iterable[str]:
        """Yield the verdict first, then the reasons with the releases that they need, then what would help."""
        yield result.verdict
        for number, reason in enumerate(result.reasons, 1):
            yield ""
            yield f"{number}. {reason.sentence}"
            yield from (f"   {line}" for line in _how(reason, figures=figures))
        if result.more:
            yield ""
            yield f"{counted(result.more, 'further reason')} not shown."
        if result.advice:
            yield ""
            yield "What would help:"
            yield from (f"  - {one}" for one in result.advice)
        if result.compared or result.notes:
            yield ""
        if result.compared:
            yield f"Compared with {listed([str(one) for one in result.compared])}."
        yield from (f"Note: {note}." for note in result.notes)


def _how(reason: JointReason, *, figures: bool) -> Iterator[str]:
    if reason.terms:
        yield f"It is {reason.arithmetic_with_figures if figures else reason.arithmetic}."
    yield from (f"{step}" for step in reason.steps)
    if reason.records:
        word = "record" if len(reason.records) == 1 else "records"
        yield f"In the source: {word} {listed(reason.records)}."
    if len(reason.outputs) > 1:
        yield f"Releases: {listed([str(one) for one in reason.outputs])}."


def _reason(reason: JointReason, *, figures: bool) -> dict[str, Any]:
    more: dict[str, Any] = {"value": reason.value} if figures else {}
    return {
        "kind": reason.kind,
        "sentence": reason.sentence,
        "decided": reason.is_decided,
        "outputs": [_output(one) for one in reason.outputs],
        "arithmetic": reason.arithmetic or None,
        "terms": [
            {
                "factor": term.factor,
                "cell": term.cell,
                "entry": term.output.sequence or None,
                **({"value": term.value} if figures else {}),
            }
            for term in reason.terms
        ],
        "steps": list(reason.steps),
        "records": list(reason.records),
        "do": reason.do or None,
        **more,
    }


def _output(label: OutputLabel) -> dict[str, Any]:
    return {
        "entry": label.sequence or None,
        "kind": label.kind or None,
        "folder": label.folder or None,
        "date": label.date or None,
        "recipient": label.recipient or None,
    }
