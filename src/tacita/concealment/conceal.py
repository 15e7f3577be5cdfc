"""From policies to hidden cells: choose, attack, hide more until no confidential cell follows.

1. Equal policies are one group. For each group the cheapest attributes are chosen that break every way to a
   confidential one (`dependencies.hiding`).
2. Borderline cases of its records are further ways to close; the whole group closes them, since a record that hides
   more than its group would tell that it is one.
3. Decoys are added where a known total would tell what is hidden.
4. Attackers who share no code with this try the result (`intruder`, and whatever the caller adds). What they derive is
   closed, too, and the attack begins anew. What cannot be closed is refused.
5. A model is trained to guess confidential cells. With a largest gain, the attribute that it needs most is hidden as
   well until its gain is below; people by whom attributes are chosen are not those by whom the gain is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NoReturn

import numpy as np

from tacita.attacks.dependencies.derivations import Derivations, DerivedCell
from tacita.attacks.dependencies.importance import importance
from tacita.attacks.dependencies.prediction import PeoplePart, PredictionOptions, PredictionReport, predict
from tacita.concealment.concealment import Concealment
from tacita.concealment.hidden_cells import HiddenCells
from tacita.concealment.intruder import FileIntruder
from tacita.concealment.persons import Persons, gather_policies, persons_of
from tacita.concealment.plan import ConcealPlan
from tacita.concealment.policies.policy import Policies
from tacita.concealment.policies.policy_file import PolicyTable
from tacita.concealment.search import HidingSearch, teachable
from tacita.dependencies.dependency import Discovery
from tacita.dependencies.discovery.coding import coded_attributes
from tacita.dependencies.hiding.choice import Disclosure, DisclosureKind
from tacita.errors import OutputError, UsageError, counted, faults_text, listed
from tacita.model.microdata import Microdata
from tacita.progress import Progress, Step, silent

FurtherAttack = Callable[[HiddenCells], Sequence[Disclosure]]
"""An attack besides those by dependencies: returns by which attributes confidential cells are disclosed."""
_FEW_RECORDS = 50
"""Below, an intruder who goes through all files that fit may learn more than the attacks do."""
_MOST_ATTACKS = 30
"""Attacks after which what is still derived is refused."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConcealRequest:
    """What is to be concealed, and by what the result is judged."""

    microdata: Microdata
    plan: ConcealPlan
    discovery: Discovery
    """The dependencies of the attributes that are released, in their order."""
    seed: int
    tables: tuple[PolicyTable, ...] = ()
    similarity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """How attributes were compared when dependencies were looked for, where that is not as by default."""
    in_order: bool = False
    """Whether the intruder sees the order of the source."""
    earlier_decoys: frozenset[str] = field(default=frozenset(), repr=False)
    """Persons who were decoys in an earlier release, and are taken first."""


def conceal(
    request: ConcealRequest, further: FurtherAttack | None = None, *, progress: Progress = silent
) -> Concealment:
    """Return which cells are to be hidden so that no confidential cell can be derived."""
    microdata, plan, discovery = request.microdata, request.plan, request.discovery
    attributes = discovery.attributes
    persons = persons_of(microdata, plan)
    given = gather_policies(microdata, plan, persons, attributes, request.tables, request.seed, progress)
    _check(given.policies, attributes)
    coded = coded_attributes(microdata, attributes, ())
    codes = {one.name: one.codes.astype(np.int64) for one in coded}
    search = HidingSearch(
        plan,
        attributes,
        teachable(discovery, given.policies),
        given.policies,
        persons.turns(request.seed, "decoys", request.earlier_decoys),
        codes,
    )
    intruder = FileIntruder.of(microdata, discovery, request.similarity)
    trial = _Trial(search, intruder, further, progress)
    hidden, derivations, ways = trial.until_nothing_follows()
    options = PredictionOptions(seed=int(np.random.SeedSequence(request.seed).generate_state(1)[0]) % 2**31)
    if plan.max_gain is not None:
        while trial.hide_more(hidden, plan.max_gain, options):
            hidden, derivations, ways = trial.until_nothing_follows()
    part = PeoplePart.REPORT if plan.max_gain is not None else PeoplePart.ALL
    predictions = predict(intruder.file(hidden), None, replace(options, part=part), progress)
    notes = [*given.notes, *intruder.notes, *derivations.notes, *predictions.notes]
    notes += _gain_notes(predictions, plan.max_gain)
    notes += _decoy_notes(hidden, persons)
    if len(persons.of_record) < _FEW_RECORDS:
        notes.append(
            f"with fewer than {_FEW_RECORDS} records, whoever goes through all files that fit may derive more than the "
            "attacks do"
        )
    return Concealment(
        microdata,
        plan,
        attributes,
        persons,
        hidden,
        discovery,
        intruder.knowledge,
        derivations,
        predictions,
        request.seed,
        request.in_order,
        tuple(way.in_words for way in ways),
        tuple(dict.fromkeys(notes)),
    )


