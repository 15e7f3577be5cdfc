"""A process that asks one database as fast as it can, and prints each answer that it was given; tests kill it."""

from __future__ import annotations

import json
import sys

from tacita.api.querying import Database


def main(folder: str, analyst: str, first: int) -> None:
    """Ask questions that nobody asked, one after the other, until the budget or the process ends."""
    with Database(folder) as firms:
        for number in range(first, first + 1_600):
            condition = " OR ".join(f"W{place} = 'high'" for place in range(16) if number >> place & 1)
            answer = firms.sql(f"SELECT SUM(V) FROM firms WHERE {condition}", analyst=analyst, epsilon="0.001")
            shown = [answer.number, answer.rows[0].figures[0].value, answer.cost.get("epsilon")]
            print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
