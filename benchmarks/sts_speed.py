"""Scoring the STS sets against encoding their sentences once: SENTFLOW_MIRROR=… python benchmarks/sts_speed.py

Ours is everything between pair tables and results: the distinct sentences through the project's embed path, then all
measures, correlations and bootstrap intervals. The reference is `SentenceTransformer.encode` on the same distinct
sentences, once, and nothing else. The two alternate in one process, on the same number of threads, and change places in
every round; the smallest time of each counts. The goal is a ratio of at most 1.2.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import needs

if TYPE_CHECKING:
    from sentflow.texts.pairs import PairTable

REPOSITORY = Path(__file__).parents[1]
SETS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSB-test", "SICKR-test")


def main() -> None:
    """Print one line per round and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS, help="pair sets of the catalog, of one family")
    parser.add_argument("--pairs", type=int, help="only so many pairs of each set, to try it out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--resamples", type=int, default=2000, help="of the bootstrap, as in config.yaml")
    args = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if args.threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(args.threads)
    from sentflow.texts.collection import distinct_texts

    tables = pair_tables(args.sets, args.pairs)
    texts = distinct_texts(tables)
    print(
        f"{len(tables)} pair sets, {sum(map(len, tables))} pairs, {len(texts)} distinct sentences", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        ours, reference = programs(
            tables, texts, Path(folder), threads=args.threads, resamples=args.resamples
        )
        for program in (ours, reference):
            program(texts[:64])  # first calls are not the subject
        seconds: dict[str, list[float]] = {"ours": [], "reference": []}
        vectors = {}
        for number in range(args.rounds):
            order = [("ours", ours), ("reference", reference)]
            for name, program in order if number % 2 == 0 else order[::-1]:
                start = time.perf_counter()
                vectors[name] = program(texts)
                seconds[name].append(time.perf_counter() - start)
                print(f"round {number + 1}, {name}: {seconds[name][-1]:.2f} s", flush=True)
    difference = np.abs(vectors["ours"] - vectors["reference"]).max()
    ratio = min(seconds["ours"]) / min(seconds["reference"])
    print(
        f"{args.threads} threads: ratio {ratio:.3f} (goal 1.2), largest difference of the vectors {difference:.0e}"
    )


def pair_tables(names: list[str], n_pairs: int | None) -> "list[PairTable]":
    """Pair sets of the catalog, or the first pairs of each."""
    sys.path.insert(0, str(REPOSITORY / "tests/fixtures"))
    from dataclasses import replace

    from mirror_data import mirror_pairs

    mirror = Path(os.environ.get("SENTFLOW_MIRROR", REPOSITORY.parent / "shared/data").split()[0])
    tables = [mirror_pairs(name, mirror) for name in names]
    return [
        replace(
            table,
            subset=table.subset[:n_pairs],
            text_a=table.text_a[:n_pairs],
            text_b=table.text_b[:n_pairs],
            score=table.score[:n_pairs],
        )
        for table in tables
    ]


def programs(
    tables: "list[PairTable]", all_texts: list[str], folder: Path, *, threads: int, resamples: int
) -> tuple[Callable[[list[str]], np.ndarray], Callable[[list[str]], np.ndarray]]:
    """The two that are compared, with their models loaded: texts → vectors, ours with scores on the way."""
    import torch
    import yaml
    from sentence_transformers import SentenceTransformer

    from sentflow.encoders.fetch import fetch_model
    from sentflow.encoders.kind import Context, load_encoder
    from sentflow.encoders.manifest import model_folder
    from sentflow.encoders.vectors.cache import ShardFolder
    from sentflow.encoders.vectors.embed import embed_texts
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.scores import graph_of, similarity_scores
    from sentflow.stats.resampling import Bootstrap

    entries = yaml.safe_load((REPOSITORY / "workflow/catalog/models.yaml").read_text(encoding="utf-8"))
    manifest = fetch_model("minilm-l6", entries["minilm-l6"], folder)
    context = Context(threads=threads, devices=("cpu",))
    encoder = load_encoder(manifest, {}, context)
    model = SentenceTransformer(str(model_folder(manifest.source)), device="cpu", local_files_only=True)
    settings = Bootstrap(level=0.99, n_resamples=resamples, seed=1)

    def ours(texts: list[str]) -> np.ndarray:
        shards = ShardFolder(folder / "shards", key="new")
        embeddings = embed_texts(encoder, texts, shards=shards)
        shards.clear()
        if len(texts) == len(all_texts):
            row_of = {text: row for row, text in enumerate(texts)}
            for table in tables:
                a, b = (np.array([row_of[text] for text in side]) for side in (table.text_a, table.text_b))
                columns = pair_similarities(embeddings, a, b).columns
                similarity_scores(table.score, table.subset, columns, graph_of([table]), settings)
        return embeddings

    def reference(texts: list[str]) -> np.ndarray:
        torch.set_num_threads(threads)
        return np.asarray(model.encode(texts, show_progress_bar=False))

    return ours, reference


if __name__ == "__main__":
    needs.run(main)
