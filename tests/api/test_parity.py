"""Every verb gives the same through the command line and through Python: what it says, and every byte that it writes.

Both doors work in a folder of their own with the same files. The JSON that a command prints equals what `to_dict` of
the result returns, and afterwards the two folders hold the same files.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from experiments.soldiers import policy_text, soldiers

import tacita as tc
from tacita.api import (
    attacking,
    catalogues,
    concealing,
    depending,
    gates,
    generating,
    judging,
    ledgers,
    masking,
    querying,
    reasoning,
    releases,
    rules,
    tables,
)
from tacita.api.dataset import Dataset
from tacita.api.editor import grammar
from tacita.api.releasing import KAnonymity, ReleaseOptions
from tacita.assess.assess import Question

pytestmark = pytest.mark.slow

COLUMNS = ("Person", "Region", "Sex", "Age", "Income", "Health condition")
QUASI = ("Region", "Sex", "Age")
ROLES = ("--quasi", ",".join(QUASI), "--sensitive", "Health condition", "--identifier", "Person")
SPECIFICATION = "firms/turnover.toml"
OWN = "owner,company,share\na,b,0.6\nb,c,0.7\na,d,0.2\n"
CONTROL = """\
@input("Own", ["owner", "company", "share"]).
@output("Control").
Own(X, Y, W), W > 0.5 -> Control(X, Y).
Control(X, Y), Control(Y, Z) -> Control(X, Z).
"""
RECIPE = """\
seed = 11

[[step]]
method = "rank-swapping"
attributes = ["Income", "Age"]
p = 10

