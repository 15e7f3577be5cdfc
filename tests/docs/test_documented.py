"""The documentation is complete and holds together: settings, options, names, exit codes, pages, links."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer
import yaml

import tacita
from tacita import errors
from tacita.cli.main import EXIT_INTERRUPTED, EXIT_OUR_FAULT, app
from tacita.files.formats import FORMATS
from tacita.risk.catalogue import MEASURES
from tacita.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TOP = [ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "LIMITATIONS", "CHANGELOG")]
PAGES = [*TOP, *sorted(DOCS.rglob("*.md"))]
COMMANDS = {
    " ".join(filter(None, [name, sub])): command
    for name, group in typer.main.get_command(app).commands.items()
    for sub, command in {"": group, **getattr(group, "commands", {})}.items()
}
READ_DATA = "Options of commands that read data"
# Hosts of examples; every other address would be one that a reader cannot rely on.
HOSTS = re.compile(r"host|(\w+\.)?example\.org|\.\.\.")


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def section(page: str, title: str) -> str:
    """Return what stands below a heading, up to the next one of the same rank."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text(page), re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no section '{title}'"
    return found[1]


# -- settings, options, names, codes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [field.name for field in fields(Settings)])
def test_every_setting_is_documented_with_its_variable(setting: str) -> None:
    row = re.search(
        rf"^\| `{setting}` \| `TACITA_{setting.upper()}` \|.*$", text("reference/settings.md"), re.MULTILINE
    )
    assert row, f"no row for '{setting}' and TACITA_{setting.upper()}"


def test_the_default_memory_is_the_documented_one() -> None:
    assert f"| `memory` | `TACITA_MEMORY` | `--memory` | `{Settings().memory}` |" in text("reference/settings.md")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented_with_its_command(command: str) -> None:
    documented = section("reference/cli.md", f"`tacita {command}`")
    if "options-of-commands-that-read-data" in documented:
        documented += section("reference/cli.md", READ_DATA)
    known = {name for p in COMMANDS[command].params for name in (*p.opts, *p.secondary_opts) if name.startswith("-")}
    known |= {"--help", "-h"}
    missing = {name for name in known if not re.search(rf"`{name}[ `]", documented)}
    assert not missing
    invented = set(re.findall(r"^\| `(--[a-z-]+)", documented, re.MULTILINE)) - known
    assert not invented


def test_the_options_of_tacita_itself_are_documented() -> None:
    names = {name for p in typer.main.get_command(app).params for name in p.opts}
    assert names
    assert all(f"`{name}`" in text("reference/cli.md") for name in names)


@pytest.mark.parametrize("name", tacita.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert f"| `{name}` |" in text("reference/python-api.md")


def _errors() -> Iterator[type[errors.TacitaError]]:
    waiting = [errors.TacitaError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        if error.__module__ == "tacita.errors":
            yield error


@pytest.mark.parametrize("error", list(_errors()), ids=lambda error: error.__name__)
def test_every_error_is_documented_with_its_exit_code(error: type[errors.TacitaError]) -> None:
    page = text("reference/errors-and-exit-codes.md")
    assert re.search(rf"^\| {error.exit_code} \|.*`{error.__name__}`", page, re.MULTILINE)


def test_every_other_exit_code_is_documented() -> None:
    page = text("reference/errors-and-exit-codes.md")
    assert all(f"| {code} |" in page for code in (0, EXIT_OUR_FAULT, EXIT_INTERRUPTED))


def test_every_format_is_documented_with_its_endings() -> None:
    rows = [line for line in text("reference/formats.md").splitlines() if line.startswith("| ")]
    for known in FORMATS:
        row = next((row for row in rows if all(f"`{ending}`" in row for ending in known.endings)), None)
        assert row, f"no row for {known.name}"
        assert known.writable is (row.split("|")[4].strip() != "no"), known.name


@pytest.mark.parametrize("measure", MEASURES.names())
def test_every_measure_is_documented_with_its_parameters(measure: str) -> None:
    assert f"| [{measure}](#{measure}) |" in text("reference/measures.md")
    rows = re.findall(r"^\| `(\w+)` \| `?([^|`]*?)`? \|", section("reference/measures.md", measure), re.MULTILINE)
    told = dict(rows)
    for parameter in MEASURES.parameters(measure):
        assert parameter.name in told, f"no row for '{parameter.name}'"
        if parameter.default_text:
            assert told[parameter.name] == parameter.default_text.lower()


# -- pages and links --------------------------------------------------------------------------------------------------


def _in_nav(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for value in entry.values():
            yield from _in_nav(value)
    elif isinstance(entry, list):
        for value in entry:
            yield from _in_nav(value)


def test_every_page_is_in_the_navigation_once() -> None:
    nav = list(_in_nav(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    assert sorted(nav) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def _prose(page: Path) -> str:
    """Return a page without its fenced blocks and inline code."""
    whole = page.read_text(encoding="utf-8")
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", whole, flags=re.MULTILINE | re.DOTALL))


def _anchors(page: Path) -> set[str]:
    whole = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", whole, re.MULTILINE)
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\[[^\]]+\]\(([^)\s]+)\)", re.sub(r"\n", " ", _prose(page))):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{link} leads out of the project"
        assert not anchor or anchor in _anchors(target), f"{link}: no such heading"
        if page.is_relative_to(DOCS):
            assert target.is_relative_to(DOCS), f"{link} leads out of the site"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_page_names_a_place_that_a_reader_does_not_have(page: Path) -> None:
    whole = page.read_text(encoding="utf-8")
    hosts = set(re.findall(r"\w+://(?:[^@/\s`]*@)?([\w.-]+)", whole))
    assert not [host for host in hosts if not HOSTS.fullmatch(host)]
    machine = [ROOT.as_posix(), ROOT.parent.as_posix() + "/", Path.home().as_posix() + "/", "/tmp/", "localhost"]
    assert not [place for place in machine if len(place) > 2 and place in whole]


class _Assets(HTMLParser):
    """Collects what a browser would fetch for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "link" and given.get("rel") in {"canonical", "prev", "next"}:
            return
        place = given.get("href") if tag == "link" else given.get("src") if tag != "a" else None
        if place:
            self.found.append(place)


@pytest.mark.slow
def test_the_site_is_built_and_fetches_nothing_from_elsewhere(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(list(DOCS.rglob("*.md")))
    for page in pages:
        assets = _Assets()
        assets.feed(page.read_text(encoding="utf-8"))
        assert assets.found
        assert not [place for place in assets.found if re.match(r"(\w+:)?//", place)], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet
    assert not list(site.rglob("*.py"))
