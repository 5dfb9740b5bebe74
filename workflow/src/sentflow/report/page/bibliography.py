"""What to cite, as BibTeX: the software, the benchmark, the methods that were used, the data and the encoders."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.table.latex import latex

_NOBODY = ("", "none", "not stated")


def bibtex(
    versions: Mapping[str, Any],
    datasets: Mapping[str, Mapping[str, Any]],
    models: Mapping[str, Mapping[str, Any]],
    methods: Sequence[str] = (),
) -> str:
    """Entries joined by empty lines.

    `versions`: as `sentflow.report.record.versions` gives them. `datasets`, `models`: entries that were used, by name;
    those whose ``citation`` is missing or says none are left out.
    """
    entries = [_software(versions), *methods, *_entries("data", datasets), *_entries("encoder", models)]
    return "\n\n".join(entries)


def _software(versions: Mapping[str, Any]) -> str:
    lines = [
        "@software{sentflow,",
        "  title   = {sentflow: from a list of sentence encoders to the tables and figures of a paper},",
        f"  version = {{{versions['libraries']['sentflow']}}}",
    ]
    git = versions["git"]
    if git:
        changed = ", with local changes" if git["dirty"] else ""
        lines[-1] += ","
        lines.append(f"  note    = {{commit {git['commit']}{changed}}}")
    return "\n".join([*lines, "}"])


def _entries(kind: str, found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    names: Sequence[str] = [name for name, entry in found.items() if entry.get("citation", "") not in _NOBODY]
    return [_entry(f"{kind}-{name}", found[name], name) for name in names]


def _entry(key: str, entry: Mapping[str, Any], name: str) -> str:
    lines = [f"@misc{{{key},", f"  title = {{{{{latex(str(entry.get('title', name)))}}}}},"]
    lines.append(f"  note  = {{{latex(str(entry['citation']))}}}")
    if str(entry.get("homepage", "")).startswith("http"):
        lines[-1] += ","
        lines.append(f"  howpublished = {{\\url{{{entry['homepage']}}}}}")
    return "\n".join([*lines, "}"])
