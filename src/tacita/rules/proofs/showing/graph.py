"""A proof as a graph: facts, the uses of rules between them, and contributors where a rule adds up.

The same nodes and edges are written for Graphviz and drawn as SVG.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tacita.errors import printable
from tacita.rules.proofs.showing.as_text import contributor_name
from tacita.rules.proofs.tree import (
    Changed,
    Computed,
    Contributor,
    Derived,
    Gathers,
    Given,
    GroundFact,
    Lost,
    Open,
    Proof,
    Step,
    Uses,
    Violated,
    premises_of,
)
from tacita.rules.proofs.words import and_more, rule_in_words, said, violation
from tacita.rules.reasoner.values import written

_WIDTH, _LINES = 38, 4
_RULE_WIDTH, _RULE_LINES = 46, 7


@dataclass(frozen=True, slots=True)
class Node:
    """A box: a fact (``goal``, ``given``, ``derived``, ``open``), the use of a ``rule``, or a ``contributor``."""

    kind: str
    lines: tuple[str, ...]
    title: str
    """All of the text; the lines may be cut."""


@dataclass(slots=True)
class Graph:
    """Boxes by number, and lines between them from conclusions to what they rest on."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def add(self, node: Node) -> int:
        """Add a box and return its number."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def join(self, above: int, below: int) -> None:
        """Draw a line, once."""
        if (above, below) not in self._seen:
            self._seen.add((above, below))
            self.edges.append((above, below))


def graph_of(proof: Proof) -> Graph:
    """Return the graph of a proof."""
    graph = Graph()
    numbers = {fact: graph.add(_fact(fact, step, is_goal=fact == proof.goal)) for fact, step in proof.steps.items()}
    for fact, step in proof.steps.items():
        if isinstance(step, Given | Open | Lost):
            continue
        rule = graph.add(_rule(step))
        graph.join(numbers[fact], rule)
        for premise in premises_of(step):
            if isinstance(premise, Uses):
                graph.join(rule, numbers[premise.fact])
            elif isinstance(premise, Gathers):
                _gather(graph, rule, premise, numbers)
    return graph


def _gather(graph: Graph, rule: int, gathers: Gathers, numbers: dict[GroundFact, int]) -> None:
    for one in gathers.contributors:
        facts = [p.fact for p in one.premises if isinstance(p, Uses)]
        above = rule
        if len(facts) > 1 and len(gathers.contributors) > 1:
            above = graph.add(_contributor(one))
            graph.join(rule, above)
        for fact in facts:
            graph.join(above, numbers[fact])


def _fact(fact: GroundFact, step: Step, *, is_goal: bool) -> Node:
    match step:
        case _ if is_goal:
            kind = "goal"
        case Given():
            kind = "given"
        case Open() | Lost():
            kind = "open"
        case _:
            kind = "derived"
    text = printable(violation(step) if isinstance(step, Violated) else str(fact))
    behind = ["not followed further"] if isinstance(step, Open) else [step.reason] if isinstance(step, Lost) else []
    return Node(kind, (*cut(text, _WIDTH, _LINES), *behind), text)


def _contributor(one: Contributor) -> Node:
    text = printable(contributor_name(one))
    return Node("contributor", cut(text, _WIDTH, 2), text)


def _rule(step: Derived | Computed | Changed | Violated) -> Node:
    """Return the use of a rule: its name, and what of its conditions stands in no fact."""
    name = f"#{step.function}" if isinstance(step, Computed) else rule_in_words(step.rule)
    lines: list[str] = []
    if isinstance(step, Changed):
        lines.append(f"changed in epoch {step.epoch}")
    if isinstance(step, Derived | Changed):
        lines += [f"{made.null} stands for {made.variable}" for made in step.made]
    if isinstance(step, Derived):
        lines += [f"{merged.null} was found to be {written(merged.became)}" for merged in step.merged]
    for premise in step.premises:
        lines += [] if isinstance(premise, Uses) else [said(premise)]
        lines += and_more(premise) if isinstance(premise, Gathers) else []
    shown = [part for text in lines for part in cut(printable(text), _RULE_WIDTH, 2)]
    if len(shown) > _RULE_LINES:
        shown = [*shown[: _RULE_LINES - 1], "…"]
    return Node("rule", (printable(name), *shown), "\n".join(map(printable, [name, *lines])))


def cut(text: str, width: int, most: int) -> tuple[str, ...]:
    """Return a text in lines of some width; what does not fit is cut.

    >>> cut('Own("a", "b")', 10, 2), cut("x" * 30, 10, 2)
    (('Own("a",', '"b")'), ('xxxxxxxxxx', 'xxxxxxxxx…'))
    """
    lines: list[str] = []
    rest = text
    while rest and len(lines) < most:
        if len(rest) <= width:
            lines.append(rest)
            rest = ""
            break
        at = rest.rfind(" ", 1, width + 1)
        at = at if at > width // 2 else width
        lines.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    if rest:
        lines[-1] = lines[-1][: width - 1] + "…"
    return tuple(lines)
