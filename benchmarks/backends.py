"""What the backends and dtypes of a neural encoder gain and lose: SENTFLOW_MIRROR=… python benchmarks/backends.py

Of all-MiniLM-L6-v2, on one thread, for each backend and dtype that is installed (envs/requirements-onnx.txt and
-openvino.txt beside the pins): CPU seconds for sentences of STS-B and for court decisions, all in turn; the weights and
the memory of a process that loads and encodes; and scores: Spearman correlation on STS-B's test part, a probe of 10 × 5
folds on OffComBR-2 (T1B-open), and retrieval by exact search on LegalQuAD, 200 questions and 200 decisions, of which
the model reads the first 256 tokens. Data are taken from the mirror.
"""

import argparse
import json
import multiprocessing
import os
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import torch
from scipy.stats import spearmanr

import needs
from embedding_speed import model_folder, sample_texts
from sentflow.api.data import catalog_pairs, known_tasks, load_task
from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.neural.backends import ExportedTransformer, missing_libraries
from sentflow.encoders.settings import TEXT, VectorSettings
from sentflow.encoders.tune import PRECISIONS, Candidate, Timing, difference, in_turn
from sentflow.encoders.vectors.storage import unit_rows
from sentflow.jobs.machine import prepare_environment
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.settings import PUBLISHED
from sentflow.texts.pairs import PairTable
from sentflow.texts.table import TaskTable

DEFAULT_MIRROR = Path(__file__).parents[2] / "shared/data"
LEGALQUAD = (
    "github/Christoph911/AIKE2021_Appendix/6eed75f066c98a7b3e43044b764ff8e0273ad1f3/data/LegalQuAD.json"
)
TASK = "T1B-open"
DEPTH = 10  # of retrieval


@dataclass(frozen=True)
class Data:
    """What encoders are measured on: pairs with gold scores, a task, and questions with one document each."""

    pairs: PairTable
    task: TaskTable
    questions: list[str]
    documents: list[str]
    answers: np.ndarray

    @property
    def texts(self) -> list[str]:
        """All distinct ones."""
        pairs = [*self.pairs.text_a, *self.pairs.text_b]
        return list(dict.fromkeys([*pairs, *self.task.text_a, *self.questions, *self.documents]))


def main() -> None:
    """Print one line per backend and dtype."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=200, help="that speed is measured with")
    parser.add_argument("--decisions", type=int, default=20, help="that speed is measured with")
    parser.add_argument("--repetitions", type=int, default=10, help="of the probe")
    parser.add_argument("--backends", type=int, help="only the first, so many")
    arguments = parser.parse_args()
    prepare_environment(1)
    torch.set_num_threads(1)
    data = read_data()
    measured = [
        Candidate(*precision, VectorSettings().batch_tokens, 1)
        for precision in PRECISIONS[: arguments.backends]
    ]
    tried = [candidate for candidate in measured if installed(candidate)]
    memory = {candidate: apart(candidate) for candidate in tried}
    encoders = {candidate: load(candidate) for candidate in tried}
    sentences = thinned(list(dict.fromkeys(data.pairs.text_a)), arguments.sentences)
    decisions = thinned(data.documents, arguments.decisions)
    speeds = [speed(encoders, texts, rounds=arguments.rounds) for texts in (sentences, decisions)]
    plain = tried[0]
    for name, texts, timings in zip(("sentences", "decisions"), (sentences, decisions), speeds, strict=True):
        n_tokens = int(encoders[plain].token_counts(texts).sum())
        print(
            f"{len(texts)} {name}, {n_tokens} tokens: {n_tokens / timings[plain].median:.0f} tokens per CPU second in "
            "float32"
        )
    encoders[plain].plan(data.documents, role=TEXT, task=None)
    print(f"{(encoders[plain].reading.lost > 0).sum()} of {len(data.documents)} decisions are cut")
    print(f"memory of a process that has imported everything and loads nothing: {apart(None)[0]} MB\n")
    print(
        "| backend | dtype | sentences, times as fast | decisions | weights, MB | memory and its peak, MB | STS-B | "
        f"{TASK} | LegalQuAD, nDCG@10 | R@10 | largest difference | lowest cosine |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    exact = encode(encoders[plain], data.texts)
    for candidate, encoder in encoders.items():
        vectors = exact if candidate == plain else encode(encoder, data.texts)
        row_of = dict(zip(data.texts, unit_rows(vectors.astype(np.float64)), strict=True))
        found = difference(vectors, exact)
        faster = [timings[plain].median / timings[candidate].median for timings in speeds]
        gain, recall = retrieval(data, row_of)
        print(
            f"| {candidate.backend} | {candidate.dtype} | {faster[0]:.2f} | {faster[1]:.2f} |"
            f" {weight_bytes(encoder) / 1e6:.0f} | {memory[candidate][0]}, {memory[candidate][1]} |"
            f" {100 * similarity(data, row_of):.2f} |"
            f" {probe(data, vectors, repetitions=arguments.repetitions):.4f} | {gain:.4f} | {recall:.3f} |"
            f" {found.value:.0e} | {found.cosine:.5f} |",
            flush=True,
        )


def read_data() -> Data:
    """From the mirror, verified by the checksums of the catalog."""
    mirror = Path(os.environ.get("SENTFLOW_MIRROR", str(DEFAULT_MIRROR)).split()[0])
    entries = json.loads((mirror / LEGALQUAD).read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for entry in entries for paragraph in entry["paragraphs"]]
    asked = [
        (number, question["question"])
        for number, paragraph in enumerate(paragraphs)
        for question in paragraph["qas"]
    ]
    with tempfile.TemporaryDirectory() as folder:
        place = {"folder": Path(folder), "mirrors": [str(mirror)]}
        return Data(
            pairs=catalog_pairs("STSB-test", **place),
            task=load_task(TASK, known_tasks(None), protocol=PUBLISHED, **place),
            questions=[question for _, question in asked],
            documents=[paragraph["context"] for paragraph in paragraphs],
            answers=np.asarray([number for number, _ in asked]),
        )


def installed(candidate: Candidate) -> bool:
    """Whether the libraries of its backend are; says so if not."""
    missing = missing_libraries(candidate.backend)
    if missing:
        print(f"{candidate.backend} is left out: {', '.join(missing)} not installed")
    return not missing


def load(candidate: Candidate) -> SentenceTransformerEncoder:
    """all-MiniLM-L6-v2 on one thread of the processor."""
    settings = VectorSettings(
        backend=candidate.backend, dtype=candidate.dtype, batch_tokens=candidate.batch_tokens
    )
    return SentenceTransformerEncoder.of_folder(model_folder(), settings, Context(devices=("cpu",)))


def encode(encoder: SentenceTransformerEncoder, texts: list[str]) -> np.ndarray:
    """(n, d) float32."""
    return encoder.encode(texts, role=TEXT, task=None)


def speed(
    encoders: dict[Candidate, SentenceTransformerEncoder], texts: list[str], *, rounds: int
) -> dict[Candidate, Timing]:
    """CPU seconds of each; the first run, which prepares much, does not count."""
    programs = {
        candidate: lambda encoder=encoder: encode(encoder, texts) for candidate, encoder in encoders.items()
    }
    for program in programs.values():
        program()
    return in_turn(programs, n_rounds=rounds, clock=time.process_time)


def apart(candidate: Candidate | None) -> tuple[int, int]:
    """See `in_a_process`, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(in_a_process, candidate).result()


