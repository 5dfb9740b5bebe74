"""Copies of the layer that predicts masked tokens: against transformers, tied and untied, and where there is none."""

import pytest
import torch
from masked_models import KINDS, TEXTS, masked_model
from tiny_bert import save_tiny_bert
from transformers import AutoModel, AutoModelForCausalLM, GPT2Config, XLMRobertaConfig, XLMRobertaForMaskedLM

from sentflow.errors import ConfigError
from sentflow.sparse import heads
from sentflow.sparse.heads import copied_head


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tied", [True, False])
def test_a_copy_gives_the_logits_of_the_model(kind, tied, tmp_path):
    model, tokenizer = masked_model(tmp_path, kind)
    read = tokenizer(TEXTS[kind], padding=True, return_tensors="pt")
    inputs = {name: read[name] for name in ("input_ids", "attention_mask")}
    head = copied_head(model, tied=tied)
    with torch.no_grad():
        expected = model(**inputs).logits
        tokens = model.base_model(**inputs).last_hidden_state
        torch.testing.assert_close(head(tokens), expected, rtol=0, atol=1e-5)
        ids = torch.tensor([[3, 0, 5]]).expand(len(tokens), 3)
        some = head.term_logits(head.transform(tokens), ids)
    torch.testing.assert_close(some, expected[:, :, [3, 0, 5]], rtol=0, atol=1e-5)


def test_xlm_roberta_has_the_layer_of_roberta():
    config = XLMRobertaConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    model = XLMRobertaForMaskedLM(config).eval()
    ids = torch.tensor([[0, 5, 6, 2]])
    with torch.no_grad():
        tokens = model.base_model(ids).last_hidden_state
        torch.testing.assert_close(copied_head(model, tied=True)(tokens), model(ids).logits)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tied_decoder_is_the_word_embeddings_and_an_untied_one_a_copy(kind, tmp_path):
    model, _ = masked_model(tmp_path, kind)
    words = model.get_input_embeddings().weight
    tied, untied = (copied_head(model, tied=tied) for tied in (True, False))
    assert tied.decoder.weight is words
    assert torch.equal(untied.decoder.weight, words)
    assert untied.decoder.weight.data_ptr() != words.data_ptr()
    others = {value.data_ptr() for value in model.parameters()} - {words.data_ptr()}
    assert not others & {value.data_ptr() for each in (tied, untied) for value in each.parameters()}


def test_a_decoder_of_its_own_is_not_lost(tmp_path):
    model, _ = masked_model(tmp_path)
    decoder = model.get_output_embeddings()
    decoder.weight = torch.nn.Parameter(decoder.weight + 1)
    with pytest.raises(ConfigError, match="other weights than its word embeddings.*tied=False"):
        copied_head(model, tied=True)
    assert torch.equal(copied_head(model, tied=False).decoder.weight, decoder.weight)


def test_a_model_without_such_a_layer_is_refused(tmp_path):
    save_tiny_bert(tmp_path)
    with pytest.raises(ConfigError, match="BertModel has no layer that predicts masked tokens"):
        copied_head(AutoModel.from_pretrained(tmp_path), tied=True)
    config = GPT2Config(vocab_size=11, n_embd=8, n_layer=1, n_head=2)
    with pytest.raises(ConfigError, match="bert, distilbert, roberta, xlm-roberta, and this is a gpt2"):
        copied_head(AutoModelForCausalLM.from_config(config), tied=True)
    with pytest.raises(ConfigError, match="this is a dict"):
        copied_head({}, tied=True)


def test_files_without_such_a_layer_are_refused(tmp_path):
    save_tiny_bert(tmp_path / "encoder")
    with pytest.raises(ConfigError, match=r"the files lack cls\.predictions\..*would be random"):
        heads.masked_model(str(tmp_path / "encoder"))
    KINDS["bert"](tmp_path / "masked")
    assert type(heads.masked_model(str(tmp_path / "masked"))).__name__ == "BertForMaskedLM"
