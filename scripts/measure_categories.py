"""Measure how often categories are proposed rightly from the names and labels of public codebooks, and write it down.

``python scripts/measure_categories.py`` writes the tables of ``docs/explanation/categorization.md`` anew; a test looks
at them. The rows of ``tests/describe/codebooks.csv`` are variables of six codebooks with the category that a
person gave them. The experience base was improved with four of the codebooks; the other two were only measured.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from tacita.describe.propose import said_by_words
from tacita.describe.similarity import NameSimilarity
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Attribute, Category

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "categorization.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
HELD_OUT = ("HRS", "MICS")
"""Codebooks whose faults were not looked at while names were added; their rows were known to who added them."""
_NOTHING = "no proposal"


def measured() -> str:
    """Return the tables as a page has them."""
    with (ROOT / "tests" / "describe" / "codebooks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    base = ExperienceBase.load()
    similarity = NameSimilarity(base.names)
    found: dict[bool, Counter[tuple[str, str]]] = {True: Counter(), False: Counter()}
    for row in rows:
        reason = said_by_words(Attribute(row["name"], description=row["label"]), base, similarity)
        proposed = _NOTHING if reason is None else reason.category.value
        found[row["codebook"] in HELD_OUT][row["category"], proposed] += 1
    improved = sorted({row["codebook"] for row in rows} - set(HELD_OUT))
    return "\n".join(
        [
            *_table(f"Held out ({', '.join(HELD_OUT)})", found[True]),
            "",
            *_table(f"Used to improve the base ({', '.join(improved)})", found[False]),
            "",
        ]
    )


def _table(title: str, counts: Counter[tuple[str, str]]) -> list[str]:
    categories = [category.value for category in Category]
    right, total = sum(n for (one, two), n in counts.items() if one == two), counts.total()
    nothing = sum(n for (_, two), n in counts.items() if two == _NOTHING)
    lines = [
        f"{title}: {total} variables, {right} right ({right / total:.0%}), {nothing} without a proposal, "
        f"{total - right - nothing} wrong.",
        "",
        f"| is \\ proposed | {' | '.join([*categories, _NOTHING])} |",
        f"|---|{'---|' * (len(categories) + 1)}",
    ]
    for one in categories:
        cells = [str(counts[one, two] or "") for two in (*categories, _NOTHING)]
        lines.append(f"| {one} | {' | '.join(cells)} |")
    return lines


def written(page: str) -> str:
    """Return the text of the page with the tables as they are measured now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{measured()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
