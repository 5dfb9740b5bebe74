"""Fills docs/gallery.md with figures and tables of finished runs: python docs/gallery.py RESULTS...

RESULTS are results folders; the first that has a figure or table gives it. The page says which: an image is the
figure of that name, and the lines between `<!-- table NAME -->` and `<!-- end -->` are the table NAME, of which
`<!-- table NAME ROWS -->` shows the first ROWS. Images are reduced to colours of a palette until they are small.
With --only, the others of the page stay as they are.
"""

import argparse
import re
import sys
from itertools import takewhile
from pathlib import Path

from PIL import Image

PAGE = Path(__file__).parent / "gallery.md"
IMAGES = PAGE.parent / "images" / "gallery"
MOST_BYTES = 100_000
WIDTHS = (1100, 950, 800, 650)  # pixels, tried in this order
COLOURS = (128, 64, 32)
PUBLISHED = "| *Published"
_IMAGE = re.compile(r"\]\(images/gallery/([\w-]+)\.png\)")
_HEAD = 2  # names of columns, and their alignment
_TABLE = re.compile(r"(<!-- table ([\w-]+)(?: (\d+))? -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def main() -> None:
    """Write the images and the page again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="figures and tables that are taken")
    args = parser.parse_args()
    folders, only = args.results, args.only
    text = PAGE.read_text(encoding="utf-8")
    IMAGES.mkdir(exist_ok=True)
    for name in _IMAGE.findall(text):
        if only is None or name in only:
            shrink(found(folders, f"figures/{name}.png"), IMAGES / f"{name}.png")

    def filled(match: re.Match[str]) -> str:
        if only is not None and match[2] not in only:
            return match[0]
        return f"{match[1]}\n{table(folders, match[2], match[3] and int(match[3]))}\n{match[4]}"

    PAGE.write_text(_TABLE.sub(filled, text), encoding="utf-8")


def found(folders: list[Path], name: str) -> Path:
    """A file of the first folder that has it."""
    file = next((folder / name for folder in folders if (folder / name).is_file()), None)
    return file or sys.exit(f"none of {', '.join(map(str, folders))} has {name}")


def table(folders: list[Path], name: str, most: int | None) -> str:
    """A table without its caption and notes, which do not begin with a bar, and without what others published."""
    lines = found(folders, f"tables/{name}.md").read_text(encoding="utf-8").splitlines()
    marked = [line for line in lines if line.startswith("|")]
    rows = list(takewhile(lambda row: not row.startswith(PUBLISHED), marked))
    shown = rows[: most and _HEAD + most]
    left_out = f"\n{len(rows) - len(shown)} further rows are left out.\n" if len(shown) < len(rows) else ""
    return "\n".join(shown) + "\n" + left_out


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
            small.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
                target, optimize=True
            )
            if target.stat().st_size <= MOST_BYTES:
                return


if __name__ == "__main__":
    main()
