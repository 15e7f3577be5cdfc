"""Synthesis by trees: distributions and dependence kept, donors hidden, leaves large enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.synthetic.samples import people

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.inference.replicated_uniques import ReplicatedUniques
from tacita.errors import UsageError
from tacita.masking.synthetic.donors import Donors, grown
from tacita.masking.synthetic.predictors import RARE, Predictor
from tacita.masking.synthetic.quantiles import Quantiles, shared, smoothed
from tacita.masking.synthetic.trees import SyntheticTrees
from tacita.model.records import Categories, Numbers, Records


@pytest.fixture(scope="module")
def records() -> Records:
    return people()


@pytest.fixture(scope="module")
def synthetic(records: Records) -> Records:
    return SyntheticTrees(records=6000).treated(records, np.random.default_rng(11)).records


def test_distributions_are_near(records: Records, synthetic: Records) -> None:
    for name in ("age", "income", "wealth"):
        own, new = (each.numbers(name).values for each in (records, synthetic))
        own, new = own[~np.isnan(own)], new[~np.isnan(new)]
        grid = np.quantile(own, np.linspace(0.02, 0.98, 25))
        assert np.abs((own[:, None] <= grid).mean(axis=0) - (new[:, None] <= grid).mean(axis=0)).max() < 0.045
    for name in ("job", "school"):
        own, new = (each.categories(name).counts / len(each) for each in (records, synthetic))
        assert np.abs(own - new).max() < 0.03


def test_types_and_values_are_kept(records: Records, synthetic: Records) -> None:
    assert synthetic.names == records.names
    assert synthetic.numbers("age").is_whole and not synthetic.numbers("income").is_whole
    assert np.array_equal(synthetic.numbers("age").values, np.rint(synthetic.numbers("age").values))
    for name in ("job", "school"):
        assert synthetic.categories(name).values == records.categories(name).values
        assert synthetic.categories(name).is_ordered == records.categories(name).is_ordered


def test_missing_values_are_as_frequent_and_where_they_belong(records: Records, synthetic: Records) -> None:
    for name in records.names:
        assert abs(records[name].missing.mean() - synthetic[name].missing.mean()) < 0.02
    old = synthetic.numbers("age").values > 62
    missing = synthetic["wealth"].missing
    assert missing[old].mean() > 0.2 and missing[~old].mean() < 0.1


def test_dependence_is_kept(records: Records, synthetic: Records) -> None:
    own, new = (np.corrcoef(each.matrix(["age", "income"]).T)[0, 1] for each in (records, synthetic))
    assert abs(own - new) < 0.05
    averages = []
    for each in (records, synthetic):  # of an unordered category whose order by income is not that of its codes
        job, income = each.categories("job").codes, each.numbers("income").values
        averages.append([income[job == code].mean() for code in range(4)])
    assert np.abs(np.subtract(*averages)).max() < 60


def test_zeros_that_many_share_stay_zeros(records: Records, synthetic: Records) -> None:
    own, new = (each.numbers("wealth").values for each in (records, synthetic))
    assert abs(np.nanmean(own == 0) - np.nanmean(new == 0)) < 0.045
    assert np.nanmin(new) >= 0


def test_no_donor_is_seen_if_smoothed(records: Records, synthetic: Records) -> None:
    assert not np.isin(synthetic.numbers("income").values, records.numbers("income").values).any()
    # without smoothing all are donors' values
    plain = SyntheticTrees(smoothing=False).treated(records, np.random.default_rng(1)).records
    assert np.isin(plain.numbers("income").values, records.numbers("income").values).all()


def test_records_are_replicated_hardly_more_often_than_by_chance(records: Records) -> None:
    """Fresh records of the same distribution come nearly as near to the originals as synthetic ones do."""
    from scipy.spatial import cKDTree

    names = ["age", "income"]
    scale = records.matrix(names).std(axis=0)
    tree = cKDTree(records.matrix(names) / scale)
    bounds = [3e-4, 1e-3, 5e-3]
    near = {"synthetic": np.zeros(3), "fresh": np.zeros(3), "donors": np.zeros(3)}
    for seed in range(4):
        draw = np.random.default_rng(seed)
        files = {
            "synthetic": SyntheticTrees().treated(records.only(names), draw).records,
            "fresh": people(3000, seed=90 + seed),
            "donors": SyntheticTrees(smoothing=False, replicas="allow").treated(records.only(names), draw).records,
        }
        for kind, file in files.items():
            distance = tree.query(file.matrix(names) / scale)[0]
            near[kind] += [(distance < bound).sum() for bound in bounds]
    assert np.all(near["synthetic"] < 1.6 * near["fresh"])
    assert np.all(near["donors"] > 2 * near["fresh"])  # without smoothing it would be seen


def test_extremes_are_bounded(records: Records, synthetic: Records) -> None:
    own, new = (each.numbers("wealth").values for each in (records, synthetic))
    assert np.nanmax(new) <= np.sort(own[~np.isnan(own)])[-3:].mean() + 1e-9


def test_partial_synthesis_leaves_all_else(records: Records) -> None:
    found = SyntheticTrees(("income", "wealth")).treated(records, np.random.default_rng(1))
    assert found.origin is not None and np.array_equal(found.origin, np.arange(len(records)))
    for name in ("age", "job", "school"):
        assert found.records[name] is records[name]
    assert np.array_equal(found.records["wealth"].missing, records["wealth"].missing)
    own, new = records.numbers("income").values, found.records.numbers("income").values
    assert not np.isin(new, own).any()
    age = records.numbers("age").values
    assert abs(np.corrcoef(age, own)[0, 1] - np.corrcoef(age, new)[0, 1]) < 0.03
    # ... though what is synthesised is not the record's own value
    assert np.median(np.abs(own - new)) > 100


def test_the_visit_sequence_comes_first_and_matters(records: Records) -> None:
    one = SyntheticTrees(visit_sequence=("school", "income")).treated(records, np.random.default_rng(1)).records
    two = SyntheticTrees().treated(records, np.random.default_rng(1)).records
    assert one.names == two.names == records.names
    assert not np.array_equal(one.numbers("age").values, two.numbers("age").values)
    with pytest.raises(UsageError, match="did you mean 'school'"):
        SyntheticTrees(visit_sequence=("schol",)).treated(records, np.random.default_rng(1))
    with pytest.raises(UsageError, match="'age' is to be visited and not to be replaced"):
        SyntheticTrees(("income",), visit_sequence=("age",))
    with pytest.raises(UsageError, match="'minimum_leaf' is below 2"):
        SyntheticTrees(minimum_leaf=1)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(12, 90), st.integers(0, 2**32))
def test_every_leaf_has_enough_donors(least: int, count: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = Numbers.of(np.where(draw.random(count) < 0.2, np.nan, draw.normal(0, 1, count)))
    c = Categories.of([["a", "b", None][i] for i in draw.integers(0, 3, count)])
    known = [Predictor.of(x, (x,), least), Predictor.of(c, (c,), least)]
    for target in (draw.normal(0, 1, count), draw.integers(0, 3, count)):
        donors = grown(target, known, np.arange(count), [count], least, draw)
        assert np.bincount(donors.leaf).min() >= min(least, count)
        assert np.array_equal(donors.leaf, donors.synthetic[0])  # the same records fall into the same leaves
        drawn = donors.drawn(0, np.arange(count), draw, bootstrap=bool(seed % 2))
        assert np.array_equal(donors.leaf[drawn], donors.leaf)


@pytest.mark.slow
def test_donors_are_equally_likely_or_as_the_bootstrap_says() -> None:
    leaf = np.repeat([0, 1], [5, 15])
    donors = Donors(leaf, (np.zeros(50_000, dtype=np.int64),))
    draw = np.random.default_rng(1)
    rows = np.arange(50_000)
    counts = np.bincount(donors.drawn(0, rows, draw, bootstrap=False), minlength=20)
    assert counts[5:].sum() == 0 and np.sum(np.square(counts[:5] - 10_000) / 10_000) < 25  # chi-square, 4 d.f.
    shares = [np.bincount(donors.drawn(0, rows, draw, bootstrap=True))[0] / 50_000 for _ in range(300)]
    # the share of one of 5 donors has the beta distribution (1, 4)
    assert abs(np.mean(shares) - 0.2) < 0.04 and abs(np.std(shares) - np.sqrt(4 / 150)) < 0.03


def test_many_classes_are_modelled_too() -> None:
    draw = np.random.default_rng(4)
    x = draw.normal(0, 1, 6000)
    town = np.clip((np.argsort(np.argsort(x + draw.normal(0, 0.2, 6000))) * 150) // 6000, 0, 149)
    shuffled = np.random.default_rng(5).permutation(150)[town]
    records = Records({"x": Numbers.of(x), "town": Categories.of([f"town {t:03}" for t in shuffled])})
    found = SyntheticTrees().treated(records, np.random.default_rng(1)).records

    def means(file: Records) -> np.ndarray:
        codes = file.categories("town").codes
        return np.bincount(codes, file.numbers("x").values, 150) / np.maximum(np.bincount(codes, minlength=150), 1)

    assert np.corrcoef(means(records), means(found))[0, 1] > 0.95


def test_rare_categories_are_no_predictor() -> None:
    codes = Categories.of(["common"] * 50 + [f"rare {i // 3}" for i in range(30)])
    coded = Predictor.of(codes, (), 2)
    assert len(np.unique(coded.original)) == 2 and RARE == 10


def test_smoothing_keeps_mean_and_variance_of_scores() -> None:
    draw = np.random.default_rng(2)
    values = draw.normal(0, 1, 2000)
    leaf = np.digitize(values + draw.normal(0, 0.5, 2000), [-1, 0, 1]).astype(np.int64)
    donors = draw.integers(0, 2000, 40_000)
    found = smoothed(values, leaf, donors, 5, 3, draw)
    for each in range(4):
        own, new = values[donors][leaf[donors] == each], found[leaf[donors] == each]
        assert abs(own.mean() - new.mean()) < 0.05 and abs(own.std() / new.std() - 1) < 0.08
    assert not np.isin(found, values).any()


def test_a_value_alone_in_its_leaf_is_moved() -> None:
    values = np.concatenate([np.zeros(20), np.arange(1.0, 41.0)])
    leaf = np.concatenate([np.zeros(21, dtype=np.int64), np.ones(39, dtype=np.int64)])
    found = smoothed(values, leaf, np.full(200, 20), 5, 3, np.random.default_rng(1))
    assert shared(values, 5)[:20].all() and not shared(values, 5)[20:].any()
    assert np.mean(found == 1.0) < 0.05 and found.std() > 0.1


VALUE = st.one_of(st.sampled_from([0.0, 1.0, 7.5]), st.floats(-1e6, 1e6))


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUE, min_size=1, max_size=40), st.integers(2, 6), st.integers(1, 5))
def test_quantiles_rise_between_averages_of_extremes(values: list[float], least: int, extremes: int) -> None:
    held = np.array(values)
    quantiles = Quantiles.of(held, least, extremes)
    found = quantiles.at(np.linspace(0, 1, 50))
    count = max(1, min(extremes, len(held) // 2))
    ends = np.sort(held)
    slack = 1e-9 * (1 + np.abs(held).max())
    assert found.min() >= ends[:count].mean() - slack and found.max() <= ends[-count:].mean() + slack
    assert np.all(np.diff(quantiles.values) >= -slack) and np.all(np.diff(quantiles.places) >= 0)
    assert np.array_equal(held, np.array(values))


def test_quantiles_keep_shares_and_means() -> None:
    draw = np.random.default_rng(1)
    values = np.concatenate([np.zeros(300), draw.lognormal(3, 1, 700), np.full(100, 25.0)])
    found = Quantiles.of(values, 5, 3).at(draw.random(200_000))
    for heap in (0.0, 25.0):
        assert abs(np.mean(found == heap) - np.mean(values == heap)) < 0.005
    assert abs(found.mean() / values.mean() - 1) < 0.02 and abs(found.std() / values.std() - 1) < 0.03
    assert not np.isin(found[(found != 0) & (found != 25)], values).any()


def test_between_codes_that_many_share_nothing_is_invented() -> None:
    codes = np.repeat([2.0, 4.0, 5.0, 9.0], [20, 40, 30, 10])
    found = Quantiles.of(codes, 5, 3).at(np.random.default_rng(1).random(20_000))
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == [2, 4, 5, 9] and np.abs(counts / 20_000 - [0.2, 0.4, 0.3, 0.1]).max() < 0.02


def answers(count: int, seed: int) -> Records:
    """Seven questions whose answers go together: many people are the only ones with theirs."""
    draw = np.random.default_rng(seed)
    taste = draw.normal(size=count)
    columns: dict[str, Numbers | Categories] = {}
    for place in range(7):
        value = np.digitize(taste + draw.normal(0, 1, count), [-2, -1, 0, 1, 2])
        columns[f"q{place}"] = (
            Numbers.of(value, is_whole=True) if place % 2 else Categories(value.astype(np.int32), tuple("abcdef"))
        )
    return Records(columns)


def replicas(method: SyntheticTrees, seed: int) -> Attacked:
    members, others = answers(3000, seed), answers(3000, seed + 50)
    released = method.treated(members, np.random.default_rng(seed)).records
    return ReplicatedUniques().attack(Scene(members, released, None, members.names, holdout=others))


@pytest.mark.slow
def test_unique_records_come_up_again_as_often_as_those_of_a_hold_out() -> None:
    """And not less often: a replica that is rejected would tell by its absence who was in the data."""
    allowed = replicas(SyntheticTrees(replicas="allow"), 1).risk
    assert allowed is not None
    assert allowed.lower > 0.1
    found = [replicas(SyntheticTrees(), seed) for seed in (1, 2, 3)]
    success, control = (
        np.mean([each.success for each in found]),
        np.mean([each.control.value for each in found if each.control is not None]),
    )
    assert 0.9 * control < success < 1.2 * control
    assert control > 0.1  # there is something to be repeated


def test_no_record_lends_to_itself() -> None:
    """Partially synthetic: an answer that nothing predicts is kept as often as by chance."""
    draw = np.random.default_rng(5)
    people = Records(
        {
            "height": Numbers.of(draw.normal(170, 9, 2000)),
            "answer": Categories(draw.integers(0, 10, 2000).astype(np.int32), tuple("abcdefghij")),
        }
    )
    kept = {}
    for how in ("allow", "holdout"):
        method = SyntheticTrees(attributes=("answer",), replicas=how)  # type: ignore[arg-type]
        found = method.treated(people, np.random.default_rng(6)).records
        kept[how] = float((found.categories("answer").codes == people.categories("answer").codes).mean())
    assert kept["allow"] > 0.2
    assert abs(kept["holdout"] - 0.1) < 0.025


def test_replicas_are_a_word_that_is_known() -> None:
    with pytest.raises(UsageError, match="neither holdout nor allow"):
        SyntheticTrees(replicas="never")  # type: ignore[arg-type]
