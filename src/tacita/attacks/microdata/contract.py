"""What every attacker must keep to, as a check that anybody can run on an attacker of their own.

An attacker succeeds with a file that was released as it is, and does no better than its control, or than a guess if it
has none, with one that has nothing to do with the people; it finds the same again, leaves its input alone, shows no
value, and says what it lacks instead of failing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tacita.attacks.microdata.attacker import Attacked, Attacker, Scene
from tacita.errors import TacitaError
from tacita.model.records import Categories, Numbers, Records, Values

_NEAR_CERTAIN = 0.9
_CHANCE = 0.05
"""How far above the guess the lower end of an interval may be by chance."""
_SHORTEST = 4
"""Shorter values may stand in a sentence by chance."""


def breaches(attacker: Attacker, scene: Scene, seed: int = 1) -> list[str]:
    """Return every way in which an attacker breaks the contract; none, if it keeps to it.

    The scene gives the original people, all different in the known attributes, what is known and secret, and a
    hold-out; what it says of a released file is not used.
    """
    return list(_breaches(attacker, scene, seed))


def _breaches(attacker: Attacker, scene: Scene, seed: int) -> Iterator[str]:
    if not isinstance(attacker, Attacker) or not attacker.name:
        yield "it lacks something that an attacker has: name, lacks, attack"
        return
    places = np.arange(len(scene.original))
    plain = replace(scene, released=scene.original, origin=places)
    if lacking := attacker.lacks(plain):
        yield f"it lacks something of a scene that has everything: {'; '.join(lacking)}"
        return
    before = [_copy(records) for records in (scene.original, scene.holdout or scene.original)]
    attacked = attacker.attack(plain)
    if any(not _same(*pair) for pair in zip(before, (scene.original, scene.holdout or scene.original), strict=True)):
        yield "it changes the records that it is given"
    if attacker.attack(plain) != attacked:
        yield "it does not find the same again"
    yield from _score(attacker, attacked)
    yield from _sentences(attacked.notes, scene.original)
    if attacked.success < _NEAR_CERTAIN:
        yield "it fails with a file that was released as it is"
    if attacked.risk is not None and attacked.risk.upper < attacked.success * _NEAR_CERTAIN:
        yield "its control explains what it finds in a file that was released as it is"
    random = np.random.default_rng(seed)
    shuffled = Records(
        {name: column.taken(random.permutation(places)) for name, column in scene.original.columns.items()}
    )
    unrelated = attacker.attack(replace(scene, released=shuffled, origin=random.permutation(places)))
    yield from _score(attacker, unrelated)
    if unrelated.risk.lower > _CHANCE if unrelated.risk is not None else unrelated.lower > unrelated.guess + _CHANCE:
        yield "it succeeds with a file that has nothing to do with the people"
    yield from _bad_input(attacker, scene)


def _score(attacker: Attacker, attacked: Attacked) -> Iterator[str]:
    if attacked.attacker != attacker.name:
        yield "its result bears another name"
    if not 0 <= attacked.lower <= attacked.success <= attacked.upper <= 1 or not 0 <= attacked.guess <= 1:
        yield "its success, interval or guess is no share"
    if attacked.control is not None:
        rates = [attacked.control, *([attacked.risk] if attacked.risk is not None else [])]
        if any(not 0 <= rate.lower <= rate.value <= rate.upper <= 1 for rate in rates):
            yield "its control or risk is no share"
        if not attacked.control_by:
            yield "it does not say what its control is"
    if attacked.attempts < 0 or not all(isinstance(figure, float) for figure in attacked.figures.values()):
        yield "its attempts are no number, or a figure is none"


def _bad_input(attacker: Attacker, scene: Scene) -> Iterator[str]:
    """Give it few records, gaps, columns that do not vary, and nothing in common: a result or an error of ours."""
    original = scene.original
    one, some = np.arange(min(1, len(original))), np.arange(min(40, len(original)))
    gaps = original.with_columns({name: _with_gaps(column) for name, column in original.columns.items()})
    flat = original.taken(np.zeros(len(some), dtype=np.int64))
    strange = Records({f"{name} of others": column for name, column in original.columns.items()})
    trials = {
        "no record": replace(scene, original=original.taken(one[:0]), released=original.taken(one[:0]), origin=one[:0]),
        "one record": replace(scene, original=original.taken(one), released=original.taken(one), origin=one),
        "missing values": replace(scene, original=gaps.taken(some), released=gaps.taken(some), origin=some),
        "columns that do not vary": replace(scene, original=flat, released=flat, origin=some),
        "attributes that are not shared": replace(scene, released=strange, origin=np.arange(len(strange))),
        "no origin": replace(scene, released=original, origin=None),
    }
    for what, trial in trials.items():
        try:
            lacking = attacker.lacks(trial)
            if what in ("no record", "attributes that are not shared") and not lacking:
                yield f"it lacks nothing with {what}"
            attacked = attacker.attack(trial)
            yield from _score(attacker, attacked)
            yield from _sentences(attacked.notes, original)
        except TacitaError as error:
            yield from _sentences((str(error),), original)
            if not lacking or not error.do:
                yield f"with {what} it refuses without saying before what it lacks, or what to do"
        except Exception as error:
            yield f"it fails with {what}: {type(error).__name__}"


def _with_gaps(column: Values) -> Values:
    """Return a column of which every third value is missing."""
    gap = np.arange(len(column)) % 3 == 0
    if isinstance(column, Numbers):
        return column.with_values(np.where(gap, np.nan, column.values))
    return column.with_codes(np.where(gap, -1, column.codes).astype(np.int32))


def _sentences(sentences: tuple[str, ...], records: Records) -> Iterator[str]:
    for column in records.columns.values():
        if isinstance(column, Categories):
            shown = [str(v) for v in column.values if len(str(v)) >= _SHORTEST and str(v) not in records.names]
            if any(value in sentence.split() for value in shown for sentence in sentences):
                yield "a sentence of it shows a value of the data"


def _copy(records: Records) -> Records:
    return Records(
        {
            name: Numbers(column.values.copy(), column.is_whole)
            if isinstance(column, Numbers)
            else column.with_codes(column.codes.copy())
            for name, column in records.columns.items()
        }
    )


def _same(some: Records, others: Records) -> bool:
    return all(
        np.array_equal(_array(some[name]), _array(others[name]), equal_nan=isinstance(some[name], Numbers))
        for name in some.names
    )


def _array(column: Values) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    return column.values if isinstance(column, Numbers) else column.codes
