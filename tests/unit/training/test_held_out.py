"""Held-out rows: which they are, that they are never trained on, and what is measured on them."""

import math
from dataclasses import replace

import pytest
import tiny_training as tiny
import torch

from sentflow.errors import DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.training.draws import Draws
from sentflow.training.held_out import measured, split
from sentflow.training.held_out_rows import HeldOutRow
from sentflow.training.loop import Hooks, LeftEarly, train
from sentflow.training.masking import NOT_PREDICTED
from sentflow.training.precision import Precision
from sentflow.training.settings import TrainingSettings
from sentflow.training.state import StateFolder

SETTINGS = TrainingSettings(
    learning_rate=1e-2, steps=4, batch_size=2, max_tokens=16, snapshots=2, held_out=0.4, chunk_tokens=32
)
ROWS = [{"text": f"lei projeto {'ação ' * n}não"} for n in range(11)]
SPANS = [{"text": f"{row['text']}\nsaúde lei não : projeto\nação lei"} for row in ROWS]
RECIPES = {"mlm": ROWS, "condenser": ROWS, "cocondenser": SPANS}


class Leaving:
    """Leaves after some of the steps that are told."""

    def __init__(self, *after):
        self.after, self.step = set(after), 0

    def told(self, progress):
        self.step = progress.step

    def __call__(self):
        if self.step in self.after:
            self.after.remove(self.step)
            return True
        return False


def trained(recipe, folder, state, *, settings=SETTINGS, leave=lambda: False, told=lambda _: None):
    objective = tiny.recipe(recipe, tiny.encoder(folder), masking="tokens")
    rows, out = split(RECIPES[recipe], settings, Draws(3))
    hooks = Hooks(leave=leave, told=told)
    progress = train(objective, rows, settings, Draws(3), StateFolder(state, key="one"), hooks, held_out=out)
    return objective, progress


def bytes_of(objective):
    return {name: value.numpy().tobytes() for name, value in objective.state_dict().items()}


# --- which rows ---------------------------------------------------------------------------------------------


def test_held_out_rows_are_whole_batches_drawn_by_the_seed_and_the_others_keep_their_order():
    rows, out = split(ROWS, SETTINGS, Draws(3))
    assert len(out) == 4  # .4 of 11 rows are 4.4, which are two batches of 2
    assert sorted([*rows, *out], key=ROWS.index) == ROWS
    assert rows == sorted(rows, key=ROWS.index)
    assert split(ROWS, SETTINGS, Draws(3)) == (rows, out)
    assert split(ROWS, SETTINGS, Draws(4))[1] != out


def test_rows_of_one_question_are_on_one_side():
    rows = [{"text": f"q{number // 3}", "other": str(number)} for number in range(60)]
    settings = TrainingSettings(learning_rate=1.0, steps=1, batch_size=4, held_out=0.4)
    for seed in range(5):
        kept, out = split(rows, settings, Draws(seed))
        assert len(out) == 24
        assert not {row["text"] for row in kept} & {row["text"] for row in out}
        assert len(kept) in (36, 35, 34)  # what is left of the last question is on neither side


def test_without_a_share_all_rows_are_trained_on():
    assert split(ROWS, replace(SETTINGS, held_out=None), Draws(3)) == (ROWS, [])


@pytest.mark.parametrize(
    ("share", "batch", "message"),
    [
        (0.1, 2, "0.1 of 11 rows are fewer than one batch of 2. Write another share, a smaller"),
        (0.95, 2, "0.95 of 11 rows leave fewer than one batch of 2."),
        (0.5, 6, "0.5 of 11 rows are fewer than one batch of 6."),
    ],
)
def test_less_than_a_batch_on_either_side_is_refused(share, batch, message):
    with pytest.raises(DataError, match=message):
        split(ROWS, replace(SETTINGS, held_out=share, batch_size=batch), Draws(3))


def test_rows_of_one_text_cannot_be_held_out():
    with pytest.raises(DataError, match=r"0\.4 of 11 rows are 4, and only 0 have no text in common"):
        split([{"text": "lei", "other": row["text"]} for row in ROWS], SETTINGS, Draws(3))


# --- training -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
def test_ended_after_any_step_and_gone_on_with_gives_the_same_weights_and_measures(recipe, tmp_path):
    whole, told = trained(recipe, tmp_path / "start", tmp_path / "whole")
    leaving = Leaving(1, 2, 3)
    for _ in range(3):
        with pytest.raises(LeftEarly):
            trained(recipe, tmp_path / "start", tmp_path / "parts", leave=leaving, told=leaving.told)
    resumed, progress = trained(recipe, tmp_path / "start", tmp_path / "parts")
    assert progress.resumed == [1, 2, 3]
    assert bytes_of(resumed) == bytes_of(whole)
    assert (progress.history, progress.held_out) == (told.history, told.held_out)
    assert {row["step"] for row in told.held_out} == {0, 2, 4}
    assert len({row["value"] for row in told.held_out if row["measure"] == "loss"}) == 3


