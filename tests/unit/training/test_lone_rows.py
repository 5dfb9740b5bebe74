"""Rows that are left for the last batch of an epoch, and have nothing to be compared with."""

import numpy as np
import pytest
from tiny_bert import save_tiny_masked_bert
from training_jobs import job_settings, rows_in, start_in

from sentflow.training.contract import target_of
from sentflow.training.job import Job

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
    monkeypatch.setattr("sentflow.training.leave.Watch.listen", lambda _self: None)
    start = start_in(tmp_path, kind="splade", save=save_tiny_masked_bert)

    def run(form, n, recipe="splade", **settings):
        width = {"pairs": 2, "triplets": 3, "texts": 1}[form]
        rows = rows_in(tmp_path, {name: values[:n] for name, values in list(COLUMNS.items())[:width]}, form)
        about = job_settings(recipe, form, settings=settings, training={"steps": None, "epochs": 2})
        return Taught(about, start, rows, "code", {}, tmp_path / "made").run()

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
