import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from probe_contract import assert_same_folds
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from sentflow.probing import fold as training
from sentflow.probing.draws import FoldPlan, plan_folds
from sentflow.probing.fold import FoldResult, ProbeDesign, published_metric
from sentflow.probing.settings import PUBLISHED, ProbeProtocol, Setting
from sentflow.probing.training import MadeParts, train_planned

# Few epochs and settings, so that the plain implementation beside stays quick
SHORT = PUBLISHED.but(search_epochs=2, max_epochs=12, patience=1, beta2s=(0.99,), beta1s=(0.8, 0.9))


def rows_of_blobs(n: int, n_classes: int, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(n, 6) float32 rows around one centre per class, overlapping, and their labels."""
    generator = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    features = 0.4 * np.eye(6)[labels] + generator.standard_normal((n, 6))
    return features.astype(np.float32), labels.astype(np.int64)


def parts_of(plan: FoldPlan, features: np.ndarray, labels: np.ndarray):
    return [(features[rows], labels[rows]) for rows in (plan.train, plan.evaluation, plan.test)]


def first_plan(labels: np.ndarray) -> FoldPlan:
    return next(plan_folds(labels, PUBLISHED))


def our_fold(
    n: int, n_classes: int, *, hidden: int | None = None, protocol: ProbeProtocol = SHORT
) -> FoldResult:
    features, labels = rows_of_blobs(n, n_classes)
    plan = first_plan(labels)
    design = ProbeDesign("mcc" if n_classes == 2 else "adjusted_macro_f1", n_classes, hidden, protocol)
    parts = tuple(part for part, _ in parts_of(plan, features, labels))
    [result] = train_planned(MadeParts(parts), labels, [plan], design)
    return result


@pytest.fixture
def one_thread():
    """Many threads on such small products only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class PlainFold:
    """One fold as the published evaluator trains it: a data loader, autograd and torch's own optimiser."""

    def __init__(self, n: int, n_classes: int, *, hidden: int | None, protocol: ProbeProtocol) -> None:
        features, labels = rows_of_blobs(n, n_classes)
        self.plan, self.protocol, self.hidden = first_plan(labels), protocol, hidden
        self.n_classes, self.n_outputs = n_classes, 1 if n_classes == 2 else n_classes
        tensors = [tuple(map(torch.from_numpy, part)) for part in parts_of(self.plan, features, labels)]
        mean, std = tensors[0][0].mean(dim=0), tensors[0][0].std(dim=0)
        self.train, self.evaluation, self.test = (((x - mean) / (1e-12 + std), y) for x, y in tensors)
        self.generator = torch.Generator().manual_seed(self.plan.seed_loader)

    def run(self) -> FoldResult:
        best, chosen = -1.0, self.protocol.grid[0]
        for setting in self.protocol.grid:
            network, _ = self.fit(setting, epochs=self.protocol.search_epochs)
            value = self.metric_of(network, self.evaluation)
            if value > best:
                best, chosen = value, setting
        network, curves = self.fit(chosen, epochs=self.protocol.max_epochs, stop=True)
        logits = self.logits(network, self.test[0])
        train_losses, evaluation_losses, evaluation_metrics = map(list, zip(*curves, strict=True))
        return FoldResult(
            repetition=1,
            fold=1,
            setting=chosen,
            train_losses=train_losses,
            evaluation_losses=evaluation_losses,
            evaluation_metrics=evaluation_metrics,
            test_loss=float(self.loss(logits, self.test[1])),
            test_metric=self.metric_of(network, self.test),
            test_rows=self.plan.test,
            truth=self.test[1].numpy(),
            predicted=self.classes(logits).numpy().astype(np.int64),
            scores=np.empty(0),
            n_train=len(self.train[1]),
            n_evaluation=len(self.evaluation[1]),
            dimension=6,
        )

    def fit(self, setting: Setting, *, epochs: int, stop: bool = False):
        network = self.network()
        optimiser = torch.optim.AdamW(
            network.parameters(), lr=setting.learning_rate, betas=(setting.beta1, setting.beta2)
        )
        loader = DataLoader(
            TensorDataset(*self.train),
            self.protocol.batch_size,
            shuffle=True,
            drop_last=True,
            generator=self.generator,
        )
        schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 0.05, total_iters=len(loader) // 4)
        curves, best, stale = [], float("inf"), 0
        for _ in range(epochs):
            losses = []
            for features, labels in loader:
                network.train()
                optimiser.zero_grad()
                loss = self.loss(network(features), labels)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimiser.step()
                schedule.step()
                losses.append(loss.item())
            evaluation_loss = float(self.loss(self.logits(network, self.evaluation[0]), self.evaluation[1]))
            curves.append((np.mean(losses), evaluation_loss, self.metric_of(network, self.evaluation)))
            if best == float("inf") or (best - evaluation_loss) / (1e-12 + best) >= 0.0025:
                best, stale = evaluation_loss, 0
            else:
                stale += 1
            if stop and stale > self.protocol.patience:
                break
        return network, curves

    def network(self) -> torch.nn.Module:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.plan.seed_init)
            if self.hidden is None:
                layers = [torch.nn.Linear(6, self.n_outputs)]
            else:
                layers = [
                    torch.nn.Linear(6, self.hidden, bias=False),
                    torch.nn.BatchNorm1d(self.hidden),
                    torch.nn.ReLU(),
                    torch.nn.Linear(self.hidden, self.n_outputs),
                ]
            torch.nn.init.zeros_(layers[-1].bias)
        return torch.nn.Sequential(*layers)

    def logits(self, network: torch.nn.Module, features: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return network.eval()(features)

    def loss(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        if self.n_outputs == 1:
            return functional.binary_cross_entropy_with_logits(logits.squeeze(-1), labels.double())
        return functional.cross_entropy(logits, labels)

    def classes(self, logits: torch.Tensor) -> torch.Tensor:
        if self.n_outputs > 1:
            return logits.argmax(dim=1)
        values = logits.squeeze(-1)
        inside = bool(((values >= 0) & (values <= 1)).all())
        return ((values if inside else torch.sigmoid(values)) > 0.5).long()

    def metric_of(self, network: torch.nn.Module, part: tuple[torch.Tensor, torch.Tensor]) -> float:
        predicted = self.classes(self.logits(network, part[0]))
        name = "mcc" if self.n_classes == 2 else "adjusted_macro_f1"
        return published_metric(name, part[1].numpy(), predicted.numpy(), n_classes=self.n_classes)


# 900 rows: 576 to train on, one warm-up step; 700: 448 rows and none
@pytest.mark.parametrize(
    ("n", "n_classes", "hidden", "batch_size"),
    [
        (900, 2, None, 128),
        (700, 2, None, 128),
        (900, 3, None, 128),
        (900, 2, 5, 128),
        (900, 3, 5, 128),
        (700, 2, None, 18),
        (700, 3, None, 3),
    ],
)
def test_fold_is_that_of_the_plain_implementation(one_thread, n, n_classes, hidden, batch_size):
    protocol = SHORT.but(batch_size=batch_size)
    ours = our_fold(n, n_classes, hidden=hidden, protocol=protocol)
    assert len(ours.train_losses) > 1
    assert_same_folds([ours], [PlainFold(n, n_classes, hidden=hidden, protocol=protocol).run()])


def test_first_of_equal_settings_wins(monkeypatch):
    monkeypatch.setattr(training, "published_metric", lambda *_args, **_keys: 0.25)
    assert our_fold(700, 2).setting == PUBLISHED.grid[0]


def test_grid_is_tried_rate_by_rate_then_momentum():
    assert PUBLISHED.grid[:3] == ((5e-4, 0.8, 0.99), (5e-4, 0.8, 0.999), (5e-4, 0.9, 0.99))
    assert len(set(PUBLISHED.grid)) == 12


@pytest.mark.parametrize(
    ("losses", "epochs"),
    [
        ([1.0] * 10, 7),  # six without improvement; the first epoch always improves
        ([1.0, *(1 - 0.0024 * k / 6 for k in range(1, 10))], 7),  # below a quarter per cent
        # each step is small, but from the best loss they pass 0.25 % at the third, which becomes the best
        ([1.0, 0.999, 0.998, 0.997, *[0.997] * 10], 10),
        ([1.0, *[2.0] * 5, 0.9, *[2.0] * 5], None),  # any improvement restarts the count
        ([math.nan] * 10, 6),
        ([1.0, *[math.inf] * 10], 7),
        ([1.0, *[math.nan] * 5, 0.5, *[math.nan] * 5], None),
    ],
)
def test_training_stops_after_six_epochs_without_improvement(losses, epochs, monkeypatch):
    monkeypatch.setattr(training, "part_loss", lambda loss, _labels: loss)
    run = training.FinalRun(SimpleNamespace(protocol=PUBLISHED, evaluation_labels=None), PUBLISHED.grid[0])
    stopped = (epoch for epoch, loss in enumerate(losses, start=1) if run.after(loss))
    assert next(stopped, None) == epochs
