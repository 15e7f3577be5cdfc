"""tacita reason through the real command line, with what a hostile or hurried user gives it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.interrupted import interrupted

CONTROL = """\
@input("Own", ["owner", "company", "share"]).
@model("Own", ["owner", "company", "share"], "[owner] owns [share] of [company]").
@model("Control", ["controller", "controlled"], "[controller] controls [controlled]").
@output("Control").
[1] if Own(X, Y, W) and W > 0.5 then Control(X, Y).
[2] if Control(X, Z) and Own(Z, Y, W) and msum(W, <Z>) > 0.5 then Control(X, Y).
"""
OWN = "owner,company,share\na,b,0.6\nb,c,0.3\na,d,0.9\nd,c,0.25\n"


@pytest.fixture
def control(tmp_path: Path) -> Path:
    (tmp_path / "p.vada").write_text(CONTROL)
    (tmp_path / "own.csv").write_text(OWN)
    return tmp_path


def refused(done: subprocess.CompletedProcess[str], code: int, *said: str) -> None:
    """Check what every refusal has in common."""
    assert done.returncode == code, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    for words in said:
        assert words in done.stderr


# -- results -----------------------------------------------------------------------------------------------------------


def test_results_are_printed(tacita, control: Path) -> None:
    done = tacita("reason", "p.vada", "--input", "Own=own.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "Control(controller, controlled): 3 facts\n"
        '  Control("a", "b")\n  Control("a", "c")\n  Control("a", "d")\n'
        "3 rounds\n"
    )


def test_results_as_json_and_files(tacita, control: Path) -> None:
    done = tacita(
        *("reason", "p.vada", "--input", "Own=own.csv", "--output", "Control=c.parquet", "--output", "Own=o.csv"),
        *("--json", "--show", "1"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["outputs"]["Control"] == {
        "arguments": ["controller", "controlled"],
        "count": 3,
        "facts": [["a", "b"]],
        "file": "c.parquet",
    }
    assert told["rounds"] == 3
    assert (control / "o.csv").read_text().splitlines()[0] == "owner,company,share"
    again = tacita("reason", "p.vada", "--input", "Own=own.csv", "--output", "Control=c.parquet")
    refused(again, 4, "c.parquet: exists already", "--force")


@pytest.mark.slow
def test_a_shipped_program_a_bound_file_and_parameters(tacita, control: Path) -> None:
    (control / "q.vada").write_text(
        '@use("company_control").\n@bind("Own", "own.csv").\n@param("least", 2).\n@output("Big").\n'
        "Control(X, Y), N = mcount(<Y>), N >= $least -> Big(X, N).\n"
    )
    assert 'Big("a", 3)' in tacita("reason", "q.vada").stdout
    assert "Big(argument1, argument2): 0 facts" in tacita("reason", "q.vada", "--param", "least=4").stdout


@pytest.mark.slow
def test_the_company_graph(tacita, shared: Path, tmp_path: Path) -> None:
    graph = shared.parent / "rules" / "cases" / "company" / "company_graph_100k.csv"
    if not graph.is_file():
        pytest.skip("the company graph is not beside the project")
    (tmp_path / "p.vada").write_text(CONTROL)
    done = tacita("reason", "p.vada", "--input", f"Own={graph}", "--show", "0")
    assert "Control(controller, controlled): 93,777 facts" in done.stdout
    assert "the first line is data, columns taken in their order for Own: owner, company, share" in done.stdout


# -- proofs ------------------------------------------------------------------------------------------------------------


def test_why_and_why_not(tacita, control: Path) -> None:
    done = tacita("reason", "p.vada", "--input", "Own=own.csv", "--why", 'Control("a", "c")', "--graph", "proof.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert 'Control("a", "c")' in done.stdout
    assert "[2]" in done.stdout
    assert 'Own("d", "c", 0.25)' in done.stdout
    assert (control / "proof.svg").read_text().startswith("<svg")
    done = tacita("reason", "p.vada", "--input", "Own=own.csv", "--why-not", 'Control("b", "c")', "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["why_not"]


@pytest.mark.slow
def test_wrong_questions(tacita, control: Path) -> None:
    own = ("reason", "p.vada", "--input", "Own=own.csv")
    refused(tacita(*own, "--why", 'Control("c", "a")'), 2, "Control")
    assert tacita(*own, "--why", "Control(").returncode in (2, 3)
    refused(tacita(*own, "--graph", "g.svg"), 2, "no --why asks for one")
    refused(tacita(*own, "--graph", "g.png", "--why", 'Control("a", "b")'), 2, "no picture is known for '.png'")
    assert {p.name for p in control.iterdir()} == {"p.vada", "own.csv"}


# -- violations --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_violations_are_listed_or_stop_the_run(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text(
        'P("a", 1). P("a", 2). P("b", 3).\n'
        "[same] P(X, Y), P(X, Z) -> Y = Z.\n"
        '@on_violation("ask")\n[low] P(X, Y), Y < 2 -> false "too low".\n'
    )
    done = tacita("reason", "p.vada")
    assert done.returncode == 0, done.stderr
    assert "2 violations:" in done.stdout
    assert "rule [low]: too low" in done.stdout
    told = json.loads(tacita("reason", "p.vada", "--json").stdout)
    assert {v["rule"] for v in told["violations"]} == {"[same]", "[low]"}
    (tmp_path / "q.vada").write_text('P("secret"). [never] P(X) -> false "nobody may be in P".')
    done = tacita("reason", "q.vada")
    refused(done, 6, "nobody may be in P: 1 case (rule [never])")
    assert "secret" not in done.stderr


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_all_faults_of_a_program(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text("Own(X, Y) -> Control(X, Z)\nA(x) -> B(y).\n")
    done = tacita("reason", "p.vada")
    refused(done, 3, "p.vada:1:27: error R1", "p.vada:2:3: error R120", "^")
    told = json.loads(tacita("reason", "p.vada", "--json").stderr)["error"]
    assert told["exit_code"] == 3
    assert len(told["faults"]) >= 2
    assert told["faults"][0]["line"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["p.vada", "--input", "Own=own.cvs"], 3, "there is no such file; did you mean 'own.csv'?"),
        (["p.vada", "--input", "own.csv"], 2, "--input 'own.csv' is not PREDICATE=FILE"),
        (["p.vada"], 2, "nothing is given for the input Own (owner, company, share)"),
        (["p.vada", "--input", "Own=two.csv"], 3, "has 2 columns, the rules give it 3 arguments"),
        (["p.vada", "--input", "Own=own.csv", "--output", "Control=no/c.csv"], 4, "the folder does not exist"),
        (["x.vada"], 3, "x.vada: there is no such file; did you mean 'p.vada'?"),
        (["p.vada", "--input", "Own=own.csv", "--output", "Contol=c.csv"], 2, "did you mean 'Control'?"),
        (["p.vada", "--input", "Own=own.csv", "--engine", "spork"], 2, "no engine 'spork'"),
        (["p.vada", "--input", "Own=own.csv", "--param", "k"], 2, "is not NAME=VALUE"),
        (["p.vada", "--input", "Own=own.csv", "--input", "Own=two.csv"], 2, "--input names 'Own' twice"),
        (
            ["p.vada", "--input", "Own=own.csv", "--output", "Own=a.csv", "--output", "Own=b.csv"],
            2,
            "--output names 'Own'",
        ),
        (["p.vada", "--input", "Own=own.csv", "--param", "k=1", "--param", "$k=0"], 2, "--param names 'k' twice"),
        (["k.vada", "--param", "kk=3"], 2, "k.vada: the program has no parameter 'kk'; did you mean 'k'?"),
        (["typed.vada", "--input", "Own=text.csv"], 3, '"share:text" in @input("Own", [...])'),
        (["p.vada", "--input", "Own=own.csv", "--max-rounds", "0"], 2, "--max-rounds"),
    ],
)
def test_wrong_requests(tacita, control: Path, arguments: list[str], code: int, message: str) -> None:
    (control / "two.csv").write_text("a,b\nx,y\n")
    (control / "k.vada").write_text('@param("k", 1). A(2). A(X), X > $k -> B(X).\n')
    (control / "typed.vada").write_text('@input("Own", ["owner", "share:number"]). Own(X, W) -> B(X, W).\n')
    (control / "text.csv").write_text("owner,share\na,0.5\nb,most\n")
    before = {p.name for p in control.iterdir()}
    refused(tacita("reason", *arguments), code, message)
    assert {p.name for p in control.iterdir()} == before


@pytest.mark.slow
def test_values_and_names_of_a_hostile_user(tacita, tmp_path: Path) -> None:
    (tmp_path / "select.csv").write_text(
        'from,group by\n"Robert\'); DROP TABLE r0;--","a""b\nc"\n\x1b[2J,"x,y"\n,\n', encoding="utf-8"
    )
    (tmp_path / "p.vada").write_text(
        "Select(From, Group) -> 'order by; \"--'(From, Group).\n'order by; \"--'(X, _), X is not null -> Table(X).\n"
    )
    done = tacita("reason", "p.vada", "--input", "Select=select.csv", "--output", "Table=t.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "t.csv").read_text() == "argument1\n\x1b[2J\nRobert'); DROP TABLE r0;--\n"
    done = tacita("reason", "p.vada", "--input", "Select=select.csv")
    assert "\x1b" not in done.stdout
    assert '"a\\"b\\nc"' in done.stdout


def test_endless_recursion_is_stopped(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text("P(0).\n[on] P(X) -> P(X + 1).\n")
    done = tacita("reason", "p.vada", "--max-rounds", "40", "--output", "P=p.csv")
    refused(done, 6, "p.vada:2:1: no end after 40 rounds", "rule [on]", "--max-rounds")
    assert {p.name for p in tmp_path.iterdir()} == {"p.vada"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is needed to give up root's rights")
def test_a_second_output_that_fails_takes_the_first_along(control: Path) -> None:
    (control / "shut").mkdir()
    (control / "shut").chmod(0o500)
    humble = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    command = [*humble, str(Path(sys.executable).with_name("tacita")), "reason", "p.vada", "--input", "Own=own.csv"]
    outputs = ["--output", "Control=c.csv", "--output", "Own=shut/o.csv"]
    done = subprocess.run([*command, *outputs], cwd=control, capture_output=True, text=True, check=False)
    (control / "shut").chmod(0o700)
    refused(done, 4, "no permission to write in this folder")
    assert {p.name for p in control.iterdir()} == {"p.vada", "own.csv", "shut"}


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_behind(tacita, tmp_path: Path, clean_home: Path) -> None:
    (tmp_path / "p.vada").write_text("P(0).\nP(X) -> P(X + 1).\n")
    spill = tmp_path / "spill"
    spill.mkdir()
    arguments = ["reason", "p.vada", "--output", "P=p.csv", "--max-rounds", "9999", "--spill", str(spill)]
    done = interrupted(tmp_path, "round 3", *arguments)
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert done.stdout == ""
    assert {p.name for p in tmp_path.iterdir()} == {"p.vada", "spill"}
    assert list(spill.iterdir()) == []
    assert list((clean_home / "state" / "unfinished").iterdir()) == []


@pytest.mark.slow
def test_ten_thousand_rules(tacita, tmp_path: Path) -> None:
    rules = "".join(f"[r{i}] P(X, Y), X = {i} -> Q(Y).\n" for i in range(10_000))
    (tmp_path / "p.vada").write_text(rules)
    (tmp_path / "p.csv").write_text("x,y\n1,a\n9999,b\n10000,c\n")
    done = tacita("reason", "p.vada", "--input", "P=p.csv")
    assert done.returncode == 0, done.stderr
    assert '  Q("a")\n  Q("b")\n' in done.stdout


@pytest.mark.slow
def test_a_rule_joined_with_itself_ten_times(tacita, tmp_path: Path) -> None:
    body = ", ".join(f"E(X{i}, X{i + 1})" for i in range(10))
    (tmp_path / "p.vada").write_text(f"{body} -> Far(X0, X10).\n")
    (tmp_path / "e.csv").write_text("a,b\n" + "".join(f"{i},{i + 1}\n" for i in range(200)))
    done = tacita("reason", "p.vada", "--input", "E=e.csv", "--show", "0")
    assert "Far(argument1, argument2): 191 facts" in done.stdout, done.stderr
