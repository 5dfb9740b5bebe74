"""Draws the images of docs/gallery.md from the figures of finished runs: python docs/gallery.py RESULTS...

RESULTS are results folders; the first that has a figure gives it. Images are reduced to colours of a palette until
they are small. With --only, the others of the page stay as they are.
"""

import argparse
import re
import sys
from pathlib import Path

from PIL import Image

PAGE = Path(__file__).parent / "gallery.md"
IMAGES = PAGE.parent / "images" / "gallery"
MOST_BYTES = 100_000
WIDTHS = (1100, 950, 800, 650)  # pixels, tried in this order
COLOURS = (128, 64, 32)
_IMAGE = re.compile(r"\]\(images/gallery/([\w-]+)\.png\)")


def main() -> None:
    """Draw the images again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="figures that are taken")
    args = parser.parse_args()
    folders, only = args.results, args.only
    text = PAGE.read_text(encoding="utf-8")
    IMAGES.mkdir(exist_ok=True)
    for name in _IMAGE.findall(text):
        if only is None or name in only:
            shrink(found(folders, f"figures/{name}.png"), IMAGES / f"{name}.png")


def found(folders: list[Path], name: str) -> Path:
    """A file of the first folder that has it."""
    file = next((folder / name for folder in folders if (folder / name).is_file()), None)
    return file or sys.exit(f"none of {', '.join(map(str, folders))} has {name}")


def shrink(source: Path, target: Path) -> None:
    """The first of the sizes and palettes that is small enough; the smallest if none is.

    The palette covers all colours that there are, however few points have them: encoders are told apart by colour.
    """
    with Image.open(source) as image:
        drawn = Image.new("RGB", image.size, "white")
        drawn.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    for width in WIDTHS:
        size = (width, round(drawn.height * width / drawn.width))
        small = drawn.resize(size, Image.Resampling.LANCZOS) if width < drawn.width else drawn
        for colours in COLOURS:
            reduced = small.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            reduced.save(target, optimize=True)
            if target.stat().st_size <= MOST_BYTES:
                return


if __name__ == "__main__":
    main()
