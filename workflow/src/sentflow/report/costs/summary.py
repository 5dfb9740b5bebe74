"""Snakemake's benchmark records → time and memory per rule, and what an encoder is and costs."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.vectors.storage import how_made
from sentflow.errors import DataError
from sentflow.files.io import parse_json, read_json
from sentflow.files.rows import row_from
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.families.probing.rows import average_score, of_main_protocol
from sentflow.report.rows import MeasuredRow, data_versions, unique

_FOLDER = "benchmarks"


def benchmark_files(paths: Sequence[Path]) -> list[Path]:
    """The files among `paths`, and every ``.jsonl`` file in the folders among them, sorted."""
    absent = [str(path) for path in paths if not path.exists()]
    if absent:
        raise DataError(f"no such benchmark files: {', '.join(absent)}")
    found = {file for path in paths for file in (path.rglob("*.jsonl") if path.is_dir() else [path])}
    if not found:
        raise DataError(f"no .jsonl file in {', '.join(map(str, paths))}. Run the experiment first.")
    return sorted(found)


def rule_of(path: Path) -> str:
    """The rule that a benchmark file belongs to: ``…/benchmarks/{rule}/….jsonl``."""
    parts = path.parts
    if _FOLDER not in parts[:-2]:
        raise DataError(f"{path} does not say its rule: it must lie in a folder {_FOLDER}/RULE/.")
    last = len(parts) - 1 - parts[::-1].index(_FOLDER)
    return parts[last + 1]


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


def cost_rows(records: Mapping[str, Sequence[Mapping[str, Any]]], data_version: str) -> list[CostRow]:
    """One row per rule, rules in alphabetical order.

    `records`: per rule the records of its jobs with keys ``s``, ``cpu_time`` and ``max_rss`` (MiB), and ``ended``
    (seconds since 1970) where known. Snakemake writes ``"NA"`` for jobs that ended before its first measurement.
    """
    return [_cost_row(rule, records[rule], data_version) for rule in sorted(records)]


def records_by_rule(files: Sequence[Path]) -> dict[str, list[dict[str, Any]]]:
    """Read benchmark files, grouped by their rules."""
    by_rule: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in files:
        records = read_records(path)
        if records:
            # Snakemake writes no clock time into the file, but it writes the file when the job ends
            records[-1]["ended"] = path.stat().st_mtime
        by_rule[rule_of(path)] += records
    return {rule: records for rule, records in by_rule.items() if records}


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
