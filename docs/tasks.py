"""Draws docs/images/tasks.png, the tasks of the benchmark, from the catalog: python docs/tasks.py"""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sentflow.api.data import OFFICIAL, known_tasks
from sentflow.config.datasets import SAMPLES
from sentflow.config.entries import Entries
from sentflow.downloads.mirrors import local_path
from sentflow.report.captions import FAMILIES, LAYOUTS
from sentflow.report.figure.canvas import INK, QUIET, style

sys.path.insert(0, str(Path(__file__).parent))  # which PYTHONSAFEPATH leaves out
from gallery import shrink

IMAGE = Path(__file__).parent / "images" / "tasks.png"
COLOURS = {"factual": "#DCE8F4", "governmental": "#E3F0DF", "trust": "#F7E6D5"}
METRICS = {"mcc": "MCC", "adjusted_macro_f1": "adjusted macro-F1"}
CLASSIFIERS = {"logistic": "logistic regression", "mlp": "MLP, 256 units"}
# Title of a column, and where it begins, in inches
COLUMNS = {"": 0.1, "Task": 0.5, "Input": 3.0, "Metric": 4.5, "Classifier": 5.55, "Data": 6.75}
WIDTH, LINE, HEADING = 8.1, 0.19, 0.26


def main() -> None:
    """Draw all tasks, family by family."""
    catalog = known_tasks(None)["tasks"]
    families = {
        family: [name for name in OFFICIAL if catalog[name]["family"] == family] for family in COLOURS
    }
    height = 2 * HEADING + len(families) * (HEADING + 0.08) + len(OFFICIAL) * LINE
    with style():
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, WIDTH), ylim=(height, 0))
        axes.axis("off")
        y = HEADING / 2
        for title, x in COLUMNS.items():
            axes.text(x, y, title, va="center", color=QUIET)
        y += HEADING / 2
        for family, names in families.items():
            tall = HEADING + len(names) * LINE
            axes.add_patch(Rectangle((0.03, y), WIDTH - 0.06, tall, color=COLOURS[family], linewidth=0))
            axes.text(0.1, y + HEADING / 2, FAMILIES[family], va="center", weight="bold", color=INK)
            for number, name in enumerate(names):
                middle = y + HEADING + (number + 0.4) * LINE
                for text, x in zip(_cells(name, catalog), COLUMNS.values(), strict=True):
                    axes.text(x, middle, text, va="center", color=INK)
            y += tall + 0.08
        languages = ", ".join(sorted({catalog[name]["language"] for name in OFFICIAL}))
        note = (
            f"Language of all tasks: {languages}. Data: official files of the benchmark; open, texts of the same "
            "sources as their authors publish them; sample, generated texts.\n"
            "Input: as in the sample rows; in an official file the number of columns decides."
        )
        axes.text(0.1, y + HEADING / 2, note, va="center", color=QUIET)
        figure.savefig(IMAGE, dpi=150, metadata={"Software": None})
    shrink(IMAGE, IMAGE)


def _cells(name: str, catalog: Entries) -> list[str]:
    task = catalog[name]
    data = [state for state in ("open", "sample") if f"{name}-{state}" in catalog]
    return [
        name,
        task["title"],
        LAYOUTS[_layout(name, task["layout"])],
        METRICS[task["metric"]],
        CLASSIFIERS[task["classifier"]],
        ", ".join(["official", *data]),
    ]


def _layout(name: str, of_catalog: str) -> str:
    """What a row is. Of an official file the number of its columns tells; sample rows have the same columns."""
    if of_catalog != "columns":
        return of_catalog
    header, *_ = local_path(f"{SAMPLES}1/{name}.csv").read_text(encoding="utf-8").splitlines()
    return "pair" if header == ",text_a,text_b,label" else "single"


if __name__ == "__main__":
    main()
