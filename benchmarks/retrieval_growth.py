"""How the jobs of a large corpus grow, from 10,000 to 1,000,000 vectors: python benchmarks/retrieval_growth.py

Documents and vectors are made up (200 characters, 384 values, float32), 100 questions ask for the 100 nearest. Every
job is the command of its rule in a process of its own, on one thread: CPU seconds, largest memory, bytes of what it
writes. The corpus is searched in shards of 100,000 documents and, for comparison, in one piece; by BM25 in one piece,
for one question, and its texts are cut by bm25s, too. docs/performance.md has the figures.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import needs
from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings, write_tokens
from sentflow.texts.collection import write_texts
from sentflow.texts.corpora import read_corpus
from sentflow.texts.shards import shards_of

DIMENSION, N_QUESTIONS, DEPTH = 384, 100, 100
MADE_UP = {"data_version": "made up", "language": "en"}
# CPU seconds and the peak of this program alone: that of getrusage may be its parent's. Linux counts it in kilobytes.
_JOB = """
from sentflow.jobs.job import job_named
job_named(sys.argv[1]).run(sys.argv[2:])
"""
_BM25S = """
import bm25s
from sentflow.texts.corpora import read_corpus
bm25s.tokenize(read_corpus(sys.argv[2]).whole_texts(), stopwords=None, show_progress=False)
"""
_MEASURED = """
import resource, sys
from pathlib import Path
{code}
[peak] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
used = resource.getrusage(resource.RUSAGE_SELF)
print("took", used.ru_utime + used.ru_stime, peak)
"""


@dataclass(frozen=True)
class Cost:
    """CPU seconds, largest memory and bytes written of a job."""

    seconds: float
    megabytes: float
    written: int


def job(command: str, arguments: Sequence[str | Path], *outputs: Path, code: str = _JOB) -> Cost:
    """Run a job in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED.format(code=code), command, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    [seconds, peak] = next(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("took"))
    return Cost(float(seconds), int(peak) / 1024, sum(file.stat().st_size for file in outputs))


def write_raw(path: Path, n: int, n_words: int) -> None:
    """Documents of so many words of 7 letters, no two alike."""
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list("abcdefghijklmnop"), 7)) for _ in range(5000)])
    with path.open("w", encoding="utf-8") as stream:
        for row in range(n):
            text = f"{row} {' '.join(words[rng.integers(0, len(words), n_words)])}"
            stream.write(json.dumps({"_id": f"d{row}", "text": text}) + "\n")


def write_vectors(stem: Path, texts: Sequence[str], seed: int) -> list[Path]:
    """The four files of a collection: texts, vectors, numbers of tokens, description."""
    files = [stem.with_suffix(suffix) for suffix in (".texts.parquet", ".npy", ".tokens.npy", ".json")]
    write_texts(files[0], texts)
    values = np.random.default_rng(seed).standard_normal((len(texts), DIMENSION), dtype=np.float32)
    description = {"text_order_sha256": text_order_sha256(texts), **write_tokens(files[2], None)}
    write_embeddings(files[1], files[3], values, description)
    return files


def prepare_questions(folder: Path, corpus: Path, texts: Sequence[str]) -> Cost:
    """Make the tables of questions and judgements."""
    rows = [{"_id": f"q{row}", "text": text, "document": "d0"} for row, text in enumerate(texts)]
    raw, table, judgements = folder / "asked.jsonl", folder / "q.parquet", folder / "j.parquet"
    raw.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    source = {"format": "jsonl", "files": [raw.name]}
    settings = {
        "corpus": "c",
        "questions": [{**source, "id": "_id", "text": "text"}],
        "judgements": [{**source, "question": "_id", "document": "document"}],
        **MADE_UP,
    }
    given = ["--questions", "q", "--raw", raw, "--corpus", corpus, "--settings", json.dumps(settings)]
    outputs = ["--table", table, "--judgements", judgements, "--checks", "{}"]
    return job("prepare_questions", [*given, *outputs], table, judgements)


def evaluate(folder: Path, corpus: Path, run: Path) -> Cost:
    """Measure a run."""
    settings = {"measures": ["nDCG@10", "R@100"], "level": 0.95, "n_resamples": 100, "seed": 1}
    scores, rows = folder / "scores.json", folder / "values.parquet"
    asked = ["--questions", folder / "q.parquet", "--judgements", folder / "j.parquet"]
    given = ["--runs", run, "--corpus", corpus, *asked, "--settings", json.dumps(settings)]
    return job("evaluate", [*given, "--scores", scores, "--rows", rows], scores, rows)


