"""Winners of a sweep, written as an experiment of their own."""

import pytest
import yaml
from called import run as called
from experiments import experiment

from sentflow.files.rows import write_rows
from sentflow.report.families.training.rows import DEVELOPMENT, SPEARMAN, TrainingRow

SWEEP = {
    "grid": {
        "method": {"simcse": {}, "words": {"settings": {"permute": ["whitespace"]}}},
        "learning_rate": [1.0e-5, 3.0e-5],
        "seed": [1, 2],
    },
    "recipe": "simcse",
    "start": "minilm-l6",
    "data": "wiki-10k",
    "training": {"steps": 60, "snapshots": 20},
    "selection": {"pairs": "STSB-dev"},
}
CONFIG = {"select": {"sweeps": ["trial"], "models": ["minilm-l6"]}, "sweeps": {"trial": SWEEP}}


@pytest.fixture
def sweep(tmp_path):
    """A finished sweep: the higher rate is better for one seed, but not on average."""
    scores = {("1e-5", 1): 0.80, ("1e-5", 2): 0.80, ("3e-5", 1): 0.85, ("3e-5", 2): 0.70}
    rows = [
        TrainingRow(
            model=f"trial.simcse.lr-{rate}.seed-{seed}", model_title="", group=f"trial.simcse.lr-{rate}",
            recipe="simcse",
            start="minilm-l6", data="wiki-10k", learning_rate=float(rate), seed=seed, is_control=False, step=60,
            selected=True, pairs="STSB-dev", column="STSB-dev", split=DEVELOPMENT, measure=SPEARMAN, value=score,
            data_version="raw",
        )
        for (rate, seed), score in scores.items()
    ]  # fmt: skip
    (tmp_path / "results/summary").mkdir(parents=True)
    write_rows(tmp_path / "results/summary/training.parquet", TrainingRow, rows)
    (tmp_path / "sweep.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    return tmp_path


def run(folder, *more):
    arguments = ["sweep", "winners", str(folder / "results"), "--configfile", str(folder / "sweep.yaml")]
    return called(*arguments, "--output", folder / "winners.yaml", *more)


def test_the_winner_by_the_mean_over_seeds_is_an_entry_with_fresh_seeds(sweep):
    result = run(sweep)
    assert result.exit_code == 0, result.output
    written = yaml.safe_load((sweep / "winners.yaml").read_text(encoding="utf-8"))
    # of the words nothing was scored
    assert written["select"] == {"models": ["trial.simcse.lr-1e-5.winner"], "sweeps": []}
    entry = written["models"]["trial.simcse.lr-1e-5.winner"]
    assert entry["training"] == {"steps": 60, "snapshot_every": 20, "learning_rate": 1.0e-5}
    assert entry["seeds"] == [101, 102, 103, 104, 105, 106] and "seed" not in entry
    # an experiment without mistakes
    models = experiment(CONFIG, written).models
    assert list(models) == [f"trial.simcse.lr-1e-5.winner-seed-{seed}" for seed in range(101, 107)]


def test_what_makes_no_honest_experiment_is_refused_and_a_file_is_not_overwritten(sweep, capsys):
    for more, message in (
        (["--seeds", "1,7,8,9,10,11"], "--seeds: 1 already used for the choice"),
        (["--seeds", "7,8,9"], "Write at least 6"),
        (["--sweep", "tria"], "Did you mean trial?"),
    ):
        result = run(sweep, *more)
        assert result.exit_code == 2
        assert message in " ".join((result.output + capsys.readouterr().err).split())
        assert not (sweep / "winners.yaml").exists()
    (sweep / "winners.yaml").write_text("mine\n", encoding="utf-8")
    assert run(sweep).exit_code == 2
    assert (sweep / "winners.yaml").read_text(encoding="utf-8") == "mine\n"
