"""What the look for derivable cells costs of a whole run of `anonymize` and `mask`, on data without dependencies.

Each line is a process of its own that runs the real command with a release folder, from the start of the interpreter to
its end, and measures the CPU seconds of the look inside. Nothing is refused in these runs: attributes that do determine
hidden cells (the age group of the bench files, the household number of testdata) are dropped.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import python
from benchmarks.risk import SHARED

Line = tuple[str, str, str, str, str]

RUN = """
import json, sys, time
import tacita.release.kinds.masked.kind as masked
import tacita.release.kinds.microdata.kind as microdata
from tacita.cli.main import main
spent = []
def timed(kind):
    look = kind._derivable
    def run(*arguments):
        started = time.process_time()
        search = look(*arguments)
        spent.append((time.process_time() - started, search.sets, search.formulas, len(search.derivations)))
        return search
    kind._derivable = run
timed(masked)
timed(microdata)
sys.argv = ["tacita", *{arguments!r}]
sys.stdout = open("/dev/null", "w")
try:
    code = main()
except SystemExit as end:
    code = end.code
sys.stdout = sys.__stdout__
print(json.dumps({{"code": code, "spent": spent, "total": time.process_time()}}))
"""

RECIPE = """
[[step]]
method = "mdav"
attributes = {attributes}
k = 5
"""

_SYNTHETIC = ["--quasi", "region,sex,age,edu", "--weight", "weight", "--drop", "ageg"]
_TESTDATA = ["--quasi", "urbrur,roof,walls,water,electcon,relat,sex", "--weight", "sampling_weight"]
_ADULT = ["--quasi", "sex,age,race,marital-status,education,native-country,workclass"]


def derivable(folder: Path) -> Iterator[Line]:
    """The share of the look in anonymize and mask."""
    runs = {
        "anonymize testdata": ("sdcmicro/testdata.csv", ["anonymize", "-k", "3", *_TESTDATA, "--drop", "ori_hid"]),
        "anonymize synth_25k": ("bench/synth_25k.parquet", ["anonymize", "-k", "3", *_SYNTHETIC]),
        "anonymize synth_100k": ("bench/synth_100k.parquet", ["anonymize", "-k", "3", *_SYNTHETIC]),
        "anonymize Adult": ("adult/adult.csv", ["anonymize", "-k", "3", *_ADULT]),
        "mask testdata": ("sdcmicro/testdata.csv", ["mask", "expend,income,savings", *_TESTDATA]),
        "mask synth_25k": ("bench/synth_25k.parquet", ["mask", "x1,x2,x3", *_SYNTHETIC[:4]]),
    }
    for number, (what, (file, arguments)) in enumerate(runs.items()):
        data = SHARED / file
        if not data.is_file():
            yield what, "left out: the reference data are not there", "", "", ""
            continue
        command, *rest = arguments
        if command == "mask":
            recipe = folder / f"{number}.toml"
            recipe.write_text(RECIPE.format(attributes=json.dumps(rest.pop(0).split(","))))
            rest += (
                ["--recipe", str(recipe), "--ungated", "--sensitive", "income"]
                if "testdata" in what
                else ["--recipe", str(recipe), "--ungated"]
            )
        told = _told([command, str(data), *rest, "--out", str(folder / f"out{number}")])
        look, sets, formulas, derived = told["spent"][0]
        assert told["code"] in {0, None} and not derived, what
        share = look / told["total"]
        yield (
            f"look of {what} / whole run",
            f"{look:6.2f} s CPU, {sets:,} sets, {formulas:,} formulas",
            f"{told['total']:6.2f} s CPU",
            f"{share:.2f}",
            "at most 0.20",
        )


def _told(arguments: list[str]) -> dict[str, object]:
    runs = [
        json.loads(
            subprocess.run(
                python(RUN.format(arguments=[*arguments, "--force"])), check=True, capture_output=True, text=True
            ).stdout
        )
        for _ in range(3)
    ]
    return min(runs, key=lambda run: run["total"])


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        for line in derivable(Path(name)):
            print("{:<42}{:<50}{:<20}{:<8}{}".format(*line), flush=True)
