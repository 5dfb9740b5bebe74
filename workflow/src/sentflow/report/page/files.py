"""Embedded data of the page: figures with their texts, and files to download."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sentflow.flow import products
from sentflow.flow.products import FIGURE
from sentflow.report.figure.recipe import Caption, Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.rows import SAMPLE_NOTE

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

    file: str  # the name under which it is saved
    texts: Caption  # without the sentence on sample data, which is a stamp on the page
    address: str
    is_sample: bool  # whether all data are sample data


@dataclass(frozen=True)
class Attachment:
    """A file that the reader can save."""

    name: str
    address: str


def pictures(files: Sequence[Path], inputs: Inputs) -> dict[str, Picture]:
    """The figures among the files that have something to show, with their texts."""
    # SVG is sharp at any size; PNG stands in where there is none
    best = {
        path.stem: path
        for path in sorted(files, key=lambda path: path.suffix == ".svg")
        if path.suffix in (".png", ".svg")
    }
    found = {}
    for name in products.names(FIGURE):
        if name in best:
            recipe: Recipe = products.find(FIGURE, name).load()
            rows = recipe.rows(inputs)
            if rows:
                found[name] = _picture(best[name], recipe.texts(rows))
    return found


def _picture(path: Path, texts: Caption) -> Picture:
    reading = texts.reading.replace(SAMPLE_NOTE, "").strip()
    is_sample = reading != texts.reading.strip()
    return Picture(path.name, replace(texts, reading=reading), _data_address(path), is_sample)


def attachments(files: Sequence[Path]) -> list[Attachment]:
    """The tables among the files."""
    texts = [path for path in files if path.suffix in (".csv", ".md", ".tex")]
    return [Attachment(path.name, _data_address(path)) for path in texts]


def _data_address(path: Path) -> str:
    encoded = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{_MEDIA_TYPES[path.suffix]};base64,{encoded}"