[attack]
accept = 1.0
accept_unique = 1.0
"""
LEDGER = Path("books/tacita-ledger.toml")
BOOKS = f"--settings {LEDGER}"
WITHOUT_A_CASE = {
    "keys make": "writes random bytes; tests/concealment/keys has its tests",
    "keys erase": "writes random bytes; tests/release/test_reveal.py tries the function that it calls",
    "keys rotate": "writes random bytes; tests/release/test_reveal.py tries the function that it calls",
    "keys export": "writes random bytes; tests/release/test_reveal.py tries the function that it calls",
    "version": "prints the versions of packages and asks nothing of Tacita",
    "rules repl": "a prompt; all that it calls is `api.conversation`, and tests/cli/test_rules.py talks to it",
    "rules serve": "starts the language server, which has tests of its own",
    "table import": "reads the files of another program; tests/cli/test_table_protect.py compares its specification",
    "query open": "draws a key and an id; tests/queries/test_doors.py compares what is not drawn",
    "query backup": "copies random bytes; tests/service/test_backup.py tries the function that it calls",
    "query restore": "records a time; tests/service/test_backup.py tries the function that it calls",
    "serve": "runs until somebody ends it; tests/service has its tests",
    "token make": "prints random bytes; tests/service/test_state.py has its tests",
    "token list": "of the service alone; tests/service/test_state.py has its tests",
    "token revoke": "of the service alone; tests/service/test_state.py has its tests",
    "ledger restore": "needs a state in which a later copy was seen; tests/release/test_recording.py restores one",
}
"""Commands that are not compared here, each with its reason."""


@dataclass(frozen=True)
class Case:
    """A command line, and the same in Python."""

    arguments: tuple[str, ...]
    python: Callable[[], Any]


def case(line: str, python: Callable[[], Any], *more: str) -> Case:
    return Case((*line.split(), *more), python)


def people(file: str | Path = "people.csv") -> Dataset:
    return tc.read(file).with_roles(quasi=QUASI, sensitive=["Health condition"], identifier=["Person"])


def explore() -> Any:
    options = masking.ExploreOptions(methods=("rank-swapping", "rounding"), attributes=("Income",), seed=3, at_once=1)
    comparison = people().explore(options)
    masking.write_recipes(comparison, Path("points"))
    return comparison


def generate() -> Any:
    options = generating.GeneratorOptions(seed=2, out=Path("firms.csv"), dictionary=True, oracle=Path("oracle.csv"))
    return generating.generate_files("R1A4W", options)


def reason() -> Any:
    return reasoning.reasoning_report(
        "control.vada",
        reasoning.ReasoningRequest(inputs={"Own": "own.csv"}, outputs={"Control": "control.csv"}),
        reasoning.ReportOptions(why=('Control("a", "c")',), why_not=('Control("c", "a")',), graph=Path("proof.dot")),
    )


def protect() -> Any:
    options = tables.ProtectionOptions(method="random_rounding", seed=9)
    return tables.protect_to(Path("out"), SPECIFICATION, options)


GATE = gates.GateOptions(out=Path("given"))


ASK = 'SELECT "Health condition", COUNT(*) FROM people GROUP BY "Health condition"'


def _asked(question: str) -> Any:
    with querying.Database("opened") as database:
        return database.sql(question, analyst="ann")


def _history(analyst: str) -> Any:
    with querying.Database("opened") as database:
        return database.history(analyst)


def _audit() -> Any:
    with querying.Database("opened") as database:
        return database.audit()


def _watched() -> Any:
    result = gates.watch_gate("begun")
    gates.write_report(Path("page.html"), result)
    return result


CASES = {
    "release gate": case("release gate soldiers.csv --out given", lambda: gates.gate_records("soldiers.csv", GATE)),
    "release plan": case(
        "release plan soldiers.csv --order order.csv",
        lambda: gates.plan_records("soldiers.csv", order=Path("order.csv")),
    ),
    "release watch": case(
        "release watch begun --report page.html",
        _watched,
    ),
    "query ask": case("query ask opened", lambda: _asked(ASK), ASK, "--analyst", "ann"),
    "query history": case("query history opened --analyst ann", lambda: _history("ann")),
    "query audit": case("query audit opened", _audit),
    "depends discover": case(
        "depends discover people.csv --tolerance 0.1 --within Age=2",
        lambda: people().discover_dependencies(depending.DiscoveryOptions(tolerance=0.1, within={"Age": 2})),
        *ROLES,
    ),
    "describe": case("describe people.csv", lambda: people().describe(quasi=QUASI), *ROLES),
    "categorize": case(
        "categorize people.csv --accept --set Income=sensitive",
        lambda: tc.read("people.csv").categorize({"Income": "sensitive"}, accept=True),
    ),
    "assess": case("assess people.csv --k 2", lambda: people().assess(Question(k=2), known=QUASI), *ROLES),
    "anonymize": case(
        "anonymize people.csv -k 2 --seed 5 --out out",
        lambda: people().release("out", tc.Plan(KAnonymity(2)), ReleaseOptions(seed=5)),
        *ROLES,
    ),
    "explain": case("explain safe --row 1", lambda: releases.explain("safe", 1)),
    "verify": case("verify safe", lambda: releases.verify("safe")),
    "mask": case(
        "mask people.csv --recipe recipe.toml --out out",
        lambda: masking.mask_to(Path("out"), people(), "recipe.toml"),
        *ROLES,
    ),
    "conceal": case(
        "conceal people.csv --policies wishes.csv --hide-as null --seed 6 --out out",
        lambda: concealing.conceal_to(
            Path("out"),
            tc.read("people.csv"),
            tc.ConcealPlan(policies=("wishes.csv",), seed=6),
            tc.ConcealedOptions(hide_as="null"),
        ),
    ),
    "reveal": case(
        "reveal sealed --key key.bin --out back.csv",
        lambda: tc.reveal(Path("sealed"), Path("key.bin"), Path("back.csv")),
    ),
    "compare": case(
        "compare people.csv --recipe recipe.toml --recipe coarse.toml --seed 3 --at-once 1",
        lambda: people().compare(["recipe.toml", "coarse.toml"], seed=3, at_once=1),
        *ROLES,
    ),
    "explore": case(
        "explore people.csv --methods rank-swapping,rounding --attributes Income --seed 3 --at-once 1 --recipes points",
        explore,
        *ROLES,
    ),
    "attack": case(
        "attack people.csv --original people.csv --seed 4",
        lambda: people().attack("people.csv", attacking.AttackOptions(seed=4), known=QUASI),
        *ROLES,
    ),
    "ledger init": case(
        "ledger init --name office --file office.sqlite",
        lambda: ledgers.init(".", ledgers.LedgerPlan(name="office", file=Path("office.sqlite"))),
    ),
    "ledger log": case(
        f"ledger log {BOOKS} --kind release --recipient university --last 3",
        lambda: ledgers.log(ledgers.LogOptions(kind=("release",), recipient=("university",), last=3), LEDGER),
    ),
    "ledger show": case(f"ledger show 1 {BOOKS} --payload", lambda: ledgers.show(1, LEDGER, with_payload=True)),
    "ledger judge": case(f"ledger judge {SPECIFICATION} {BOOKS}", lambda: judging.judge(SPECIFICATION, None, LEDGER)),
    "ledger verify": case(f"ledger verify {BOOKS}", lambda: ledgers.verify(LEDGER)),
    "ledger export": case(
        f"ledger export --out all.jsonl --payloads {BOOKS}",
        lambda: ledgers.export(Path("all.jsonl"), LEDGER, with_payloads=True),
    ),
    "ledger purge": case(f"ledger purge 1 {BOOKS} --why mistake", lambda: ledgers.purge([1], "mistake", LEDGER)),
    "ledger checkpoint": case(
        f"ledger checkpoint --out state.txt {BOOKS}", lambda: ledgers.checkpoint(Path("state.txt"), LEDGER)
    ),
    "ledger prove": case(
        f"ledger prove 1 --out proof.json {BOOKS}", lambda: ledgers.prove(1, Path("proof.json"), LEDGER)
    ),
    "ledger withdraw": case(
        f"ledger withdraw 1 {BOOKS} --why mistake --never-left",
        lambda: ledgers.withdraw_release(1, "mistake", LEDGER, never_left=True),
    ),
    "ledger note": case(
        f"ledger note seen {BOOKS} --recipient university", lambda: ledgers.note("seen", LEDGER, recipient="university")
    ),
    "measures": case("measures", lambda: catalogues.measures().to_dict()["measures"]),
    "methods": case("methods", lambda: catalogues.methods().to_dict()["methods"]),
    "generate": case("generate R1A4W --seed 2 --out firms.csv --dictionary --oracle oracle.csv", generate),
    "convert": case("convert people.csv people.parquet", lambda: tc.read("people.csv").convert("people.parquet")),
    "reason": case(
        "reason control.vada --input Own=own.csv --output Control=control.csv --graph proof.dot",
        reason,
        *("--why", 'Control("a", "c")', "--why-not", 'Control("c", "a")'),
    ),
    "rules check": case("rules check control.vada", lambda: rules.check_rules(["control.vada"])),
    "rules format": case("rules format untidy.vada", lambda: rules.format_rules(["untidy.vada"])),
    "rules explain": case("rules explain company_groups", lambda: rules.explain_rules("company_groups")),
    "rules list": case("rules list", rules.shipped_rules),
    "rules show": case(
        "rules show company_groups", lambda: {"name": "company_groups", "text": rules.shipped_text("company_groups")}
    ),
    "rules grammar": case("rules grammar", grammar),
    "table build": case(
        "table build firms/turnover.toml --out built", lambda: tables.build_to(Path("built"), SPECIFICATION)
    ),
    "table assess": case("table assess firms/turnover.toml", lambda: tc.assess_table(SPECIFICATION)),
    "table protect": case("table protect firms/turnover.toml --method random_rounding --seed 9 --out out", protect),
    "table audit": case("table audit firms/turnover.toml", lambda: tc.audit_table(SPECIFICATION)),
    "table export": case(
        "table export firms/turnover.toml --out firms/turnover.jj",
        lambda: tables.export_jj(Path("firms/turnover.jj"), SPECIFICATION),
    ),
    "table explain": case(
        "table explain tables --cell sector=Food",
        lambda: tables.explain_cell(Path("tables"), {"sector": "Food"}).to_dict()["cells"],
    ),
    "table example": case(
        "table example new",
        lambda: {
            "folder": "new",
            "specification": str(tables.write_example("new")),
            "files": sorted(tables.example_files()),
        },
    ),
}


def commands(group: Any, before: str = "") -> Iterator[str]:
    """Yield every command that people can type."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def test_every_command_has_a_case_or_a_reason() -> None:
    from tacita.cli.main import app

    assert set(commands(typer.main.get_command(app))) == {*CASES, *WITHOUT_A_CASE}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the cases read."""
    folder = tmp_path_factory.mktemp("files")
    tc.generate("households", rows=150).write(folder / "all.csv")
    with (folder / "all.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    (folder / "all.csv").unlink()
    with (folder / "people.csv").open("w", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    people(folder / "people.csv").release(folder / "safe", tc.Plan(KAnonymity(2)), ReleaseOptions(seed=1))
    wishes = [f"{row['Person']},Income" for row in rows[::3]]
    (folder / "wishes.csv").write_text("\n".join(["Person,confidential", *wishes]) + "\n")
    tc.make_key(folder / "key.bin")
    plan = tc.ConcealPlan(policies=(str(folder / "wishes.csv"),), seed=6)
    concealing.conceal_to(
        folder / "sealed", tc.read(folder / "people.csv"), plan, tc.ConcealedOptions(key=folder / "key.bin")
    )
    (folder / "recipe.toml").write_text(RECIPE)
    (folder / "coarse.toml").write_text(RECIPE.replace("p = 10", "p = 30"))
    (folder / "own.csv").write_text(OWN)
    (folder / "control.vada").write_text(CONTROL)
    (folder / "untidy.vada").write_text("A(X)->B(X).")
    specification = tables.write_example(folder / "firms")
    tables.protect_to(folder / "tables", specification, tables.ProtectionOptions(time=0))
    (folder / "gate.toml").write_text(policy_text())
    with (folder / "soldiers.csv").open("w", newline="") as lines:
        csv.writer(lines, lineterminator="\n").writerows([("id", "age", "location"), *soldiers(1)[:300]])
    begun = gates.GateOptions(policy=folder / "gate.toml", out=folder / "begun")
    gates.gate_records(str(folder / "soldiers.csv"), begun)
    policy = querying.parse_query_policy('name = "people"\n[[filter]]\nattribute = "Health condition"\n')
    querying.open_for_questions(tc.read(folder / "people.csv"), policy, folder / "opened")
    with querying.Database(folder / "opened") as database:
        database.sql("SELECT COUNT(*) FROM people", analyst="ann")
    (folder / "books").mkdir()
    settings = ledgers.init(folder / "books").settings.path
    settings.write_text(settings.read_text() + "\n[recipients.university]\n")
    options = ReleaseOptions(seed=2, recipient="university")
    people(folder / "people.csv").release(folder / "books" / "first", tc.Plan(KAnonymity(2)), options)
    shutil.rmtree(folder / "books" / "first")
    return folder


@pytest.mark.parametrize("command", CASES)
def test_parity(command: str, files: Path, tmp_path: Path, warm_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed, python = tmp_path / "typed" / "work", tmp_path / "python" / "work"
    for folder in (typed, python):
        shutil.copytree(files, folder)
    # Each has a state of its own: two copies of one ledger that both go on are noticed.
    states = [str(tmp_path / f"{folder.parent.name}-state") for folder in (typed, python)]
    environment = os.environ | {"TACITA_EXPERIENCE": "experience.toml", "TACITA_STATE": states[0]}
    line = [str(warm_path / "tacita"), *CASES[command].arguments, "--json"]
    done = subprocess.run(line, cwd=typed, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    monkeypatch.setenv("TACITA_EXPERIENCE", "experience.toml")
    monkeypatch.setenv("TACITA_STATE", states[1])
    monkeypatch.chdir(python)
    said = json.loads(done.stdout.replace(str(typed), str(python)))
    once = ONCE if command.startswith(("ledger", "query")) else {"seconds"}
    assert timeless(said, once) == timeless(plain(CASES[command].python()), once)
    assert contents(typed) == contents(python)


def plain(result: Any) -> Any:
    """Return what a result says to a machine."""
    if isinstance(result, tuple):
        return [plain(part) for part in result]
    return result if isinstance(result, dict | list) else json.loads(json.dumps(result.to_dict()))


def timeless(value: Any, once: Collection[str] = ("seconds",)) -> Any:
    """Return a result without how long something took, or whatever else differs each time."""
    if isinstance(value, dict):
        return {key: timeless(item, once) for key, item in value.items() if key not in once}
    return [timeless(item, once) for item in value] if isinstance(value, list) else value


ONCE = {"seconds", "time", "id", "hash", "previous", "payload_hash", "root", "note", "origin", "path"}
"""Fields of entries and checkpoints, which have a time and a random salt in them."""
DRAWN, LEDGERS = {".sqlite", ".jsonl", ".lock"}, {"tacita-ledger.toml", "state.txt", "proof.json"}
"""Files of ledgers, which have hashes with random salts in them."""


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder; the token and the time of an internal manifest are those of one release."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file():
            content = b"" if path.suffix in DRAWN or name in LEDGERS else path.read_bytes()
            if name.endswith(".internal/manifest.json"):
                manifest = json.loads(content)
                del manifest["token"], manifest["time"]
                content = json.dumps(timeless(manifest)).encode()
            found[name] = content
    return found
