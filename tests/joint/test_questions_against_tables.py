"""A question and the table that would publish the same figures are judged alike, beside random tables and files."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from tests.joint.conftest import Office
from tests.long import LONG

import tacita as tc
from tacita.api.querying import Database, open_for_questions
from tacita.errors import TacitaError

SEEDS = range(300) if LONG else range(5)
CODES = {
    name: [f"{name}{code}" for code in range(1, many + 1)] for name, many in zip("abcd", (3, 3, 2, 3), strict=True)
}
POLICY = (
    'name = "people"\n'
    + "".join(f'[[filter]]\nattribute = "{name}"\n' for name in CODES)
    + "[rules]\nminimum = 2\nknows_bounds = false\ncell_by_cell = false\ncounts_are_confidential = false\n"
)


@pytest.mark.slow
@pytest.mark.long
def test_a_question_is_judged_as_its_table(office: Office) -> None:
    statuses = {_judged(office, random.Random(seed), seed) for seed in SEEDS}
    assert statuses == {"answered", "refused"}


def _judged(office: Office, draw: random.Random, seed: int) -> str:
    """Return what becomes of one question beside one or two random releases."""
    many = draw.choice([25, 40, 60])
    weights = {name: [draw.choice([1, 1, 3, 6]) for _ in codes] for name, codes in CODES.items()}
    file = f"people{seed}.csv"
    office.write(
        [
            {"person": f"{seed}-{at}"} | {name: draw.choices(codes, weights[name])[0] for name, codes in CODES.items()}
            for at in range(many)
        ],
        file,
    )
    released = []
    for step in range(draw.choice([1, 2])):
        pair = draw.sample(list(CODES), 2)
        try:
            if draw.random() < 0.4:
                others = tuple(set(CODES) - set(pair))
                office.file(f"file{seed}-{step}", pair, file=file, k=draw.choice([2, 3]), drop=others)
            else:
                rule = "[sensitivity]\nminimum_frequency = 3"
                office.table(f"table{seed}-{step}", office.specification(pair, rule, file, f"t{seed}-{step}"))
        except TacitaError:
            continue
        released.append(pair)
    names = list(dict.fromkeys([*draw.sample(released[0] if released else list(CODES), 1), draw.choice(list(CODES))]))
    Path("none.vada").write_text('Sensitive(I, "none") :- Cell(I, V, N), V < 0.\n')
    table = office.specification(names, '[sensitivity]\nrules = "none.vada"', file, f"q{seed}")
    passes = office.judge(table).passes
    Path("policy.toml").write_text(POLICY.replace('"people"', f'"people{seed}"') + "[limits]\ndeadline = 60000\n")
    open_for_questions(tc.read(file), "policy.toml", "people.opened")
    listed = ", ".join(names)
    with Database("people.opened") as database:
        answer = database.sql(f"SELECT {listed}, COUNT(*) FROM people{seed} GROUP BY {listed}")
    assert passes == (answer.status == "answered"), f"seed {seed}: {released}, {names}"
    shutil.rmtree("people.opened")
    return answer.status
