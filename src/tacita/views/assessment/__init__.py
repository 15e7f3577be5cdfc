"""The forms of an assessment. Every figure is worked out in `presentation`, so that its forms cannot differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.assess.assessment import Assessment
from tacita.views.json_values import DIGITS
from tacita.views.markup import Html
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType


class AssessmentView(View[Assessment]):
    """The forms of an assessment, each imported when it is wanted."""

    digits = DIGITS

    def as_dict(self, result: Assessment) -> dict[str, Any]:
        """Return the scenarios, each with its measures and its riskiest records."""
        from tacita.views.assessment.as_json import assessment_dict

        return assessment_dict(result)

    def as_text(self, result: Assessment) -> RenderableType:
        """Return the verdict first, then figures, spread, attributes, and the riskiest records."""
        from tacita.views.assessment.as_text import assessment_text

        return assessment_text(result)

    def as_fragment(self, result: Assessment) -> Html:
        """Return the verdict, the measures, and how many look alike."""
        from tacita.views.assessment.as_html import assessment_fragment

        return assessment_fragment(result)

    def as_page(self, result: Assessment) -> Html:
        """Return a page to keep; it is internal."""
        from tacita.views.assessment.as_html import assessment_page

        return assessment_page(result)
