"""Searching and measuring beside plain programs, on one thread: python benchmarks/retrieval_speed.py

BM25 beside rank_bm25 (pip install rank-bm25==0.2.2), exact search by vectors beside a bare `torch.topk(Q @ D.T)`, and
the time of `evaluate`. The parts of a line are taken in turn, and the least CPU time of several turns counts. Prints
tables in Markdown. --zalo is a folder with legal_corpus.json and train_question_answer.json; without, made texts.
"""

import argparse
import os

import needs

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is imported

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch

from sentflow.config.collections import Analyser as AnalyserSettings
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.retrievers.dense import Vectors, search_vectors
from sentflow.retrieval.settings import BM25
from sentflow.retrieval.term_index import TermIndex
from sentflow.texts.corpora import Corpus, Questions

MEASURES = ("nDCG@10", "R@10", "R@100", "RR@10", "AP@100")
SETTINGS = BM25(kind="bm25", analyser="words")
Terms = list[list[str]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = {one.__name__: one for one in (bm25, vectors, evaluation)}
    parser.add_argument("--tables", nargs="+", choices=known, default=list(known))
    parser.add_argument(
        "--zalo", type=Path, help="folder of the Zalo challenge's files, or of a part of them"
    )
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    for name in args.tables:
        print(known[name](args), flush=True)


def bm25(args: argparse.Namespace) -> str:
    """Questions per second; terms are made once, for both."""
    from rank_bm25 import BM25Okapi

    documents, questions = zalo(args.zalo) if args.zalo else made()
    indexing = least(
        {"ours": lambda: Bm25(TermIndex.of([documents]), SETTINGS), "other": lambda: BM25Okapi(documents)}, 2
    )
    ours, other = Bm25(TermIndex.of([documents]), SETTINGS), BM25Okapi(documents)
    some = questions[:50]  # of the slow one

    def plain() -> None:
        for question in some:
            np.argsort(-other.get_scores(question), kind="stable")[:100]

    found = least({"ours": lambda: list(ours.search(questions, 100)), "other": plain}, args.turns)
    rates = [len(questions) / found["ours"], len(some) / found["other"]]
    lines = ["| | questions per second | indexing, seconds |", "|---|--:|--:|"]
    for name, key, rate in zip(("sentflow (bm25s)", "rank_bm25"), ("ours", "other"), rates, strict=True):
        lines.append(f"| {name} | {rate:,.0f} | {indexing[key]:.2f} |")
    sizes = f"{len(documents)} documents, {len(questions)} questions, the first 100 documents of each"
    return "\n".join([f"{sizes}: ratio {rates[0] / rates[1]:.0f}", "", *lines, ""])


def vectors(args: argparse.Namespace) -> str:
    """100,000 documents × 384 and 1,000 questions."""
    generator = np.random.default_rng(1)
    documents = generator.standard_normal((100_000, 384), dtype=np.float32)
    questions = generator.standard_normal((1000, 384), dtype=np.float32)
    corpus = Vectors(documents, np.arange(len(documents)))
    asked, held = torch.from_numpy(questions), torch.from_numpy(documents)
    lines = ["| k | exact search | bare torch.topk | speed, bare = 1 |", "|--:|--:|--:|--:|"]
    for k in (10, 100, 1000):
        parts: dict[str, Callable[[], object]] = {
            "ours": lambda k=k: list(search_vectors(questions, corpus, k, similarity="dot")),  # type: ignore[misc]
            "bare": lambda k=k: torch.topk(asked @ held.T, k),  # type: ignore[misc]
        }
        found = least(parts, args.turns)
        ratio = found["bare"] / found["ours"]
        lines.append(f"| {k} | {found['ours']:.2f} s | {found['bare']:.2f} s | {ratio:.2f} |")
    return "\n".join([*lines, ""])


def evaluation(args: argparse.Namespace) -> str:
    """3,000 questions × 100 documents with judged negatives and copies, by scores of 2 digits and of all."""
    lines = ["| scores | CPU seconds |", "|---|--:|"]
    for name, digits in (("all different", None), ("two digits, so nearly all equal to another", 2)):
        run, questions, corpus = judged_run(digits)
        found = least({"ours": lambda: evaluate(run, questions, corpus, MEASURES)}, args.turns)  # noqa: B023
        lines.append(f"| {name} | {found['ours']:.2f} |")
    return "\n".join([*lines, ""])


def judged_run(digits: int | None) -> tuple[Run, Questions, Corpus]:
    """A run of 3,000 questions on 20,000 documents; three of the five judged ones of each are found."""
    generator = np.random.default_rng(1)
    n, n_questions, k = 20_000, 3000, 100
    texts = [f"document {row // 2 * 2 if row < n // 10 else row}" for row in range(n)]
    ids = [f"d{row}" for row in range(n)]
    names = [f"q{row}" for row in range(n_questions)]
    judged = np.array([generator.choice(n, 5, replace=False) for _ in names])
    ranked = {}
    for name, own in zip(names, judged, strict=True):
        rows = np.union1d(own[:3], generator.choice(n, k, replace=False))[:k]
        scores = generator.random(len(rows))
        scores = scores if digits is None else scores.round(digits)
        order = np.lexsort((rows, -scores))
        ranked[name] = Ranked(rows[order], scores[order])
    questions = Questions(
        *("made", "made", "made", "en", 1, names, names, [""] * n_questions),
        np.repeat(np.arange(n_questions), 5),
        [ids[row] for row in judged.ravel()],
        generator.integers(0, 3, judged.size),
    )
    return Run(ids, ranked), questions, Corpus("made", "made", "en", ids, [""] * n, texts)


def zalo(folder: Path, units: str = "vietnamese-words") -> tuple[Terms, Terms]:
    """Terms of articles and of training questions: words by underthesea, or syllables (`words`)."""
    laws = json.loads((folder / "legal_corpus.json").read_text(encoding="utf-8"))
    asked = json.loads((folder / "train_question_answer.json").read_text(encoding="utf-8"))
    articles = [f"{article['title']} {article['text']}" for law in laws for article in law["articles"]]
    cut = Analyser(AnalyserSettings.model_validate({"units": units}))
    questions = [item["question"] for item in asked["items"]]
    return cut.terms(articles), cut.terms(questions)


def made() -> tuple[Terms, Terms]:
    """2,894 documents of 150 words and 618 questions of 19, by Zipf's law."""
    generator = np.random.default_rng(1)

    def words(n: int, length: int) -> Terms:
        return [[f"w{word}" for word in generator.zipf(1.3, length) if word < 30_000] for _ in range(n)]

    return words(2894, 150), words(618, 19)


def least(parts: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """CPU seconds of each part, the least of several turns."""
    found = dict.fromkeys(parts, float("inf"))
    for _ in range(turns):
        for name, part in parts.items():
            started = time.process_time()
            part()
            found[name] = min(found[name], time.process_time() - started)
    return found


if __name__ == "__main__":
    needs.run(main)
