"""A proof as a graph: facts, the uses of rules between them, and contributors where a rule adds up.

The same nodes and edges are written for Graphviz, and drawn as one SVG file that needs no other.
"""

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass, field

from tacita.errors import printable
from tacita.rules.proofs.tree import (
    Changed,
    Computed,
    Contributor,
    Derived,
    Gathers,
    GivenFact,
    GroundFact,
    LostFact,
    Open,
    Proof,
    Step,
    Uses,
    Violated,
    premises_of,
)
from tacita.rules.proofs.words import and_more, rule_in_words, said, violation
from tacita.rules.reasoner.values import written
from tacita.views.proofs.as_text import contributor_name
from tacita.views.proofs.layers import placed

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
        if isinstance(step, GivenFact | Open | LostFact):
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
        case GivenFact():
            kind = "given"
        case Open() | LostFact():
            kind = "open"
        case _:
            kind = "derived"
    text = printable(violation(step) if isinstance(step, Violated) else str(fact))
    behind = ["not followed further"] if isinstance(step, Open) else [step.reason] if isinstance(step, LostFact) else []
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
        lines += [f"{new.null} stands for {new.variable}" for new in step.new_nulls]
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


_LOOKS = {
    "goal": 'shape=box, style="filled,bold", fillcolor="#dbe7ff"',
    "derived": 'shape=box, style=filled, fillcolor="#eef3fb"',
    "given": 'shape=box, style=filled, fillcolor="#f4f4f0"',
    "open": "shape=box, style=dashed",
    "rule": "shape=box, style=rounded, fontsize=10",
    "contributor": "shape=plaintext, fontsize=10",
}


def as_dot(proof: Proof) -> str:
    """Return a proof as a directed graph: the goal on top, arrows from what is known to what follows."""
    graph = graph_of(proof)
    lines = ["digraph proof {", "  rankdir=TB;", '  node [fontname="Helvetica"];', "  edge [dir=back];"]
    for number, node in enumerate(graph.nodes):
        lines.append(
            f"  n{number} [label={_quoted(node.lines)}, tooltip={_quoted((node.title,))}, {_LOOKS[node.kind]}];"
        )
    lines += [f"  n{above} -> n{below};" for above, below in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(lines: tuple[str, ...]) -> str:
    """Return lines as one label; a backslash of the text is never read as an escape."""
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for line in lines]
    return '"' + "\\n".join(escaped) + '"'


_SIZE, _LINE, _PAD, _GAP, _BETWEEN, _MARGIN = 12.0, 16.0, 9.0, 26.0, 38.0, 20.0
_ADVANCE = {"fact": 7.3, "rule": 6.3}
"""How wide a letter is, in each of the two fonts."""
_STYLE = """
text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1c2330; }
.rule text, .contributor text { font: 11px system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif; fill: #39465e; }
.rule text.name { font-weight: 600; }
rect { fill: #eef3fb; stroke: #7f93b8; stroke-width: 1; }
.goal rect { fill: #dbe7ff; stroke: #30548f; stroke-width: 2; }
.given rect { fill: #f6f5ef; stroke: #b9b49c; }
.open rect { fill: #ffffff; stroke-dasharray: 5 4; }
.rule rect { fill: #ffffff; stroke: #c3cbd9; }
.contributor rect { fill: #ffffff; stroke: none; }
path { fill: none; stroke: #9aa7bf; stroke-width: 1.2; }
""".strip()


def as_svg(proof: Proof) -> str:
    """Return the picture of a proof as the text of an SVG file."""
    graph = graph_of(proof)
    sizes = [_size(node) for node in graph.nodes]
    plan = placed([width for width, _ in sizes], graph.edges, _GAP)
    heights = [max((sizes[n][1] for n in nodes if n < len(sizes)), default=0.0) for nodes in plan.layers]
    tops, top = [], _MARGIN
    for height in heights:
        tops.append(top)
        top += height + _BETWEEN
    width, height = plan.width + 2 * _MARGIN, top - _BETWEEN + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
        f"<title>Why {_text(str(proof.goal))} holds</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" style="fill:#ffffff;stroke:none"/>',
    ]
    middles = [tops[plan.layer[n]] + heights[plan.layer[n]] / 2 for n in range(len(plan.layer))]
    for chain in plan.chains:
        points = []
        for place, node in enumerate(chain):
            x, y = plan.x[node] + _MARGIN, middles[node]
            half = sizes[node][1] / 2 if node < len(sizes) else heights[plan.layer[node]] / 2
            is_first, is_last = place == 0, place == len(chain) - 1
            points += [(x, y - half)] if not is_first else []
            points += [(x, y + half)] if not is_last else []
        parts.append(f'<path d="{_curve(points)}"/>')
    for number, box in enumerate(graph.nodes):
        parts.append(_box(box, plan.x[number] + _MARGIN, middles[number], *sizes[number]))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _size(node: Node) -> tuple[float, float]:
    advance = _ADVANCE["rule" if node.kind in {"rule", "contributor"} else "fact"]
    width = max((_letters(line) for line in node.lines), default=1) * advance
    return width + 2 * _PAD, len(node.lines) * _LINE + 2 * _PAD - 4


def _letters(line: str) -> float:
    """Return how many letters wide a line is: East Asian ones are wider, combining ones take no room."""
    return sum(0 if unicodedata.combining(c) else 1.75 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def _box(node: Node, x: float, y: float, width: float, height: float) -> str:
    round_ = 12 if node.kind == "rule" else 3
    left, top = x - width / 2, y - height / 2
    parts = [
        f'<g class="{node.kind}"><title>{_text(node.title)}</title>',
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_}"/>',
    ]
    for i, line in enumerate(node.lines):
        name = ' class="name"' if node.kind == "rule" and i == 0 else ""
        at = top + _PAD + _SIZE - 2 + i * _LINE
        parts.append(
            f'<text{name} x="{x:.1f}" y="{at:.1f}" text-anchor="middle" xml:space="preserve">{_text(line)}</text>'
        )
    return "".join([*parts, "</g>"])


def _curve(points: list[tuple[float, float]]) -> str:
    """Return a line that leaves and reaches every point upright."""
    (x, y), *rest = points
    path = f"M{x:.1f} {y:.1f}"
    for a, b in rest:
        middle = (y + b) / 2
        path += f"C{x:.1f} {middle:.1f} {a:.1f} {middle:.1f} {a:.1f} {b:.1f}"
        x, y = a, b
    return path


def _text(text: str) -> str:
    """Return text for XML: nothing in it is markup, and there is no character that XML does not allow."""
    return html.escape("".join(c if _is_allowed(c) else "�" for c in text))


def _is_allowed(character: str) -> bool:
    code = ord(character)
    return code in {0x9, 0xA, 0xD} or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
