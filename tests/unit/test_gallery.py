"""docs/gallery.md shows every figure and table or says why not, and the program that fills it keeps images small."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sentflow.graph.products import FIGURE, TABLE, names

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "gallery.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"images/gallery/([\w-]+)\.png", TEXT)
TABLES = re.findall(r"<!-- table ([\w-]+)(?: \d+)? -->", TEXT)
LEFT_OUT = TEXT.partition("## Not shown")[2]
ALL_IMAGES = 1_500_000


@pytest.fixture
def gallery(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(DOCS)])
    import gallery

    return gallery


def not_shown():
    """Name of each table in the list of the last section → why it is not shown."""
    (listed,) = re.findall(r"^Tables:\n\n((?:[- ] ?.+\n)+)", LEFT_OUT, flags=re.MULTILINE)
    items = [item.partition(": ") for item in re.split(r"^- ", listed, flags=re.MULTILINE)]
    return {name: reason for named, _, reason in items for name in re.findall(r"`([\w-]+)`", named)}


def test_every_figure_is_shown():
    assert sorted(SHOWN) == sorted(names(FIGURE))


def test_every_table_is_shown_or_said_why_not():
    exceptions = not_shown()
    assert sorted([*TABLES, *exceptions]) == sorted(names(TABLE))
    assert all(len(reason) > 10 for reason in exceptions.values())


@pytest.mark.parametrize("name", TABLES)
def test_every_table_of_the_page_has_rows(name):
    lines = re.search(rf"<!-- table {name}(?: \d+)? -->\n(.*?)<!-- end -->", TEXT, flags=re.DOTALL)[
        1
    ].splitlines()
    assert len([line for line in lines if line.startswith("|")]) > 2


def test_images_are_there_and_small(gallery):
    files = [DOCS / f"images/gallery/{name}.png" for name in SHOWN]
    sizes = [file.stat().st_size for file in [*files, DOCS / "images/tasks.png"]]
    assert max(sizes) <= gallery.MOST_BYTES
    assert sum(sizes) <= ALL_IMAGES


def test_the_page_has_the_table_and_a_small_image_of_the_first_folder_that_has_them(
    gallery, tmp_path, monkeypatch
):
    page, empty, full = tmp_path / "gallery.md", tmp_path / "empty", tmp_path / "full"
    page.write_text(
        "![x](images/gallery/noise.png)\n<!-- table scores -->\nold\n<!-- end -->\n", encoding="utf-8"
    )
    for folder in (empty, full / "figures", full / "tables"):
        folder.mkdir(parents=True)
    noise = np.random.default_rng(0).integers(0, 255, (60, 80, 4), dtype=np.uint8)
    Image.fromarray(noise).resize((2400, 1800), Image.Resampling.BICUBIC).save(full / "figures/noise.png")
    (full / "tables/scores.md").write_text("**A caption.**\n\n| a |\n| - |\n| 1 |\n\n- A note.\n", "utf-8")
    monkeypatch.setattr(gallery, "PAGE", page)
    monkeypatch.setattr(gallery, "IMAGES", tmp_path / "images")
    monkeypatch.setattr(sys, "argv", ["gallery.py", str(empty), str(full)])
    gallery.main()
    assert "<!-- table scores -->\n\n| a |\n| - |\n| 1 |\n\n<!-- end -->" in page.read_text(encoding="utf-8")
    assert (tmp_path / "images/noise.png").stat().st_size <= gallery.MOST_BYTES


def test_markers_keep_their_colours(gallery, tmp_path):
    drawn = np.full((800, 1600, 3), 255, dtype=np.uint8)
    drawn[:, :, :] -= (np.arange(1600) // 12)[None, :, None].astype(np.uint8)  # many greys
    markers = {(0, 114, 178): 100, (0, 158, 115): 700, (213, 94, 0): 1300}
    for colour, x in markers.items():
        drawn[400:412, x : x + 12] = colour
    Image.fromarray(drawn).save(tmp_path / "drawn.png")
    gallery.shrink(tmp_path / "drawn.png", tmp_path / "small.png")
    small = np.asarray(Image.open(tmp_path / "small.png").convert("RGB")).astype(int)
    for colour in markers:
        assert np.abs(small - colour).max(axis=2).min() <= 12
