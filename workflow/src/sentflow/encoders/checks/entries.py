"""What is wrong with a model entry. Checks of a configuration: no job imports them.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sentflow.encoders.checks.services import service_problems
from sentflow.encoders.checks.values import value_problems
from sentflow.encoders.entries import kind_of
from sentflow.encoders.fetch.revisions import REQUIRED, revision_problems
from sentflow.encoders.kinds.custom_class import argument_problems, code_files, read_class, split_reference
from sentflow.encoders.kinds.scikit_learn_steps import step_problems
from sentflow.encoders.kinds.table import API, CUSTOM, DESCRIPTIVE_KEYS, KINDS, Kind
from sentflow.encoders.manifest import SOURCE_KEYS, source_kind
from sentflow.errors import ConfigError

_REQUIRED_SOURCE_KEYS = {
    "hub": ("hub",),  # a missing revision gets an error of its own
    "package": ("package", "module", "folder", "sha256"),
    "archive": ("archive",),
    "folder": ("folder",),
    "file": ("file",),
}
# What other programs call a key.
_ELSEWHERE = {
    "max_length": "max_tokens",
    "max_seq_length": "max_tokens",
    "normalize": "normalise",
    "normalize_embeddings": "normalise",
    "pooling_mode": "pooling",
    "prompt_name": "prompt_names",
    "torch_dtype": "dtype",
    "truncation_side": "truncation",
}


def entry_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Everything that is wrong with the keys of a model entry, one sentence each; empty if nothing is.

    Parameters
    ----------
    name
        Of the model, for the messages.
    entry
        The entry, or the part of it that `fetch_settings` gives.
    """
    if not isinstance(entry.get("kind"), str) or entry["kind"] not in KINDS:
        return [
            f"models.{name}.kind: {entry.get('kind')!r} is no kind of encoder. Write one of: "
            f"{_listed(KINDS)}."
        ]
    kind = kind_of(entry)
    known = (*kind.keys, *DESCRIPTIVE_KEYS)
    problems = [
        f"models.{name}.{key}: an encoder of kind {kind.name} has no such key. {_guess(key, known)}"
        f"Known: {_listed(known)}."
        for key in entry
        if key not in known
    ]
    own = {key: value for key, value in entry.items() if key in kind.keys}
    problems += [f"models.{name}.{problem}" for problem in value_problems(own)]
    if kind.sources:
        return problems + _source_problems(f"models.{name}.source", entry.get("source"), known=kind.sources)
    required = {*kind.fetch_keys} - {"kind", *kind.optional_keys}
    problems += [
        f"models.{name}: the key {key} is missing.{_several(key, kind)}"
        for key in kind.fetch_keys
        if key in required and key not in entry
    ]
    if kind.name == "scikit-learn":
        problems += step_problems(f"models.{name}", entry)
    if kind.name == API:
        problems += service_problems(f"models.{name}", entry)
    return problems


def custom_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the file of an own encoder, one sentence each; none for other kinds.

    Not part of `entry_problems`: the file of an encoder that is not selected need not be here.
    """
    reference, arguments, files = (
        entry.get("custom"),
        entry.get("arguments", {}),
        entry.get("files", []),
    )
    plain = isinstance(reference, str) and isinstance(arguments, dict) and isinstance(files, list)
    if entry.get("kind") != CUSTOM or not plain:
        return []  # the schema tells it
    try:
        read_class(str(reference))
        code_files(split_reference(str(reference))[0])
        problems = [
            f"models.{name}.arguments.{problem}" for problem in argument_problems(str(reference), arguments)
        ]
    except ConfigError as error:
        problems = [f"models.{name}.custom: {error}"]
    return problems + [
        f"models.{name}.files: there is no file {file} (searched for in {Path.cwd()})."
        for file in files
        if isinstance(file, str) and not Path(file).is_file()
    ]


def _source_problems(where: str, source: Any, *, known: Sequence[str]) -> list[str]:
    if not isinstance(source, Mapping) or not any(kind in source for kind in known):
        return [f"{where}: says where the model comes from. Write one of: {_listed(known)}."]
    kind = source_kind(
        {key: value for key, value in source.items() if key in known or key not in SOURCE_KEYS}
    )
    problems = [
        f"{where}.{key}: a source has one origin, here {kind}. Write only: {_listed(SOURCE_KEYS[kind])}."
        for key in source
        if key not in SOURCE_KEYS[kind]
    ]
    problems += [
        f"{where}: a source of kind {kind} needs the key {key}."
        for key in _REQUIRED_SOURCE_KEYS[kind]
        if key not in source
    ]
    # asked of a model when it is selected (`sentflow.config.problems.shared`)
    if kind == "hub" and source.get("revision") != REQUIRED:
        problems += revision_problems(f"{where}.revision", source)
    return problems


def _guess(key: str, known: Sequence[str]) -> str:
    if _ELSEWHERE.get(key) in known:
        return f"Here it is called {_ELSEWHERE[key]}. "
    near = get_close_matches(key, known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]}? " if near else ""


def _several(key: str, kind: Kind) -> str:
    """That a list may stand instead of a value: an entry with ``seeds`` stands for one encoder per seed."""
    return f" Write it, or {key}s with a list." if f"{key}s" in kind.short_keys else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
