"""A proof as a picture: boxes for facts, rounded ones for the rules between them; one SVG file that needs no other."""

from __future__ import annotations

import html
import unicodedata

from tacita.rules.proofs.showing.graph import Node, graph_of
from tacita.rules.proofs.showing.layers import placed
from tacita.rules.proofs.tree import Proof

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
