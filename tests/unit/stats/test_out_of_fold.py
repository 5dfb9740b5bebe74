import numpy as np
import pytest

from sentflow.stats.items import metric_values
from sentflow.stats.out_of_fold import OutOfFoldT, RowScores, row_scores

N_ROWS, REPETITIONS = 300, 4


def answers(truth: np.ndarray, share_right: float, *, seed: int, n_classes: int = 2) -> np.ndarray:
    """(R, n): a system that is right on a share of rows, mostly the same ones in every repetition."""
    generator = np.random.default_rng(seed)
    hard = generator.random(len(truth)) + 0.1 * generator.standard_normal((REPETITIONS, len(truth)))
    return np.where(hard < share_right, truth, (truth + 1) % n_classes)


def of_repetitions(first: RowScores, second: RowScores) -> OutOfFoldT:
    return OutOfFoldT(first.scores - second.scores, first, second)


@pytest.mark.parametrize(("metric", "n_classes"), [("mcc", 2), ("adjusted_macro_f1", 3)])
def test_contributions_are_what_a_score_loses_without_a_row(metric, n_classes):
    truth = np.arange(60) % n_classes
    predicted = answers(truth, 0.7, seed=1, n_classes=n_classes)
    found = row_scores(metric, n_classes, truth, predicted, np.ones(predicted.shape, bool))

    def score(kept: np.ndarray) -> float:
        counts = np.zeros((n_classes, n_classes))
        np.add.at(counts, (truth[kept], predicted[0, kept]), 1)
        return float(metric_values(metric, counts))

    rows = np.arange(60)
    lost = np.array([score(rows) - score(rows[rows != row]) for row in rows])
    centred = lost - np.array([lost[truth == label].mean() for label in truth])
    assert found.scores[0] == pytest.approx(score(rows))
    np.testing.assert_allclose(found.contributions[0], centred, atol=1e-12)


def test_rows_that_are_not_tested_do_not_count():
    truth = np.repeat([0, 1], [200, 100])
    tested = np.zeros((REPETITIONS, 300), bool)
    for repetition, own in enumerate(tested):
        own[np.random.default_rng(repetition).choice(200, 100, replace=False)] = True
        own[200:] = True
    predicted = answers(truth, 0.7, seed=2)
    other = np.where(tested, predicted, 1 - predicted)
    first, second = (row_scores("mcc", 2, truth, one, tested) for one in (predicted, other))
    np.testing.assert_array_equal(first.contributions, second.contributions)
    test = of_repetitions(first, second)
    assert test.n_rows == 200
    assert test.p() == 1.0


def test_test_follows_from_mean_error_and_freedom():
    truth = np.arange(N_ROWS) % 2
    tested = np.ones((REPETITIONS, N_ROWS), bool)
    good, poor = (row_scores("mcc", 2, truth, answers(truth, share, seed=3), tested) for share in (0.8, 0.7))
    test = of_repetitions(good, poor)
    assert test.freedom == N_ROWS - 2
    assert test.mean == pytest.approx(good.scores.mean() - poor.scores.mean())
    assert test.p() < 0.001
    low, high = test.interval(0.95)
    assert high - test.mean == pytest.approx(1.968 * test.error, rel=1e-3)  # t of 298 degrees of freedom


def test_equal_systems_are_degenerate():
    truth = np.arange(40) % 2
    one = row_scores("mcc", 2, truth, answers(truth, 0.7, seed=4), np.ones((REPETITIONS, 40), bool))
    test = of_repetitions(one, one)
    assert test.degenerate
    assert test.p() == 1.0


def test_error_holds_where_repetitions_draw_other_rows_of_the_larger_class():
    generator, repetitions, few, many = np.random.default_rng(5), 10, 60, 600
    truth = np.repeat([1, 0], [few, many])
    means, errors = [], []
    for _ in range(400):  # equal systems that need no training, on new rows
        tested = np.ones((repetitions, few + many), bool)
        for own in tested:
            own[few + generator.choice(many, many - few, replace=False)] = False
        right = generator.random((2, few + many)) < 0.75
        systems = [
            row_scores("mcc", 2, truth, np.tile(np.where(one, truth, 1 - truth), (repetitions, 1)), tested)
            for one in right
        ]
        test = of_repetitions(*systems)
        means.append(test.mean)
        errors.append(test.error)
    # one repetition alone has an error of 1.35 times the true one
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.1)
