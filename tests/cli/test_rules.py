"""tacita rules through the real command line: check, format, explain, list, show, repl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from tacita.cli.main import app
from tacita.knowledge import programs as shipped

RULES = get_command(app).commands["rules"].commands  # type: ignore[attr-defined]
CLI = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"
GOOD = 'Own("a", "b", 0.6).\nOwn(X, Y, W), W > 0.5 -> Control(X, Y).\n'


@pytest.mark.parametrize("command", RULES)
def test_every_option_is_documented_with_its_command(command: str) -> None:
    _, _, rest = CLI.read_text(encoding="utf-8").partition(f"\n## `tacita rules {command}`\n")
    documented = rest.partition("\n## ")[0]
    names = {name for p in RULES[command].params for name in (*p.opts, *p.secondary_opts) if name.startswith("-")}
    assert documented
    assert not [name for name in (*names, "--help") if f"`{name}" not in documented]


# -- check -------------------------------------------------------------------------------------------------------------


def test_check_shows_everything(tacita, tmp_path: Path) -> None:
    (tmp_path / "good.vada").write_text(GOOD)
    (tmp_path / "bad.vada").write_text("A(1).\nA(X), b(X) -> C(X).\nA(X), not C(Y) -> C(X).\nA(X), X = Z -> D(X\n")
    done = tacita("rules", "check", "good.vada", "bad.vada")
    assert done.returncode == 3
    assert done.stderr == ""
    assert "good.vada: 1 rule, no faults\n" in done.stdout
    assert "bad.vada:3:" in done.stdout
    assert "bad.vada:4:" in done.stdout
    assert "    A(X), X = Z -> D(X\n" in done.stdout
    assert "^" in done.stdout
    told = json.loads(tacita("rules", "check", "good.vada", "bad.vada", "--json").stdout)
    assert [one["sound"] for one in told] == [True, False]
    assert {"code", "severity", "message", "line", "column"} <= set(told[1]["faults"][0])


def test_check_knows_what_the_caller_gives(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text("Own(X, Y, W), W > $least -> Control(X, Y).\n")
    done = tacita("rules", "check", "p.vada")
    assert done.returncode == 3
    assert "R201" in done.stdout
    assert "R705" in done.stdout
    done = tacita("rules", "check", "p.vada", "--given", "Own", "--param", "least=0.5")
    assert done.returncode == 0
    assert done.stdout == "p.vada: 1 rule, no faults\n"
    done = tacita("rules", "check", "p.vada", "--given", "Own", "--param", "lest=0.5")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no parameter 'lest'; did you mean 'least'?" in done.stderr


@pytest.mark.slow
def test_check_ten_thousand_rules_and_strange_files(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text('P0("a").\n' + "".join(f"P{i}(X) -> P{i + 1}(X).\n" for i in range(10_000)))
    assert tacita("rules", "check", "p.vada").stdout == "p.vada: 10,000 rules, no faults\n"
    (tmp_path / "b.vada").write_bytes(bytes(range(256)) * 20)
    done = tacita("rules", "check", "b.vada")
    assert done.returncode == 3
    assert "is not UTF-8 text" in done.stderr
    (tmp_path / "j.vada").write_text("\x00\x1b[2J " + "}{)(" * 500)
    done = tacita("rules", "check", "j.vada")
    assert done.returncode == 3
    assert "\x1b" not in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    done = tacita("rules", "check", "-", input=GOOD)
    assert done.stdout == "-: 1 rule, no faults\n"


# -- format ------------------------------------------------------------------------------------------------------------


def test_format(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text("A(X)->B( X ).   % why\n")
    (tmp_path / "q.vada").write_text("A(X) -> B(X).\n")
    done = tacita("rules", "format", "p.vada", "q.vada", "--check")
    assert (done.returncode, done.stdout) == (1, "p.vada: would change\n2 programs: 1 would change\n")
    assert (tmp_path / "p.vada").read_text() == "A(X)->B( X ).   % why\n"
    done = tacita("rules", "format", "p.vada", "q.vada")
    assert (done.returncode, done.stdout) == (0, "p.vada: formatted\n2 programs: 1 changed\n")
    assert (tmp_path / "p.vada").read_text() == "A(X) -> B(X).  % why\n"
    assert tacita("rules", "format", "p.vada", "--check").returncode == 0
    assert tacita("rules", "format", "-", input="A(X)->B(X).").stdout == "A(X) -> B(X).\n"


def test_format_writes_nothing_if_a_file_has_a_fault(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text("A(X)->B( X ).\n")
    (tmp_path / "q.vada").write_text("A(X)->B( X \n")
    done = tacita("rules", "format", "p.vada", "q.vada")
    assert done.returncode == 3
    assert "q.vada:1:" in done.stderr
    assert (tmp_path / "p.vada").read_text() == "A(X)->B( X ).\n"


# -- explain, list, show -----------------------------------------------------------------------------------------------


def test_explain(tacita, tmp_path: Path) -> None:
    (tmp_path / "p.vada").write_text(
        '@input("Own", ["owner", "company", "share"]). @output("Control").\n'
        '@model("Own", ["owner", "company", "share"], "[owner] owns [share] of [company]").\n'
        '@model("Control", ["a", "b"], "[a] controls [b]").\n@param("half", 0.5).\n'
        "[1] Own(X, Y, W), W > $half -> Control(X, Y).\n"
        "[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > $half -> Control(X, Y).\n"
        "[3] Control(X, X), not Own(X, X, _) -> exists P: Board(X, P).\n"
        '[4] Board(X, P), Board(X, Q) -> P = Q.\n[5] Own(X, _, W), W < 0 -> false "a share below zero".\n'
    )
    done = tacita("rules", "explain", "p.vada")
    assert (done.returncode, done.stderr) == (0, "")
    for line in (
        "p.vada: 5 rules, 0 facts",
        "  Own(owner, company, share): [owner] owns [share] of [company] - given by the caller",
        "  Control(a, b): [a] controls [b] - a result",
        "  [1]  If X owns W of Y, and W is more than $half (0.5), then X controls Y.",
        "  [2]  If X controls Z, and Z owns W of Y, and the sum of W over all Z is more than $half (0.5), "
        "then X controls Y.",
        "  [3]  If X controls X, and it is not the case that X owns something of X, then there is a new unknown P such "
        "that Board(X, P).",
        "  [4]  If Board(X, P), and Board(X, Q), then P and Q are the same.",
        "  [5]  If X owns W of something, and W is less than 0, then something is wrong: a share below zero.",
        "  1. Control (depends on itself)",
        "  It ends: no rule makes a new unknown value out of another one.",
    ):
        assert line in done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped.names())
def test_every_shipped_program_is_sound_laid_out_and_explained(tacita, tmp_path: Path, name: str) -> None:
    text = tacita("rules", "show", name).stdout
    (tmp_path / f"{name}.vada").write_text(text)
    assert tacita("rules", "check", f"{name}.vada").returncode == 0
    told = json.loads(tacita("rules", "explain", name, "--json").stdout)
    assert told["meaning"]
    assert told["rules"]


def test_list_and_show(tacita) -> None:
    assert "company_control" in tacita("rules", "list").stdout
    assert "company_control" in json.loads(tacita("rules", "list", "--json").stdout)
    assert tacita("rules", "show", "company_control").stdout == (shipped.find("company_control") or ("",))[0]
    done = tacita("rules", "show", "company_contrl")
    assert done.returncode == 2
    assert "did you mean 'company_control'?" in done.stderr


def test_rules_alone_is_help(tacita) -> None:
    done = tacita("rules")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(command in done.stdout for command in RULES)


def test_the_grammar_is_printed(tacita) -> None:
    assert json.loads(tacita("rules", "grammar").stdout)["scopeName"] == "source.vada"


# -- repl --------------------------------------------------------------------------------------------------------------


def test_a_conversation_through_a_pipe(tacita, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("owner,company,share\nc,d,0.9\n")
    done = tacita(
        "rules",
        "repl",
        input='Own("a", "b", 0.6).\n% nothing\n\nOwn(X, Y, W), W > 0.5\n    -> Control(X, Y).\n'
        'Own("b", "c", 0.7). Control(X, Y), Control(Y, Z) -> Control(X, Z).\n'
        '?Control(X, "c").\n?Control("a", "c").\n?Control("c", "a").\n'
        ':input Own=more.csv\n?Control(X, Y), Y = "d".\n:facts Control\n:rules\n:quit\nNot(1).\n',
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        'X = "a"\nX = "b"\nyes\nno\n'
        "note: more.csv: columns taken in their order for Own: owner, company, share\n"
        'X = "a", Y = "d"\nX = "b", Y = "d"\nX = "c", Y = "d"\n'
        "Control(argument1, argument2): 6 facts\n"
        + "".join(f'  Control("{x}", "{y}")\n' for x, y in ("ab", "ac", "ad", "bc", "bd", "cd"))
        + 'Own("a", "b", 0.6).\nOwn(X, Y, W), W > 0.5\n    -> Control(X, Y).\n'
        'Own("b", "c", 0.7). Control(X, Y), Control(Y, Z) -> Control(X, Z).\n'
    )


def test_errors_do_not_end_a_conversation(tacita) -> None:
    done = tacita(
        "rules",
        "repl",
        "--max-rounds",
        "20",
        input='A(1).\nA(X) -> .\nA(X), Y > 2 -> B(X).\n:nope\n?B(X).\n?A(X), X = "1.\n.\n:load no.vada\n'
        ":why\nA(X) -> A(X + 1).\n?A(2).\n:clear\nA(1).\n?A(X).\nunfinished(X)",
    )
    assert done.returncode == 0
    assert done.stdout.endswith("\nX = 1\n")
    for said in (
        "R114",
        "nothing gives Y a value",
        "no command ':nope'",
        "there are no facts of 'B'",
        "no.vada: there is no such file",
        "no fact is given",
        "no end after 20 rounds",
        "there is no period",
    ):
        assert said in done.stderr, said
    assert "Traceback" not in done.stderr


def test_a_clause_whose_types_do_not_fit_is_taken_out_again(tacita) -> None:
    done = tacita(
        "rules",
        "repl",
        input='A(1).\n?A(X).\nA("x").\n?A(X).\n?A(X).\nA(X) -> B(X).\n?B(X).\nB("x").\n?B(X).\n:rules\n'
        ":undo\n:rules\n:undo\n:undo\n",
    )
    assert done.returncode == 0
    assert (
        done.stdout
        == "X = 1\nX = 1\nX = 1\nA(1).\nA(X) -> B(X).\ntaken out:\nA(X) -> B(X).\nA(1).\ntaken out:\nA(1).\n"
    )
    assert done.stderr.count("error R411") == 2
    assert 'taken out again, so that the others can be used: A("x").' in done.stderr
    assert 'taken out again, so that the others can be used: B("x").' in done.stderr
    assert "there is nothing to take out" in done.stderr


@pytest.mark.slow
def test_proofs_in_a_conversation(tacita) -> None:
    done = tacita("rules", "repl", input="A(1).\nA(X) -> B(X).\n:why B(1)\n:why-not B(2).\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "B(1)" in done.stdout
    assert "B(2)" in done.stdout


@pytest.mark.slow
def test_a_prompt_for_a_person(tmp_path: Path) -> None:
    """In a terminal there is a greeting and a prompt; an interrupt drops the line, the end of input ends it."""
    import pty
    import select

    # The terminal must be the one that controls the command, or an interrupt would not reach it; and a job that runs
    # in the background, as these tests may, hands down that interrupts are ignored.
    take = (
        "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        "signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", take, str(Path(sys.executable).with_name("tacita")), "rules", "repl"]
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, cwd=tmp_path, start_new_session=True
    )
    os.close(follower)
    seen = b""

    def until(words: bytes) -> None:
        nonlocal seen
        while words not in seen:
            assert select.select([leader], [], [], 600)[0], seen
            seen += os.read(leader, 4096)
        seen = seen.partition(words)[2]

    try:
        until(b":help shows more")
        until(b"> ")
        os.write(leader, b"A(1).\n")
        until(b"> ")
        os.write(leader, b"half(a\n")
        until("… ".encode())
        # An interrupt in the moment between the prompt and the waiting for keys is noticed with the next key only.
        for _ in range(10):
            os.write(leader, b"\x03")
            if select.select([leader], [], [], 5)[0]:
                break
        until(b"> ")
        os.write(leader, b"?A(X).\n")
        until(b"X = 1")
        until(b"> ")
        os.write(leader, b"\x04")
        assert process.wait(600) == 0
    finally:
        process.kill()
        process.wait()
        os.close(leader)
