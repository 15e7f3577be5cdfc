"""Whether a release is what it says: its files unchanged, and what its kind claims of them true.

Nothing of what made the release is used. The kind is found by the manifest. A claim that cannot be checked does not
hold.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.engines.context import Context
from tacita.engines.protocol import Engine
from tacita.progress import Progress, silent
from tacita.release.kind import Verification
from tacita.release.opening import kind_of, open_to_verify
from tacita.release.placing import put_back
from tacita.release.recording import ledger_faults
from tacita.settings import Settings

if TYPE_CHECKING:
    from tacita.cycle.outcome import Claim
    from tacita.risk.measure import Measure


def verify(
    release: Path | str,
    claim: Claim | None = None,
    *,
    internal: Path | str | None = None,
    measure: Measure | None = None,
    engine: Engine | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Verification:
    """Check a release of any kind against its manifests, and its claim on the released files alone.

    The claim of microdata is the one given, or that of the internal folder. `measure` is for a claim by a measure that
    is Python code of one's own.
    """
    put_back((settings or Settings.from_environment()).state)
    kind = kind_of(Path(release))
    opened = open_to_verify(Path(release), kind, internal)
    with Context(settings, engine=engine, progress=progress) as context:
        verification = kind.verify(opened, opened.file_faults(), claim, measure, context)
    if verification.ledger:  # the kind has looked there itself
        return verification
    said, faults = ledger_faults(opened.manifest, Path(release), settings)
    return replace(verification, ledger=said, faults=(*verification.faults, *faults))
