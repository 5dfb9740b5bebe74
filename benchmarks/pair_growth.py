"""How reading, cleaning and combining of pairs grow, from 20,000 pairs: python benchmarks/pair_growth.py TABLE

TABLE is the Parquet file of training data of the form pairs, in Portuguese. Its words are drawn anew into texts of the
lengths of its texts, since repeated rows would be left out as copies. One row in fifty is a near copy of an earlier
one. Each job is the command of its rule in a process of its own, on one thread: CPU seconds, largest memory, the
rows that stay. docs/measurements/2026-11-25-trainings.md has the figures.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

import needs
from retrieval_growth import Cost, job
from sentflow.files.io import digest_of, read_json, write_json
from sentflow.training.data.table import TrainingData, read_training_data, write_training_data

NEAR_EVERY, BATCH = 50, 10_000
READER = {"format": "jsonl", "files": ["pairs.jsonl"], "other": "other"}
READING = {"form": "pairs", "sources": [{"where": "source", "dataset": "raw", "rows": READER}]}
CLEANING = {"language": "pt", "tests": [["task", "held out"]]}


def main() -> None:
    """Print a line per job and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 50_000, 200_000])
    parser.add_argument("--tests", type=int, default=10_000, help="texts that are held out")
    parser.add_argument(
        "--without-cleaning", action="store_true", help="combine the pairs as read, which is faster"
    )
    args = parser.parse_args()
    columns = read_training_data(args.table).columns
    texts = [text.split() for name in ("text", "other") for text in columns[name]]
    words = np.array([word for text in texts for word in text], dtype=object)
    lengths = np.array([len(text) for text in texts])
    print("| pairs | job | CPU s | pairs per CPU s | largest memory, MB | pairs that stay |")
    print("|--:|---|--:|--:|--:|--:|")
    for n in args.sizes:
        measure(n, None if args.without_cleaning else args.tests, words, lengths)


def measure(n: int, n_tests: int | None, words: np.ndarray, lengths: np.ndarray) -> None:
    """All jobs on n pairs; without a number of held-out texts, cleaning is left out."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draws = np.random.default_rng(n)
        raw, pairs, out = folder / "raw" / "pairs.jsonl", folder / "pairs.parquet", folder / "out.parquet"
        raw.parent.mkdir()
        write_pairs(raw, n, words, lengths, draws)
        given = [
            "--data",
            "drawn",
            "--raw",
            raw,
            "--settings",
            json.dumps(READING),
            "--checks={}",
            "--table",
            pairs,
        ]
        shown(
            n,
            "prepare_training",
            job("prepare_training", given),
            read_json(pairs.with_suffix(".json"))["rows"],
        )
        write_json(pairs.with_suffix(".json"), {"relation": "drawn", **digest_of(pairs)})
        if n_tests is not None:
            tests = TrainingData("held-out", "texts", {"text": drawn(n_tests, words, lengths, draws)})
            write_training_data(folder / "tests.parquet", tests, {})
            read, pairs = pairs, folder / "cleaned.parquet"
            given = ["--relation", read, "--tests", folder / "tests.parquet"]
            cost = job("clean_pairs", [*given, "--settings", json.dumps(CLEANING), "--table", pairs])
            shown(n, "clean_pairs", cost, read_json(pairs.with_suffix(".json"))["kept"])
        given = ["--data", "all", "--relations", pairs, "--near=0.8"]
        cost = job("combine_pairs", [*given, "--checks={}", "--table", out])
        shown(n, "combine_pairs", cost, read_json(out.with_suffix(".json"))["rows"])


def write_pairs(
    path: Path, n: int, words: np.ndarray, lengths: np.ndarray, draws: np.random.Generator
) -> None:
    """Pairs of drawn words, a JSON object per line; one in `NEAR_EVERY` is the one before it with a word more."""
    with path.open("w", encoding="utf-8") as stream:
        for start in range(0, n, BATCH):
            size = min(BATCH, n - start)
            texts, others = (drawn(size, words, lengths, draws) for _ in range(2))
            for row in range(NEAR_EVERY, size, NEAR_EVERY):
                texts[row], others[row] = texts[row - 1] + " e", others[row - 1] + " e"
            for text, other in zip(texts, others, strict=True):
                stream.write(json.dumps({"text": text, "other": other}, ensure_ascii=False) + "\n")


def drawn(n: int, words: np.ndarray, lengths: np.ndarray, draws: np.random.Generator) -> list[str]:
    """Texts of drawn words, as long as drawn texts."""
    sizes = draws.choice(lengths, n)
    chosen = words[draws.integers(0, len(words), sizes.sum())]
    return [" ".join(part) for part in np.split(chosen, np.cumsum(sizes)[:-1])]


def shown(n: int, what: str, cost: Cost, kept: int) -> None:
    """Print a line."""
    speed = n / cost.seconds
    print(
        f"| {n:,} | {what} | {cost.seconds:.0f} | {speed:,.0f} | {cost.megabytes:,.0f} | {kept:,} |",
        flush=True,
    )


if __name__ == "__main__":
    needs.run(main)
