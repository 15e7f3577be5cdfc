"""The forms of masked microdata: what was done, what it costs and still tells, and where it was released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.recipes.evaluation import UNGATED, has_limit, reasons_against
from tacita.views.evaluation import evaluation_dict, evaluation_parts, evaluation_text, headline, steps_text
from tacita.views.markup import Html, items, tag
from tacita.views.page import style
from tacita.views.release import receipt_lines
from tacita.views.terminal import lines
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.api.masking import Masking
    from tacita.release.kinds.masked.kind import ReleasedRecords

_DO_LIMIT = "Add accept = SHARE to [attack] of the recipe, or release it without a limit: --ungated."


class MaskingView(View["Masking"]):
    """The forms of masked microdata; with `released` they say where the release is."""

    def title(self, result: Masking) -> str:
        """Return what the page is about."""
        return f"{result.masked.original.name}: how it was masked"

    def as_dict(self, result: Masking, released: ReleasedRecords | None = None) -> dict[str, Any]:
        """Return the steps, and all of the evaluation."""
        judged = evaluation_dict(result.evaluation)
        is_derivable = released is not None and released.is_derivable
        steps = [
            {
                "step": done.label,
                "changed": list(done.attributes),
                "promises": done.promises,
                "limits": done.limits,
                "figures": done.figures,
                "notes": list(done.notes),
            }
            for done in result.masked.steps
        ]
        recipe = result.masked.recipe
        fields = {"headline": "", "steps": steps} | judged
        fields["headline"] = headline(result.evaluation, is_derivable=is_derivable)
        fields["notes"] = [*result.notes, *judged["notes"]]
        fields |= {"against": reasons_against(recipe, result.evaluation), "has_limit": has_limit(recipe)}
        return fields if released is None else fields | {"release": released.to_dict()}

    def as_text(
        self, result: Masking, released: ReleasedRecords | None = None, *, is_refused: bool = False
    ) -> RenderableType:
        """Return each step, losses and attacks, and what was written."""
        from rich.console import Group

        is_derivable = released is not None and released.is_derivable
        recipe = result.masked.recipe
        against = reasons_against(recipe, result.evaluation)
        said = lines(f"Note: {note}" for note in (*result.notes, *(released.notes if released else ())))
        said += lines((f"Not kept: {reason}." for reason in against), "bold red")
        if released is not None:
            said += lines([f"Released to {released.folder}: {', '.join(released.files)} and a report."])
            said += lines([f"The internal folder, with the seed, is {released.internal}."])
            said += lines(receipt_lines(released.receipt))
        elif is_refused:
            said += lines([f"Not released: {UNGATED}. {_DO_LIMIT}"], "bold red")
        elif not has_limit(recipe):
            said += lines([f"Nothing was written. {_DO_LIMIT}"])
        else:
            said += lines(["Nothing was written" + ("." if against else "; add --out FOLDER to release it.")])
        first = lines([headline(result.evaluation, is_derivable=is_derivable)], "bold")
        steps, judged = steps_text(result.masked.steps), evaluation_text(result.evaluation)
        return Group(*first, *lines([""]), *steps, *judged, *lines([""]), *said)

    def as_fragment(self, result: Masking) -> Html:
        """Return the steps, and attacks and losses as tables."""
        steps = items(f"{done.label}: {done.promises} {done.limits}" for done in result.masked.steps)
        first = tag("p", tag("strong", headline(result.evaluation)))
        return tag("div", style("fragment"), first, steps, *evaluation_parts(result.evaluation), class_="tacita-report")
