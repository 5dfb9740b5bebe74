"""What a model entry of the catalog may hold, and which of its keys each rule reads.

Standard library only: the Snakefile imports this module in every job.
"""

import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sentflow.encoders.checks.devices import device_problems
from sentflow.encoders.checks.steps import service_problems, step_problems
from sentflow.encoders.kinds.custom_class import (
    EMBED,
    argument_problems,
    code_files,
    read_class,
    split_reference,
)
from sentflow.encoders.kinds.neural.settings import BACKEND_LIBRARIES, TORCH, setting_problems
from sentflow.encoders.prompts import narrowed
from sentflow.errors import ConfigError

SENTENCE_TRANSFORMERS = "sentence-transformers"
TRANSFORMERS = "transformers"
MODEL2VEC = "model2vec"
WORD_VECTORS = "word-vectors"
API = "api"
TFIDF = "tfidf"
SCIKIT_LEARN = "scikit-learn"
BAG_OF_WORDS = "bag-of-words"
RANDOM = "random"
CUSTOM = "custom"

LAZY_KINDS = frozenset({TFIDF, SCIKIT_LEARN})
# Kinds with weights that torch reads.
NEURAL_KINDS = frozenset({SENTENCE_TRANSFORMERS, TRANSFORMERS})

# Keys that decide what the manifest says. A change of any other key fetches nothing again.
FETCH_KEYS = {
    SENTENCE_TRANSFORMERS: ("kind", "source", "allow_pickle"),
    TRANSFORMERS: ("kind", "source", "allow_pickle"),
    MODEL2VEC: ("kind", "source"),
    WORD_VECTORS: ("kind", "source"),
    API: ("kind", "url", "model", "dimension", "request_dimension"),
    TFIDF: ("kind", "max_features", "ngram_range", "stop_words"),
    SCIKIT_LEARN: ("kind", "class", "arguments", "pipeline"),
    BAG_OF_WORDS: ("kind", "dimension"),
    RANDOM: ("kind", "dimension", "seed"),
    CUSTOM: ("kind", "custom", "arguments", "files", "libraries"),
}
_NEURAL_ENCODE_KEYS = (
    *("max_tokens", "truncation", "truncate_dim", "normalise", "pooling", "prompt", "prompts"),
    *("prompt_names", "dtype", "backend", "batch_tokens", "batch_size"),
)
# Keys that decide what the vectors are, beside the manifest.
ENCODE_KEYS = {
    SENTENCE_TRANSFORMERS: _NEURAL_ENCODE_KEYS,
    TRANSFORMERS: _NEURAL_ENCODE_KEYS,
    MODEL2VEC: ("max_tokens", "normalise"),
    WORD_VECTORS: ("tokens", "lower_case", "normalise"),
    API: ("prompt", "normalise"),
    TFIDF: (),
    SCIKIT_LEARN: (),
    BAG_OF_WORDS: (),
    RANDOM: (),
    CUSTOM: (),
}
# Keys that say how a service is reached, not what it answers. A change of these runs nothing again.
CONNECTION_KEYS = {API: ("key_variable", "batch_texts", "timeout_seconds", "attempts")}
# Keys that limit what a user's own class may take. A change of these runs nothing again either.
LIMIT_KEYS = {CUSTOM: ("timeout_seconds",)}
# Keys that say where vectors are computed. A change of these runs nothing again either.
PLACE_KEYS = {SENTENCE_TRANSFORMERS: ("device",), TRANSFORMERS: ("device",)}
# Keys that only tables and captions read.
DESCRIPTIVE_KEYS = ("title", "licence", "citation", "control")

