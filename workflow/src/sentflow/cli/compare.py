"""`sentflow compare`: whether a run gave the results of another, and if not, what differs and why."""

import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sentflow.cli.configuration import AsJson
from sentflow.cli.terminal import Block, facts, listing, show_blocks
from sentflow.errors import ConfigError
from sentflow.files.io import json_document
from sentflow.report.numbers import MISSING, counted, decimal
from sentflow.report.table.table import Table
from sentflow.runs.causes import STAGES
from sentflow.runs.comparison import LOSS_TOLERANCE, Comparison, Difference, compare_folders
from sentflow.runs.folder import KINDS, ResultsFolder

_NAMED = 6
_HEADER = ("Result", "A", "B", "Difference", "Folds that differ", "First cause")


def compare(
    run_a: Annotated[Path, typer.Argument(help="A results folder, or the folder that contains it.")],
    run_b: Annotated[Path, typer.Argument(help="The results of the other run.")],
    tolerance: Annotated[
        float, typer.Option(help="Largest difference that counts as equal; at least 0.001 for losses.")
    ] = 1e-6,
    common: Annotated[bool, typer.Option("--common", help="Ignore results that only one run has.")] = False,
    rows: Annotated[int, typer.Option(min=0, help="Number of results shown.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Compare two runs: whether results are the same, what differs, and the first cause.

    The exit code is 0 if all values are equal within the tolerance, 1 if not, 2 after a mistake.
    """
    if not tolerance >= 0:
        raise ConfigError(f"--tolerance {tolerance}: write a number of at least 0.")
    comparison = compare_folders(ResultsFolder(run_a), ResultsFolder(run_b), tolerance=tolerance)
    is_equal = not comparison.outside and (common or not (comparison.only_a or comparison.only_b))
    if as_json:
        sys.stdout.write(json_document({**comparison.to_json(), "equal": is_equal}))
    else:
        show_blocks(*_blocks(comparison, run_a, run_b, rows=rows, is_equal=is_equal))
    if not is_equal:
        raise typer.Exit(1)


def _blocks(comparison: Comparison, a: Path, b: Path, *, rows: int, is_equal: bool) -> list[Block]:
    blocks: list[Block] = [facts("Runs", [("A", str(a)), ("B", str(b))])]
    if differing := [*comparison.versions.items(), *comparison.settings.items()]:
        cells = [(key, _short(one), _short(other)) for key, (one, other) in differing]
        notes = _more(len(cells), rows)
        blocks.append(
            listing(("Made by", "A", "B"), cells[:rows], caption="What differs in the records", notes=notes)
        )
    blocks.append(_counts(comparison))
    if outside := comparison.outside:
        lines = [_line(each) for each in outside[:rows]]
        notes = _more(len(outside), rows)
        caption = f"Results that differ by more than {comparison.tolerance:g}"
        blocks.append(listing(_HEADER, lines, "lrrrrl", caption=caption, notes=notes))
    blocks += [
        f"Only in {side}: {_named(names)}."
        for side, names in (("A", comparison.only_a), ("B", comparison.only_b))
        if names
    ]
    blocks.append(_verdict(comparison, is_equal=is_equal))
    return blocks


def _counts(comparison: Comparison) -> Table:
    cells = [
        (
            kind,
            *(str(counts[key]) for key in ("results", "equal")),
            str(counts["results"] - counts["equal"] - counts["outside"]),
            str(counts["outside"]),
            _size(counts["largest"]),
        )
        for kind, counts in comparison.counts().items()
    ]
    header = ("Kind", "Both have", "Equal", "Within", "Outside", "Largest difference of a score")
    losses = f"{max(LOSS_TOLERANCE, comparison.tolerance):g} for losses"
    notes = (f"Within: every value differs by {comparison.tolerance:g} at most ({losses}).",)
    return listing(header, cells, "lrrrrr", caption="Results", notes=notes)


def _line(each: Difference) -> tuple[str, ...]:
    folds = f"{len(each.folds)} of {each.n_folds}" if each.n_folds else ""
    if sizes := [abs(two - one) for one, two in each.folds.values() if one is not None and two is not None]:
        folds += f", by {_size(max(sizes))} at most"
    a, b = each.score
    difference = _size(each.size)
    if a == b:
        first, *others = [*each.about, *each.values] or ["scores of folds"]
        difference = f"score equal; {first}{f' and {len(others)} more' if others else ''}"
    cause = f"{each.cause.stage}: {each.cause.what}" if each.cause else ""
    return (each.name, _score(a), _score(b), difference, folds, cause)


def _verdict(comparison: Comparison, *, is_equal: bool) -> str:
    n, outside = len(comparison.differences), len(comparison.outside)
    if not outside:
        exact = all(each.is_equal for each in comparison.differences)
        equal = "Equal to the last bit" if exact else f"Equal within {comparison.tolerance:g}"
        said = f"{equal}: {counted(n, 'result')}."
    else:
        said = f"Different: {outside} of {counted(n, 'result')}."
    if not is_equal and not outside:
        said += " But not every result is in both runs; --common leaves the others out."
    if comparison.cause is None:
        return said
    stages = Counter(each.cause.stage for each in comparison.outside if each.cause)
    others = [f"{stages[stage]} × {stage}" for stage in STAGES if stages[stage]]
    causes = f" First causes: {', '.join(others)}." if len(others) > 1 else ""
    return f"{said} First cause: {comparison.cause.stage}. {comparison.cause.what}.{causes}"


def _named(names: Sequence[str]) -> str:
    """A few results by their names, more of them by their numbers."""
    if len(names) <= _NAMED:
        return ", ".join(names)
    kinds = Counter(name.partition("/")[0] for name in names)
    return ", ".join(f"{kinds[kind]} × {kind}" for kind in KINDS if kinds[kind])


def _score(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 6)


def _size(value: float) -> str:
    return MISSING if math.isinf(value) else "0" if value == 0 else f"{value:.2g}"


def _short(value: object) -> str:
    return MISSING if value is None else str(value)


def _more(n: int, rows: int) -> tuple[str, ...]:
    return (f"{rows} of {n}; --rows shows more.",) if n > rows else ()
