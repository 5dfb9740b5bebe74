"""Which tokens make a word, by tokenizers whose vocabularies hold what the released ones do."""

import pytest
from tiny_bert import save_tiny_phobert
from tokenizers import Tokenizer, decoders, models
from transformers import (
    BertTokenizer,
    GPT2Tokenizer,
    PhobertTokenizer,
    PreTrainedTokenizerFast,
    RobertaTokenizer,
    XLMRobertaTokenizer,
)

from sentflow.training.language_modelling import continuations


def numbered(*pieces):
    return {piece: number for number, piece in enumerate(pieces)}


def byte_level(kind):
    return kind(vocab=numbered("<s>", "</s>", "<unk>", "<pad>", "a", "##", "###", "Ġlei", "Ġ####"), merges=[])


def word_pieces(_):
    return BertTokenizer(
        vocab=numbered("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lei", "##s", "##", "Ġa")
    )


def sentence_pieces(_):
    return XLMRobertaTokenizer(
        vocab=[(piece, 0.0) for piece in ("<s>", "<pad>", "</s>", "<unk>", "▁lei", "s", "##a")]
    )


def subwords(folder):
    return PhobertTokenizer.from_pretrained(save_tiny_phobert(folder, ["ab", "##c"]))


@pytest.mark.parametrize(
    ("made", "going_on", "others"),
    [
        (lambda _: byte_level(GPT2Tokenizer), {"a", "##", "###"}, {"Ġlei", "Ġ####"}),
        (lambda _: byte_level(RobertaTokenizer), {"a", "##", "###"}, {"Ġlei", "Ġ####"}),
        (word_pieces, {"##s"}, {"lei", "##", "Ġa"}),
        (sentence_pieces, {"s", "##a"}, {"▁lei"}),
        (subwords, {"a@@", "#@@"}, {"ab", "##c", "a"}),
    ],
    ids=["GPT-2", "RoBERTa", "BERT", "XLM-R", "PhoBERT"],
)
def test_a_tokenizer_is_asked_how_it_joins_tokens(tmp_path, made, going_on, others):
    tokenizer = made(tmp_path)
    goes_on, unfinished = continuations(tokenizer)
    assert not (goes_on and unfinished)
    found = set(tokenizer.convert_ids_to_tokens(sorted(goes_on | unfinished)))
    assert going_on <= found
    assert not others & found


def test_a_tokenizer_without_marks_tells_no_words():
    letters = Tokenizer(models.BPE(numbered("lei", "##s", "▁a"), []))
    letters.decoder = decoders.Fuse()
    assert continuations(PreTrainedTokenizerFast(tokenizer_object=letters)) is None
