"""Emptiness: does adding a combination to a question change its figure? If not, nobody has the combination.

It knows where the target is, but not one code of it, and asks for a large set with and without each code of the target.
Noise that depends on the records alone is the same if nobody is added, to the last digit; so is an answer that is free
because the records are those of an earlier question.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacita.attacks.queries.interrogation import AskFunction, Interrogation, QueryLesson


def probe_presence(ask: AskFunction, figure: str, base: str, combinations: Mapping[str, bool]) -> QueryLesson:
    """Return of how many combinations it is learnt whether anybody has them; the truth is given for each predicate.

    A refusal is no answer; an equal figure means nobody, another one somebody. A repeated answer counts as equal.
    """
    asking = Interrogation(ask)
    first = asking.answer(f"SELECT {figure} WHERE {base}")
    concluded = right = 0
    for words, somebody in combinations.items():
        answer = asking.answer(f"SELECT {figure} WHERE ({base}) OR ({words})")
        if first is None or answer is None:
            continue
        concluded += 1
        is_same = bool(answer.get("repeated")) or answer["rows"] == first["rows"]
        right += is_same is not somebody
    present = sum(combinations.values())
    return QueryLesson(
        "equal figures of different predicates",
        "the codes of the target but one",
        len(combinations),
        concluded,
        right,
        max(present, len(combinations) - present) / max(len(combinations), 1),
        asking.questions,
        asking.refusals,
    )
