"""Positions and the rules that pass values from one to another, with cycles that make something new each time round."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from tacita.rules.logic.dependencies import strong_components
from tacita.rules.logic.nulls import Position
from tacita.rules.logic.program import Rule


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rule passes a value on, or makes a new one out of it."""

    source: Position
    target: Position
    rule: Rule
    is_new: bool


def new_cycle(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return a shortest cycle through the first link that makes something new and leads back to itself."""
    return next(iter(new_cycles(links)), ())


def new_cycles(links: Iterable[Link]) -> list[tuple[Link, ...]]:
    """Return for each group of positions that feed each other one cycle that makes something new."""
    after: dict[Position, list[Link]] = {}
    for link in links:
        after.setdefault(link.source, []).append(link)
    graph = {source: [link.target for link in group] for source, group in after.items()}
    home = {p: number for number, group in enumerate(strong_components(graph, graph)) for p in group}
    found: dict[int, tuple[Link, ...]] = {}
    for group in after.values():
        for link in group:
            number = home[link.source]
            if link.is_new and home.get(link.target) == number and number not in found:
                found[number] = _back(link, after, home)
    return list(found.values())


def _back(first: Link, after: dict[Position, list[Link]], home: dict[Position, int]) -> tuple[Link, ...]:
    came: dict[Position, Link] = {}
    waiting = deque([first.target])
    while waiting and first.source != first.target and first.source not in came:
        for link in after.get(waiting.popleft(), ()):
            if home.get(link.target) == home[first.source] and link.target not in came and link.target != first.target:
                came[link.target] = link
                waiting.append(link.target)
    back: list[Link] = []
    position = first.source
    while position != first.target:
        back.append(came[position])
        position = came[position].source
    return (first, *reversed(back))


def spelled(cycle: Iterable[Link]) -> str:
    """Return a cycle in words, position by position."""
    return ", ".join(
        f"{_words(link.source)} {'makes a new' if link.is_new else 'goes to'} {_words(link.target)} "
        f"by {link.rule.name} ({link.rule.origin})"
        for link in cycle
    )


def _words(position: Position) -> str:
    return f"{position[0]}[{position[1] + 1}]"