def lexical(folder: Path, n: int, corpus: Path) -> None:
    """Print what BM25 takes: its index, bm25s for cutting texts into terms, and a question of ten words."""
    index, run, how = folder / "terms.index", folder / "bm25.parquet", {"units": "long-words"}
    given = ["--corpus", corpus, "--analyser", "words", "--settings", json.dumps(how), "--table", index]
    shown(n, "analyse", [job("analyse", given, index)])
    shown(n, "bm25s.tokenize", [job("", [corpus], code=_BM25S)])
    prepare_questions(folder, corpus, [" ".join(read_corpus(corpus).texts[0].split()[:10])])
    by = {"kind": "bm25", "analyser": "words"}
    settings = json.dumps({"retriever": "bm25", "depth": DEPTH, "by": by, "analyser": how})
    asked = ["--questions", folder / "q.parquet", "--judgements", folder / "j.parquet"]
    given = ["--corpus", corpus, *asked, "--terms", index, "--settings", settings, "--run", run]
    shown(n, "search, BM25", [job("search", given, run)])


def asked_in(folder: Path, texts: Sequence[str]) -> list[str | Path]:
    """Questions with judgements and vectors, as arguments of a search."""
    vectors = write_vectors(folder / "asked", texts, 1)
    tables = ["--questions", folder / "q.parquet", "--judgements", folder / "j.parquet"]
    return [*tables, "--queries", *vectors[:-1], "--queries-info", vectors[-1]]


def searched(
    folder: Path, shard: str, corpus: Path, asked: Sequence[str | Path], seed: int
) -> tuple[Cost, Path]:
    """Search in a corpus or a shard, whose vectors are made for it and deleted again."""
    stem = folder / f"vectors-{shard.replace('/', '-')}"
    files = write_vectors(stem, read_corpus(corpus).texts, seed)
    vectors = files[1].stat().st_size
    run = stem.with_suffix(".run.parquet")
    settings = {"retriever": f"r{shard[1:]}", "depth": DEPTH, "by": {"kind": "dense", "model": "m"}}
    documents = ["--documents", *files[:-1], "--documents-info", files[-1]]
    given = ["--corpus", corpus, *asked, *documents, "--settings", json.dumps(settings)]
    cost = job("search", [*given, "--run", run], run)
    for file in files:
        file.unlink()
    return Cost(cost.seconds, cost.megabytes, cost.written + vectors), run


def measure(n: int, per_shard: int, n_words: int) -> None:
    """Print what every job of a corpus of n documents takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw, corpus = folder / "raw.jsonl", folder / "c.parquet"
        write_raw(raw, n, n_words)
        source = {"format": "jsonl", "files": ["raw.jsonl"], "id": "_id", "text": "text"}
        settings = {"documents": [source], **MADE_UP}
        arguments = ["--corpus", "c", "--raw", raw, "--settings", json.dumps(settings), "--table", corpus]
        shown(n, "prepare_corpus", [job("prepare_corpus", [*arguments, "--checks", "{}"], corpus)])
        lexical(folder, n, corpus)
        texts = [f"question {row}" for row in range(N_QUESTIONS)]
        shown(n, "prepare_questions", [prepare_questions(folder, corpus, texts)])
        asked = asked_in(folder, texts)
        whole, run = searched(folder, "c", corpus, asked, 2)
        shown(n, "search, whole", [whole])
        shown(n, "evaluate", [evaluate(folder, corpus, run)])
        shards = shards_of("c", max(1, n // per_shard))
        if len(shards) <= 1:
            return
        cut, found, runs = [], [], []
        for seed, shard in enumerate(shards):
            part = folder / f"{shard.replace('/', '-')}.parquet"
            cut.append(job("shard_corpus", ["--whole", corpus, "--corpus", shard, "--table", part], part))
            cost, run = searched(folder, shard, part, asked, seed)
            found.append(cost)
            runs.append(run)
        shown(n, "shard_corpus", cut)
        shown(n, "search, shards", found)
        out = folder / "run.parquet"
        arguments = ["--runs", *runs, "--questions", folder / "q.parquet", "--run", out]
        shown(n, "merge_shards", [job("merge_shards", arguments, out)])


def shown(n: int, what: str, costs: Sequence[Cost]) -> None:
    """Print a line: sums of time and bytes, the largest memory."""
    seconds, written = sum(cost.seconds for cost in costs), sum(cost.written for cost in costs)
    peak = max(cost.megabytes for cost in costs)
    print(
        f"| {n:,} | {what} | {len(costs)} | {seconds:.1f} | {peak:,.0f} | {written / 1e6:,.0f} |", flush=True
    )


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument("--per-shard", type=int, default=10**5, help="documents of a shard")
    parser.add_argument("--words", type=int, default=24, help="words of a document")
    args = parser.parse_args()
    print("| documents | rule | jobs | CPU s | largest memory, MB | written, MB (vectors included) |")
    print("|--:|---|--:|--:|--:|--:|")
    for n in args.sizes:
        measure(n, args.per_shard, args.words)


if __name__ == "__main__":
    needs.run(main)