def _check(policies: Policies, attributes: Sequence[str]) -> None:
    if not policies.used:
        raise UsageError(
            "no policy keeps anything confidential that is released", do="name released attributes in the policies"
        )
    if all(policies.sets[i] >= frozenset(attributes) for i in np.unique(policies.of_record)):
        raise UsageError(
            "everything is confidential for everybody: nothing would be left", do="leave some attribute out"
        )


def _decoy_notes(hidden: HiddenCells, persons: Persons) -> list[str]:
    decoys = len(np.unique(persons.of_record[hidden.is_decoy]))
    return [f"{counted(decoys, 'person')} hide attributes so that no total tells those of others"] if decoys else []


def _gain_notes(predictions: PredictionReport, most: float | None) -> list[str]:
    """Return which gains are above the largest one that is allowed, but within its error; raise for others.

    Attributes were hidden until the gain was below on half of the people; the other half says whether that is so.
    """
    above = [one for one in predictions.scores if most is not None and one.gain is not None and one.gain.value > most]
    if most is not None and (beyond := [one.attribute for one in above if one.gain and one.gain.lower > most]):
        raise OutputError(
            f"a model guesses {listed(beyond)} better than --max-gain {most:g} allows, on people by whom nothing was "
            "chosen",
            do="give a smaller --max-gain, so that more is hidden, or allow more; nothing was written",
        )
    return [f"the gain for {one.attribute} is above --max-gain {most:g}, within its error" for one in above]


@dataclass(slots=True)
class _Trial:
    """A search for what to hide, and the attackers who try what it comes to."""

    search: HidingSearch
    intruder: FileIntruder
    further: FurtherAttack | None
    progress: Progress

    def until_nothing_follows(self) -> tuple[HiddenCells, Derivations, list[Disclosure]]:
        """Return what is hidden when attackers derive no confidential cell, their last report, and what is allowed."""
        for attack in range(_MOST_ATTACKS):
            self.progress(Step("hiding cells, and attacking the result", attack))
            hidden = self.search.hidden()
            ways = list(self.further(hidden)) if self.further is not None else []
            if ways and not self.search.plan.allow_derivable:  # before the other attacks, which take longer
                if not self.search.close(ways, hidden):
                    _refuse_open(ways, self.search.attributes)
                continue
            derivations = self.intruder.derive(hidden, self.progress)
            if not derivations.derived:
                return hidden, derivations, ways
            cells = list(derivations.cells())
            if not self.search.close_derived(cells, hidden):
                _refuse(cells)
        raise OutputError(
            f"confidential cells could still be derived after {_MOST_ATTACKS} attempts to hide more",
            do="take attributes out of --keep, or drop some (--drop); nothing was written",
        )

    def hide_more(self, hidden: HiddenCells, most: float, options: PredictionOptions) -> bool:
        """Hide one more attribute for each confidential one that is guessed too well; return whether there was one."""
        file = self.intruder.file(hidden)
        scores = predict(file, None, replace(options, part=PeoplePart.SELECTION), self.progress).scores
        too_well = [one.attribute for one in scores if one.gain is not None and one.gain.value > most]
        for name in too_well:
            ranked = importance(file, name, options, progress=self.progress).ranked
            if not self._hide_for(name, [one.attribute for one in ranked], hidden):
                raise OutputError(
                    f"a model guesses '{name}' better than --max-gain {most:g} allows, whatever is hidden",
                    do="allow more, let more people hide it, or take attributes out of --keep; nothing was written",
                )
        return bool(too_well)

    def _hide_for(self, name: str, ranked: Sequence[str], hidden: HiddenCells) -> bool:
        """Hide the attribute that helps most to guess another one, of those that a group still shows."""
        for chosen in ranked:
            way = Disclosure(name, frozenset({chosen}), DisclosureKind.PREDICTS)
            if chosen not in self.search.plan.keep and self.search.close([way], hidden):
                return True
        return False


def _refuse(cells: Sequence[DerivedCell]) -> NoReturn:
    names = listed(sorted({cell.attribute for cell in cells}))
    rows = listed([cell.row for cell in cells])
    raise OutputError(
        f"{counted(len(cells), 'confidential cell')} of {names} can still be derived (record {rows})",
        do="let more people hide these attributes, take attributes out of --keep, or drop them (--drop); nothing was "
        "written",
    )


def _refuse_open(ways: Sequence[Disclosure], attributes: Sequence[str]) -> NoReturn:
    by_order = any(way.uses.isdisjoint(attributes) for way in ways)
    remedies = "leave out --no-shuffle" if by_order else "drop attributes (--drop), let others hide the same (--cover)"
    raise OutputError(
        faults_text([f"hidden values can be derived, whatever is hidden: {way.in_words}" for way in ways]),
        do=f"{remedies}, or accept it with --allow-derivable; nothing was written",
    )
