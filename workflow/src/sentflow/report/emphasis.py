"""The check of the written tables: nothing bold or underlined without a test, and what every table has to say."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sentflow.report.checks import CheckResult, Selection
from sentflow.report.comparisons import Comparisons
from sentflow.report.families.probing.remarks import training_mark
from sentflow.report.families.probing.rows import ScoreRow
from sentflow.report.inputs import Inputs
from sentflow.report.rows import unique
from sentflow.report.table.formats import markdown

_RULE = (
    "No score is bold or underlined without a test; every table of scores says n, protocol, repetitions × folds, its "
    "interval and the minimum detectable difference."
)
# Tables that show scores or compare them; the others describe tasks and costs.
TABLES_OF_SCORES = ("scores", "intervals", "differences", "ranks", "matches", "power", "published")
_BOLD = re.compile(r"\*\*.+?\*\*")
_UNDERLINED = re.compile(r"<ins>.+?</ins>")
_RAISED = re.compile(r"<sup>.*?</sup>")


def check_tables(inputs: Inputs, _selection: Selection) -> CheckResult:
    """Read the tables again, as a reader would, and hold them to the tests."""
    rows, comparisons = inputs.rows(ScoreRow), inputs.together(Comparisons)
    found = {path.stem: path for path in inputs.tables if path.suffix == ".md"}
    of_scores = [name for name in TABLES_OF_SCORES if name in found]
    problems = [] if of_scores else ["there is no table of scores to look at: add scores to report.tables"]
    n_marks = 0
    for name in of_scores:
        text = found[name].read_text(encoding="utf-8")
        if _has_lines(text):
            problems += [f"{name}: does not say {what}" for what in _unsaid(text, rows, comparisons)]
        marked = list(_marked_cells(text))
        n_marks += len(marked)
        problems += [
            f"{name}: {_where(cell)} without a test"
            for cell in marked
            if name != "scores" or not _is_tested(cell, rows, comparisons)
        ]
        twin = found[name].with_suffix(".tex")
        if twin in inputs.tables:
            problems += _other_marks(name, marked, twin.read_text(encoding="utf-8"))
    return CheckResult("tables", _RULE, {"tables": len(of_scores), "marked_scores": n_marks}, problems)


@dataclass(frozen=True)
class _Cell:
    """A marked cell: as it is written in Markdown, without its mark."""

    line: str
    heading: str
    text: str
    bold: bool


def _marked_cells(text: str) -> Iterator[_Cell]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    header = [_RAISED.sub("", cell) for cell in _cells(lines[0])]
    for line in lines[2:]:
        cells = _cells(line)
        for heading, cell in zip(header, cells, strict=True):
            if _BOLD.search(cell) or _UNDERLINED.search(cell):
                yield _Cell(cells[0], heading, cell, bool(_BOLD.search(cell)))


def _cells(line: str) -> list[str]:
    """The cells of a pipe table; an escaped pipe is no border."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _is_tested(cell: _Cell, rows: Sequence[ScoreRow], comparisons: Comparisons) -> bool:
    models = [row.model for row in rows if markdown(row.model_title) == cell.heading]
    tasks = unique(row.task for row in rows if markdown(row.task + training_mark(row)) == cell.line)
    if not models or len(tasks) != 1:
        return False
    return any(_allowed(cell, tasks[0], model, comparisons) for model in models)


def _allowed(cell: _Cell, task: str, model: str, comparisons: Comparisons) -> bool:
    """Whether the pairs themselves, not what was derived from them, allow the mark."""
    own = [
        pair for pair in comparisons.pairs
        if pair.task == task and model in (pair.model_a, pair.model_b) and not math.isnan(pair.p_holm)
    ]  # fmt: skip
    means = {pair.model_a: pair.mean_a for pair in comparisons.pairs if pair.task == task}
    means |= {pair.model_b: pair.mean_b for pair in comparisons.pairs if pair.task == task}
    if not own:
        return False
    highest = max(means.values())
    if cell.bold:
        return means[model] == highest
    return any(
        max(pair.mean_a, pair.mean_b) == highest and pair.p_holm > pair.alpha and means[model] < highest
        for pair in own
    )


def _other_marks(name: str, marked: Sequence[_Cell], tex: str) -> list[str]:
    """LaTeX must mark as many scores as Markdown, which was looked at one by one."""
    n_bold = sum(cell.bold for cell in marked)
    pairs = ((r"\textbf{", n_bold, "bold"), (r"\underline{", len(marked) - n_bold, "underlined"))
    return [
        f"{name}: {tex.count(start)} {kind} in LaTeX, {expected} in Markdown"
        for start, expected, kind in pairs
        if tex.count(start) != expected
    ]


def _has_lines(text: str) -> bool:
    """Whether a Markdown table has more than its head: one encoder alone is compared with nothing."""
    return sum(line.startswith("|") for line in text.splitlines()) > 2


def _unsaid(text: str, rows: Sequence[ScoreRow], comparisons: Comparisons) -> list[str]:
    first = rows[0]
    wanted = {
        f"the protocol ({first.protocol})": f"protocol {markdown(first.protocol)}",
        "repetitions × folds": f"{first.repetitions} × {first.folds}",
        "which interval it has, or where that stands": "interval",
        "n": "n",
    }
    if any(not math.isnan(pair.mdd) for pair in comparisons.pairs):
        wanted["the minimum detectable difference"] = "MDD"
    return [
        what
        for what, words in wanted.items()
        if not re.search(rf"\b{re.escape(words)}s?\b", text, re.IGNORECASE)
    ]


def _where(cell: _Cell) -> str:
    kind = "bold" if cell.bold else "underlined"
    return f"{cell.line} × {cell.heading}: {cell.text} is {kind}"
