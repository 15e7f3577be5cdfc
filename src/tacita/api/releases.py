"""Releases that exist: whether one is what it says, and why a cell of it was changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cycle.outcome import Claim
from tacita.errors import UsageError, did_you_mean
from tacita.forms import Form
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress, silent
from tacita.release.kind import Verification
from tacita.release.kinds.concealed.explain import (
    ConcealedRecords,
    ConcealmentExplanation,
    concealed_records,
    explain_concealed,
)
from tacita.release.kinds.concealed.reveal import NAME as CONCEALED
from tacita.release.kinds.microdata.explain import (
    ChangedRecords,
    ChangeExplanation,
    OpenedMicrodata,
    changed_records,
    explain_record,
    open_microdata,
)
from tacita.release.opening import kind_of, takes_claim
from tacita.release.placing import put_back
from tacita.release.verify import verify as verify_folder

if TYPE_CHECKING:
    from tacita.cycle.program.why import LinkedWhy

__all__ = ["ClaimOptions", "ExplainedRecord", "explain", "put_back", "verify"]

_TEXTS = Form(list[str], parse=lambda typed, flag: tuple(typed))
_NULLS: dict[str, dict[str, Any]] = {
    "maybe": {"semantics": "maybe-match"},
    "maybe-match": {"semantics": "maybe-match"},
    "strict": {"semantics": "alpha", "alpha": 0.0},
    "standard": {"semantics": "standard"},
    "alpha": {"semantics": "alpha"},
    "expected": {"semantics": "expected"},
    "expected-marginal": {"semantics": "expected", "distribution": "marginal"},
    "category": {"missing_as": "category"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOptions:
    """A claim about microdata in words, for those who have the released file alone."""

    measure: tuple[str, ...] = option(
        (),
        form=_TEXTS,
        metavar="NAME[:PARAMETER=VALUE,...]|FILE.vada",
        help="A measure of the claim, instead of the manifest's; may be repeated.",
    )
    k: int | None = option(None, "--k", "-k", least=1, help="How many records should look alike, for such measures.")
    threshold: float | None = option(None, least=0, most=1, help="The risk above which a record is unsafe.")
    param: tuple[str, ...] = option(
        (),
        form=_TEXTS,
        metavar="[MEASURE.]NAME=VALUE",
        help="Another parameter of a measure; may be repeated.",
    )
    quasi: tuple[str, ...] = option(
        (), help="What the intruder knows, with commas between; may be repeated; default: the quasi-identifiers."
    )
    nulls: str | None = option(
        None, help="What an empty cell matches: strict (default), maybe, standard, alpha, expected or category."
    )
    alpha: float | None = option(None, least=0, most=1, help="Weight of an uncertain match with --nulls alpha.")

    def claim(self, release: Path) -> Claim | None:
        """Return the claim about a release; None if nothing is said."""
        from tacita.risk.catalogue import measure as measure_named
        from tacita.risk.null_semantics import default_nulls
        from tacita.risk.options import measures_typed
        from tacita.risk.together import together

        if self == ClaimOptions():
            return None
        if not self.measure:
            raise UsageError("a claim needs a measure", do="add --measure NAME, such as --measure k-anonymity")
        if self.nulls is not None and self.nulls not in _NULLS:
            do = f"use one of {', '.join(_NULLS)}"
            raise UsageError(f"--nulls cannot be '{self.nulls}'{did_you_mean(self.nulls, _NULLS)}", do=do)
        if (self.nulls == "alpha") != (self.alpha is not None):
            do = "write for example --nulls alpha --alpha 0.5"
            raise UsageError("--nulls alpha and --alpha belong together", do=do)
        parts = measures_typed(list(self.measure), list(self.param), k=self.k, threshold=self.threshold)
        if self.k is not None and all(given.get("k") != self.k for _, given in parts):
            parts[0][1]["k"] = self.k
        if self.nulls is None:
            counted = default_nulls(together([measure_named(name, given) for name, given in parts])).words
        else:
            counted = _NULLS[self.nulls] | ({} if self.alpha is None else {"alpha": self.alpha})
        known = self.quasi or _quasi_identifiers(release)
        if len(parts) == 1:
            return Claim(parts[0][0], parts[0][1], known, counted)
        name = " and ".join(name for name, _ in parts)
        return Claim(name, {"threshold": 0.0}, known, counted, parts=tuple(parts))


def _quasi_identifiers(release: Path) -> tuple[str, ...]:
    """Return the quasi-identifiers that the dictionary of the release names."""
    from tacita.model import dictionary_file
    from tacita.release.records.data_file import DICTIONARY

    path = release / DICTIONARY
    names = dictionary_file.load(path).quasi_identifiers if path.is_file() else ()
    if not names:
        raise UsageError("what the intruder knows is not said", do="name it with --quasi NAME,NAME")
    return names


def verify(
    release: str | Path,
    claim: Claim | ClaimOptions | None = None,
    *,
    internal: Path | None = None,
    progress: Progress = silent,
) -> Verification:
    """Check that no file of a release was changed, and that its claim holds for the released file alone.

    The claim of microdata is the one given, or that of the internal folder. Of tables and of masked data the files are
    compared with those that were attacked.
    """
    release = Path(release)
    if isinstance(claim, ClaimOptions):
        claim = claim.claim(release) if takes_claim(release) else None
    return verify_folder(release, claim, internal=internal, progress=progress)


@dataclass(frozen=True, slots=True, repr=False)
class ExplainedRecord(Result):
    """Why a record of a release was changed, and where rules linked it to others the chain of facts. Internal."""

    explanation: ChangeExplanation
    chain: LinkedWhy | None = None

    def _in_short(self) -> str:
        return repr(self.explanation)


def explain(
    release: str | Path,
    row: int | None = None,
    attribute: str | None = None,
    *,
    of_source: bool = False,
    internal: Path | None = None,
) -> ExplainedRecord | ChangedRecords | ConcealmentExplanation | ConcealedRecords:
    """Return why a record of a release, or one of its cells, was changed or hidden; without `row`, which records were.

    `row` counts the released records from 1, or with `of_source` those of the source. The answer comes from the
    internal folder; the chain of facts names respondents.
    """
    if kind_of(Path(release)).name == CONCEALED:
        if row is None:
            return concealed_records(Path(release), attribute, internal)
        return explain_concealed(Path(release), row, attribute, internal, of_source=of_source)
    folder = open_microdata(Path(release), internal)
    if row is None:
        return changed_records(folder, attribute)
    explanation = explain_record(folder, row, attribute, of_source=of_source)
    return ExplainedRecord(explanation, _chain(folder, explanation) if explanation.decisions else None)


def _chain(folder: OpenedMicrodata, explanation: ChangeExplanation) -> LinkedWhy | None:
    """Return why the record shares the risk of others, from the source and the rules, if rules linked them."""
    chain = folder.manifest.get("settings", {}).get("chain")
    if not chain or not Path(chain["source"]).exists():
        return None
    from tacita.api.reading import read
    from tacita.cycle.program.why import why_linked
    from tacita.engines.context import Context
    from tacita.release.kinds.microdata.claim import measure_of
    from tacita.risk.sample import Sample

    claim = folder.claim
    data = read(chain["source"], context=Context())
    data = data.with_roles(quasi=claim.known, identifier=chain["identifier"], weight=chain["weight"])
    sample, measure = Sample.of(data.microdata, claim.known), measure_of(claim)
    return why_linked(sample, explanation.source_row, chain["program"], chain["inputs"], measure=measure)
