"""A proof in the language of Graphviz."""

from __future__ import annotations

from tacita.rules.proofs.showing.graph import graph_of
from tacita.rules.proofs.tree import Proof

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
