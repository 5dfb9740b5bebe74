"""What stands in the page as data: figures with their texts, and files to take away."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.report import comparison_texts
from sentflow.report.comparison_data import match_rows, ranking_rows
from sentflow.report.families.probing.pair_choice import shown_pairs
from sentflow.report.families.similarity.section import picture_texts
from sentflow.report.figure import texts as figure_texts
from sentflow.report.figure.texts import FigureTexts

if TYPE_CHECKING:
    from sentflow.report.page.page import Sources

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "text/x-tex",
}


@dataclass(frozen=True)
class Picture:
    """A figure with its texts, as a data address."""

    name: str
    texts: FigureTexts
    address: str


@dataclass(frozen=True)
class Attachment:
    """A file that the reader can save."""

    name: str
    address: str


def pictures(sources: "Sources") -> dict[str, Picture]:
    texts = {
        **_score_texts(sources),
        "costs": figure_texts.costs(sources.costs),
        **_comparison_texts(sources),
        **picture_texts(sources.similarity.data, sources.scores),
    }
    # SVG is sharp at any size; PNG stands in where there is none
    best: dict[str, Path] = {}
    for path in sorted(sources.files, key=lambda path: path.suffix == ".svg"):
        if path.suffix in (".png", ".svg") and path.stem in texts:
            best[path.stem] = path
    return {name: Picture(name, texts[name], _data_address(best[name])) for name in texts if name in best}


def _score_texts(sources: "Sources") -> dict[str, FigureTexts]:
    if not sources.scores:
        return {}
    return {
        "heatmap": figure_texts.heatmap(sources.scores),
        "forest": figure_texts.forest(sources.scores),
        "curves": figure_texts.curves(sources.curves),
    }


def _comparison_texts(sources: "Sources") -> dict[str, FigureTexts]:
    texts = {}
    if sources.encoders and sources.scores:
        texts["sizes"] = comparison_texts.sizes(sources.encoders)
        texts["speed"] = comparison_texts.speed(sources.encoders)
    found = sources.comparisons
    if found.pairs:
        ranking = ranking_rows(sources.scores, found.ranks, found.across, found.omnibus)
        texts["critical-difference"] = comparison_texts.critical_difference(ranking)
        texts["ranks"] = comparison_texts.ranks(ranking)
        texts["wins"] = comparison_texts.wins(match_rows(sources.scores, found.across))
        n_left_out = len({(pair.model_a, pair.model_b) for pair in found.pairs}) - len(
            shown_pairs(found.pairs)
        )
        texts["differences"] = comparison_texts.differences(found.pairs, n_left_out=n_left_out)
    return texts


def attachments(files: Sequence[Path]) -> list[Attachment]:
    texts = [path for path in files if path.suffix in (".csv", ".md", ".tex")]
    return [Attachment(path.name, _data_address(path)) for path in texts]


def _data_address(path: Path) -> str:
    encoded = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{_MEDIA_TYPES[path.suffix]};base64,{encoded}"
