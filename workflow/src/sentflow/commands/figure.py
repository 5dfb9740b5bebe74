"""One figure of the experiment as PDF, PNG and SVG."""

import argparse
import logging
from dataclasses import asdict
from pathlib import Path

from sentflow.files.sealed import write_sealed
from sentflow.graph import products
from sentflow.jobs.log import command, exit_with
from sentflow.report.figure.canvas import save
from sentflow.report.figure.inspection import inspect
from sentflow.report.figure.recipe import Recipe
from sentflow.report.inputs import Inputs

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--figure", required=True, help=f"one of: {', '.join(products.names(products.FIGURE))}"
    )
    parser.add_argument(
        "--summary",
        nargs="+",
        type=Path,
        required=True,
        help="the Parquet file of the figure, or the files of the experiment that it needs",
    )
    parser.add_argument(
        "--data", type=Path, help="file to write: Parquet, with everything needed to draw the figure again"
    )
    parser.add_argument("--pdf", type=Path, required=True, help="file to write: for papers")
    parser.add_argument("--png", type=Path, required=True, help="file to write: for slides and chats")
    parser.add_argument("--svg", type=Path, required=True, help="file to write: for web pages")
    parser.add_argument(
        "--inspection", type=Path, help="file to write: JSON, with what cannot be read, for the check figures"
    )


@command(arguments, libraries=["matplotlib", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    # it tells every step of cutting the fonts of a PDF down
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    product = products.find(products.FIGURE, args.figure)
    recipe: Recipe = product.load()
    figure = recipe.make(Inputs(args.summary), product.reads, data=args.data)
    for path in (args.pdf, args.png, args.svg):
        save(figure, path)
        logger.info("%s: %d kB", path, path.stat().st_size // 1000)
    found = inspect(figure)
    for problem in found.problems:
        logger.warning("figure %s: %s", args.figure, problem)
    if args.inspection is not None:
        write_sealed(args.inspection, {"figure": args.figure, **asdict(found)})


if __name__ == "__main__":
    exit_with(main)
