"""Checks of model entries that need more than a list of keys: steps of scikit-learn, and services.

Standard library only: the Snakefile imports this module in every job.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sentflow.encoders.service_keys import how_to_name, is_key_variable

STEP_KEYS = ("class", "arguments")

_CLASS = re.compile(r"sklearn(\.[A-Za-z_][A-Za-z0-9_]*)+")
# HF_TOKEN, AWS_SECRET_ACCESS_KEY, OPENAI_API_KEY …: a name, and nothing that could be a key itself
_OTHER_SECRET = re.compile(r"[A-Z]+(_[A-Z]+)+")


def step_problems(where: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the steps of a scikit-learn entry, as far as can be told without scikit-learn.

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
    if not isinstance(name, str) or not _CLASS.fullmatch(name):
        problems.append(
            f"{where}.class: {name!r} is no class of scikit-learn. Write its dotted name, which begins with "
            "sklearn., e.g. sklearn.feature_extraction.text.HashingVectorizer."
        )
    arguments = step.get("arguments", {})
    if not isinstance(arguments, Mapping):
        return [*problems, f"{where}.arguments: write a map of names and values."]
    for key, value in arguments.items():
        for nested in _nested_steps(value):
            problems += _problems_of_step(f"{where}.arguments.{key}", nested)
    return problems


def _nested_steps(value: Any) -> Iterator[Mapping[str, Any]]:
    """The maps with a ``class`` in the value of an argument, e.g. the parts of a FeatureUnion."""
    if isinstance(value, Mapping) and "class" in value:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _nested_steps(item)


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
