"""The check of the written tables: nothing bold or underlined without a test, and what every table has to say."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.protocol_groups import by_protocol
from sentflow.compare.score_rows import ScoreRow
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.families.probing.remarks import score_marks
from sentflow.report.inputs import Inputs
from sentflow.report.rows import unique
from sentflow.report.table.formats import markdown
from sentflow.report.table.latex import latex
from sentflow.report.table.marked_cells import MarkedCell, marked_cells

_RULE = (
    "No score is bold or underlined without a test; every table of scores states n, protocol, "
    "repetitions × folds, its interval and the minimum detectable difference, in Markdown and in LaTeX; a compact "
    "one protocol and repetitions × folds."
)
# Tables that show scores or compare them; the others describe tasks and costs.
TABLES_OF_SCORES = ("scores", "differences", "ranks", "matches", "published")


def check_tables(inputs: Inputs, _selection: Selection) -> CheckResult:
    """Read the written tables again and check their marks against the tests."""
    rows, comparisons = inputs.rows(ScoreRow), inputs.together(Comparisons)
    found = {path.stem: path for path in inputs.tables if path.suffix == ".md"}
    of_scores = [name for name in TABLES_OF_SCORES if name in found]
    problems = [] if of_scores else ["there is no table of scores to check: add scores to report.tables"]
    n_marks = 0
    for name in of_scores:
        text = found[name].read_text(encoding="utf-8")
        if _has_lines(text):
            wanted = _what_to_say(rows, comparisons)
            problems += [f"{name}: does not state {what}" for what in _unsaid(text, wanted, markdown)]
        marked = list(marked_cells(text))
        n_marks += len(marked)
        problems += [
            f"{name}: {cell} without a test"
            for cell in marked
            if name != "scores" or not _is_tested(cell, rows, comparisons)
        ]
        for twin in (f"{name}.tex", f"{name}-compact.tex"):
            if (path := found[name].with_name(twin)) in inputs.tables:
                tex = path.read_text(encoding="utf-8")
                problems += _other_marks(twin, marked, tex)
                if _has_lines(text):
                    wanted = _what_to_say(rows, comparisons, is_compact=twin != f"{name}.tex")
                    problems += [f"{twin}: does not state {what}" for what in _unsaid(tex, wanted, latex)]
    return CheckResult("tables", _RULE, {"tables": len(of_scores), "marked_scores": n_marks}, problems)


def _is_tested(cell: MarkedCell, rows: Sequence[ScoreRow], comparisons: Comparisons) -> bool:
    models = [row.model for row in rows if markdown(row.model_title) == cell.heading]
    tasks = unique(row.task for row in rows if markdown(row.task + score_marks(row)) == cell.line)
    return len(tasks) == 1 and any(cell.is_allowed(comparisons.pairs, tasks[0], model) for model in models)


def _other_marks(file: str, marked: Sequence[MarkedCell], tex: str) -> list[str]:
    """LaTeX must mark as many scores as Markdown, which was looked at one by one."""
    n_bold = sum(cell.bold for cell in marked)
    pairs = ((r"\textbf{", n_bold, "bold"), (r"\underline{", len(marked) - n_bold, "underlined"))
    return [
        f"{file}: {tex.count(start)} {kind} in LaTeX, {expected} in Markdown"
        for start, expected, kind in pairs
        if tex.count(start) != expected
    ]


def _has_lines(text: str) -> bool:
    """Whether a Markdown table has more than its head: one encoder alone is compared with nothing."""
    return sum(line.startswith("|") for line in text.splitlines()) > 2


def _what_to_say(
    rows: Sequence[ScoreRow], comparisons: Comparisons, *, is_compact: bool = False
) -> dict[str, str]:
    """What a table must state → the words that it says it by."""
    first = rows[0]
    wanted = {
        **{f"the protocol ({name})": f"protocol {name}" for name in by_protocol(rows)},
        "repetitions × folds": f"{first.repetitions} × {first.folds}",
    }
    if is_compact:
        return wanted
    wanted |= {"which interval it has, or where to find it": "interval", "n": "n"}
    if any(not math.isnan(pair.mdd_power) for pair in comparisons.pairs):
        wanted["the minimum detectable difference"] = "MDD"
    return wanted


def _unsaid(text: str, wanted: Mapping[str, str], escape: Callable[[str], str]) -> list[str]:
    return [
        what
        for what, words in wanted.items()
        if not re.search(rf"\b{re.escape(escape(words))}s?\b", text, re.IGNORECASE)
    ]
