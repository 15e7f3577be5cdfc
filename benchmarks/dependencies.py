"""The search for dependencies on the public files of the paper, each with three invented columns.

Credit-10 is seven attributes of the credit clients, London-13 all ten of the bike shares, and Joined both, record by
record; first name, last name and street are drawn with a fixed seed. CPU seconds of a search in a process whose
kernels are compiled: from records in the engine to the list with support, gain and witnesses.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import python
from benchmarks.risk import SHARED

Line = tuple[str, str, str, str, str]

CREDIT = ["LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "BILL_AMT1"]
NOMINAL = ["SEX", "EDUCATION", "MARRIAGE", "PAY_0", "weather_code", "is_holiday", "is_weekend", "season"]
INVENTED = {"first": 500, "last": 1000, "street": 700}

MADE = f"""
credit_columns, numbers = {CREDIT!r}, {INVENTED!r}
"""
MADE += """
import sys
import numpy as np, pandas as pd
credit, london, folder = sys.argv[1:4]
def invented(data):
    random = np.random.default_rng(1)
    def words(number):
        return np.array(["".join(random.choice(list("aeilmnorst"), size)) for size in random.integers(3, 8, number)])
    def drawn(number):
        return words(number)[random.integers(0, number, len(data))]
    return data.assign(**{name: drawn(number) for name, number in numbers.items()})
one, two = pd.read_csv(credit).drop(columns="ID"), pd.read_csv(london)
two["timestamp"] = pd.to_datetime(two["timestamp"], format="mixed")
ten, thirteen = invented(one[credit_columns]), invented(two)
ten.to_parquet(f"{folder}/credit-10.parquet")
thirteen.to_parquet(f"{folder}/london-13.parquet")
pd.concat([ten.iloc[: len(two), :7], thirteen], axis=1).to_parquet(f"{folder}/joined-20.parquet")
one.to_parquet(f"{folder}/credit-24.parquet")
"""

SEARCH = """
import json, resource, time
import tacita as tc
from tacita.dependencies.discovery.options import DiscoveryOptions
data = tc.read({file!r})
options = DiscoveryOptions(**{options!r})
def run():
    started = time.process_time()
    result = data.discover_dependencies(options)
    return time.process_time() - started, result
first, result = run()
seconds = min(run()[0] for _ in range({times}))
print(json.dumps(dict(seconds=seconds, first=first, number=len(result.dependencies), telling=len(result.threats),
    undecided=len(result.undecided), left_out=result.left_out, bounds=result.bounds,
    megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
"""


def exact(folder: Path) -> Iterator[Line]:
    """Exact dependencies."""
    bars = {"credit-10": "at most 0.5 s", "london-13": "at most 0.5 s", "joined-20": "at most 5 s"}
    for name, bar in bars.items():
        yield from _line(folder, name, f"exact, {name}", {}, bar)
    yield from _line(folder, "credit-24", "exact, credit-24", {}, "bounded, and says so", times=1)


def distances(folder: Path) -> Iterator[Line]:
    """Distance 1 on numbers, dates and names, equality on codes; alone and with tolerances."""
    for name in ("credit-10", "london-13"):
        near: dict[str, Any] = {"within_all": 1.0, "within": dict.fromkeys(_nominal(name), 0.0)}
        yield from _line(folder, name, f"distance 1, {name}", near, "at most 3 s")
        yield from _line(folder, name, f"g3 10 %, {name}", {"tolerance": 0.1}, "at most 15 s")
        both = {**near, "tolerance": 0.1}
        yield from _line(folder, name, f"distance 1 and g3 10 %, {name}", both, "at most 15 s")
        yield from _line(folder, name, f"distance 1 and g1 1 %, {name}", {**both, "tolerance": 0.01, "error": "g1"}, "")


def _nominal(name: str) -> list[str]:
    return [one for one in NOMINAL if one.isupper() == name.startswith("credit")]


def _line(folder: Path, name: str, what: str, options: dict[str, Any], bar: str, times: int = 3) -> Iterator[Line]:
    credit, london = SHARED / "gdpr" / "UCI_Credit_Card.csv", SHARED / "gdpr" / "london_merged.csv"
    if not (credit.is_file() and london.is_file()):
        yield what, "left out: the reference data are not there", "", "", ""
        return
    file = folder / f"{name}.parquet"
    if not file.exists():
        subprocess.run([*python(MADE), str(credit), str(london), str(folder)], check=True)
    code = SEARCH.format(file=str(file), options=options, times=times)
    facts = json.loads(subprocess.run(python(code), check=True, capture_output=True, text=True).stdout)
    number = f"{facts['number']:,} listed, {facts['telling']:,} tell"
    number += f", {facts['undecided']} undecided" if facts["undecided"] else ""
    number += f", {facts['left_out']:,} left out" if facts["left_out"] else ""
    yield (
        what,
        f"{facts['seconds']:6.2f} s CPU {facts['megabytes']:6.0f} MB, first {facts['first']:.1f} s",
        number,
        "",
        bar if not facts["bounds"] else f"{bar}; {' '.join(facts['bounds'])}",
    )