def test_measuring_changes_nothing_of_the_training(tmp_path):
    """The same rows, with and without others that are measured."""
    measuring, _ = trained("mlm", tmp_path / "start", tmp_path / "a")
    objective = tiny.recipe("mlm", tiny.encoder(tmp_path / "start"), masking="tokens")
    rows, _ = split(ROWS, SETTINGS, Draws(3))
    progress = train(objective, rows, SETTINGS, Draws(3), StateFolder(tmp_path / "b", key="one"), Hooks())
    assert bytes_of(objective) == bytes_of(measuring)
    assert progress.held_out == []


# --- what is measured ---------------------------------------------------------------------------------------


def values(objective, rows, settings=SETTINGS):
    precision = Precision(settings.precision, torch.device("cpu"))
    found = measured(objective, rows, settings, Draws(3), step=7, autocast=precision.autocast)
    return {row["measure"]: (row["value"], row["n"]) for row in found}


def test_loss_and_accuracy_are_means_over_the_hidden_tokens_of_all_rows(tmp_path):
    objective = tiny.recipe("mlm", tiny.encoder(tmp_path, double=True), masking="tokens")
    rows = ROWS[:10]
    found = values(objective, rows)
    losses, right = [], []
    for start in range(0, 10, 2):  # what is hidden is drawn batch by batch
        (view,) = objective.views(rows[start : start + 2], Draws(3, ("held-out", "batch", start)))
        for example in view:
            tokens = objective.encoder[0](objective.padded([example]))["token_embeddings"][0]
            for place, truth in enumerate(example["expected"]):
                if truth != NOT_PREDICTED:
                    logits = objective.language.head(tokens[place])
                    losses.append(-torch.log_softmax(logits, 0)[truth].item())
                    right.append(logits.argmax().item() == truth)
    assert len(losses) > 3
    assert found["loss"] == (pytest.approx(math.fsum(losses) / len(losses), rel=1e-10), len(losses))
    assert found["accuracy"] == (sum(right) / len(right), len(right))


def test_a_condenser_is_measured_at_its_head_and_at_the_encoder(tmp_path):
    objective = tiny.recipe("condenser", tiny.encoder(tmp_path), masking="tokens")
    found = values(objective, ROWS[:4])
    assert found.keys() == {"loss", "head_loss", "head_accuracy", "encoder_loss", "encoder_accuracy"}
    assert found["loss"][0] == pytest.approx(found["head_loss"][0] + found["encoder_loss"][0])


def test_partners_are_counted_over_all_spans_of_each_batch(tmp_path):
    objective = tiny.recipe("cocondenser", tiny.encoder(tmp_path), masking="tokens")
    found = values(objective, SPANS[:4])
    assert (found["loss"][1], found["partner_accuracy"][1]) == (2, 8)
    assert found["loss"][0] > found["partner_loss"][0] > 0


def test_another_recipe_tells_its_loss_without_dropout(tmp_path):
    objective = tiny.recipe("simcse", tiny.encoder(tmp_path), head="none")
    rows = tiny.TEXTS
    value, n = values(objective, rows)["loss"]
    assert n == 2
    views = objective.views(rows[:2], Draws(0))
    first = objective.eval().loss([objective.represent(view, 0) for view in views], rows[:2]).item()
    views = objective.views(rows[2:], Draws(0))
    second = objective.loss([objective.represent(view, 0) for view in views], rows[2:]).item()
    assert value == pytest.approx((first + second) / 2, rel=1e-5)


def test_in_half_precision_tokens_are_counted_whole(tmp_path):
    objective = tiny.recipe("mlm", tiny.encoder(tmp_path), masking="tokens")
    settings = replace(SETTINGS, precision="bfloat16-autocast", batch_size=300)
    rows = [{"text": "lei projeto ação não saúde lei projeto ação não saúde"}] * 300
    n = values(objective, rows, settings)["loss"][1]
    (view,) = objective.views(rows, Draws(3, ("held-out", "batch", 0)))
    assert n == sum(truth != NOT_PREDICTED for example in view for truth in example["expected"]) > 256


def test_the_table_has_a_row_per_step_and_measure_and_none_where_nothing_was_held_out(tmp_path):
    rows = [HeldOutRow(2, "loss", 1.5, 3)]
    write_rows(tmp_path / "some.parquet", HeldOutRow, rows)
    write_rows(tmp_path / "none.parquet", HeldOutRow, [])
    assert read_rows(tmp_path / "some.parquet", HeldOutRow) == rows
    assert read_rows(tmp_path / "none.parquet", HeldOutRow, may_be_empty=True) == []
