"""Snakemake's benchmark records → time and memory per rule, and what an encoder is and costs."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.vectors.storage import how_made
from sentflow.errors import DataError
from sentflow.files.io import parse_json, read_json
from sentflow.files.rows import row_from
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.families.probing.rows import average_score, of_main_protocol
from sentflow.report.rows import MeasuredRow, data_versions, unique

_BENCHMARK = re.compile(r"(?:.*/)?benchmarks/([^/]+)/(.+)\.jsonl")
Job: TypeAlias = tuple[str, str]
"""The rule of a job and its wildcards, ``embed`` and ``minilm-l6/sick``."""
Records: TypeAlias = Sequence[Mapping[str, Any]]


def job_of(path: Path) -> Job:
    """Rule and wildcards of the job that a benchmark file belongs to: ``…/benchmarks/{rule}/{wildcards}.jsonl``."""
    found = _BENCHMARK.fullmatch(path.as_posix())
    if not found:
        raise DataError(f"{path} does not say its rule: it must be a file benchmarks/RULE/….jsonl.")
    return found[1], found[2]


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a benchmark file, one per line."""
    records = []
    # what is no text is no JSON either, and is told as such
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        try:
            record = parse_json(line)
            if not math.isfinite(float(record["s"])):
                raise ValueError(f"s is {record['s']}")
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise DataError(
                f"{path}, line {number}: not a benchmark record of Snakemake ({error!r})."
            ) from error
        records.append(record)
    return records


def read_jobs(files: Iterable[Path]) -> dict[Job, Records]:
    """Rule and wildcards of a job → its records; the last of them with ``ended``, too (seconds since 1970)."""
    jobs: dict[Job, Records] = {}
    for path in files:
        records = read_records(path)
        if records:
            # Snakemake writes no clock time into the file, but it writes the file when the job ends
            records[-1]["ended"] = path.stat().st_mtime
        jobs[job_of(path)] = records
    return jobs


def cost_rows(jobs: Mapping[Job, Records], data_version: str) -> list[CostRow]:
    """One row per rule, rules in alphabetical order.

    `jobs`: see `read_jobs`; the records have the keys ``s``, ``cpu_time`` and ``max_rss`` (MiB). Snakemake writes
    ``"NA"`` for jobs that ended before its first measurement.
    """
    by_rule: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for (rule, _), records in jobs.items():
        by_rule[rule] += records
    return [_cost_row(rule, by_rule[rule], data_version) for rule in sorted(by_rule) if by_rule[rule]]


def _cost_row(rule: str, records: Sequence[Mapping[str, Any]], data_version: str) -> CostRow:
    memory = _measured(records, "max_rss")
    processor = _measured(records, "cpu_time")
    timed = [record for record in records if "ended" in record]
    seconds, processor_seconds = math.fsum(float(record["s"]) for record in records), math.fsum(processor)
    started = _clock(min((record["ended"] - float(record["s"]) for record in timed), default=None))
    ended = _clock(max((record["ended"] for record in timed), default=None))
    cpu, most = processor_seconds if processor else math.nan, max(memory, default=math.nan)
    counts = (len(records), len(records) - len(memory))
    return CostRow(rule, *counts, seconds, cpu, most, data_version, started, ended)


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _measured(records: Sequence[Mapping[str, Any]], key: str) -> list[float]:
    return [float(record[key]) for record in records if isinstance(record.get(key), int | float)]


# --- encoders ----------------------------------------------------------------------------------------------


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

    @property
    def job(self) -> Job:
        return self.rule, f"{self.model}/{self.collection}"


def encoder_rows(
    rows: Sequence[ScoreRow],
    manifests: Mapping[str, Mapping[str, Any]],
    embeddings: Sequence[Embedding],
    jobs: Mapping[Job, Records],
    named: Sequence[MeasuredRow] = (),
) -> list[EncoderRow]:
    """One row per encoder of the summary, in its order; without tasks, per encoder of the pair sets.

    `manifests`: model → ``parameters``, ``dimension`` and ``max_tokens``. `jobs`: what is known of jobs, see
    `read_jobs`; arrays of others have no time.
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
        timed = [(one, jobs[one.job]) for one in own if one.job in jobs]
        vectors = sorted((embedding.collection, embedding.sha256) for embedding in own)
        about_model: dict[str, Any] = {
            "n_tasks": n_tasks,
            "mean": average_score(members, n_tasks) if rows else None,
        }
        about_model |= {"parameters": about.get("parameters"), "max_tokens": about.get("max_tokens")}
        about_model["dimension"] = max((float(one.dimension) for one in own), default=about.get("dimension"))
        about_model["texts"] = float(sum(embedding.texts for embedding, _ in timed)) if timed else None
        about_model["embed_seconds"] = _seconds(timed) if timed else None
        about_model["device"] = ", ".join(unique(embedding.device for embedding, _ in timed))
        for name, absent in (("protocol", ""), ("repetitions", 0), ("folds", 0)):
            about_model[name] = getattr(shown[0], name) if shown else absent
        about_model |= {"data_version": version, "position": members[0].position if members else -1}
        about_model["vectors"] = sha256(repr(vectors).encode()).hexdigest() if vectors else ""
        found.append(row_from(EncoderRow, vars(first) | about_model))
    return found


def _seconds(timed: Iterable[tuple[Embedding, Records]]) -> float:
    return math.fsum(float(record["s"]) for _, records in timed for record in records)
