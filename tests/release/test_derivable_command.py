"""The same through the real command line: refused with the remedies in order, and released when one is followed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from tests.conftest import Run
from tests.release.hostile import HOSTILE, columns_of, quasi_of
from tests.release.test_derivable_hostile import importance as importance_of

THROUGH = ("weights per stratum", "code with leading zeros", "total of four", "date of birth", "two together")
MASKED = (
    "weights per stratum",
    "code with leading zeros",
    "rounded copy",
    "total of two",
    "date of birth",
    "hash of three",
)
_RECIPE = """seed = 8273640915527364810
[[step]]
method = "k-anonymity"
attributes = {quasi}
k = 3
"""
_ACTION = re.compile(r"--(?:linked|drop|weight-noise) \S+")


@pytest.mark.parametrize("name", THROUGH)
def test_the_cheapest_remedy_of_the_message_helps(tacita: Run, tmp_path: Path, name: str) -> None:
    hostile = next(one for one in HOSTILE if one.name == name)
    pyarrow.csv.write_csv(pa.table(columns_of(hostile)), tmp_path / "survey.csv")
    importance = [
        f"--importance={key}={value}" for key, value in importance_of(hostile.target, quasi_of(hostile)).items()
    ]
    roles = [f"--{role}={','.join(v) if isinstance(v, list) else v}" for role, v in hostile.roles.items()]
    command = ["anonymize", "survey.csv", "-k", "3", "--quasi", ",".join(quasi_of(hostile)), *importance, *roles]
    refused = tacita(*command, "--out", "release", "--json")
    assert refused.returncode == 4
    error = json.loads(refused.stderr.splitlines()[-1])["error"]
    assert hostile.clue in error["found"] and "--allow-derivable" in error["do"]
    cheapest = _ACTION.findall(error["do"].split(", or ")[0])
    prices = [int(price.replace(",", "")) for price in re.findall(r"\(([\d,]+) cells\)", error["do"])]
    assert cheapest and prices == sorted(prices) and not (tmp_path / "release").exists()
    followed = tacita(*command, *(word for action in cheapest for word in action.split(" ")), "--out", "release")
    assert followed.returncode == 0, followed.stderr
    assert tacita("verify", "release").returncode == 0
    allowed = tacita(*command, "--out", "release", "--force", "--allow-derivable")
    assert allowed.returncode == 0 and "hidden values can be derived (allowed)" in allowed.stdout
    inside = json.loads((tmp_path / "release.internal" / "manifest.json").read_text())
    assert inside["derivable"][0]["transcript"]["rows"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MASKED)
def test_recipes_are_refused_alike(tacita: Run, tmp_path: Path, name: str) -> None:
    """All quasi-identifiers may be suppressed: what the hidden ones are derived from may be hidden in places, too."""
    hostile = next(one for one in HOSTILE if one.name == name)
    pyarrow.csv.write_csv(pa.table(columns_of(hostile)), tmp_path / "survey.csv")
    (tmp_path / "steps.toml").write_text(_RECIPE.format(quasi=json.dumps(quasi_of(hostile))))
    roles = [f"--{role}={','.join(v) if isinstance(v, list) else v}" for role, v in hostile.roles.items()]
    command = ["mask", "survey.csv", "--recipe", "steps.toml", "--quasi", ",".join(quasi_of(hostile))]
    command += ["--ungated", "--anyway", "--out", "release"]
    refused = tacita(*command, *roles, "--json")
    assert refused.returncode == 4 and not (tmp_path / "release").exists()
    error = json.loads(refused.stderr.splitlines()[-1])["error"]
    assert hostile.clue in error["found"] and "--allow-derivable" in error["do"]
    drop = re.search(r"--identifier (\S+)", error["do"])
    assert drop is not None
    kept = [role for role in roles if drop[1] not in role]
    followed = tacita(*command, *kept, "--identifier", drop[1])
    assert followed.returncode == 0, followed.stderr
    allowed = tacita(*command, *roles, "--force", "--allow-derivable")
    assert allowed.returncode == 0, allowed.stderr
    inside = json.loads((tmp_path / "release.internal" / "manifest.json").read_text())
    assert any(hostile.clue in one["from"] for one in inside["derivable"])
    assert all("deriv" not in file.read_text() for file in (tmp_path / "release").glob("*.[hj]*"))
    assert "derived (allowed)" in tacita("verify", "release").stdout
