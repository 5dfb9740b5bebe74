"""Rule rerank: the first documents of a run in a new order, by a cross-encoder."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument("--run", type=Path, required=True, help="run whose first documents are ordered anew")
    parser.add_argument(
        "--passages", type=Path, nargs="*", default=[], help="parts of documents, of which the best counts"
    )
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")
    parser.add_argument(
        "--device", default="null", help="JSON: cpu or cuda:1; null for the best device available"
    )
    parser.add_argument("--threads", type=int, default=1, help="changes the time, not the result")


@command(arguments, libraries=["numpy", "sentence-transformers", "torch", "transformers"])
def main(args: argparse.Namespace) -> None:
    """Read, compare questions with texts, write."""
    import numpy as np

    from sentflow.encoders.kinds.contract import Surroundings
    from sentflow.encoders.load import load_pair_encoder
    from sentflow.encoders.manifest import read_manifest
    from sentflow.retrieval.ranking import Ranked
    from sentflow.retrieval.reranking import reranked
    from sentflow.retrieval.runs import read_run
    from sentflow.texts.corpora import read_passages

    job = Search.of(args)
    found = read_run(args.run, job.corpus.ids)[1].ranked
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    texts: list[list[str]] = [[] for _ in job.corpus.ids]
    if args.passages:
        passages = read_passages(args.passages[0])
        for row, text in zip(passages.documents.tolist(), passages.texts, strict=True):
            texts[row].append(text)
    else:
        texts = [[text] if text else [] for text in job.corpus.whole_texts()]
    device = json.loads(args.device)
    around = Surroundings(
        manifest_folder=args.manifest.parent,
        threads=args.threads,
        devices=(device,) if isinstance(device, str) else tuple(device or ()),
    )
    encoder = load_pair_encoder(read_manifest(args.manifest), job.settings["encoder"], around)
    n_compared = 0

    def compare(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        nonlocal n_compared
        n_compared += len(first)
        return encoder.scores(first, second)

    runs = [found.get(name, nothing) for name in job.questions.ids]
    depth = job.settings["rerank_depth"]
    job.write(reranked(runs, job.questions.texts, texts, compare, depth))
    share = 100 * encoder.truncated_pairs / max(1, n_compared)
    logger.info("%d pairs of question and text compared", n_compared)
    if encoder.truncated_pairs:
        logger.warning(
            "%d of %d pairs (%.1f %%) have more tokens than the cross-encoder takes; what they have more is cut off. "
            "Cut documents into passages, or write a larger max_tokens",
            *(encoder.truncated_pairs, n_compared, share),
        )
    split = sum(len(run) > depth and run.scores[depth] == run.scores[depth - 1] for run in runs)
    if split:
        logger.warning(
            "%d questions: documents with the score of the last one that was compared were not compared; which were is "
            "decided by the order of the corpus",
            split,
        )


if __name__ == "__main__":
    exit_with(main)
