"""Checks of model entries that need more than a list of keys: steps of scikit-learn, and services.

Standard library only: the Snakefile imports this module in every job.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sentflow.encoders.kinds.scikit_learn_list import ALLOWED, PART_WEIGHTS, PARTS, SEED
from sentflow.encoders.kinds.service_keys import how_to_name, is_key_variable

STEP_KEYS = ("class", "arguments")

# HF_TOKEN, AWS_SECRET_ACCESS_KEY, OPENAI_API_KEY …: a name, and nothing that could be a key itself
_OTHER_SECRET = re.compile(r"[A-Z]+(_[A-Z]+)+")


def step_problems(where: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the steps of a scikit-learn entry, as far as can be told without scikit-learn.

    Classes and arguments are allowed by list, see `sentflow.encoders.kinds.scikit_learn_list`.

    Parameters
    ----------
    where
        Place of the entry, for the messages.
    entry
        Has either ``class`` and perhaps ``arguments``, or ``pipeline``: a list of such maps.
    """
    if ("class" in entry) == ("pipeline" in entry):
        return [
            f"{where}: an encoder of kind scikit-learn is one class or several. Write either class: "
            "sklearn.… or pipeline: with a list of steps that have a class each."
        ]
    if "class" in entry:
        return _problems_of_step(where, {key: entry[key] for key in STEP_KEYS if key in entry})
    problems = []
    if "arguments" in entry:
        problems.append(f"{where}.arguments: these belong to a step of the pipeline. Write them there.")
    steps = entry["pipeline"]
    if not isinstance(steps, list) or not steps:
        return [*problems, f"{where}.pipeline: write a list of steps, each a map with the key class."]
    for number, step in enumerate(steps):
        problems += _problems_of_step(f"{where}.pipeline.{number}", step)
    return problems


def _problems_of_step(where: str, step: Any) -> list[str]:
    if not isinstance(step, Mapping) or "class" not in step:
        return [f"{where}: a step is a map. Write class: sklearn.…, and arguments: {{…}} if it needs any."]
    problems = [
        f"{where}.{key}: a step has no such key. Known: {', '.join(STEP_KEYS)}."
        for key in step
        if key not in STEP_KEYS
    ]
    name = step["class"]
    if not isinstance(name, str) or name not in ALLOWED:
        return [
            *problems,
            f"{where}.class: {name!r} is no class that an entry may name. {_other_class(name)}",
        ]
    arguments = step.get("arguments", {})
    if not isinstance(arguments, Mapping):
        return [*problems, f"{where}.arguments: write a map of names and values."]
    if SEED in ALLOWED[name] and arguments.get(SEED) is None:
        problems.append(
            f"{where}: {name} draws random numbers, and equal runs must give equal numbers. Write a seed into its "
            f"arguments, e.g. {SEED}: 1."
        )
    for key, value in arguments.items():
        problems += _problems_of_argument(f"{where}.arguments.{key}", key, value, known=ALLOWED[name])
    return problems


def _other_class(name: Any) -> str:
    wanted = str(name).rpartition(".")[2].lower()
    by_name = {allowed.rpartition(".")[2].lower(): allowed for allowed in ALLOWED}
    near = get_close_matches(wanted, by_name, n=2, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(by_name[key] for key in near)}? docs/models.md lists all."
    return f"Write one of: {', '.join(sorted(ALLOWED))}."


def _problems_of_argument(where: str, key: Any, value: Any, *, known: tuple[str, ...]) -> list[str]:
    if key not in known:
        return [
            f"{where}: this argument is not on the list of an entry. Leave it out if it changes no vector (copy, "
            "verbose, n_jobs); arguments that name paths or code are refused. Write only: "
            f"{', '.join(sorted(known))}."
        ]
    if key in PARTS:
        return _problems_of_parts(where, value)
    if key == PART_WEIGHTS:
        numbers = isinstance(value, Mapping) and all(_is_number(weight) for weight in value.values())
        return [] if numbers else [f"{where}: write a map of the names of parts and their weights."]
    items = value if isinstance(value, list) else [value]
    if any(item is not None and not isinstance(item, bool | int | float | str) for item in items):
        return [f"{where}: write a number, a word, true, false, null, or a list of such."]
    return []


def _problems_of_parts(where: str, parts: Any) -> list[str]:
    if not isinstance(parts, list) or not parts:
        return [f"{where}: write a list of parts, each a list of a name and a step."]
    problems = []
    for number, part in enumerate(parts):
        if isinstance(part, list) and len(part) == 2 and isinstance(part[0], str):
            problems += _problems_of_step(f"{where}.{number}", part[1])
        else:
            problems.append(
                f"{where}.{number}: a part is a list of two: its name, and a map with the key class."
            )
    return problems


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def service_problems(where: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with address and key of a service; never repeats a value that may hold a key."""
    problems = []
    if "url" in entry and not _is_plain_address(entry["url"]):
        problems.append(
            f"{where}.url: write the http(s) address that takes the requests, e.g. "
            "https://api.example.org/v1/embeddings, without user, password, query or fragment. A key belongs "
            "into an environment variable, whose name is key_variable."
        )
    variable = entry.get("key_variable")
    if variable is None or is_key_variable(variable):
        return problems
    if isinstance(variable, str) and _OTHER_SECRET.fullmatch(variable):
        problems.append(f"{where}.key_variable: {variable} is not sent: {how_to_name(entry.get('url'))}")
    else:
        problems.append(
            f"{where}.key_variable: write the name of an environment variable, SENTFLOW_KEY_NAME with capital letters, "
            "digits and _, not the key itself. If a key stood here, it is in a file now: revoke it."
        )
    return problems


def _is_plain_address(url: Any) -> bool:
    try:
        parts: SplitResult = urlsplit(url)
        extra = (parts.username, parts.password, parts.query, parts.fragment)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not any(extra)
    except (ValueError, AttributeError, TypeError):
        return False
