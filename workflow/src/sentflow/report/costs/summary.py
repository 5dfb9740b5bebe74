"""Snakemake's benchmark records -> time and memory per rule."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.report.costs.rows import CostRow

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
