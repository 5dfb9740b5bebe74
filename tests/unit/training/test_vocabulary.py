"""Vocabularies that are learnt from the rows of a training."""

import pytest
from tiny_bert import save_tiny_bert, save_tiny_roberta
from transformers import AutoTokenizer

from sentflow.training.job import learnt_tokenizer

WORDS = ("nhà", "nước", "luật", "điều", "khoản", "projeto", "ação", "leis", "lei", "saúde", "não")
ROWS = [
    {"text": f"{one} {other}", "other": f"{other}{one}", "text_target": [1.0]}
    for one in WORDS
    for other in WORDS
    if one != other
]
SIZE = 120


@pytest.fixture(params=["bert", "roberta"], scope="module")
def like(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return AutoTokenizer.from_pretrained(
        {"bert": save_tiny_bert, "roberta": save_tiny_roberta}[request.param](folder)
    )


def learnt(like, *, size=SIZE, rows=ROWS):
    return learnt_tokenizer(like, size, [row[key] for row in rows for key in ("text", "other")])


def size_for(like):
    """More than all bytes, which byte pairs begin with."""
    return SIZE if "[CLS]" in like.get_vocab() else 300


def test_equal_texts_in_any_order_give_equal_ids(like):
    """The trainer alone numbers pieces in another order each time, for WordPiece."""
    first = learnt(like, size=size_for(like))
    for _ in range(4):
        assert learnt(like, size=size_for(like), rows=ROWS[::-1]).get_vocab() == first.get_vocab()


def test_texts_are_read_and_said_again_without_unknown_tokens(like):
    made = learnt(like, size=size_for(like))
    for row in ROWS:
        ids = made(row["other"])["input_ids"]
        assert made.unk_token_id not in ids
        said = made.decode(ids, skip_special_tokens=True)
        assert said.replace(" ", "") == row["other"]
    assert (ids[0], ids[-1]) == (made.cls_token_id, made.sep_token_id)
    assert len(made) == size_for(like)
