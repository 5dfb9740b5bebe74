"""Rows with a text in common are held out together, or not at all."""

import pytest

from sentflow.errors import DataError
from sentflow.training.draws import Draws
from sentflow.training.held_out import split
from sentflow.training.settings import TrainingSettings

SETTINGS = TrainingSettings(learning_rate=1.0, steps=1, batch_size=2, held_out=0.3)


def texts(rows):
    return {row[column] for row in rows for column in ("text", "other")}


@pytest.mark.parametrize("seed", range(5))
def test_what_answers_a_held_out_question_answers_none_that_is_trained_on(seed):
    # questions share documents, and a document is the question of another row
    rows = [{"text": f"q{n}", "other": f"d{n // 2}", "negative": "all"} for n in range(30)]
    rows += [{"text": f"d{n}", "other": f"e{n}", "negative": "all"} for n in range(0, 15, 3)]
    kept, out = split(rows, SETTINGS, Draws(seed))
    assert len(out) == 10
    assert not texts(kept) & texts(out)
    assert len(kept) >= len(rows) - len(out) - 2


def test_a_document_of_most_questions_is_trained_on():
    rows = [{"text": f"q{n}", "other": "law" if n < 14 else f"d{n}"} for n in range(20)]
    kept, out = split(rows, SETTINGS, Draws(1))
    assert len(out) == 6
    assert {row["other"] for row in kept} == {"law"}
    with pytest.raises(
        DataError, match=r"0\.5 of 20 rows are 10, and only 6 have no text in common with more"
    ):
        split(rows, TrainingSettings(learning_rate=1.0, steps=1, batch_size=2, held_out=0.5), Draws(1))
