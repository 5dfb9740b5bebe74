"""Our probes beside what people use, on the same features: python benchmarks/side_by_side.py [FEATURES.npy LABELS.npy]

Time and score of one probing protocol each, on one thread: the published one by sentflow; scikit-learn's
LogisticRegression (with its default and with a grid of regularisations) and RidgeClassifierCV on the same folds;
SentEval's classifier (Adam, batches of 64 drawn anew in each epoch, early stopping, a grid of regularisations by inner
cross-validation) on the same folds; with --mteb the classification evaluator of mteb in its default setting, which does
something else: ten small training sets, one test set. They are different probes, so scores are not expected to agree.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import needs
from probe_speed import rows
from sentflow.probing.cross_validation import cross_validate

GRID = [10.0**power for power in range(-3, 3)]
SENTEVAL_GRID = [10.0**power for power in range(-5, -1)]

Folds = list[tuple[np.ndarray, np.ndarray]]
FitPredict = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def main() -> None:
    """Print one line per protocol."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="features and labels, .npy; two classes")
    parser.add_argument("--repetitions", type=int, default=10, help="of five folds, scaled to ten")
    parser.add_argument(
        "--mteb", action="store_true", help="needs the package mteb (envs/requirements-exports.txt)"
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    features, labels = map(np.load, arguments.files) if arguments.files else rows(2000, 384, 2)
    features = np.asarray(features, dtype=np.float32)
    scale = 10 / arguments.repetitions
    print(f"{len(features)} rows, {features.shape[1]} features, 10 × 5 folds unless said otherwise\n")
    print("| probe | seconds | times ours | score (mean MCC) |")
    print("|---|---|---|---|")
    start = time.perf_counter()
    result = cross_validate(features, labels, metric="mcc", repetitions=arguments.repetitions)
    ours = (time.perf_counter() - start) * scale
    line(
        "sentflow, published protocol: 12 settings",
        ours,
        ours,
        np.mean([fold.test_metric for fold in result.folds]),
    )
    folds = [fold for seed in range(arguments.repetitions) for fold in split(labels, seed)]
    for name, fit_predict in probes().items():
        start = time.perf_counter()
        score = np.mean([of_fold(fit_predict, features, labels, fold) for fold in folds])
        line(name, (time.perf_counter() - start) * scale, ours, score)
    if arguments.mteb:
        start = time.perf_counter()
        score = mteb_score(features, labels)
        line(
            "mteb, classification: 10 × 8 rows per class to train, a fifth to test",
            time.perf_counter() - start,
            ours,
            score,
        )


def probes() -> dict[str, FitPredict]:
    """Name of each probe → training features and labels, test features → predicted labels."""
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    grid = make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(max_iter=1000), {"C": GRID}, cv=5))
    ridge = make_pipeline(StandardScaler(), RidgeClassifierCV(alphas=[1 / value for value in GRID]))
    estimators = {
        "scikit-learn LogisticRegression, default C": logistic,
        f"scikit-learn LogisticRegression, {len(GRID)} C by inner 5 folds": grid,
        f"scikit-learn RidgeClassifierCV, {len(GRID)} alphas": ridge,
    }
    found: dict[str, FitPredict] = {
        name: lambda train, labels, test, estimator=estimator: estimator.fit(train, labels).predict(test)
        for name, estimator in estimators.items()
    }
    return {
        **found,
        f"SentEval's style, {len(SENTEVAL_GRID)} regularisations by inner 5 folds": senteval_style,
    }


def mteb_score(features: np.ndarray, labels: np.ndarray) -> float:
    """MCC by mteb's evaluator and defaults: ten times eight training rows of each class, a fifth as test."""
    from datasets import Dataset
    from mteb._evaluators.sklearn_evaluator import SklearnEvaluator

    train, test = split(labels, 0)[0]
    scores = []
    for experiment in range(10):
        order = np.random.default_rng(experiment).permutation(train)
        few = np.concatenate([order[labels[order] == value][:8] for value in np.unique(labels)])
        evaluator = SklearnEvaluator(
            Dataset.from_dict({"label": labels[few].tolist()}),
            Dataset.from_dict({"label": labels[test].tolist()}),
            label_column_name="label",
            evaluator_model=LogisticRegression(max_iter=100),
        )
        scores.append(matthews_corrcoef(labels[test], evaluator(features[few], features[test])))
    return float(np.mean(scores))


def split(labels: np.ndarray, seed: int) -> Folds:
    """Five stratified folds of one repetition."""
    return list(StratifiedKFold(5, shuffle=True, random_state=seed).split(np.zeros(len(labels)), labels))


def of_fold(
    fit_predict: FitPredict, features: np.ndarray, labels: np.ndarray, fold: tuple[np.ndarray, np.ndarray]
) -> float:
    """MCC of a fold's test part."""
    train, test = fold
    return float(matthews_corrcoef(labels[test], fit_predict(features[train], labels[train], features[test])))


def senteval_style(train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    """SentEval's inner cross-validation: choose the regularisation by accuracy, train again, predict."""
    inner = split(labels, 1)
    accuracy = [
        np.mean([(senteval_fit(train[a], labels[a], value)(train[b]) == labels[b]).mean() for a, b in inner])
        for value in SENTEVAL_GRID
    ]
    return senteval_fit(train, labels, SENTEVAL_GRID[int(np.argmax(accuracy))])(test)


def senteval_fit(train: np.ndarray, labels: np.ndarray, l2: float) -> Callable[[np.ndarray], np.ndarray]:
    """Logistic regression as SentEval's default settings train it.

    Adam, batches of 64 rows of a new order per epoch, four epochs between two looks at the held-out tenth, an end after
    five looks without a gain or 200 epochs (facebookresearch/SentEval@5d6dc11, senteval/tools/classifier.py).
    """
    generator = np.random.default_rng(1)
    order = generator.permutation(len(train))
    held, kept = order[: len(train) // 10], order[len(train) // 10 :]
    x, y = torch.from_numpy(train), torch.from_numpy(labels).long()
    model = torch.nn.Linear(train.shape[1], len(np.unique(labels)))
    optimiser = torch.optim.Adam(model.parameters(), weight_decay=l2)
    best, best_state, patience = -1.0, None, 0
    for _ in looks(200, 4):
        for _ in range(4):
            for rows_of_batch in batches(generator.permutation(kept), 64):
                loss = torch.nn.functional.cross_entropy(model(x[rows_of_batch]), y[rows_of_batch])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
        with torch.no_grad():
            accuracy = float((model(x[held]).argmax(1) == y[held]).float().mean())
        if accuracy > best:
            best, best_state = accuracy, {key: value.clone() for key, value in model.state_dict().items()}
        else:
            patience += 1
            if patience >= 5:
                break
    model.load_state_dict(best_state or model.state_dict())

    def predict(rows_to_predict: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(model(torch.from_numpy(rows_to_predict)).argmax(1))

    return predict


def looks(most: int, every: int) -> Iterable[int]:
    """Epochs after which the held-out rows are looked at."""
    return range(every, most + 1, every)


def batches(order: np.ndarray, size: int) -> list[np.ndarray]:
    """Rows of each batch."""
    return [order[start : start + size] for start in range(0, len(order), size)]


def line(name: str, seconds: float, ours: float, score: float) -> None:
    """Print one line of the table."""
    print(f"| {name} | {seconds:.1f} | {seconds / ours:.2f} | {score:.3f} |", flush=True)


if __name__ == "__main__":
    needs.run(main)
