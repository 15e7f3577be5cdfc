"""Who owns whom: graphs of shares between the firms of a survey, for control and group rules (section 4.4).

``ownership`` draws a graph with the shapes that make control hard to compute: majority chains, stars, joint
control (minority holders that one company controls and that together hold the majority), cross-holdings and
rings, in a sea of minority holdings. ``planted_control`` draws a graph with an exact number of control
relationships, for Figure 7d.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from tacita.errors import UsageError
from tacita.generators.firms import FRACTION, FirmSurvey
from tacita.generators.holdings import Holdings, community
from tacita.generators.permutation import Permutation
from tacita.generators.stream import BLOCK, Generated, block_sizes, schema_of
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    from numpy.typing import NDArray

EDGES_PER_FIRM = 1.2


def ownership(
    name: str,
    *,
    seed: int,
    edges: int | None = None,
    among: Literal["survey", "oracle"] = "survey",
    fraction: float = FRACTION,
) -> Generated:
    """Return an ownership graph between the firms of a survey, or of its oracle: Owner, Owned, Share.

    Firms form communities of 100,000 that own shares among themselves only, so that the graph streams. The
    shares into one company sum to at most 1; no pair occurs twice and nobody owns shares of itself.

    >>> ownership("R6A4U", seed=0).rows
    7200
    """
    survey = FirmSurvey.named(name, seed=seed, fraction=fraction)
    if among not in ("survey", "oracle"):
        raise UsageError(f"no firms '{among}' to own each other", do="use 'survey' or 'oracle'")
    firms = survey.rows if among == "survey" else survey.population
    wanted = round(EDGES_PER_FIRM * firms) if edges is None else edges
    if not 0 <= wanted <= 20 * firms:
        raise UsageError(f"{wanted:,} edges between {firms:,} firms", do=f"ask for 0 to {20 * firms:,} edges")
    scattered = Permutation.keyed(firms, seed, "communities", firms)
    communities = -(-firms // BLOCK)

    def blocks() -> Iterator[pa.RecordBatch]:
        for number in range(communities):
            first, last = (end * firms // communities for end in (number, number + 1))
            edges_here = wanted * last // firms - wanted * first // firms
            random = survey.random("ownership", among, wanted, number)
            members = scattered(np.arange(first, last))
            yield _batch(survey, members, community(last - first, edges_here, random))

    dictionary = _dictionary(f"{survey.name}-ownership", f"Shares that the firms of {survey.name} hold in each other")
    return Generated(dictionary.name, wanted, dictionary, schema_of(dictionary, numbers=["Share"]), blocks)


def planted_control(
    name: str,
    *,
    seed: int,
    relationships: int,
    selective_share: float = 0.1,
    minority: int = 0,
    fraction: float = FRACTION,
) -> Generated:
    """Return a graph with exactly so many control relationships between surveyed firms.

    A pair (x, y) is planted when x owns more than half of y directly. Owners are never owned, so the closure
    of control is the planted pairs. The controlled firms are no sample uniques; of the owners, those of
    ``selective_share`` of the relationships are (one in ten, as the paper's 9 nulls for 100 relationships and
    38 for 400 suggest). The graph with fewer relationships is the beginning of the one with more.
    ``minority`` adds that many holdings of at most one half, the half itself among them, each in another
    firm: none gives control.
    """
    survey = FirmSurvey.named(name, seed=seed, fraction=fraction)
    uniques = _sample_uniques(survey)
    others = survey.random("planted").permutation(np.setdiff1d(np.arange(survey.rows), uniques))
    quarter = len(others) // 4
    if not (0 <= relationships <= quarter and 0 <= minority <= quarter and 0 <= selective_share <= 1):
        raise UsageError(
            f"{relationships:,} control relationships, {minority:,} minority holdings, "
            f"a selective share of {selective_share}",
            where=f"survey '{survey.name}'",
            do=f"ask for at most {quarter:,} of each and a share between 0 and 1",
        )
    # One quarter of the firms for each role; nobody is owned in one holding and owner in another.
    free_owners, owned, minority_owners, minority_owned = (others[turn * quarter :][:quarter] for turn in range(4))

    def blocks() -> Iterator[pa.RecordBatch]:
        owners = free_owners[np.cumsum(survey.random("groups").random(relationships) < 1 / 3) % quarter]
        number = np.arange(relationships)
        if uniques.size:
            selective = np.floor((number + 1) * selective_share) > np.floor(number * selective_share)
            turn = np.cumsum(selective) - 1
            owners = np.where(selective, uniques[turn // 3 % uniques.size], owners)
        majority = survey.random("majority").uniform(0.51, 0.95, relationships)
        half = np.minimum(survey.random("half").uniform(0.02, 0.6, minority), 0.5)
        holdings = Holdings(
            np.concatenate([owners, minority_owners[:minority]]),
            np.concatenate([owned[:relationships], minority_owned[:minority]]),
            np.round(np.concatenate([majority, half]), 4),
        )
        yield _batch(survey, np.arange(survey.rows), holdings)

    dictionary = _dictionary(
        f"{survey.name}-control",
        f"{relationships:,} control relationships planted between the firms of {survey.name}",
    )
    schema = schema_of(dictionary, numbers=["Share"])
    return Generated(dictionary.name, relationships + minority, dictionary, schema, blocks)


def _sample_uniques(survey: FirmSurvey) -> NDArray[np.int64]:
    """Return the positions of the tuples that nobody shares the quasi-identifiers with."""
    keys = []
    for block in range(len(block_sizes(survey.rows))):
        cells = survey.cells(block)
        drawn = list(survey.quasi_identifiers(cells, block).values())[4 : survey.width]
        for column in drawn:
            cells = cells * 8 + column
        keys.append(cells)
    _, first, counts = np.unique(np.concatenate(keys), return_index=True, return_counts=True)
    return np.sort(first[counts == 1])


def _batch(survey: FirmSurvey, members: NDArray[np.int64], holdings: Holdings) -> pa.RecordBatch:
    columns = [survey.ids(members[holdings.owner]), survey.ids(members[holdings.owned]), pa.array(holdings.share)]
    return pa.record_batch(columns, names=["Owner", "Owned", "Share"])


def _dictionary(name: str, description: str) -> Dictionary:
    return Dictionary(
        name,
        (
            Attribute("Owner", Category.IDENTIFIER, Kind.TEXT, description="Id of the company that holds the shares"),
            Attribute("Owned", Category.IDENTIFIER, Kind.TEXT, description="Id of the company whose shares are held"),
            Attribute(
                "Share",
                Category.NON_IDENTIFYING,
                Kind.CONTINUOUS,
                description="Share held, above 0, at most 1",
            ),
        ),
        description=description,
    )
