"""Options of neural model entries, against transformers and sentence-transformers themselves."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from tiny_bert import TEXTS, save_tiny_bert
from transformers import AutoModel, AutoTokenizer

from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.load import load_folder
from sentflow.encoders.kinds.neural.settings import LAYER_POOLINGS, POOLINGS, Settings
from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("bert"))


def load(folder, *, threads=1, plain=True, devices=("cpu",), role="text", task=None, **settings):
    return load_folder(
        folder,
        Settings(**settings),
        threads=threads,
        allow_pickle=False,
        plain=plain,
        devices=devices,
        role=role,
        task=task,
    )


def encode(encoder, texts=TEXTS, role="text", task=None):
    return encoder.encode(texts, role=role, task=task)


def hidden_states(folder, text):
    """(layers + 1, tokens, width) of one text without any padding, from transformers alone."""
    model = AutoModel.from_pretrained(folder).eval()
    features = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        states = model(**features, output_hidden_states=True).hidden_states
    return torch.stack(states)[:, 0].double().numpy()


def by_hand(states, pooling):
    last, tokens = states[-1], np.arange(1, states.shape[1] + 1)[:, None]
    return {
        "cls": last[0],
        "mean": last.mean(axis=0),
        "max": last.max(axis=0),
        "last-token": last[-1],
        "mean-sqrt-length": last.sum(axis=0) / np.sqrt(len(last)),
        "weighted-mean": (last * tokens).sum(axis=0) / tokens.sum(),
        # states[0] is the embedding layer, states[1] the first transformer layer
        "embedding-last": ((states[0] + states[3]) / 2).mean(axis=0),
        "first-last": ((states[1] + states[3]) / 2).mean(axis=0),
        "last-two": ((states[2] + states[3]) / 2).mean(axis=0),
    }[pooling]


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_pooling_is_what_its_name_says_and_padding_does_not_count(folder, pooling):
    # one batch of texts of 3 to 11 tokens: all but the longest are padded
    vectors = encode(load(folder, pooling=pooling))
    expected = [by_hand(hidden_states(folder, text), pooling) for text in TEXTS]
    assert vectors == pytest.approx(np.array(expected), abs=1e-5)


def test_all_poolings_differ(folder):
    vectors = [encode(load(folder, pooling=pooling), ["ação projeto lei"])[0] for pooling in POOLINGS]
    distances = np.linalg.norm(np.subtract.outer(vectors, vectors).diagonal(axis1=1, axis2=3), axis=-1)
    assert (distances[~np.eye(len(POOLINGS), dtype=bool)] > 1e-3).all()


def test_a_plain_transformer_is_averaged_unless_told_otherwise(folder):
    plain = encode(load(folder))
    assert plain == pytest.approx(encode(load(folder, pooling="mean")))
    assert plain == pytest.approx(encode(load(folder, plain=False)))
    assert load(folder).dimension == 8


def test_a_plain_transformer_reads_no_more_tokens_than_it_has_positions(folder):
    encoder = load(folder)
    vectors = encode(encoder, ["lei " * 100, "lei " * 30])
    assert (encoder.reading.lost > 0).sum() == 1
    # 32 positions hold [CLS], 30 words and [SEP]
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)


@pytest.mark.parametrize("pooling", ["cls", "max", "first-last", "last-two"])
def test_a_pooling_replaces_that_of_a_sentence_transformers_model(folder, tmp_path, pooling):
    SentenceTransformer(str(folder), device="cpu").save(str(tmp_path))
    own = encode(load(tmp_path, plain=False, pooling=pooling))
    assert own == pytest.approx(encode(load(folder, pooling=pooling)), abs=1e-6)
    assert own != pytest.approx(encode(load(tmp_path, plain=False)), abs=1e-3)


def test_modules_after_the_pooling_stay(folder, tmp_path):
    from sentence_transformers.sentence_transformer.modules import Dense

    base = SentenceTransformer(str(folder), device="cpu")
    SentenceTransformer(modules=[base[0], base[1], Dense(8, 3)], device="cpu").save(str(tmp_path))
    assert encode(load(tmp_path, plain=False, pooling="cls")).shape == (5, 3)


def test_a_pooling_that_a_later_module_cannot_read_is_refused(folder, tmp_path):
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling

    base = SentenceTransformer(str(folder), device="cpu")
    modules = [base[0], Pooling(8, ("cls", "max")), Dense(16, 3)]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path))
    with pytest.raises(ConfigError, match="mean makes vectors of 8 values, but the model's Dense reads 16"):
        load(tmp_path, plain=False, pooling="mean")


def test_a_model_without_token_vectors_has_no_pooling_to_replace(tmp_path):
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    module = StaticEmbedding(Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]")), embedding_dim=2)
    SentenceTransformer(modules=[module], device="cpu").save(str(tmp_path))
    with pytest.raises(ConfigError, match="pooling: the model has 0 poolings"):
        load(tmp_path, plain=False, pooling="cls")


@pytest.mark.parametrize(("dtype", "tolerance"), [("bfloat16", 0.1), ("float16", 0.01)])
def test_half_precision_rounds_but_vectors_are_float32(folder, dtype, tolerance):
    encoder = load(folder, dtype=dtype, normalise=True)
    assert {parameter.dtype for parameter in encoder._model.parameters()} == {getattr(torch, dtype)}
    vectors, exact = encode(encoder), encode(load(folder, normalise=True))
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(exact, abs=tolerance)
    assert vectors != pytest.approx(exact, abs=1e-6)
    # scaled after rounding: of length 1 to float32's precision, not to that of the dtype
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16-autocast", "bfloat16", "float16"])
def test_half_precision_gives_the_same_bytes_for_any_number_of_threads(folder, dtype):
    results = {encode(load(folder, threads=n, dtype=dtype, batch_size=1)).tobytes() for n in (1, 2, 4)}
    assert len(results) == 1


def test_autocast_rounds_products_and_keeps_weights_in_float32(folder):
    encoder = load(folder, dtype="bfloat16-autocast", normalise=True)
    assert {parameter.dtype for parameter in encoder._model.parameters()} == {torch.float32}
    vectors, exact = encode(encoder), encode(load(folder, normalise=True))
    assert vectors.dtype == np.float32
    # bfloat16 has 8 bits: 1.4e-2 of a vector of 8 values was measured, behind three layers of random weights
    assert vectors == pytest.approx(exact, abs=0.05)
    assert vectors != pytest.approx(exact, abs=1e-6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)


def test_autocast_is_that_of_torch(folder):
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        features = AutoTokenizer.from_pretrained(folder)(TEXTS[1], return_tensors="pt")
        state = AutoModel.from_pretrained(folder).eval()(**features).last_hidden_state
    expected = state[0].float().mean(dim=0).numpy()
    # the same operations on the same shapes; a sum may be taken in another order
    vectors = encode(load(folder, dtype="bfloat16-autocast"), [TEXTS[1]])
    assert vectors[0] == pytest.approx(expected, abs=1e-6)


def test_neighbours_and_padding_move_vectors_of_autocast_no_more_than_its_rounding(folder):
    # one batch of texts of 3 to 11 tokens against each alone: another order of sums decides how products round
    encoder = load(folder, dtype="bfloat16-autocast", normalise=True)
    alone = np.concatenate([encode(encoder, [text]) for text in TEXTS])
    assert encode(encoder) == pytest.approx(alone, abs=0.05)


@pytest.mark.parametrize("dtype", ["bfloat16-autocast", "bfloat16"])
def test_bfloat16_that_the_processor_has_to_imitate_is_slow_and_the_log_says_so(
    folder, dtype, monkeypatch, caplog
):
    for capabilities, told in (
        ({"avx512_f": True, "avx512_bf16": False}, True),
        ({"avx512_bf16": True}, False),
    ):
        caplog.clear()
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda known=capabilities: known)
        encode(load(folder, dtype=dtype))
        assert ("no instructions for bfloat16" in caplog.text) is told
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {})
    load(folder)
    assert "bfloat16" not in caplog.text


def test_first_values_are_kept_and_then_scaled(folder):
    whole = encode(load(folder))
    encoder = load(folder, truncate_dim=3)
    assert encoder.dimension == 3
    assert encode(encoder) == pytest.approx(whole[:, :3])
    scaled = whole[:, :3] / np.linalg.norm(whole[:, :3], axis=1, keepdims=True)
    assert encode(load(folder, truncate_dim=3, normalise=True)) == pytest.approx(scaled, abs=1e-6)


def test_truncated_vectors_are_those_of_sentence_transformers(folder):
    model = SentenceTransformer(str(folder), device="cpu", truncate_dim=5)
    expected = model.encode(TEXTS, normalize_embeddings=True)
    assert encode(load(folder, truncate_dim=5, normalise=True)) == pytest.approx(expected, abs=1e-6)


def test_more_values_than_there_are_cannot_be_kept(folder):
    with pytest.raises(ConfigError, match="truncate_dim: 9 is more than the 8 values"):
        load(folder, truncate_dim=9)


def test_long_texts_lose_the_end_that_was_asked_for(folder):
    text = "lei ação projeto não saúde"
    for truncation, kept in (("end", "lei ação"), ("start", "não saúde")):
        encoder = load(folder, max_tokens=4, truncation=truncation)  # [CLS], two words, [SEP]
        vectors = encode(encoder, [text, kept])
        assert vectors[0] == pytest.approx(vectors[1], abs=1e-5)
        assert (encoder.reading.lost > 0).sum() == 1


def test_long_texts_are_refused_by_name_if_asked_for(folder):
    encoder = load(folder, max_tokens=4, truncation="refuse")
    with pytest.raises(DataError, match=r"2 of 5 texts have more than 4 tokens: row 2 \('ação projeto"):
        encoder.plan(TEXTS)
    assert encode(encoder, ["lei", "saúde não"]).shape == (2, 8)


def test_how_many_texts_are_cut_is_logged(folder, caplog):
    load(folder, max_tokens=4).plan(TEXTS)
    assert "2 of 5 texts (40.0 %) have more than 4 tokens" in caplog.text


def test_batches_hold_no_more_texts_than_asked_for(folder):
    encoder = load(folder, batch_size=2)
    assert [len(batch.rows) for batch in encoder.plan(TEXTS)] == [2, 2, 1]
    assert encode(encoder) == pytest.approx(encode(load(folder)), abs=1e-5)


def test_the_prompt_follows_role_and_task(folder):
    prompts = {"query": "saúde: ", "law": "lei: "}
    encoder = load(folder, prompts=prompts, prompt_names={"tasks": {"F1A": "law"}})
    plain = load(folder)
    for role, task, prompt in (("text", None, ""), ("query", None, "saúde: "), ("text", "F1A", "lei: ")):
        expected = encode(plain, [prompt + text for text in TEXTS])
        assert encode(encoder, role=role, task=task) == pytest.approx(expected, abs=1e-6)


def test_batches_of_its_own_have_the_prompt_that_the_encoder_was_loaded_for(folder):
    names = {"tasks": {"F1A": "law"}}
    encoder = load(folder, prompts={"law": "lei: "}, prompt_names=names, task="F1A")
    batches = encoder.plan(TEXTS)
    vectors = np.empty((len(TEXTS), 8), dtype=np.float32)
    for batch, part in zip(batches, encoder.encode_batches(TEXTS, batches), strict=True):
        vectors[batch.rows] = part
    assert vectors == pytest.approx(encode(load(folder, prompt="lei: ")), abs=1e-6)


def test_prompts_in_the_files_of_a_model_can_be_named(folder, tmp_path):
    model = SentenceTransformer(str(folder), device="cpu", prompts={"saude": "saúde: "})
    model.save(str(tmp_path))
    named = load(tmp_path, plain=False, prompt_names={"roles": {"text": "saude"}})
    assert encode(named) == pytest.approx(model.encode(TEXTS, prompt_name="saude"), abs=1e-6)
    with pytest.raises(ConfigError, match="prompt named 'saúde'. Write one of: .*saude"):
        load(tmp_path, plain=False, prompt_names={"roles": {"text": "saúde"}})


def test_several_devices_take_turns_and_change_nothing(folder):
    encoder = load(folder, batch_size=1)
    expected = encode(encoder)
    copies = [load(folder)._model for _ in range(2)]
    several = SentenceTransformerEncoder(encoder._model, Settings(batch_size=1), threads=1, copies=copies)
    several.device = "several"  # not the name that is computed in threads
    used = []
    for model in (encoder._model, *copies):
        model.register_forward_hook(lambda module, *_: used.append(id(module)))
    assert encode(several) == pytest.approx(expected, abs=1e-6)
    assert sorted(used.count(id(model)) for model in (encoder._model, *copies)) == [1, 2, 2]


def test_a_device_that_is_not_there_is_named(folder):
    with pytest.raises(ConfigError, match="this machine has no cuda:99 .*Write one of: cpu"):
        load(folder, devices=("cuda:99",))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16-autocast", "bfloat16", "float16"])
def test_a_cuda_device_gives_the_vectors_of_the_processor(folder, dtype):
    encoder = load(folder, devices=("cuda:0",), dtype=dtype)
    assert encoder.device == "cuda"
    tolerance = {"float32": 1e-4, "bfloat16-autocast": 0.3, "bfloat16": 0.3, "float16": 0.03}[dtype]
    assert encode(encoder) == pytest.approx(encode(load(folder)), abs=tolerance)


def test_the_manifest_tells_the_width_as_far_as_it_can():
    manifest = Manifest(kind="sentence-transformers", dimension=16, pooling="cls+max")
    assert Settings().dimension(manifest) == 16
    assert Settings(truncate_dim=4).dimension(manifest) == 4
    assert Settings(pooling="mean").dimension(manifest) is None
    single = Manifest(kind="sentence-transformers", dimension=16, pooling="mean")
    assert Settings(pooling="cls", truncate_dim=20).dimension(single) == 16


def test_layers_are_named_from_the_outside():
    assert LAYER_POOLINGS == {"first-last": (1, -1), "last-two": (-2, -1), "embedding-last": (0, -1)}
