"""`sentflow ledger`: which published numbers a run moved, and new expected values for them."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
import yaml

from sentflow.cli.configuration import in_folder
from sentflow.cli.terminal import Block, facts, listing, show_blocks
from sentflow.errors import ConfigError, DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows
from sentflow.flow import paths
from sentflow.flow.environment import workflow_folder
from sentflow.ledger.verdicts import VERDICTS, LedgerRow

_DIGITS = 8
_SECTION = "expected"


def ledger(
    path: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A results folder, or the folder that contains it.")
    ] = Path("results"),
    accept: Annotated[
        bool, typer.Option("--accept", help="Write the new values into the catalog as expected values.")
    ] = False,
    why: Annotated[str, typer.Option(help="Reason for the new values.")] = "",
    commit: Annotated[
        str | None, typer.Option(help="Commit of the new values; that of the run if left out.")
    ] = None,
) -> None:
    """List published numbers for which our value has changed.

    Also lists claims that were run and have no expected value yet.
    """
    why = " ".join(why.split())
    if accept and not why:
        raise ConfigError(
            '--accept needs a reason: write --why "what changed, and why the new values are right".'
        )
    folder = path / paths.RESULTS if (path / paths.RESULTS).is_dir() else path
    rows = read_rows(in_folder(folder, paths.SUMMARY_LEDGER), LedgerRow)
    # a difference between two claims moves with them
    unexpected = [
        row
        for row in rows
        if row.has_ours and not row.is_difference and (row.moved or row.expected != row.expected)
    ]
    counts = Counter(row.verdict for row in rows)
    blocks: list[Block] = [
        facts(f"{len(rows)} claims", [(verdict, str(counts[verdict])) for verdict in VERDICTS])
    ]
    if not unexpected:
        blocks.append("Every claim that was run has its expected value.")
    else:
        lines = [(row.name, _number(row.expected), _number(row.ours)) for row in unexpected]
        blocks.append(listing(("Claim", "Expected", "Ours"), lines, "lrr"))
    if accept and unexpected:
        file = workflow_folder() / "catalog" / "ledger.yaml"
        _write(file, {row.name: row.ours for row in unexpected}, commit or _commit_of(folder), why)
        blocks.append(f"{file}: {len(unexpected)} expected values written.")
    show_blocks(*blocks)


def _commit_of(folder: Path) -> str:
    """The commit that the run was made at, if its code was that of the commit."""
    record = in_folder(folder, paths.RECORD_VERSIONS)
    git = read_json(record).get("git") if record.is_file() else None
    if not git or git["dirty"]:
        raise DataError(
            f"{record} names no commit that the values were made at without changes: write it, --commit <digits>."
        )
    return str(git["commit"])


def _write(file: Path, values: Mapping[str, float], commit: str, why: str) -> None:
    """Replace entries of claims that have one, and add the others behind the last; every other byte stays."""
    if not re.fullmatch(r"[0-9a-f]{8,40}", commit):
        raise ConfigError(f"--commit {commit}: write 8 to 40 hexadecimal digits of a commit.")
    text = file.read_text(encoding="utf-8")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    sections = root.value if isinstance(root, yaml.MappingNode) else []
    known = {
        name.value: value
        for key, section in sections
        if key.value == _SECTION and isinstance(section, yaml.MappingNode)
        for name, value in section.value
    }
    if not known:
        raise DataError("ledger.yaml: there are no expected values, behind which new ones could stand.")
    end = max(node.end_mark.index for node in known.values())
    changes, new = [], ""
    for name, value in values.items():
        line = f"{{value: {value:.6g}, commit: {_quoted(commit[:_DIGITS])}, why: {_quoted(why)}}}"
        if name in known:
            changes.append((known[name].start_mark.index, known[name].end_mark.index, line))
        else:
            new += f"\n  {_quoted(name)}:\n    {line}"
    for start, stop, line in sorted([*changes, (end, end, new)], reverse=True):
        text = text[:start] + line + text[stop:]
    with atomic(file) as part:
        part.write_text(text, encoding="utf-8")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _number(value: float) -> str:
    return "none" if value != value else f"{value:.6g}"
