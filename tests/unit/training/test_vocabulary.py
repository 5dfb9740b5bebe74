"""Vocabularies that are learnt from the rows of a training."""

import pytest
from tiny_bert import save_tiny_bert, save_tiny_roberta
from transformers import AutoConfig, AutoTokenizer

from sentflow.errors import ConfigError
from sentflow.training.vocabulary import LearntVocabulary, fit_configuration

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
    return LearntVocabulary.of({"size": size}, rows).tokenizer(like)


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


def test_the_vocabulary_is_as_large_as_asked_and_the_configuration_follows(like, tmp_path):
    made = learnt(like, size=size_for(like))
    assert len(made) == size_for(like)
    made.save_pretrained(tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path).get_vocab() == made.get_vocab()
    config = AutoConfig.for_model("roberta" if made.pad_token == "<pad>" else "bert", pad_token_id=99)
    fit_configuration(config, made)
    assert (config.vocab_size, config.pad_token_id) == (len(made), made.pad_token_id)


def test_all_texts_of_a_row_count_and_nothing_else():
    assert LearntVocabulary.of({"size": 9}, [{"text": "a", "negative": "b", "label": 1}]).texts == ["a", "b"]


def test_a_size_below_the_characters_of_the_texts_is_refused(like):
    with pytest.raises(ConfigError, match=r"start\.tokenizer\.size: 12 is fewer than the \d+ characters"):
        learnt(like, size=12)


def test_a_tokenizer_of_another_kind_is_refused():
    with pytest.raises(ConfigError, match="of the start is a object. Take the configuration of another"):
        learnt(object())