SOURCE_KEYS = {
    "hub": ("hub", "revision", "sha256"),
    "package": ("package", "module", "folder", "sha256"),
    "archive": ("archive",),
    "folder": ("folder", "sha256"),
    "file": ("file", "sha256"),
}
_SOURCES_OF_KIND = {
    SENTENCE_TRANSFORMERS: ("archive", "folder", "hub", "package"),
    TRANSFORMERS: ("archive", "folder", "hub", "package"),
    MODEL2VEC: ("archive", "folder", "hub", "package"),
    WORD_VECTORS: ("archive", "file"),
}
_REQUIRED_SOURCE_KEYS = {
    "hub": ("hub",),  # a missing revision gets an error of its own
    "package": ("package", "module", "folder", "sha256"),
    "archive": ("archive",),
    "folder": ("folder",),
    "file": ("file",),
}
# Keys that an entry may leave out though its manifest depends on them.
_OPTIONAL_KEYS = frozenset(
    {"kind", "stop_words", "request_dimension", "class", "arguments", "pipeline", "files", "libraries"}
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
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


def is_lazy(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder is fitted inside each fold, so that it has no embeddings file."""
    if entry["kind"] == CUSTOM:
        return read_class(entry["custom"]).lazy
    return entry["kind"] in LAZY_KINDS


def is_featuriser(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder makes the features of all rows of a task itself, before the folds."""
    if entry["kind"] != CUSTOM:
        return False
    found = read_class(entry["custom"])
    return found.level == EMBED and not found.lazy


def custom_files(entry: Mapping[str, Any]) -> list[str]:
    """Files of an own encoder: its code, what that imports beside it, and what ``files`` names; else none."""
    if entry["kind"] != CUSTOM:
        return []
    file, _ = split_reference(entry["custom"])
    return list(dict.fromkeys([*code_files(file), *entry.get("files", [])]))


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
        f"models.{name}.files: there is no file {file} (looked for in {Path.cwd()})."
        for file in files
        if isinstance(file, str) and not Path(file).is_file()
    ]


def fetch_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that rule fetch_model reads."""
    return {key: entry[key] for key in FETCH_KEYS[entry["kind"]] if key in entry}


def encode_settings(entry: Mapping[str, Any], *, task: str | None = None) -> dict[str, Any]:
    """The keys of a model entry that decide its vectors, beside the manifest.

    Parameters
    ----------
    entry
        See `entry_problems`.
    task
        Of the texts: prompts that they cannot meet are left out, so that an edit there runs nothing again.
    """
    settings = {key: entry[key] for key in ENCODE_KEYS[entry["kind"]] if key in entry}
    return narrowed(settings, task=task)


def backend_libraries(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Distributions beside torch whose versions can change the vectors of a model entry."""
    return BACKEND_LIBRARIES[entry.get("backend", TORCH)]


def connection_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that say how its service is reached; empty for most kinds."""
    return {key: entry[key] for key in CONNECTION_KEYS.get(entry["kind"], ()) if key in entry}


def call_seconds(entry: Mapping[str, Any]) -> int:
    """Whole seconds that a call of a user's own class may take; 0 is no limit."""
    return max((math.ceil(entry.get(key, 0)) for key in LIMIT_KEYS.get(entry["kind"], ())), default=0)


def source_kind(source: Mapping[str, Any]) -> str:
    """``"hub"``, ``"package"``, ``"archive"``, ``"folder"`` or ``"file"``; a package has a folder too."""
    return next(kind for kind in SOURCE_KEYS if kind in source)


def entry_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Everything that is wrong with the keys of a model entry, one sentence each; empty if nothing is.

    Parameters
    ----------
    name
        Of the model, for the messages.
    entry
        The entry, or the part of it that `fetch_settings` gives.
    """
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in FETCH_KEYS:
        return [f"models.{name}.kind: {kind!r} is no kind of encoder. Write one of: {_listed(FETCH_KEYS)}."]
    elsewhere = (*CONNECTION_KEYS.get(kind, ()), *PLACE_KEYS.get(kind, ()), *LIMIT_KEYS.get(kind, ()))
    known = (*FETCH_KEYS[kind], *ENCODE_KEYS[kind], *elsewhere, *DESCRIPTIVE_KEYS)
    problems = [
        f"models.{name}.{key}: an encoder of kind {kind} has no such key. {_guess(key, known)}"
        f"Known: {_listed(known)}."
        for key in entry
        if key not in known
    ]
    if kind in NEURAL_KINDS:
        wrong = setting_problems(entry) + device_problems(entry.get("device"))
        problems += [f"models.{name}.{problem}" for problem in wrong]
    if kind in _SOURCES_OF_KIND:
        where = f"models.{name}.source"
        return problems + _source_problems(where, entry.get("source"), known=_SOURCES_OF_KIND[kind])
    missing = [key for key in FETCH_KEYS[kind] if key not in entry and key not in _OPTIONAL_KEYS]
    problems += [f"models.{name}: the key {key} is missing." for key in missing]
    if kind == SCIKIT_LEARN:
        problems += step_problems(f"models.{name}", entry)
    if kind == API:
        problems += service_problems(f"models.{name}", entry)
    return problems


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
    if kind == "hub":
        problems += _revision_problems(f"{where}.revision", source)
    return problems


def _revision_problems(where: str, source: Mapping[str, Any]) -> list[str]:
    revision = source.get("revision")
    if isinstance(revision, str) and _COMMIT.fullmatch(revision):
        return []
    found = "is missing" if revision is None else f"{revision!r} can point to other weights tomorrow"
    return [
        f"{where}: {found}. Write the 40 hexadecimal digits of a commit of {source['hub']}: on its page in "
        "the hub open 'Files and versions', then 'History', and copy the hash of the commit that you mean."
    ]


def _guess(key: str, known: Sequence[str]) -> str:
    if _ELSEWHERE.get(key) in known:
        return f"Here it is called {_ELSEWHERE[key]}. "
    near = get_close_matches(key, known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]}? " if near else ""


def _listed(names: Any) -> str:
    return ", ".join(sorted(names))
