"""The command line as a steward uses it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
import typer
from tests.cli.interrupted import interrupted


@pytest.fixture
def firms(tacita, tmp_path: Path) -> Path:
    assert tacita("generate", "R1A4W", "--seed", "3", "--out", "firms.csv").returncode == 0
    return tmp_path / "firms.csv"


@pytest.fixture(scope="module")
def many_firms(warm_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    command = [warm_path / "tacita", "generate", "R100A6W", "--out", folder / "firms.csv"]
    subprocess.run(command, env=os.environ | {"TACITA_STATE": str(folder)}, check=True, capture_output=True)
    return folder / "firms.csv"


def test_describe(installed_tacita, firms: Path) -> None:
    done = installed_tacita("describe", "firms.csv")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("firms  1,000 tuples, 8 attributes  (CSV, comma, utf-8)\n")
    assert "quasi-identifier?" in done.stdout
    assert "sample uniques" in done.stdout
    assert "\x1b[" not in done.stdout, "no colours in a pipe"
    assert not any(line.endswith(" ") for line in done.stdout.splitlines())


def test_describe_json(installed_tacita, firms: Path) -> None:
    found = json.loads(
        installed_tacita("describe", "firms.csv", "--json", "--quasi", "Area,Sector", "--weight", "Weight").stdout
    )
    assert found["rows"] == 1000
    assert found["uniques"]["quasi_identifiers"] == ["Area", "Sector"]
    by_name = {a["name"]: a for a in found["attributes"]}
    assert by_name["Weight"]["category"] == "weight"
    assert by_name["Weight"]["category_from"] == "dictionary"
    assert by_name["Id"]["read_as"]["type"] == "text"


def test_errors_as_json(installed_tacita) -> None:
    done = installed_tacita("describe", "nothing.csv", "--json")
    assert done.returncode == 3
    told = json.loads(done.stderr)["error"]
    assert told["found"] == "there is no such file"
    assert told["where"] == "nothing.csv"
    assert told["exit_code"] == 3


@pytest.mark.slow
def test_categorize_accept_set_and_remember(tacita, firms: Path, tmp_path: Path) -> None:
    shown = tacita("categorize", "firms.csv")
    assert "Nothing written yet" in shown.stdout
    assert not (tmp_path / "firms.dictionary.toml").exists()
    done = tacita("categorize", "firms.csv", "--accept", "--set", "Export to DE=sensitive")
    assert done.returncode == 0, done.stderr
    written = tomllib.loads((tmp_path / "firms.dictionary.toml").read_text())["attributes"]
    assert written["Export to DE"]["category"] == "sensitive"
    assert written["Id"]["category"] == "identifier"
    assert written["Employees"]["order"] == ["50-200", "201-1000", "1000+"]
    # The next file with such a name profits from it.
    (tmp_path / "other.csv").write_text("export_to_DE,x\na,1\nb,2\n")
    again = json.loads(tacita("categorize", "other.csv", "--json").stdout)
    proposal = again["attributes"][0]["proposal"]
    assert proposal["category"] == "sensitive"
    assert proposal["why"] == "the name was confirmed here as sensitive"


@pytest.mark.slow
def test_categorize_keeps_what_a_person_wrote(tacita, firms: Path, tmp_path: Path) -> None:
    tacita("categorize", "firms.csv", "--accept")
    file = tmp_path / "firms.dictionary.toml"
    file.write_text(file.read_text().replace("[attributes.Area]", "# agreed with the data owner\n[attributes.Area]"))
    done = tacita("categorize", "firms.csv", "--set", "Area=sensitive", "--no-remember")
    assert done.returncode == 0, done.stderr
    assert "# agreed with the data owner" in file.read_text()
    assert tomllib.loads(file.read_text())["attributes"]["Area"]["category"] == "sensitive"
    assert tacita("categorize", "firms.csv", "--accept", "--force").returncode == 0
    assert tomllib.loads(file.read_text())["attributes"]["Area"]["category"] == "quasi-identifier"


@pytest.mark.slow
def test_no_remember(tacita, firms: Path, clean_home: Path) -> None:
    tacita("categorize", "firms.csv", "--accept", "--set", "Area=sensitive", "--no-remember")
    assert not (clean_home / "experience.toml").exists()


@pytest.mark.slow
def test_categorize_twice_for_two_weights(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("weight,sampling_weight,sex\n1.5,2.5,m\n2.5,1.5,f\n")
    done = tacita("categorize", "f.csv", "--accept", "--set", "weight=weight")
    assert done.returncode == 0, done.stderr
    written = tomllib.loads((tmp_path / "f.dictionary.toml").read_text())["attributes"]
    assert written["weight"]["category"] == "weight"
    assert written["sampling_weight"]["category"] != "weight"


@pytest.mark.slow
def test_generate(tacita, tmp_path: Path) -> None:
    done = tacita(
        "generate",
        "R6A4U",
        "--out",
        "f.parquet",
        "--oracle",
        "o.parquet",
        "--ownership",
        "own.csv",
        "--dictionary",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rows"] == 6000
    assert told["uniques"]["sample_uniques"] > 0
    assert told["companions"]["ownership graph"]["rows"] == 7200
    assert {p.name for p in tmp_path.iterdir()} == {"f.parquet", "o.parquet", "own.csv", "f.dictionary.toml"}
    assert tacita("generate", "R6A4U", "--out", "f.parquet").returncode == 4
    assert (
        json.loads(tacita("describe", "f.parquet", "--json").stdout)["attributes"][0]["category_from"] == "dictionary"
    )


@pytest.mark.slow
def test_generate_is_repeatable(installed_tacita, tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        installed_tacita("generate", "R1A4W", "--seed", str(seed), "--out", f"{name}.csv")
    a, b, c = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b
    assert a != c


@pytest.mark.slow
def test_generate_two_outputs_of_one_name(tacita, tmp_path: Path) -> None:
    done = tacita("generate", "R1A4W", "--out", "a.csv", "--oracle", "a.csv")
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())


def test_list(installed_tacita) -> None:
    assert "figure-1" in installed_tacita("generate", "--list").stdout
    assert "figure-1" in json.loads(installed_tacita("generate", "--list", "--json").stdout)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "tsv", "csv.gz", "parquet", "arrow", "xlsx", "dta", "xpt"])
def test_convert_there_and_back(tacita, tmp_path: Path, ending: str) -> None:
    text = "CODE,SEX,AMOUNT,DAY\n007,m,1.5,2020-01-31\n012,f,,2021-02-28\n"
    (tmp_path / "a.csv").write_text(text)
    done = tacita("convert", "a.csv", f"b.{ending}")
    assert done.returncode == 0, done.stderr
    assert "2 tuples written" in done.stdout
    done = tacita("convert", f"b.{ending}", "c.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c.csv").read_text() == text
    assert tacita("convert", "a.csv", "c.csv").returncode == 4, "no overwriting without --force"


def test_convert_to_a_pipe(installed_tacita, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a;b;c\n007;1.234,50;"x,y"\n008;2,5;\n')
    assert installed_tacita("convert", "a.csv", "-").stdout == 'a,b,c\n007,"1.234,50","x,y"\n008,"2,5",\n'


@pytest.mark.slow
def test_a_converted_file_fits_its_dictionary(tacita, tmp_path: Path) -> None:
    tacita("generate", "figure-1", "--dictionary")
    done = tacita("convert", "figure-1.csv", "figure-1.dta")
    assert done.returncode == 4
    assert "give the new file a name of its own, such as figure-1-dta.dta" in done.stderr
    assert not (tmp_path / "figure-1.dta").exists()
    assert tacita("convert", "figure-1.csv", "other.dta").returncode == 0
    assert "20 sample uniques" in tacita("describe", "other.dta").stdout


@pytest.mark.slow
def test_a_numbered_name_teaches_nothing_about_its_neighbours(tacita, tmp_path: Path, clean_home: Path) -> None:
    (tmp_path / "a.csv").write_text("q17,sex\n1.5,m\n2.5,f\n")
    assert tacita("categorize", "a.csv", "--set", "q17=non-identifying", "--accept").returncode == 0
    assert not (clean_home / "experience.toml").exists()


@pytest.mark.slow
def test_roles_decide_for_the_named_only(tacita, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Id,Area,sex\n1,N,m\n2,S,f\n")
    assert tacita("categorize", "a.csv", "--quasi", "Area", "--accept").returncode == 0
    written = tomllib.loads((tmp_path / "a.dictionary.toml").read_text())["attributes"]
    assert (written["Id"]["category"], written["sex"]["category"]) == ("identifier", "quasi-identifier")


def test_without_a_command_there_is_help(installed_tacita) -> None:
    done = installed_tacita()
    assert (done.returncode, done.stderr) == (0, "")
    assert "describe" in done.stdout


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_fault(firms: Path) -> None:
    command = f"{Path(sys.executable).with_name('tacita')} convert {firms} - | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_version(installed_tacita) -> None:
    from tacita import __version__

    assert installed_tacita("version").stdout.startswith(f"tacita      {__version__}\n")
    assert installed_tacita("--version").stdout == f"tacita {__version__}\n"
    assert json.loads(installed_tacita("version", "--json").stdout)["tacita"] == __version__


def test_help_names_every_command_and_its_cost_is_small(installed_tacita) -> None:
    done = installed_tacita("--help")
    for command in ("describe", "categorize", "generate", "convert", "version"):
        assert command in done.stdout
    heavy = ("duckdb", "pyarrow", "numpy", "sqlglot", "rich.table")
    script = f"import sys; from tacita.cli import main; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_completion_can_be_installed(installed_tacita) -> None:
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = installed_tacita("--show-completion", "bash", env=environment)
    assert "complete -o default -F _tacita_completion tacita" in done.stdout


@pytest.mark.slow
def test_no_color(firms: Path) -> None:
    """In a terminal there are colours, unless NO_COLOR is set."""
    script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    command = [sys.executable, "-c", script, str(Path(sys.executable).with_name("tacita")), "describe", str(firms)]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "140"}
    environment.pop("NO_COLOR", None)

    def shown(variables: dict[str, str]) -> bytes:
        return subprocess.check_output(command, env=variables, stdin=subprocess.DEVNULL)

    assert b"\x1b[33m" in shown(environment)
    assert b"\x1b[33m" not in shown(environment | {"NO_COLOR": "1"})


def test_an_unknown_setting_is_told(installed_tacita) -> None:
    done = installed_tacita("describe", "f.csv", env=os.environ | {"TACITA_MEMRY": "1GB"})
    assert done.returncode == 2
    assert "unknown environment variable TACITA_MEMRY; did you mean 'TACITA_MEMORY'?" in done.stderr


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("generating", "generate R1A4W --out big.csv"),
        ("writing", "generate R1A4W --out big.csv"),
        ("looking", "describe firms.csv"),
    ],
)
def test_an_interrupt_is_told(firms: Path, word: str, command: str) -> None:
    done = interrupted(firms.parent, word, *command.split())
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert {each.name for each in firms.parent.iterdir()} == {"firms.csv"}


@pytest.mark.slow
def test_an_interrupt_in_the_midst_of_the_engine_is_told(many_firms: Path, tmp_path: Path) -> None:
    (tmp_path / "firms.csv").symlink_to(many_firms)
    command = [sys.executable, "-c", "from tacita.cli import main; main()", "describe", "firms.csv", "--spill", "."]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not any(each.name.startswith(".tacita") for each in tmp_path.iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    # 0: it had finished; an interrupt is never taken for success with nothing done.
    assert process.returncode in (130, 0), told
    assert process.returncode == 0 or "interrupted" in told
    assert {each.name for each in tmp_path.iterdir()} == {"firms.csv"}


@pytest.mark.slow
def test_a_full_disk_behind_a_pipe(installed_tacita, firms: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = installed_tacita("convert", "firms.csv", "-", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 4
    assert "the disk is full" in done.stderr


@pytest.mark.slow
def test_control_characters_do_not_reach_the_terminal(tacita, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\x1b[2Jy,b\n\x1b]0;t\x07,1\n\x1b]0;t\x07,1\n")
    for done in (
        tacita("describe", "a.csv"),
        tacita("categorize", "a.csv"),
        tacita("describe", "a.csv", "--quasi", "q"),
    ):
        assert "\x1b" not in done.stdout + done.stderr
        assert "\x07" not in done.stdout + done.stderr


def test_usage_errors_as_json(tacita) -> None:
    done = tacita("describe", "a.csv", "--json", "--nope")
    assert done.returncode == 2
    assert "No such option" in json.loads(done.stderr)["error"]["found"]


def test_no_help_has_words_that_are_swallowed_as_markup():
    from tacita.cli.main import app

    def helps(command):
        yield command.help or ""
        yield from (getattr(each, "help", None) or "" for each in command.params)
        for each in getattr(command, "commands", {}).values():
            yield from helps(each)

    assert [text for text in helps(typer.main.get_command(app)) if re.search(r"(?<!\\)\[[a-z]", text)] == []