def in_a_process(candidate: Candidate | None) -> tuple[int, int]:
    """Memory of this process in MB after it has encoded 100 sample texts, and at its peak, exports included."""
    if candidate is not None:
        prepare_environment(1)
        encode(load(candidate), thinned(sample_texts(), 100))
    resident = psutil.Process().memory_info().rss
    return round(resident / 1e6), round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)


def weight_bytes(encoder: SentenceTransformerEncoder) -> int:
    """Bytes of the weights that are multiplied: parameters of torch, or the exported file."""
    model = encoder._models[0]
    exported = [module for module in model.modules() if isinstance(module, ExportedTransformer)]
    parameters = sum(value.numel() * value.element_size() for value in model.parameters())
    return parameters + sum(module.n_bytes for module in exported)


def similarity(data: Data, row_of: dict[str, np.ndarray]) -> float:
    """Spearman correlation of cosine and gold score."""
    sides = zip(data.pairs.text_a, data.pairs.text_b, strict=True)
    return float(spearmanr([row_of[a] @ row_of[b] for a, b in sides], data.pairs.score).statistic)


def probe(data: Data, vectors: np.ndarray, *, repetitions: int) -> float:
    """Mean test metric by the published protocol, on vectors as the encoder gives them."""
    row_of = {text: row for row, text in enumerate(data.texts)}
    features = vectors[[row_of[text] for text in data.task.text_a]]
    result = cross_validate(features, data.task.labels, metric="mcc", repetitions=repetitions)
    return float(np.mean([fold.test_metric for fold in result.folds]))


def retrieval(data: Data, row_of: dict[str, np.ndarray]) -> tuple[float, float]:
    """nDCG@10 and R@10 of questions with one right document each; equal scores count against it."""
    questions = np.stack([row_of[text] for text in data.questions])
    documents = np.stack([row_of[text] for text in data.documents])
    scores = questions @ documents.T
    own = scores[np.arange(len(questions)), data.answers]
    ranks = (scores >= own[:, None]).sum(axis=1)
    found = ranks <= DEPTH
    return float(np.where(found, 1 / np.log2(1 + ranks), 0).mean()), float(found.mean())


def thinned(texts: list[str], n: int) -> list[str]:
    """n texts at equal distances, or all."""
    n = min(n, len(texts))
    return [texts[number * len(texts) // n] for number in range(n)]


if __name__ == "__main__":
    needs.run(main)
