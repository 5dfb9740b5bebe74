"""Results of SWE-bench: issues that systems resolved. A split is a task, an issue an item, its repository a group.

Submissions list resolved issues only, so that what they are out of must come from elsewhere: details by issue, reports
of the harness, a list of ids, or the totals by repository, since issues that nobody resolved need no name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sentflow.boards.cells import number
from sentflow.boards.contents import beginning, json_of
from sentflow.boards.scores import FRACTION, PERCENT, Options, Scores, board_reader, of_form, scores_of
from sentflow.errors import DataError, listed
from sentflow.files.settings_files import read_settings

_ID = r"[\w.-]+__[\w.-]+-\d+"
_IDS = re.compile(rf'\s*\[?\s*"?{_ID}"?\s*(,|\n|\]|\Z)')
_DETAILS = "per_instance_details.json"
_Rows = list[dict[str, Any]]
_FILES = re.compile(
    rf'\s*\{{\s*("leaderboards"\s*:\s*\[|"{_ID}"\s*:\s*\{{\s*"resolved"|"(no_generation|no_logs|resolved)"\s*:\s*\['
    r'|"total_instances"\s*:)'
)


@dataclass(frozen=True)
class _System:
    """What a file says of a system on a split."""

    split: str
    name: str
    file: str
    resolved: frozenset[str]
    listed: frozenset[str]  # all issues that it names
    is_whole: bool = False  # whether those are all that it was asked
    totals: Mapping[str, int] = field(default_factory=dict)  # repository → its issues, where the file says it
    attempts: str = ""


def _recognises(path: Path) -> bool:
    if path.is_dir():  # a submission, with tables by repository and by year beside its results
        return (path / "results" / "results.json").is_file() or (path / _DETAILS).is_file()
    pattern = _FILES if path.suffix == ".json" else _IDS
    start = beginning(path) if path.suffix in (".json", ".txt") else ""
    return bool(pattern.match(start) or _IDS.match(start))


@board_reader("SWE-bench", _recognises)
def _read(paths: Sequence[Path], options: Options) -> Scores:  # noqa: ARG001 - each reader has it
    rows: _Rows = []
    systems: list[_System] = []
    ids: set[str] = set()
    for path in paths:
        if path.is_dir():
            files = (path / _DETAILS, path / "results" / "results.json")
            systems.append(_submission(next(file for file in files if file.is_file()), path))
        elif _IDS.match(beginning(path)):
            ids |= {*re.findall(_ID, path.read_text(encoding="utf-8"))}
        elif isinstance(boards := (value := json_of(path)).get("leaderboards"), list):
            rows += _of_boards(boards, path)
        elif "total_instances" in value:
            systems.append(_of_report(value, path))
        else:
            folder = path.parent.parent if path.name == "results.json" else path.parent
            systems.append(_submission(path, folder))
    notes: list[str] = []
    splits = {system.split for system in systems} - {""}
    only = next(iter(splits)) if len(splits) == 1 else "SWE-bench"  # of reports, which name no split
    for split in sorted({system.split or only for system in systems}):
        of_split, told = _of_split(split, [one for one in systems if (one.split or only) == split], ids)
        rows += of_split
        notes += told
    return scores_of(rows, notes)


def _of_split(split: str, systems: Sequence[_System], ids: Iterable[str]) -> tuple[_Rows, list[str]]:
    """A row per system and issue."""
    known, notes = {issue for system in systems for issue in system.listed} | {*ids}, []
    totals = next((system.totals for system in systems if system.totals), {})
    if not totals and not ids and not any(system.is_whole for system in systems):
        raise DataError(
            f"{systems[0].file} lists resolved issues only, and nothing says of how many. Put resolved_by_repo.json "
            f"beside it, or name a text file with the ids of all issues of {split} too, one a line."
        )
    for repository, total in totals.items():
        own = sum(_repository(issue) == repository for issue in known)
        if own > total:
            raise DataError(f"{split}: {own} issues of {repository}, but resolved_by_repo.json has {total}.")
        known |= {f"{repository.replace('/', '__')}-unresolved-{n}" for n in range(total - own)}
    for system in systems:
        if system.is_whole and (n := len(known - system.listed)):
            notes.append(f"{system.name} lacks {n} of {len(known)} issues of {split}, counted as unresolved.")
    attempts = {system.name: system.attempts for system in systems if system.attempts}
    if len({*attempts.values()}) > 1:
        said = listed(f"{name}: {own}" for name, own in attempts.items())
        notes.append(f"Systems had different numbers of attempts ({said}).")
    about = {"task": split, "metric": "resolved", "higher_is_better": True, "unit": FRACTION}
    rows: _Rows = []
    for system in systems:
        told = {**about, "model": system.name, "file": system.file}
        for issue in sorted(known):
            score = float(issue in system.resolved)
            rows.append({**told, "group": _repository(issue), "item": issue, "score": score})
    return rows, notes


def _repository(issue: str) -> str:
    return re.sub(r"-(unresolved-)?\d+$", "", issue).replace("__", "/", 1)


@of_form
def _submission(path: Path, folder: Path) -> _System:
    """Details by issue, or a list of resolved ones, with what lies beside it."""
    value, about = json_of(path), folder / "metadata.yaml"
    metadata = read_settings(about) if about.is_file() else {}
    name = str((metadata.get("info") or {}).get("name") or folder.name)
    attempts = str(((metadata.get("tags") or {}).get("system") or {}).get("attempts") or "")
    split = folder.parent.name if folder.parent.parent.name == "evaluation" else ""
    if not isinstance(value.get("resolved"), list):
        return _of_details(value, split, name, path, attempts)
    table = path.with_name("resolved_by_repo.json")
    totals = {key: int(own["total"]) for key, own in (json_of(table) if table.is_file() else {}).items()}
    named = frozenset(issue for own in value.values() if isinstance(own, list) for issue in own)
    resolved = frozenset(value["resolved"])
    return _System(split, name, str(path), resolved, named, totals=totals, attempts=attempts)


def _of_details(value: Mapping[str, Any], split: str, name: str, path: Path, attempts: str = "") -> _System:
    resolved = frozenset(issue for issue, own in value.items() if own["resolved"] is True)
    return _System(split, name, str(path), resolved, frozenset(value), is_whole=True, attempts=attempts)


def _of_report(value: Mapping[str, Any], path: Path) -> _System:
    """A report of the harness, which has its model in its name only: ``model.run.json``."""
    lists = [own for key, own in value.items() if key.endswith("_ids") and isinstance(own, list)]
    named = {issue for own in lists for issue in own}
    if len(named) != value["total_instances"]:
        raise DataError(
            f"{path} names {len(named)} of {value['total_instances']} total_instances. Only reports that name all "
            "issues can be read: evaluate again with a current version of swebench."
        )
    name = path.stem.rsplit(".", 1)[0].replace("__", "/", 1)
    return _System("", name, str(path), frozenset(value["resolved_ids"]), frozenset(named), is_whole=True)


def _of_boards(boards: Sequence[Any], path: Path) -> Iterator[dict[str, Any]]:
    """The rows of the site's file: percent, or issues where it has them."""
    for board in boards:
        split = str(board["name"])
        for entry in board["results"]:
            if details := entry.get("per_instance_details"):
                yield from _of_split(split, [_of_details(details, split, str(entry["name"]), path)], ())[0]
            else:
                score = number(entry.get("resolved"), f"{path}, {entry['name']}")
                about = {"metric": "resolved", "higher_is_better": True, "unit": PERCENT, "file": str(path)}
                yield {**about, "model": entry["name"], "task": split, "score": score}
