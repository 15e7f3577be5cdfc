"""A release in the place of another: what the earlier one disclosed is kept, since it may have left.

Joint verdicts need the files of disclosed records of every release that counts. Replacing a folder removes them, so
they are copied to the new internal folder first, under their hashes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tacita.ledger.disclosures import POPULATION_FILE, RECORDS_FILE, REPLACED_FILE
from tacita.ledger.sources import sha256_of
from tacita.release.kind import Workplace
from tacita.release.manifest import LEDGER, manifest_in


def replaced_release(internal: Path, ledger: str, inside: Workplace) -> int:
    """Keep what a release disclosed whose internal folder is replaced; return its entry, 0 if there is none.

    `internal` is the folder as it is now, `ledger` the id of the ledger, `inside` the new folder. Files that the
    release kept of earlier ones in the same place are kept, too.
    """
    place = manifest_in(internal).get(LEDGER)
    if not isinstance(place, dict) or place.get("id") != ledger:
        return 0
    for path in (internal / RECORDS_FILE, internal / POPULATION_FILE, *internal.glob(REPLACED_FILE.format("*"))):
        if path.is_file():
            name = REPLACED_FILE.format(sha256_of(path))
            if not (inside.path / name).exists():
                with inside.file(name) as partial:
                    shutil.copyfile(path, partial)
    return int(place["sequence"])
