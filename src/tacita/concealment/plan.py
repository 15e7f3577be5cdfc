"""What is asked of a concealment: whose policies, what may be hidden instead, and what an intruder may know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tacita.dependencies.discovery.options import DiscoveryOptions, Relaxations
from tacita.dependencies.hiding.choice import ChoiceMethod
from tacita.dependencies.hiding.hitting_set import check_costs
from tacita.errors import UsageError, did_you_mean, faults_text, listed
from tacita.forms import Form, choose
from tacita.options import option

_WHO, _WHAT, _RELAXED = "Policies", "What is hidden", "Relaxation"

_FILES = Form(list[str], parse=lambda typed, flag: tuple(typed))
LEAST_HIDERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcealPlan:
    """How confidential attributes are kept confidential."""

    policies: tuple[str, ...] = option(
        (),
        form=_FILES,
        panel=_WHO,
        metavar="FILE",
        help="Who wants what confidential: a table of persons and attributes, or rules (.vada) that conclude "
        "Confidential(I, A); may be repeated.",
    )
    policy_column: str | None = option(
        None,
        panel=_WHO,
        help="Attribute of the data that lists what the person wants confidential; it is not released.",
    )
    confidential: tuple[str, ...] = option(
        (), panel=_WHO, help="Attributes that everybody wants confidential, with commas between."
    )
    person: str | None = option(
        None,
        panel=_WHO,
        help="Attribute that names the person of a record; default: the one that a table of policies has as well, "
        "otherwise each record is a person. It is not released.",
    )
    several_records: bool = option(
        False, "--several-records", panel=_WHO, help="A person may have several records; otherwise that is refused."
    )
    skip_unknown: bool = option(
        False, "--skip-unknown", panel=_WHO, help="Skip persons of the policies who are not in the data."
    )
    cover: float | None = option(
        None,
        panel=_WHO,
        least=0,
        most=1,
        metavar="SHARE",
        help="Let a random share of other people hide the same as those whom rules select, so that hiding tells less.",
    )
    drop: tuple[str, ...] = option((), panel=_WHAT, help="Attributes not to release, with commas between.")
    choice: ChoiceMethod = option(
        ChoiceMethod.EXACT, panel=_WHAT, help="exact, or a heuristic: counting, weighted-counting, feedback-vertices."
    )
    costs: Mapping[str, float] = option(
        {}, panel=_WHAT, help="NAME=COST of hiding an attribute instead of another, 1 by default; may be repeated."
    )
    keep: tuple[str, ...] = option((), panel=_WHAT, help="Attributes that are not hidden to protect others.")
    least_hiders: int = option(
        LEAST_HIDERS, panel=_WHAT, least=1, help="How many people must hide an attribute, so that no total tells it."
    )
    decoys: bool = option(
        True, "--no-decoys", panel=_WHAT, help="Refuse where too few people hide an attribute, instead of adding some."
    )
    max_gain: float | None = option(
        None,
        panel=_WHAT,
        least=0,
        most=1,
        metavar="GAIN",
        help="Hide more until no model guesses a confidential attribute better than by this gain over the mode.",
    )
    allow_derivable: bool = option(
        False,
        "--allow-derivable",
        panel=_WHAT,
        help="Hide nothing, and refuse nothing, because a formula or some values of other attributes tell hidden "
        "cells; recorded.",
    )
    seed: int | None = option(None, panel=_WHAT, least=0, secret=True, help="Where randomness begins; never published.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "choice", choose(self.choice, ChoiceMethod, "way to choose"))
        object.__setattr__(self, "policies", tuple(map(str, self.policies)))
        check_costs(self.costs)
        if not (self.policies or self.policy_column or self.confidential):
            raise UsageError(
                "nobody says what is confidential",
                do="add --policies FILE, --policy-column NAME or --confidential NAME,NAME",
            )
        if self.cover is not None and not self.rules:
            raise UsageError("--cover is for policies by rules", do="leave it out, or add --policies RULES.vada")
        if self.skip_unknown and not self.tables:
            raise UsageError("--skip-unknown is for tables of persons", do="leave it out, or add --policies FILE")

    @property
    def rules(self) -> tuple[str, ...]:
        """The policies that are rule programs."""
        return tuple(file for file in self.policies if Path(file).suffix == ".vada")

    @property
    def tables(self) -> tuple[str, ...]:
        """The policies that are tables of persons."""
        return tuple(file for file in self.policies if Path(file).suffix != ".vada")

    def check_names(self, known: Sequence[str], released: Sequence[str]) -> None:
        """Raise with all names that are not attributes of the data, or that have to be released and are not."""
        given = {
            "--policy-column": tuple(filter(None, [self.policy_column])),
            "--confidential": self.confidential,
            "--person": tuple(filter(None, [self.person])),
            "--drop": self.drop,
            "--keep": self.keep,
            "--costs": tuple(self.costs),
        }
        faults = [
            f"{flag} names '{name}', which is no attribute{did_you_mean(name, known)}"
            for flag, names in given.items()
            for name in names
            if name not in known
        ]
        faults += [
            f"{flag} names '{name}', which is not released"
            for flag in ("--keep", "--costs")
            for name in given[flag]
            if name in known and name not in released
        ]
        if faults:
            raise UsageError(faults_text(faults), do=f"use names such as {listed(list(released))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyOptions(Relaxations):
    """Which dependencies an intruder is supposed to know: exact ones, unless said otherwise."""

    allow_wide: bool = option(
        False,
        "--allow-wide",
        panel=_RELAXED,
        help="Accept thresholds under which more than half of all pairs are alike.",
    )

    def discovery(self, attributes: Sequence[str]) -> DiscoveryOptions:
        """Return the search for these dependencies among all released attributes."""
        given = {one.name: getattr(self, one.name) for one in fields(Relaxations)}
        return DiscoveryOptions(**given, attributes=tuple(attributes), force=self.allow_wide)
