"""Rows that are left for the last batch of an epoch, and have nothing to be compared with."""

import numpy as np
import pytest
from tiny_bert import save_tiny_masked_bert

from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.manifest import WEIGHTS, Manifest, write_manifest
from sentflow.files.io import file_sha256
from sentflow.training.contract import target_of
from sentflow.training.data.table import TrainingData, write_training_data
from sentflow.training.job import Job
from sentflow.training.place import Place
from sentflow.training.recipes.table import RECIPES

COLUMNS = {
    "text": ["lei", "ação projeto", "saúde não", "projeto", "não : lei"],
    "other": ["lei ação", "lei não", "não", "saúde :", "projeto projeto"],
    "negative": ["saúde", "não não", "ação", ": :", "lei"],
}


class Taught(Job):
    """A job whose teacher gives random vectors."""

    def _taught(self, rows):
        generator = np.random.default_rng(1)
        return [
            row
            | {
                target_of(name): generator.normal(size=3).astype(np.float32)
                for name in COLUMNS
                if name in row
            }
            for row in rows
        ]


@pytest.fixture
def trained(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.training.job.Leave.listen", lambda _self: None)
    weights = save_tiny_masked_bert(tmp_path / WEIGHTS)
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    source = {"archive": {"urls": ["http://example.org/tiny.zip"]}}
    write_manifest(tmp_path / "manifest.json", Manifest("splade", 11, source=source, files=files))

    def run(form, n, recipe="splade", **settings):
        found = RECIPES[recipe]
        width = {"pairs": 2, "triplets": 3, "texts": 1}[form]
        columns = {name: values[:n] for name, values in list(COLUMNS.items())[:width]}
        write_training_data(tmp_path / "rows.parquet", TrainingData("rows", form, columns), {})
        about = {
            "model": "mine",
            "recipe": recipe,
            "module": found.module,
            "least_rows": found.least_rows(settings),
            "settings": {**found.settings, **settings},
            "training": {"epochs": 2, "batch_size": 2, "learning_rate": 1e-3, "max_tokens": 12},
            "seed": 1,
            "pooling": "mean",
            "start": {"name": "tiny"},
            "data": {"name": "rows", "form": form},
        }
        job = Taught(about, tmp_path / "manifest.json", tmp_path / "rows.parquet", "code", {})
        return job.run(Place(tmp_path / "made"))

    return run


@pytest.mark.parametrize("ranking", ["margin-mse", "kl", "contrastive"])
def test_a_batch_of_one_pair_is_left_out(trained, ranking):
    record, _, progress = trained("pairs", 5, ranking=ranking)
    assert (record.steps, record.training["last_batch"]) == (4, "drop")
    assert all(row["gradient_norm"] > 0 for row in progress.history)


@pytest.mark.parametrize(
    ("form", "n", "recipe", "settings"),
    [
        ("triplets", 5, "splade", {"ranking": "kl"}),  # one negative of its own
        ("pairs", 4, "splade", {"ranking": "kl"}),
        ("texts", 5, "mlm", {}),  # compares nothing
    ],
)
def test_a_batch_that_can_be_learnt_from_is_kept(trained, form, n, recipe, settings):
    record, _, _ = trained(form, n, recipe, **settings)
    assert (record.steps, record.training["last_batch"]) == (2 * -(-n // 2), "keep")
