import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from sentflow.probing.draws import plan_folds, stratified_folds, undersample
from sentflow.probing.settings import PUBLISHED


def labels_of(*counts: int) -> np.ndarray:
    """Shuffled labels with so many rows of each class."""
    return np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))


@given(counts=st.lists(st.integers(1, 30), min_size=2, max_size=5), seed=st.integers(0, 2**32 - 2))
def test_undersampling_gives_as_many_rows_of_each_class_as_the_smallest_has(counts, seed):
    labels = labels_of(*counts)
    rows = undersample(labels, seed=seed)
    assert len(set(rows.tolist())) == len(rows)
    # class after class, in sorted order
    assert labels[rows].tolist() == np.repeat(np.arange(len(counts)), min(counts)).tolist()


@given(
    counts=st.lists(st.integers(5, 40), min_size=1, max_size=5),
    n_folds=st.integers(2, 5),
    seed=st.integers(0, 2**32 - 2),
)
def test_folds_are_those_of_scikit_learn(counts, n_folds, seed):
    labels = labels_of(*counts)
    fold_of = stratified_folds(labels, n_folds, seed=seed)
    reference = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(labels, labels)
    for fold, (rest, test) in enumerate(reference):
        np.testing.assert_array_equal(np.flatnonzero(fold_of == fold), test)
        np.testing.assert_array_equal(np.flatnonzero(fold_of != fold), rest)


def test_draws_follow_the_published_order():
    """The chain of draws written out once more, in one piece, from the description of the protocol."""
    labels, max_seed = labels_of(12, 9), 2**32 - 1
    repetition_seed = np.random.RandomState(PUBLISHED.seed).randint(0, max_seed, size=10)[0]
    chain = np.random.RandomState(repetition_seed)
    seed_undersampling, _seed_folds = chain.randint(0, max_seed, size=2)
    seeds = chain.randint(0, max_seed, size=(2, 5))
    chain.random()
    under = np.random.RandomState(seed_undersampling)
    rows = np.concatenate(
        [under.choice(np.flatnonzero(labels == label), size=9, replace=False) for label in (0, 1)]
    )
    for index, plan in enumerate(plan_folds(labels, PUBLISHED.but(repetitions=1))):
        assert (plan.seed_init, plan.seed_loader) == (seeds[0, index], seeds[1, index])
        rest = np.flatnonzero(~np.isin(rows, plan.test))
        chain.shuffle(rest)
        n_evaluation = int(np.ceil(0.2 * len(rest)))
        assert rows[rest].tolist() == [*plan.evaluation.tolist(), *plan.train.tolist()]
        assert len(plan.evaluation) == n_evaluation
