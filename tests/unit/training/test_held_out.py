"""Held-out rows: which they are, that they are never trained on, and what is measured on them."""

import math

import pytest
import tiny_training as tiny
import torch
from sklearn.metrics import average_precision_score

from sentflow.errors import DataError
from sentflow.training.draws import Draws
from sentflow.training.language_modelling import NOT_PREDICTED
from sentflow.training.loop import Trainer, split
from sentflow.training.settings import HeldOutTexts, TrainingSettings

SETTINGS = TrainingSettings(
    learning_rate=1e-2, steps=4, batch_size=2, max_tokens=16, snapshot_every=2, held_out=0.4, chunk_tokens=32
)
ROWS = [{"text": f"lei projeto {'ação ' * n}não"} for n in range(11)]


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


def test_all_rows_of_drawn_texts_are_held_out_while_their_documents_may_be_trained_on():
    rows = [{"text": f"q{n // 3}", "other": f"d{n % 3}"} for n in range(60)]
    settings = TrainingSettings(learning_rate=1.0, steps=1, batch_size=4, held_out={"texts": 6})
    kept, out = split(rows, settings, Draws(3))
    questions = {row["text"] for row in out}
    assert (len(kept), len(out), len(questions)) == (42, 16, 6)  # 18 rows are four batches of 4
    assert not questions & {row["text"] for row in kept}
    assert {row["other"] for row in kept} == {row["other"] for row in out} == {"d0", "d1", "d2"}
    for texts, told in ((1, "1 of 20 texts have 3 rows"), (19, "leave 3"), (21, "21 of 20")):
        with pytest.raises(DataError, match=told):
            split(rows, settings.model_copy(update={"held_out": HeldOutTexts(texts=texts)}), Draws(3))


def test_average_precision_is_of_the_pairs_of_all_batches_together(tmp_path):
    objective = tiny.recipe("bi-encoder", tiny.encoder(tmp_path, double=True), loss="contrastive")
    rows = [
        {"text": "lei " * (1 + n // 4), "other": "ação " * (1 + n % 5), "label": int(n % 4 == 1)}
        for n in range(8)
    ]
    measured = Trainer(objective, rows, SETTINGS, Draws(3), held_out=rows).measured(7)
    (found,) = (row for row in measured if row["measure"] == "average_precision")
    vectors = objective.encoder.encode([row[key] for key in ("text", "other") for row in rows])
    cosines = torch.nn.functional.cosine_similarity(*torch.as_tensor(vectors).reshape(2, 8, -1), dim=1)
    expected = average_precision_score([row["label"] for row in rows], cosines)
    assert (found["step"], found["value"], found["n"]) == (7, pytest.approx(expected, abs=1e-9), 8)


@pytest.mark.parametrize("share", [0.1, 0.95])
def test_less_than_a_batch_on_either_side_is_refused(share):
    with pytest.raises(DataError, match=f"{share} of 11 rows .* fewer than one batch of 2"):
        split(ROWS, SETTINGS.model_copy(update={"held_out": share}), Draws(3))


def test_loss_and_accuracy_are_means_over_the_hidden_tokens_of_all_rows(tmp_path):
    objective = tiny.recipe("mlm", tiny.encoder(tmp_path, double=True), masking="tokens")
    rows = ROWS[:10]
    measured = Trainer(objective, rows, SETTINGS, Draws(3), held_out=rows).measured(7)
    found = {row["measure"]: (row["value"], row["n"]) for row in measured}
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


OF_THREE_TENTHS = TrainingSettings(learning_rate=1.0, steps=1, batch_size=2, held_out=0.3)


def texts(rows):
    return {row[column] for row in rows for column in ("text", "other")}


@pytest.mark.parametrize("seed", range(5))
def test_what_answers_a_held_out_question_answers_none_that_is_trained_on(seed):
    # questions share documents, and a document is the question of another row
    rows = [{"text": f"q{n}", "other": f"d{n // 2}", "negative": "all"} for n in range(30)]
    rows += [{"text": f"d{n}", "other": f"e{n}", "negative": "all"} for n in range(0, 15, 3)]
    kept, out = split(rows, OF_THREE_TENTHS, Draws(seed))
    assert len(out) == 10
    assert not texts(kept) & texts(out)
    assert len(kept) >= len(rows) - len(out) - 2


def test_a_document_of_most_questions_is_trained_on():
    rows = [{"text": f"q{n}", "other": "law" if n < 14 else f"d{n}"} for n in range(20)]
    kept, out = split(rows, OF_THREE_TENTHS, Draws(1))
    assert len(out) == 6
    assert {row["other"] for row in kept} == {"law"}
    message = r"0\.5 of 20 rows are 10, and only 6 have no text in common with more"
    with pytest.raises(DataError, match=message):
        split(rows, TrainingSettings(learning_rate=1.0, steps=1, batch_size=2, held_out=0.5), Draws(1))
