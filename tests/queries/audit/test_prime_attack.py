"""The attack on a fixed prime: questions built for it hide from the audit that everything follows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.queries.audit.cubes import cube_of, policy_of, request, sum_of

from tacita.arithmetic.modular.primes import random_prime
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.judge import Objection
from tacita.queries.question import Mask


def questions_with_determinant(number: int) -> list[Mask]:
    """Return questions about single records whose matrix of zeros and ones has a determinant, up to its sign.

    The number is written to the base -2. For each digit there are x, u and z: x + z and u + z make u equal to x beside
    what is known, and x + u + the next x makes the next one -2 times as much. The last question adds up those x whose
    digit is 1.
    """
    digits = []
    while number:
        number, digit = -((number - (number & 1)) // 2), number & 1
        digits.append(digit)
    size = 3 * (len(digits) - 1) + 1
    rows = []
    for at in range(len(digits) - 1):
        x, u, z = 3 * at, 3 * at + 1, 3 * at + 2
        rows += [[x, z], [u, z], [x, u, x + 3]]
    rows.append([3 * at for at, digit in enumerate(digits) if digit])
    masks = np.zeros((size, size), np.bool_)
    for at, row in enumerate(rows):
        masks[at, row] = True
    return list(masks)


def last_verdict(questions: list[Mask]) -> tuple[Objection, ...]:
    """Ask all questions, of which all but the last are harmless; return what is said to that one."""
    policy = policy_of(minimum=2, knows_bounds=False)
    cube = cube_of([[at % 7] for at in range(len(questions))], policy)
    judge = ExactJudge(cube, policy)
    for number, cells in enumerate(questions[:-1], 1):
        query = request(sum_of(cube, cells), number=number)
        assert judge.objections(query) == ()
        judge.learn(query)
    return judge.objections(request(sum_of(cube, questions[-1]), number=len(questions)))


def test_questions_for_a_mersenne_prime_are_seen_through() -> None:
    questions = questions_with_determinant(2**61 - 1)
    assert len(questions) == 187
    assert last_verdict(questions) != ()


def test_a_fixed_prime_can_be_attacked_and_a_random_one_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    prime = random_prime()
    questions = questions_with_determinant(prime)
    assert last_verdict(questions) != ()
    monkeypatch.setattr("tacita.arithmetic.modular.incremental.random_prime", lambda: prime)
    # Everything follows, and a judge that calculates with this prime does not see it.
    assert last_verdict(questions) == ()


def test_the_determinant_is_as_wanted() -> None:
    matrix = np.array(questions_with_determinant(7919), float)
    assert abs(np.linalg.det(matrix)) == pytest.approx(7919)
