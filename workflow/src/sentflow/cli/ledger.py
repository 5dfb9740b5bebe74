"""`sentflow ledger`: which published numbers a run moved, and new expected values for them."""

import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from sentflow.cli.terminal import Block, facts, listing, show_blocks
from sentflow.errors import ConfigError, DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows
from sentflow.flow import paths
from sentflow.flow.workflow_folder import workflow_folder
from sentflow.ledger.accepted import Entry, unexpected, with_entries
from sentflow.ledger.verdicts import VERDICTS, LedgerRow

_DIGITS = 8


def ledger(
    path: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A results folder, or the folder that holds one.")
    ] = Path("results"),
    accept: Annotated[
        bool, typer.Option("--accept", help="Write what was found into the catalog as what is expected.")
    ] = False,
    why: Annotated[str, typer.Option(help="Why the new values are right.")] = "",
    commit: Annotated[
        str | None, typer.Option(help="Commit that they were made at; that of the run if left out.")
    ] = None,
) -> None:
    """Say which published numbers came out otherwise than expected.

    Claims that were run and have no expected value yet are named, too.
    """
    why = " ".join(why.split())
    if accept and not why:
        raise ConfigError(
            '--accept needs a reason: write --why "what changed, and why the new values are right".'
        )
    folder = path / paths.RESULTS if (path / paths.RESULTS).is_dir() else path
    rows = read_rows(folder / _below_results(paths.SUMMARY_LEDGER), LedgerRow)
    found = unexpected(rows)
    counts = Counter(row.verdict for row in rows)
    blocks: list[Block] = [
        facts(f"{len(rows)} claims", [(verdict, str(counts[verdict])) for verdict in VERDICTS])
    ]
    if found:
        lines = [(row.name, _number(row.expected), _number(row.ours)) for row in found]
        blocks.append(listing(("Claim", "Expected", "Ours"), lines, "lrr"))
    if accept and found:
        file = workflow_folder() / "catalog" / "ledger.yaml"
        _write(file, found, commit or _commit_of(folder), why)
        blocks.append(f"{file}: {len(found)} expected values written.")
    elif not found:
        blocks.append("Every claim that was run has the value that is expected.")
    show_blocks(*blocks)


def _write(file: Path, found: list[LedgerRow], commit: str, why: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{8,40}", commit):
        raise ConfigError(f"--commit {commit}: write 8 to 40 hexadecimal digits of a commit.")
    entries = {row.name: Entry(row.ours, commit[:_DIGITS], why) for row in found}
    text = with_entries(file.read_text(encoding="utf-8"), entries)
    with atomic(file) as part:
        part.write_text(text, encoding="utf-8")


def _commit_of(folder: Path) -> str:
    """The commit that the run was made at, if its code was that of the commit."""
    record = folder / _below_results(paths.RECORD_VERSIONS)
    git = read_json(record).get("git") if record.is_file() else None
    if not git or git["dirty"]:
        raise DataError(
            f"{record} names no commit that the values were made at without changes: write it, --commit <digits>."
        )
    return str(git["commit"])


def _below_results(path: str) -> Path:
    return Path(path).relative_to(paths.RESULTS)


def _number(value: float) -> str:
    return "none" if value != value else f"{value:.6g}"
