"""Scores of sentence similarity in the terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.cli.report_tables import table_listing
from sentflow.cli.terminal import Block
from sentflow.compare.rows import SimilarityDifference
from sentflow.files.rows import read_rows
from sentflow.graph import paths
from sentflow.report.families.pair_summaries import reported
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.similarity.summary import similarity_rows
from sentflow.report.families.similarity.tables import sts
from sentflow.report.inputs import Inputs
from sentflow.similarity.storage import OVERLAP, read_similarities

# Of a file of scores of one encoder on one pair set.
KEYS = {"pairs", "model", "scores", "intervals", "n_pairs"}
_SUMMARY = Path(paths.SUMMARY_SIMILARITY).relative_to(paths.RESULTS)
_DIFFERENCES = Path(paths.SIMILARITY_PAIRS).relative_to(paths.RESULTS)


def summary_blocks(results: Path, title: str) -> list[Block]:
    """The table of similarity of a results folder; nothing where no pair set was scored."""
    summary, differences = results / _SUMMARY, results / _DIFFERENCES
    rows = read_rows(summary, SimilarityRow, may_be_empty=True) if summary.is_file() else []
    if not rows:
        return []
    tested = read_rows(differences, SimilarityDifference, may_be_empty=True) if differences.is_file() else []
    return [_block(rows, tested, title)]


def loose_blocks(files: Mapping[Path, Mapping[str, Any]]) -> list[Block]:
    """Score files without a summary: Spearman's correlation of the cosine, under the names of the files."""
    rows: list[SimilarityRow] = []
    for file, scores in files.items():
        with reported(file):
            rows += similarity_rows(
                scores, read_similarities(file.with_suffix(".parquet")), _settings(scores)
            )
    title = f"{len(files)} score file{'s' if len(files) > 1 else ''}"
    return [_block(rows, [], title)]


def _block(rows: list[SimilarityRow], tested: list[SimilarityDifference], title: str) -> Block:
    inputs = Inputs.holding({SimilarityRow: rows, SimilarityData: SimilarityData(rows, tested)})
    return table_listing(sts(inputs, {"caption": title}))


def _settings(scores: Mapping[str, Any]) -> dict[str, Any]:
    pairs, model = scores["pairs"], scores["model"]
    return {
        "pairs": {pairs: {"title": pairs, "family": ""}},
        "models": {model: {"title": model, "control": False}},
        "baselines": [model] if OVERLAP in scores["scores"] else [],
        "measure": "cosine",
        "correlation": "spearman",
    }
