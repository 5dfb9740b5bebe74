"""What an encoder is and costs, beside what it scores: one row per encoder."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.vectors.storage import how_made
from sentflow.files.io import read_json
from sentflow.files.rows import row_from
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.costs.summary import read_records
from sentflow.report.families.probing.rows import average_score, of_main_protocol
from sentflow.report.rows import MeasuredRow, data_versions, unique


@dataclass(frozen=True)
class Embedding:
    """One array of embeddings: what its description says, and the rule that made it."""

    model: str
    collection: str
    texts: int
    dimension: int
    device: str
    rule: str = "embed"
    sha256: str = ""  # of the array

    @classmethod
    def read(cls, path: Path) -> "Embedding":
        """From the JSON beside the array, and the one that says how it was made."""
        about = {**read_json(path), **how_made(path)}
        rule = "embed_sparse" if "vocabulary_sha256" in about else "embed"
        texts, dimension = about["shape"]
        device, digest = str(about.get("device", "")), str(about.get("sha256", ""))
        return cls(about["model"], about["collection"], texts, dimension, device, rule, digest)

    def benchmark(self, folder: Path) -> Path:
        """The benchmark file of the job that made it."""
        return folder / self.rule / self.model / f"{self.collection}.jsonl"


def encoder_rows(
    rows: Sequence[ScoreRow],
    manifests: Mapping[str, Mapping[str, Any]],
    embeddings: Sequence[Embedding],
    benchmarks: Path,
    named: Sequence[MeasuredRow] = (),
) -> list[EncoderRow]:
    """One row per encoder of the summary, in its order; without tasks, per encoder of the pair sets.

    `manifests`: model → ``parameters``, ``dimension`` and ``max_tokens``. `benchmarks`: folder of the benchmark files;
    jobs whose file is not there have no time.
    """
    shown = of_main_protocol(rows)
    n_tasks = len(unique(row.task for row in shown))
    version = "; ".join(data_versions(named or rows))
    encoders: Sequence[ScoreRow | MeasuredRow] = rows or [row for row in named if not row.is_baseline]
    found = []
    for model in unique(row.model for row in encoders):
        members = [row for row in shown if row.model == model]
        first, about = next(row for row in encoders if row.model == model), manifests.get(model, {})
        own = [embedding for embedding in embeddings if embedding.model == model]
        timed = [(one, took) for one in own if (took := _seconds(one.benchmark(benchmarks))) is not None]
        vectors = sorted((embedding.collection, embedding.sha256) for embedding in own)
        about_model: dict[str, Any] = {
            "n_tasks": n_tasks,
            "mean": average_score(members, n_tasks) if rows else None,
        }
        about_model |= {"parameters": about.get("parameters"), "max_tokens": about.get("max_tokens")}
        about_model["dimension"] = max((float(one.dimension) for one in own), default=about.get("dimension"))
        about_model["texts"] = float(sum(embedding.texts for embedding, _ in timed)) if timed else None
        about_model["embed_seconds"] = math.fsum(seconds for _, seconds in timed) if timed else None
        about_model["device"] = ", ".join(unique(embedding.device for embedding, _ in timed))
        for name, absent in (("protocol", ""), ("repetitions", 0), ("folds", 0)):
            about_model[name] = getattr(shown[0], name) if shown else absent
        about_model |= {"data_version": version, "position": members[0].position if members else -1}
        about_model["vectors"] = sha256(repr(vectors).encode()).hexdigest() if vectors else ""
        found.append(row_from(EncoderRow, vars(first) | about_model))
    return found


def _seconds(path: Path) -> float | None:
    """Time of a job; None where no benchmark was kept."""
    if not path.is_file():
        return None
    return math.fsum(float(record["s"]) for record in read_records(path))
