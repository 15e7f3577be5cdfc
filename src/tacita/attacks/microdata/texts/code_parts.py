"""Hidden values that are written inside a code: the area in the middle of the number of a questionnaire.

A code that is different in every record tells nothing as a whole, and its order tells only what it begins with. So its
parts are taken as clues of their own: what stands between separators, and the characters at fixed places from either
end. Which parts are worth a look is found out on a sample of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue, Target
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts, can_be_read, may_tell

_SEPARATORS = "-_./ :;|"
_TOKENS, _LONGEST, _WIDEST = 4, 16, 4
"""Parts between separators, characters from either end, and characters of a part that are looked at."""
_MOST = 4
"""Parts of one code that are tried on all records for each target."""
MOST_CODES = 24
"""Codes that are taken apart."""

Cut = Callable[[str], str | None]


def part_clues(columns: Sequence[ReleasedTexts], targets: Sequence[Target]) -> Iterator[Clue]:
    """Yield parts of codes that tell something of a target, as clues.

    >>> area = np.random.default_rng(1).integers(0, 5, 200)
    >>> texts = [f"{number:03}-{'ABCDE'[area[number]]}7" for number in range(200)]
    >>> hidden = np.arange(200) < 9
    >>> code = ReleasedTexts("id", lambda rows: [texts[row] for row in rows], 200)
    >>> [clue.name for clue in part_clues([code], [Target("area", area, hidden, ~hidden)])]
    ["part 2 of id, between '-'", 'character 5 of id', 'characters 4 to 5 of id', 'characters 5 to 6 of id']
    """
    targets = can_be_read(targets)
    for column in columns[:MOST_CODES] if targets else ():
        rows = column.sample
        sample = column.texts(rows)
        parts = {id(target): 0 for target in targets if target.name != column.attribute}
        for name, cut in _cuts(column.name, [text for text in sample if text is not None][:50]):
            groups = _grouped(sample, cut)
            open_ = [target for target in targets if parts.get(id(target), _MOST) < _MOST]
            telling = [target for target in open_ if may_tell(groups, target, rows)]
            if telling:
                yield Clue(name, _grouped(column.all(), cut), None, (column.attribute,))
                parts |= {id(target): parts[id(target)] + 1 for target in telling}


def _cuts(name: str, texts: Sequence[str]) -> Iterator[tuple[str, Cut]]:
    """Yield the parts that codes can be cut into, and what they are called, shorter ones first."""
    if not texts:
        return
    for separator in _SEPARATORS:
        tokens = min(text.count(separator) for text in texts)
        for token in range(min(_TOKENS, tokens + 1) if tokens else 0):
            yield f"part {token + 1} of {name}, between '{separator}'", _token(separator, token)
    shortest = min(len(text) for text in texts)
    same_length = shortest == max(len(text) for text in texts)
    for width in range(1, _WIDEST + 1):
        for start in range(min(shortest, _LONGEST) - width + 1):
            if width < shortest:
                yield f"{_characters(start, width)} of {name}", _slice(start, start + width)
        for end in range(0 if same_length else min(shortest, _LONGEST) - width + 1):
            yield f"{_characters(end, width)} from the end of {name}", _slice(-end - width, -end or None)


def _characters(start: int, width: int) -> str:
    return f"character {start + 1}" if width == 1 else f"characters {start + 1} to {start + width}"


def _token(separator: str, place: int) -> Cut:
    def cut(text: str) -> str | None:
        tokens = text.split(separator, place + 1)
        return tokens[place] if len(tokens) > place else None

    return cut


def _slice(start: int, stop: int | None) -> Cut:
    return lambda text: text[start:stop]


def _grouped(texts: Sequence[str | None], cut: Cut) -> Codes:
    """Return a number from 0 for the part of each text, -1 where there is none."""
    numbers: dict[str, int] = {}
    parts = [None if text is None else cut(text) for text in texts]
    return np.array([-1 if part is None else numbers.setdefault(part, len(numbers)) for part in parts], dtype=np.int64)
