"""Copies of the layer that predicts masked tokens: against transformers, tied and untied, and where there is none."""

import pytest
import torch
from masked_models import KINDS, TEXTS, masked_model
from tiny_bert import save_tiny_bert
from transformers import AutoModel, AutoModelForCausalLM, GPT2Config

from sentflow.errors import ConfigError
from sentflow.sparse.heads import copied_head


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_gives_the_logits_of_the_model(kind, tmp_path):
    model, tokenizer = masked_model(tmp_path, kind)
    read = tokenizer(TEXTS[kind], padding=True, return_tensors="pt")
    inputs = {name: read[name] for name in ("input_ids", "attention_mask")}
    head = copied_head(model, tied=True)
    with torch.no_grad():
        expected = model(**inputs).logits
        tokens = model.base_model(**inputs).last_hidden_state
        torch.testing.assert_close(head(tokens), expected, rtol=0, atol=1e-5)
        ids = torch.tensor([[3, 0, 5]]).expand(len(tokens), 3)
        some = head.term_logits(head.transform(tokens), ids)
    torch.testing.assert_close(some, expected[:, :, [3, 0, 5]], rtol=0, atol=1e-5)


def test_a_tied_decoder_is_the_word_embeddings_and_an_untied_one_a_copy(tmp_path):
    model, _ = masked_model(tmp_path)
    words = model.get_input_embeddings().weight
    tied, untied = (copied_head(model, tied=tied) for tied in (True, False))
    assert tied.decoder.weight is words
    assert torch.equal(untied.decoder.weight, words)
    assert untied.decoder.weight.data_ptr() != words.data_ptr()
    others = {value.data_ptr() for value in model.parameters()} - {words.data_ptr()}
    assert not others & {value.data_ptr() for each in (tied, untied) for value in each.parameters()}


def test_a_model_without_such_a_layer_is_refused(tmp_path):
    save_tiny_bert(tmp_path)
    with pytest.raises(ConfigError, match="BertModel has no layer that predicts masked tokens"):
        copied_head(AutoModel.from_pretrained(tmp_path), tied=True)
    config = GPT2Config(vocab_size=11, n_embd=8, n_layer=1, n_head=2)
    with pytest.raises(ConfigError, match="bert, distilbert, roberta, xlm-roberta, and this is a gpt2"):
        copied_head(AutoModelForCausalLM.from_config(config), tied=True)
    with pytest.raises(ConfigError, match="this is a dict"):
        copied_head({}, tied=True)
