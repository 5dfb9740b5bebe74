"""The published protocol as it is usually written: data loaders, autograd, one setting after another.

The baseline of `probe_speed.py`. It makes the same draws as `sentflow.probing` and must give the same scores.
"""

import math

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from sentflow.probing.draws import FoldPlan, plan_folds
from sentflow.probing.fold import published_metric
from sentflow.probing.probes import predicted_classes
from sentflow.probing.settings import ProbeProtocol, Setting


def plain_cross_validate(
    features: np.ndarray,
    labels: np.ndarray,
    *,
    metric: str,
    hidden: int | None,
    protocol: ProbeProtocol,
    wanted: set[tuple[int, int]] | None = None,
) -> list[float]:
    """Test metric per fold."""
    n_classes = len(np.unique(labels))
    return [
        _PlainFold(plan, features, labels, metric, n_classes, hidden, protocol).run()
        for plan in plan_folds(labels, protocol, wanted=wanted)
    ]


class _PlainFold:
    def __init__(
        self,
        plan: FoldPlan,
        features: np.ndarray,
        labels: np.ndarray,
        metric: str,
        n_classes: int,
        hidden: int | None,
        protocol: ProbeProtocol,
    ) -> None:
        self.plan, self.metric, self.n_classes, self.hidden = plan, metric, n_classes, hidden
        self.protocol = protocol
        train = torch.from_numpy(features[plan.train])
        mean, scale = train.mean(dim=0), train.std(dim=0) + 1e-12

        def part(rows: np.ndarray) -> TensorDataset:
            target = torch.from_numpy(labels[rows])
            target = target.double() if n_classes == 2 else target
            return TensorDataset((torch.from_numpy(features[rows]) - mean) / scale, target)

        self.evaluation, self.test = part(plan.evaluation), part(plan.test)
        generator = torch.Generator().manual_seed(plan.seed_loader)
        self.loader = DataLoader(
            part(plan.train),
            batch_size=protocol.batch_size,
            shuffle=True,
            drop_last=True,
            generator=generator,
        )

    def run(self) -> float:
        best, best_metric = self.protocol.grid[0], -1.0
        for setting in self.protocol.grid:
            model, optimiser, scheduler = self.new_training(setting)
            for _ in range(self.protocol.search_epochs):
                self.train_epoch(model, optimiser, scheduler)
            _, value = self.evaluate(model, self.evaluation)
            if value > best_metric:
                best, best_metric = setting, value
        model, optimiser, scheduler = self.new_training(best)
        lowest, stale = math.inf, 0
        for _ in range(self.protocol.max_epochs):
            self.train_epoch(model, optimiser, scheduler)
            loss, _ = self.evaluate(model, self.evaluation)
            if lowest < math.inf and (lowest - loss) / (1e-12 + lowest) < self.protocol.min_improvement:
                stale += 1
            else:
                lowest, stale = loss, 0
            if stale > self.protocol.patience:
                break
        return self.evaluate(model, self.test)[1]

    def new_training(
        self, setting: Setting
    ) -> tuple[torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
        width = self.evaluation.tensors[0].shape[1]
        n_outputs = 1 if self.n_classes == 2 else self.n_classes
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.plan.seed_init)
            if self.hidden is None:
                model: torch.nn.Module = torch.nn.Linear(width, n_outputs)
                torch.nn.init.zeros_(model.bias)
            else:
                model = torch.nn.Sequential(
                    torch.nn.Linear(width, self.hidden, bias=False),
                    torch.nn.BatchNorm1d(self.hidden),
                    torch.nn.ReLU(),
                    torch.nn.Linear(self.hidden, n_outputs),
                )
                torch.nn.init.zeros_(model[-1].bias)
        optimiser = torch.optim.AdamW(
            model.parameters(),
            lr=setting.learning_rate,
            betas=(setting.beta1, setting.beta2),
            weight_decay=self.protocol.weight_decay,
        )
        scheduler = torch.optim.lr_scheduler.LinearLR(
            optimiser, start_factor=self.protocol.warmup_start, total_iters=len(self.loader) // 4
        )
        return model, optimiser, scheduler

    def train_epoch(
        self,
        model: torch.nn.Module,
        optimiser: torch.optim.Optimizer,
        scheduler: torch.optim.lr_scheduler.LRScheduler,
    ) -> None:
        model.train()
        for features, target in self.loader:
            optimiser.zero_grad()
            self.loss(model(features), target).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), self.protocol.max_gradient_norm)
            optimiser.step()
            scheduler.step()

    def evaluate(self, model: torch.nn.Module, part: TensorDataset) -> tuple[float, float]:
        model.eval()
        features, target = part.tensors
        with torch.no_grad():
            logits = model(features)
        loss = float(self.loss(logits, target))
        predicted = predicted_classes(logits.numpy())
        truth = target.long().numpy()
        return loss, published_metric(self.metric, truth, predicted, n_classes=self.n_classes)

    def loss(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        if self.n_classes == 2:
            return torch.nn.functional.binary_cross_entropy_with_logits(logits.squeeze(-1), target)
        return torch.nn.functional.cross_entropy(logits, target)
