"""What a short training on sentences of Wikipedia changes: in a start that was trained before, and in random weights.

Direction, not size, and said of the development pairs of STS Benchmark. On its test pairs the relations of the two
recipes held for all six seeds of `experiments/contrastive-small.yaml` (docs/training.md).
"""

import pyarrow.parquet as pq
import pytest
import yaml
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.files.io import read_json

pytestmark = [pytest.mark.slow, pytest.mark.mirror]

SCORED = {
    "seeds": [1],
    "training": {"steps": 40, "snapshots": 40},
    "selection": {"pairs": "STSB-dev", "rule": "last"},
}
DRAWN = {
    "kind": "trained",
    "start": {
        "like": "minilm-mean",
        "configuration": {
            "num_hidden_layers": 2,
            "hidden_size": 128,
            "num_attention_heads": 2,
            "intermediate_size": 512,
        },
    },
    "data": "wiki-10k",
    "pooling": "mean",
    "recipe": "simcse",
    **SCORED,
    "training": {
        "steps": 120,
        "batch_size": 64,
        "learning_rate": 1e-3,
        "max_tokens": 32,
        "snapshots": 120,
    },
}
MODELS = {
    "simcse": SCORED,
    "whitespace": SCORED,
    "drawn": {**DRAWN, "settings": {"head": "none"}},
    "drawn-whitespace": {**DRAWN, "settings": {"head": "none", "permute": ["whitespace"]}},
}


class Trained:
    """Losses and development scores of a training."""

    def __init__(self, results, name):
        folder = results / f"training/{name}-seed-1"
        self.losses = pq.read_table(folder / "history.parquet").column("loss").to_pylist()
        files = sorted((folder / "development").glob("step-*.json"))
        self.before, self.after = (read_json(file)["measures"] for file in files)

    def changed(self, measure):
        """By how much a measure is higher after the training than before."""
        return self.after[measure] - self.before[measure]

    def loss_ratio(self):
        """Mean loss of the last sixth of all steps to that of the first."""
        part = len(self.losses) // 6
        return sum(self.losses[-part:]) / sum(self.losses[:part])


@pytest.fixture(scope="module")
def trained(tmp_path_factory, mirror):
    project = copy_workflow(tmp_path_factory.mktemp("small") / "project")
    config = project.parent / "mine.yaml"
    mine = {"select": {"models": list(MODELS)}, "models": MODELS, "mirrors": [str(mirror)]}
    config.write_text(yaml.safe_dump(mine), encoding="utf-8")
    experiment = REPOSITORY / "experiments/contrastive-small.yaml"
    chosen = [f"results/training/{name}-seed-1/selection.json" for name in MODELS]
    outcome = snakemake(
        project,
        *chosen,
        *("--cores", "2", "--set-threads", "train=1"),
        *("--configfile", str(experiment), str(config)),
    )
    assert outcome.code == 0, outcome.text[-6000:]
    return {name: Trained(project / "results", name) for name in MODELS}


def test_the_loss_falls_by_half_where_the_start_was_not_trained_for_it(trained):
    ratios = {name: one.loss_ratio() for name, one in trained.items()}
    assert all(ratio < 0.5 for ratio in ratios.values()), ratios


def test_vectors_spread_and_positives_move_apart(trained):
    spread = {name: one.changed("uniformity") for name, one in trained.items()}
    assert all(spread[name] < -0.3 for name in ("simcse", "whitespace")), spread
    assert all(spread[name] < -1 for name in ("drawn", "drawn-whitespace")), spread
    assert all(one.changed("alignment") > 0 for one in trained.values())


def test_development_scores_rise_for_a_start_that_was_trained_before_and_fall_for_random_weights(trained):
    changed = {name: one.changed("spearman") for name, one in trained.items()}
    assert all(changed[name] > 0 for name in ("simcse", "whitespace")), changed
    assert all(changed[name] < 0 for name in ("drawn", "drawn-whitespace")), changed


@pytest.mark.parametrize(("dropout", "permuted"), [("simcse", "whitespace"), ("drawn", "drawn-whitespace")])
def test_permuted_positives_stay_nearer_to_the_start_than_dropout_alone(trained, dropout, permuted):
    assert trained[permuted].changed("uniformity") > trained[dropout].changed("uniformity")
    assert trained[permuted].changed("alignment") < trained[dropout].changed("alignment")
