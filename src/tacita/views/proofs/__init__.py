"""The forms of proofs, and of why a fact does not hold: a tree of lines, sentences, JSON, a graph, a picture."""

from __future__ import annotations

from typing import Any

from tacita.rules.proofs.tree import Proof
from tacita.rules.proofs.why_not import WhyNot
from tacita.views.proofs import as_json, as_sentences, as_text, graph
from tacita.views.view import LinesView


class ProofView(LinesView[Proof]):
    """The forms of a proof."""

    def as_dict(self, result: Proof) -> dict[str, Any]:
        """Return the facts, which name each other by number."""
        return as_json.as_json(result)

    def to_text(self, result: Proof, width: int = 100, **_: Any) -> str:
        """Return the tree, folded to a width."""
        return as_text.as_text(result, width)

    def as_sentences(self, result: Proof) -> str:
        """Return a sentence for each fact that was derived."""
        return as_sentences.as_sentences(result)

    def as_dot(self, result: Proof) -> str:
        """Return the graph in the language of Graphviz."""
        return graph.as_dot(result)

    def as_svg(self, result: Proof) -> str:
        """Return the graph as a picture."""
        return graph.as_svg(result)


class WhyNotView(LinesView[WhyNot]):
    """The forms of why a fact does not hold."""

    def as_dict(self, result: WhyNot) -> dict[str, Any]:
        """Return how far each rule goes."""
        return as_json.why_not_as_json(result)

    def to_text(self, result: WhyNot, width: int = 100, **_: Any) -> str:
        """Return the rule that comes nearest, and where it stops."""
        return as_text.why_not_as_text(result, width)

    def as_sentences(self, result: WhyNot) -> str:
        """Return it in a sentence or two."""
        return as_sentences.why_not_as_sentences(result)
